use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::View;
use super::pod::{JOB_TRACKING_FINALIZER, has_job_tracking_finalizer, with_tracking_finalizer};
use crate::controller::controller_ref::{Claim, adopted, aggregate, can_adopt, claim_object, released};
use crate::controller::{Client, Error, Write};
use crate::object::{Kind, LabelSelector, ObjectMeta, OwnerReference, Pod};
use crate::workload::job::decision::Decision;

/// The Job's pods: those that match are adopted, with the finalizer that keeps them until they are counted, and those that
/// no longer do are released.
///
/// Upstream: `pkg/controller/job/job_controller.go getPodsForJob`
pub(super) fn get_pods_for_job(client: &mut dyn Client, view: &View<'_>) -> Result<Vec<Rc<Pod>>, Error> {
    let job = &view.job.metadata;
    let selector = LabelSelector::to_selector(view.job.spec.selector.as_deref())
        .map_err(|error| Error::Other(format!("couldn't convert Job selector: {error}")))?;
    let mut claimed = Vec::new();
    let mut errors = Vec::new();
    let mut may_adopt = None;
    for pod in view.pods {
        match claim_object(job, &pod.metadata, selector.matches(&pod.metadata.labels)) {
            Claim::Ignore => {}
            Claim::Keep => claimed.push(pod.clone()),
            Claim::Release => errors.extend(release(client, job, pod).err()),
            Claim::Adopt => {
                let allowed = may_adopt.get_or_insert_with(|| can_adopt(client, &view.job.key(), job));
                match adopt(client, job, pod, allowed) {
                    Ok(Some(pod)) => claimed.push(pod),
                    Ok(None) => {}
                    Err(error) => errors.push(error),
                }
            }
        }
    }
    aggregate(errors)?;
    Ok(claimed)
}

/// Upstream: `pkg/controller/controller_ref_manager.go ReleasePod`
fn release(client: &mut dyn Client, job: &ObjectMeta, pod: &Rc<Pod>) -> Result<(), Error> {
    let mut metadata = released(&pod.metadata, job);
    metadata.finalizers.retain(|finalizer| finalizer != JOB_TRACKING_FINALIZER);
    let decision = Decision::Release { pod: pod.metadata.name.clone(), job: job.name.clone() };
    match client.write(patch(pod, metadata), decision.into()) {
        // It has been released already, or was replaced by another one of its name.
        Err(error) if !error.is_not_found() && !error.is_invalid() => Err(error.into()),
        _ => Ok(()),
    }
}

/// The pod as it counts from now on; none if it is gone.
///
/// Upstream: `pkg/controller/controller_ref_manager.go AdoptPod`
fn adopt(
    client: &mut dyn Client,
    job: &ObjectMeta,
    pod: &Rc<Pod>,
    allowed: &Result<(), alloc::string::String>,
) -> Result<Option<Rc<Pod>>, Error> {
    let ObjectMeta { namespace, name, uid, .. } = &*pod.metadata;
    if let Err(error) = allowed {
        return Err(Error::Other(format!("can't adopt Pod {namespace}/{name} ({uid}): {error}")));
    }
    let owner = OwnerReference::controller(Kind::Job.api_version(), Kind::Job.name(), job);
    let mut metadata = adopted(&pod.metadata, owner);
    // A strategic merge patch puts what is new before what is there.
    if !has_job_tracking_finalizer(pod) {
        metadata.finalizers.insert(0, JOB_TRACKING_FINALIZER.into());
    }
    let decision = Decision::Adopt { pod: name.clone(), job: job.name.clone() };
    match client.write(patch(pod, metadata), decision.into()) {
        Ok(_) => Ok(Some(with_finalizer(job, pod))),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn patch(pod: &Pod, metadata: ObjectMeta) -> Write {
    Write::Patch(Pod { metadata: Rc::new(metadata), ..pod.clone() }.into())
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
