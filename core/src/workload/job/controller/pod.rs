//! What a Job's controller sees in a pod.

use alloc::rc::Rc;
use alloc::string::String;

use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ObjectMeta, Pod, PodPhase};
use crate::workload::job::{Job, PodReplacementPolicy};

/// Keeps a pod until its Job has counted it.
///
/// Upstream: `k8s.io/api/batch/v1/types.go JobTrackingFinalizer`
pub(super) const JOB_TRACKING_FINALIZER: &str = "batch.kubernetes.io/job-tracking";

/// Whether the pod has the finalizer that keeps it until its Job has counted it.
///
/// Upstream: `pkg/controller/job/tracking_utils.go hasJobTrackingFinalizer`
pub(crate) fn has_job_tracking_finalizer(pod: &Pod) -> bool {
    pod.metadata.finalizers.iter().any(|finalizer| finalizer == JOB_TRACKING_FINALIZER)
}

/// The pod without the finalizer.
///
/// Upstream: `pkg/controller/job/job_controller.go removeTrackingFinalizerPatch`
pub(super) fn without_tracking_finalizer(mut pod: Rc<Pod>) -> Rc<Pod> {
    let metadata: &mut ObjectMeta = Rc::make_mut(&mut Rc::make_mut(&mut pod).metadata);
    metadata.finalizers.retain(|finalizer| finalizer != JOB_TRACKING_FINALIZER);
    pod
}

/// The finalizers with the Job's, behind those that are there.
///
/// Upstream: `pkg/controller/job/job_controller.go appendJobCompletionFinalizerIfNotFound`
pub(super) fn with_tracking_finalizer(metadata: &mut ObjectMeta) {
    if !metadata.finalizers.iter().any(|finalizer| finalizer == JOB_TRACKING_FINALIZER) {
        metadata.finalizers.push(String::from(JOB_TRACKING_FINALIZER));
    }
}

/// A pod that is deleted counts as failed, unless the Job waits for its end.
///
/// Upstream: `pkg/controller/job/job_controller.go isPodFailed`
pub(super) fn is_pod_failed(pod: &Pod, policy: PodReplacementPolicy) -> bool {
    match pod.status.phase {
        PodPhase::Failed => true,
        PodPhase::Succeeded => false,
        _ => policy == PodReplacementPolicy::TerminatingOrFailed && pod.metadata.deletion_timestamp.is_some(),
    }
}

/// When a pod is replaced. With the gate off, as in releases before 1.34, a Job with a podFailurePolicy waits for the end of
/// pods, and any other one does not, whatever its podReplacementPolicy.
///
/// Upstream: `pkg/controller/job/job_controller.go onlyReplaceFailedPods`
pub(super) fn pod_replacement_policy(job: &Job, gates: FeatureGates) -> PodReplacementPolicy {
    let waits = if gates.enabled(Feature::JobPodReplacementPolicy) {
        job.spec.pod_replacement_policy == Some(PodReplacementPolicy::Failed)
    } else {
        job.spec.pod_failure_policy.is_some()
    };
    if waits { PodReplacementPolicy::Failed } else { PodReplacementPolicy::TerminatingOrFailed }
}

/// Upstream: `pkg/controller/job/job_controller.go countReadyPods`
pub(super) fn count_ready_pods(pods: &[Rc<Pod>]) -> i32 {
    count(pods.iter().filter(|pod| pod.is_ready()).count())
}

/// A number of pods, as the API has it.
pub(super) fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
