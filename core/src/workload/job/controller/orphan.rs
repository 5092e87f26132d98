use alloc::rc::Rc;

use super::condition::is_job_finished;
use super::managed_by_external_controller;
use super::pod::has_job_tracking_finalizer;
use super::tracking::remove_tracking_finalizer;
use crate::controller::{Client, Error};
use crate::object::{Kind, Pod};
use crate::workload::job::Job;
use crate::workload::job::decision::{Decision, Gone};

/// Removes the finalizer from a pod that no Job will count any more: its Job is over or gone, or it has lost it.
///
/// # Errors
/// The API server's refusal; the pod is tried again.
///
/// Upstream: `pkg/controller/job/job_controller.go handleSingleOrphanPod`
pub fn handle_single_orphan_pod(client: &mut dyn Client, pod: &Rc<Pod>, job: Option<&Job>) -> Result<(), Error> {
    let owner = pod.metadata.controller();
    if owner.is_some_and(|owner| &*owner.kind != Kind::Job.name() || &*owner.api_version != Kind::Job.api_version()) {
        return Ok(());
    }
    // Upstream: `pkg/controller/job/job_controller.go resolveControllerRef`
    let job =
        job.filter(|job| owner.is_some_and(|owner| owner.name == job.metadata.name && owner.uid == job.metadata.uid));
    if job.is_some_and(|job| managed_by_external_controller(job, client.gates()).is_some() || !is_job_finished(job)) {
        return Ok(());
    }
    if !has_job_tracking_finalizer(pod) {
        return Ok(());
    }
    let name = pod.metadata.name.clone();
    let decision = match owner {
        Some(owner) => Decision::CountOrphan(Gone { job: owner.name.clone(), pod: name }),
        None => Decision::ReleaseOrphan { pod: name },
    };
    match remove_tracking_finalizer(client, pod, decision) {
        Err(error) if !error.is_not_found() => Err(error.into()),
        _ => Ok(()),
    }
}
