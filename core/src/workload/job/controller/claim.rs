use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::View;
use super::pod::{JOB_TRACKING_FINALIZER, has_job_tracking_finalizer, with_tracking_finalizer};
use crate::controller::controller_ref::ControllerRefManager;
use crate::controller::{Client, Error};
use crate::object::{Kind, LabelSelector, ObjectMeta, Pod};
use crate::workload::job::decision::Decision;

/// The Job's pods: those that match are adopted, with the finalizer that keeps them until they are counted, and those that
/// no longer do are released.
///
/// Upstream: `pkg/controller/job/job_controller.go getPodsForJob`
pub(super) fn get_pods_for_job(client: &mut dyn Client, view: &View<'_>) -> Result<Vec<Rc<Pod>>, Error> {
    let job = &view.job.metadata;
    let selector = LabelSelector::to_selector(view.job.spec.selector.as_deref())
        .map_err(|error| Error::Other(format!("couldn't convert Job selector: {error}")))?;
    let pods = view.pods.iter().map(|pod| (pod.clone(), selector.matches(&pod.metadata.labels)));
    let decide = |adopts: bool, pod: &mut ObjectMeta| {
        let (name, job) = (pod.name.clone(), job.name.clone());
        if adopts {
            // A strategic merge patch puts what is new before what is there.
            if !pod.finalizers.iter().any(|finalizer| finalizer == JOB_TRACKING_FINALIZER) {
                pod.finalizers.insert(0, JOB_TRACKING_FINALIZER.into());
            }
            return Decision::Adopt { pod: name, job }.into();
        }
        pod.finalizers.retain(|finalizer| finalizer != JOB_TRACKING_FINALIZER);
        Decision::Release { pod: name, job }.into()
    };
    let key = view.job.key();
    let manager = ControllerRefManager { key, controller: job, kind: Kind::Job, decide: &decide };
    let claimed = manager.claim(client, pods)?;
    Ok(claimed.iter().map(|pod| with_finalizer(job, pod)).collect())
}

/// The adopted pod with the finalizer that it has now, for the rest of the sync.
fn with_finalizer(job: &ObjectMeta, pod: &Rc<Pod>) -> Rc<Pod> {
    let owned = pod.metadata.owner_references.iter().any(|owner| owner.uid == job.uid);
    if owned || has_job_tracking_finalizer(pod) {
        return pod.clone();
    }
    let mut metadata = (*pod.metadata).clone();
    with_tracking_finalizer(&mut metadata);
    Rc::new(Pod { metadata: Rc::new(metadata), ..(**pod).clone() })
}
