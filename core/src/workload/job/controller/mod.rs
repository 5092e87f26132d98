//! The Job controller: how many pods run at once, which of them count, what their failures mean, and when the Job is over.

mod backoff;
mod claim;
mod condition;
mod container_state;
mod failure_count;
mod indexed;
mod indexes;
mod manage;
mod orphan;
mod pod;
mod pod_failure_policy;
mod success_policy;
mod sync;
mod tracking;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

pub use backoff::BackoffRecord;
pub(crate) use condition::job_finish_time;
pub use condition::{finished_condition, is_job_finished, is_job_succeeded};
pub use indexes::{OrderedIntervals, get_completion_index};
pub use manage::SYNC_JOB_BATCH_PERIOD;
pub(crate) use manage::{RemovalOrder, removal_order, wanted_pods};
pub use orphan::handle_single_orphan_pod;
pub(crate) use pod::has_job_tracking_finalizer;
pub use sync::sync_job;

use crate::controller::expectations::Expectations;
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Duration, Pod, PodPhase};
use crate::workload::job::decision::FinishCause;
use crate::workload::job::{Job, JobCondition, PodReplacementPolicy};
use tracking::Uids;

/// The input of a Job's sync.
pub struct View<'a> {
    /// The Job.
    pub job: &'a Rc<Job>,
    /// The pods that it owns by name, then those of its namespace that have no controller, by name. Owned pods that match the
    /// selector, have succeeded and have no tracking finalizer any more may be left out: a sync does nothing with them.
    pub pods: &'a [Rc<Pod>],
}

/// What the controller remembers of a Job between its syncs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Failures since the last success.
    pub backoff: Option<BackoffRecord>,
    /// Pods that it has not seen come or go.
    pub expectations: Option<Expectations>,
    /// Uids of pods whose finalizers it has not seen go.
    pub finalizers: BTreeSet<Rc<str>>,
    /// Whether it has written that the Job is over, and has not seen that yet.
    pub finished: bool,
}

impl Memory {
    /// What a controller that has been running remembers of a Job with these pods: the failures of those that it has counted.
    pub fn of_counted<'a>(pods: impl IntoIterator<Item = &'a Rc<Pod>>) -> Self {
        let counted: Vec<&Rc<Pod>> = pods.into_iter().filter(|pod| !has_job_tracking_finalizer(pod)).collect();
        let ended = |phase: PodPhase| -> Vec<Rc<Pod>> {
            counted.iter().filter(|pod| pod.status.phase == phase).map(|pod| Rc::clone(pod)).collect()
        };
        let (succeeded, failed) = (ended(PodPhase::Succeeded), ended(PodPhase::Failed));
        let backoff = (!failed.is_empty()).then(|| BackoffRecord::default().after(&succeeded, &failed));
        Self { backoff, ..Self::default() }
    }
}

/// What a sync knows.
///
/// Upstream: `pkg/controller/job/job_controller.go syncJobCtx`
struct SyncJobCtx {
    job: Rc<Job>,
    pods: Vec<Rc<Pod>>,
    finished_condition: Option<Finish>,
    active_pods: Vec<Rc<Pod>>,
    succeeded: i32,
    failed: i32,
    prev_succeeded_indexes: OrderedIntervals,
    succeeded_indexes: OrderedIntervals,
    failed_indexes: Option<OrderedIntervals>,
    new_backoff_record: BackoffRecord,
    expected_rm_finalizers: Uids,
    uncounted: Uncounted,
    pods_with_delayed_deletion_per_index: BTreeMap<i64, Rc<Pod>>,
    terminating: i32,
    /// Whether Failed and Complete come after an interim condition, and wait for terminating pods.
    delays_terminal_condition: bool,
    /// The one in effect.
    pod_replacement_policy: PodReplacementPolicy,
    ready: i32,
    /// Which condition of the status has changed.
    condition_change: Option<ConditionChange>,
    /// The time until the deadline is over, if there is one that can be exceeded.
    left_to_deadline: Option<Duration>,
    /// The time until the next look.
    look_again: Option<Duration>,
}

/// The pods of status.uncountedTerminatedPods when the sync began.
///
/// Upstream: `pkg/controller/job/job_controller.go uncountedTerminatedPods`
#[derive(Default)]
struct Uncounted {
    succeeded: Uids,
    failed: Uids,
}

/// A condition that a status gets or loses.
enum ConditionChange {
    /// The Job is suspended.
    Suspended,
    /// It is no longer.
    Resumed,
    /// It is to fail, or has succeeded; its remaining pods go.
    Target(FinishCause),
    /// It is over.
    Over {
        /// `Complete` or `Failed`.
        condition: Rc<str>,
        /// The condition's reason.
        reason: Rc<str>,
    },
}

/// How a Job ends.
struct Finish {
    condition: JobCondition,
    /// Why; none where its status says so already.
    cause: Option<FinishCause>,
}

impl Finish {
    /// Upstream: `pkg/controller/job/success_policy.go isSuccessCriteriaMetCondition`
    fn has_succeeded(&self) -> bool {
        &*self.condition.type_ == condition::SUCCESS_CRITERIA_MET && self.condition.status == ConditionStatus::True
    }
}

impl SyncJobCtx {
    fn job_mut(&mut self) -> &mut Job {
        Rc::make_mut(&mut self.job)
    }

    fn look_again_after(&mut self, time: Duration) {
        self.look_again = Some(self.look_again.map_or(time, |earlier| earlier.min(time)));
    }

    /// Pods that have the finalizer and, in an Indexed Job, an index of it. Those that are uncounted or about to lose the
    /// finalizer have been seen before.
    ///
    /// Upstream: `pkg/controller/job/job_controller.go getValidPodsWithFilter`
    fn valid_pods(&self, uncounted: &Uids) -> impl Iterator<Item = &Rc<Pod>> {
        self.pods.iter().filter(|pod| {
            has_job_tracking_finalizer(pod)
                && !uncounted.contains(&pod.metadata.uid)
                && !self.expected_rm_finalizers.contains(&pod.metadata.uid)
                && (!indexed::is_indexed_job(&self.job) || indexed::valid_index(&self.job, pod).is_some())
        })
    }
}

/// The controller that manages the Job, if it is another one.
///
/// Upstream: `pkg/controller/job/job_controller.go managedByExternalController`
fn managed_by_external_controller(job: &Job, gates: FeatureGates) -> Option<&Rc<str>> {
    /// Upstream: `k8s.io/api/batch/v1/types.go JobControllerName`
    const JOB_CONTROLLER_NAME: &str = "kubernetes.io/job-controller";
    let managed_by = job.spec.managed_by.as_ref().filter(|_| gates.enabled(Feature::JobManagedBy));
    managed_by.filter(|controller| &***controller != JOB_CONTROLLER_NAME)
}

/// Upstream: `pkg/controller/job/job_controller.go jobSuspended`
fn job_suspended(job: &Job) -> bool {
    job.spec.suspend == Some(true)
}
