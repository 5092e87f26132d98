//! How long a Job waits before it replaces pods that failed.

use alloc::rc::Rc;

use super::container_state::terminated;
use super::failure_count::get_index_absolute_failure_count;
use crate::json::{FromJson, ToJson};
use crate::object::{ConditionStatus, ContainerStatus, Pod, Time};

/// Upstream: `pkg/controller/job/job_controller.go DefaultJobPodFailureBackOff`
const DEFAULT_JOB_POD_FAILURE_BACK_OFF: i64 = 10_000_000_000;
/// Upstream: `pkg/controller/job/job_controller.go MaxJobPodFailureBackOff`
const MAX_JOB_POD_FAILURE_BACK_OFF: i64 = 600_000_000_000;

/// The failures of a Job's pods since the last success.
///
/// Upstream: `pkg/controller/job/backoff_utils.go backoffRecord`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct BackoffRecord {
    /// How many.
    pub failures_after_last_success: i32,
    /// When the last of them was.
    pub last_failure_time: Option<Time>,
}

/// A back-off that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Remaining {
    pub(super) failures: i32,
    /// Nanoseconds after the last failure.
    pub(super) back_off: i64,
    /// How many of them are left, more than 0.
    pub(super) left: i64,
}

impl BackoffRecord {
    /// The record after these pods have ended. Both lists are put in the order of their ends.
    ///
    /// Upstream: `pkg/controller/job/backoff_utils.go backoffStore.newBackoffRecord`
    pub(super) fn after(self, succeeded: &[Rc<Pod>], failed: &[Rc<Pod>]) -> Self {
        let last = |pods: &[Rc<Pod>]| pods.iter().map(|pod| get_finished_time(pod)).max();
        let count = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
        match (last(succeeded), last(failed)) {
            (None, None) => self,
            (None, last_failure) => Self {
                failures_after_last_success: self.failures_after_last_success.wrapping_add(count(failed.len())),
                last_failure_time: last_failure,
            },
            (Some(last_success), last_failure) => {
                let later = failed.iter().filter(|pod| get_finished_time(pod) > last_success).count();
                Self {
                    failures_after_last_success: count(later),
                    last_failure_time: last_failure.filter(|time| *time > last_success),
                }
            }
        }
    }

    /// What is left of the back-off; none if it is over.
    ///
    /// Upstream: `pkg/controller/job/backoff_utils.go backoffRecord.getRemainingTime`
    pub(super) fn remaining(&self, now: Time) -> Option<Remaining> {
        get_remaining_time_for_failures_count(self.failures_after_last_success, self.last_failure_time?, now)
    }
}

/// What is left of the back-off of the index whose last failed pod this is.
///
/// Upstream: `pkg/controller/job/backoff_utils.go getRemainingTimePerIndex`
pub(super) fn get_remaining_time_per_index(last_failed: Option<&Rc<Pod>>, now: Time) -> Option<Remaining> {
    let pod = last_failed?;
    let failures = get_index_absolute_failure_count(pod).wrapping_add(1);
    get_remaining_time_for_failures_count(failures, get_finished_time(pod), now)
}

/// Upstream: `pkg/controller/job/backoff_utils.go getRemainingTimeForFailuresCount`
fn get_remaining_time_for_failures_count(failures: i32, last_failure: Time, now: Time) -> Option<Remaining> {
    if failures == 0 {
        return None;
    }
    let mut back_off = DEFAULT_JOB_POD_FAILURE_BACK_OFF;
    let mut doubled = 1_i32;
    while doubled < failures && back_off < MAX_JOB_POD_FAILURE_BACK_OFF {
        back_off = back_off.saturating_mul(2).min(MAX_JOB_POD_FAILURE_BACK_OFF);
        doubled = doubled.saturating_add(1);
    }
    let left = back_off.saturating_sub(now.since(last_failure));
    (left > 0).then_some(Remaining { failures, back_off, left })
}

/// When the pod ended: when its last container did, else since when it is not ready, else when its deletion began, else
/// when it was created.
///
/// Upstream: `pkg/controller/job/backoff_utils.go getFinishedTime`
pub(super) fn get_finished_time(pod: &Pod) -> Time {
    get_finish_time_from_containers(pod)
        .or_else(|| get_finish_time_from_pod_ready_false_condition(pod))
        .or_else(|| get_finish_time_from_deletion_timestamp(pod))
        .or(pod.metadata.creation_timestamp)
        .unwrap_or_default()
}

/// Sidecars count as containers, since they end last.
///
/// Upstream: `pkg/controller/job/backoff_utils.go getFinishTimeFromContainers`
fn get_finish_time_from_containers(pod: &Pod) -> Option<Time> {
    let is_sidecar = |status: &&ContainerStatus| {
        let mut sidecars = pod.spec.fields.init_containers.iter();
        sidecars.any(|container| container.name == status.name && container.restart_policy.as_deref() == Some("Always"))
    };
    let containers = latest_finish_time(None, pod.status.container_statuses.iter());
    latest_finish_time(containers, pod.status.init_container_statuses.iter().filter(is_sidecar))
}

/// The latest end; none if a container has not ended.
///
/// Upstream: `pkg/controller/job/backoff_utils.go latestFinishTime`
fn latest_finish_time<'a>(
    previous: Option<Time>,
    mut containers: impl Iterator<Item = &'a ContainerStatus>,
) -> Option<Time> {
    containers.try_fold(previous, |latest, container| Some(latest.max(Some(terminated(container)?.finished_at?))))?
}

/// Upstream: `pkg/controller/job/backoff_utils.go getFinishTimeFromPodReadyFalseCondition`
fn get_finish_time_from_pod_ready_false_condition(pod: &Pod) -> Option<Time> {
    pod.ready_condition().filter(|condition| condition.status == ConditionStatus::False)?.last_transition_time
}

/// Upstream: `pkg/controller/job/backoff_utils.go getFinishTimeFromDeletionTimestamp`
fn get_finish_time_from_deletion_timestamp(pod: &Pod) -> Option<Time> {
    let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
    Some(pod.metadata.deletion_timestamp?.plus_seconds(grace.saturating_neg()))
}
