use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::object::{ConditionStatus, Time};
use crate::workload::job::{Job, JobCondition};

/// Upstream: `k8s.io/api/batch/v1/types.go JobSuspended`
pub(super) const SUSPENDED: &str = "Suspended";
/// Upstream: `k8s.io/api/batch/v1/types.go JobComplete`
pub(super) const COMPLETE: &str = "Complete";
/// Upstream: `k8s.io/api/batch/v1/types.go JobFailed`
pub(super) const FAILED: &str = "Failed";
/// Upstream: `k8s.io/api/batch/v1/types.go JobFailureTarget`
pub(super) const FAILURE_TARGET: &str = "FailureTarget";
/// Upstream: `k8s.io/api/batch/v1/types.go JobSuccessCriteriaMet`
pub(super) const SUCCESS_CRITERIA_MET: &str = "SuccessCriteriaMet";

/// Upstream: `pkg/controller/job/job_controller.go newCondition`
pub(super) fn new_condition(
    type_: &str,
    status: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) -> JobCondition {
    JobCondition {
        type_: type_.into(),
        status,
        last_probe_time: Some(now.truncated()),
        last_transition_time: Some(now.truncated()),
        reason: reason.into(),
        message: message.into(),
    }
}

/// The condition of that type with the reason and message of another one.
///
/// Upstream: `pkg/controller/job/job_controller.go newFailedConditionForFailureTarget`
pub(super) fn in_turn(type_: &str, condition: &JobCondition, now: Time) -> JobCondition {
    new_condition(type_, ConditionStatus::True, &condition.reason, &condition.message, now)
}

/// Upstream: `pkg/controller/job/job_controller.go findConditionByType`
fn find_condition_by_type<'a>(list: &'a [JobCondition], type_: &str) -> Option<&'a JobCondition> {
    list.iter().find(|condition| &*condition.type_ == type_)
}

/// The Job's condition of that type, if it is true.
///
/// Upstream: `pkg/controller/job/success_policy.go hasSuccessCriteriaMetCondition`
pub(super) fn true_condition<'a>(job: &'a Job, type_: &str) -> Option<&'a JobCondition> {
    let condition = find_condition_by_type(&job.status.conditions, type_);
    condition.filter(|condition| condition.status == ConditionStatus::True)
}

/// The condition that says that the Job is over, if there is one.
fn find_finished_condition(job: &Job) -> Option<&JobCondition> {
    job.status
        .conditions
        .iter()
        .find(|condition| matches!(&*condition.type_, COMPLETE | FAILED) && condition.status == ConditionStatus::True)
}

/// Upstream: `pkg/controller/job/util/utils.go IsJobFinished`
pub fn is_job_finished(job: &Job) -> bool {
    find_finished_condition(job).is_some()
}

/// `Complete` or `Failed`, if the Job is over.
///
/// Upstream: `pkg/controller/job/util/utils.go FinishedCondition`
pub fn finished_condition(job: &Job) -> Option<&Rc<str>> {
    find_finished_condition(job).map(|condition| &condition.type_)
}

/// Upstream: `pkg/controller/job/util/utils.go IsJobSucceeded`
pub fn is_job_succeeded(job: &Job) -> bool {
    true_condition(job, COMPLETE).is_some()
}

/// When the Job ended, if it has.
///
/// # Errors
/// Nothing says when.
///
/// Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go jobFinishTime`
pub(crate) fn job_finish_time(job: &Job) -> Result<Option<Time>, String> {
    let Some(condition) = find_finished_condition(job) else { return Ok(None) };
    match condition.last_transition_time {
        Some(time) => Ok(Some(time)),
        None => {
            let (namespace, name) = (&job.metadata.namespace, &job.metadata.name);
            Err(format!("unable to find the time when the Job {namespace}/{name} finished"))
        }
    }
}

/// Adds the condition or brings it up to date, and says whether anything changed. One that is false and was never there is
/// not added.
///
/// Upstream: `pkg/controller/job/job_controller.go ensureJobConditionStatus`
pub(super) fn ensure_job_condition_status(list: &mut Vec<JobCondition>, condition: JobCondition) -> bool {
    let existing = list.iter_mut().find(|existing| existing.type_ == condition.type_);
    match existing {
        Some(existing) => {
            let same = existing.status == condition.status
                && existing.reason == condition.reason
                && existing.message == condition.message;
            if !same {
                *existing = condition;
            }
            !same
        }
        None if condition.status == ConditionStatus::False => false,
        None => {
            list.push(condition);
            true
        }
    }
}
