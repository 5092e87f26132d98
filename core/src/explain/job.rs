//! Explains what the Job controller decides.

use super::operands::{JOB_NAME, POD_NAME};
use super::ranking::Precedence;
use super::{Operands, Reason, Rule, RuleText};
use crate::controller::decision::job::{
    self, BackOff as Wait, ConditionChange, Counted, Counts, Create as Creation, Decision, Delete as Deletion,
    FinishCause, Index, Status as NewStatus, Surplus, Wanted, WrongIndex,
};
use crate::scenario::Duration;

const SYNC: &str = "pkg/controller/job/job_controller.go syncJob";
const MANAGE: &str = "pkg/controller/job/job_controller.go manageJob";
const REMOVAL: &str = "pkg/controller/job/job_controller.go activePodsForRemoval";
const TRACK: &str = "pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers";
const ENACT: &str = "pkg/controller/job/job_controller.go enactJobFinished";
const DUPLICATES: &str = "pkg/controller/job/indexed_job_utils.go appendDuplicatedIndexPodsForRemoval";
const KEP_REPLACEMENT: &str = "KEP-3939, Design Details";

/// Explains a decision.
pub(super) fn explain(decision: &Decision) -> Reason {
    match decision {
        Decision::Adopt { pod, job } => Adopt { pod, job }.reason(),
        Decision::Release { pod, job } => Release { pod, job }.reason(),
        Decision::ManagedExternally { job, controller } => ManagedExternally { job, controller }.reason(),
        Decision::UnknownCompletionMode { job, mode } => UnknownCompletionMode { job, mode }.reason(),
        Decision::Unobserved { job, creations, deletions } => {
            Unobserved { job, creations: *creations, deletions: *deletions }.reason()
        }
        Decision::Suspended { job } => StaysSuspended { job }.reason(),
        Decision::Create(creation) => explain_creation(creation),
        Decision::BackOff(wait) => explain_back_off(wait),
        Decision::WaitForTerminating { job, wanted, active, terminating, missing } => {
            let (wanted, active, terminating, missing) = (*wanted, *active, *terminating, *missing);
            WaitForTerminating { job, wanted, active, terminating, missing }.reason()
        }
        Decision::BeingDeleted { job } => BeingDeleted { job }.reason(),
        Decision::NoParallelism { job, parallelism } => NoParallelism { job, parallelism: *parallelism }.reason(),
        Decision::BeforeDeadline { job, limit, left } => {
            BeforeDeadline { job, limit: *limit, left: Duration(*left) }.reason()
        }
        Decision::KeepForReplacement { job, kept, pod, index } => {
            KeepForReplacement { job, kept: *kept, pod, index: *index }.reason()
        }
        Decision::Delete(deletion) => explain_deletion(deletion),
        Decision::RemoveFinalizer { pod, job, because } => explain_finalizer(pod, job, *because),
        Decision::NotOver { job, condition, uncounted, terminating } => {
            NotOver { job, condition, uncounted: *uncounted, terminating: *terminating }.reason()
        }
        Decision::Status(status) => explain_status(status),
    }
}

fn explain_creation(creation: &Creation) -> Reason {
    let Creation { job, pods, terminating, count, index } = creation;
    let Wanted { parallelism, completions, succeeded, wanted, active } = *pods;
    let needed = Needed { job, parallelism, succeeded, wanted, active, count: *count };
    match (completions, index, *terminating) {
        (Some(completions), Some(Index { pod, index, failures }), terminating) => {
            let (pod, index) = (pod.trim_end_matches('-'), *index);
            match (failures.filter(|failures| *failures > 0), terminating) {
                (Some(failures), _) => RetryIndex { needed, completions, pod, index, failures }.reason(),
                (None, Some(terminating)) => {
                    CreateIndexAfterFailure { needed, completions, pod, index, terminating }.reason()
                }
                (None, None) => CreateIndex { needed, completions, pod, index }.reason(),
            }
        }
        (Some(completions), None, Some(terminating)) => {
            CreateAfterFailure { needed, completions, terminating }.reason()
        }
        (Some(completions), None, None) => Create { needed, completions }.reason(),
        (None, _, Some(terminating)) => CreateForQueueAfterFailure { needed, terminating }.reason(),
        (None, _, None) => CreateForQueue { needed }.reason(),
    }
}

fn explain_back_off(wait: &Wait) -> Reason {
    let Wait { job, missing, failures, index, back_off, left } = wait;
    let (missing, failures) = (*missing, *failures);
    let (back_off, left) = (Duration(*back_off), Duration(*left));
    let waits = Waits { job, missing, failures, back_off, left };
    match *index {
        Some(index) => BackOffOfIndex { waits, index }.reason(),
        None => BackOff { waits }.reason(),
    }
}

fn explain_deletion(deletion: &Deletion) -> Reason {
    let Deletion { job, pod, because } = deletion;
    let gone = Gone { job, pod };
    match because {
        Surplus::Suspended => DeleteSuspended { gone }.reason(),
        Surplus::Over { condition, reason } => DeleteOver { gone, condition, why: reason }.reason(),
        Surplus::TooMany { pods: Wanted { wanted, active, .. }, surplus, chosen } => {
            let why = Precedence::over(chosen.as_ref());
            DeleteSurplus { gone, wanted: *wanted, active: *active, surplus: *surplus, why }.reason()
        }
        Surplus::WrongIndex(WrongIndex::Duplicate { index, chosen }) => {
            DeleteDuplicate { gone, index: *index, why: Precedence::over(Some(chosen)) }.reason()
        }
        Surplus::WrongIndex(WrongIndex::TooLarge { index, completions }) => {
            DeleteTooLarge { gone, index: *index, completions: *completions }.reason()
        }
        Surplus::WrongIndex(WrongIndex::Missing) => DeleteWithoutIndex { gone }.reason(),
    }
}

fn explain_finalizer(pod: &str, job: &str, because: Counted) -> Reason {
    let gone = Gone { job, pod };
    match because {
        Counted::Succeeded => CountSucceeded { gone }.reason(),
        Counted::Failed => CountFailed { gone }.reason(),
        Counted::Ignored => CountIgnored { gone }.reason(),
        Counted::Nothing => CountNothing { gone }.reason(),
        Counted::JobOver => CountJobOver { gone }.reason(),
        Counted::Deleted => CountDeleted { gone }.reason(),
        Counted::Orphan => CountOrphan { gone }.reason(),
        Counted::WithoutJob => ReleaseOrphan { pod }.reason(),
    }
}

/// Explains a new status by the condition that changed, or else by its counts.
fn explain_status(status: &NewStatus) -> Reason {
    let job::Status { job, counts, condition_change } = status;
    let Counts { active, ready, terminating, succeeded, failed, uncounted } = *counts;
    match condition_change {
        Some(ConditionChange::Suspended) => Suspended { job, active, terminating }.reason(),
        Some(ConditionChange::Resumed) => Resumed { job, active }.reason(),
        Some(ConditionChange::Target(cause)) => explain_finish(job, cause),
        Some(ConditionChange::Over { condition, reason }) => {
            Over { job, condition, why: reason, succeeded, failed }.reason()
        }
        None => Status { job, active, ready, terminating, succeeded, failed, uncounted }.reason(),
    }
}

fn explain_finish(job: &str, cause: &FinishCause) -> Reason {
    match cause {
        FinishCause::PodFailurePolicy { message } => PodFailurePolicy { job, message }.reason(),
        FinishCause::BackoffLimit { failed, limit } => BackoffLimit { job, failed: *failed, limit: *limit }.reason(),
        FinishCause::Restarts { restarts, limit } => Restarts { job, restarts: *restarts, limit: *limit }.reason(),
        FinishCause::Deadline { elapsed, limit } => {
            Deadline { job, elapsed: Duration(*elapsed), limit: *limit }.reason()
        }
        FinishCause::MaxFailedIndexes { failed, limit } => {
            MaxFailedIndexes { job, failed: *failed, limit: *limit }.reason()
        }
        FinishCause::FailedIndexes { failed, succeeded, completions } => {
            FailedIndexes { job, failed: *failed, succeeded: *succeeded, completions: *completions }.reason()
        }
        FinishCause::SuccessPolicy { rule, succeeded } => {
            SuccessPolicy { job, rule: *rule, succeeded: *succeeded }.reason()
        }
        FinishCause::Completions { succeeded, completions: Some(completions) } => {
            Completions { job, succeeded: *succeeded, completions: *completions }.reason()
        }
        FinishCause::Completions { succeeded, completions: None } => QueueDone { job, succeeded: *succeeded }.reason(),
    }
}

/// Operands of rules that create pods.
#[derive(Clone, Copy, Operands)]
struct Needed<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "its spec.parallelism")]
    parallelism: i32,
    #[operand(source = "its pods or indexes that succeeded")]
    succeeded: i32,
    #[operand(source = "the pods that it may run now")]
    wanted: i32,
    // Many creations of one decision are spread over seconds: by then, the picture shows more pods.
    #[operand(source = "its pods that had not ended and were not terminating when this was decided")]
    active: i32,
    #[operand(source = "the pods that this sync creates, at most 500")]
    count: i32,
}

/// Pods are missing.
#[derive(Rule)]
#[rule(
    id = "job.create",
    upstream = MANAGE,
    sentence = "{job} may run {wanted} pod(s) and had {active}, so it creates {count}. Terminating pods do not count.",
    formula = [
        "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
        "count = min(wanted − active, 500) = min({wanted} − {active}, 500) = {count}",
    ],
)]
struct Create<'a> {
    #[operands]
    needed: Needed<'a>,
    #[operand(source = "its spec.completions")]
    completions: i32,
}

/// Pods are missing, and terminating ones hold their slots.
#[derive(Rule)]
#[rule(
    id = "job.create.after-failure",
    upstream = MANAGE,
    section = KEP_REPLACEMENT,
    sentence = "{job} may run {wanted} pod(s) and had {active} active and {terminating} terminating, so it creates {count}.",
    formula = [
        "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
        "count = min(wanted − terminating − active, 500) = min({wanted} − {terminating} − {active}, 500) = {count}",
    ],
)]
struct CreateAfterFailure<'a> {
    #[operands]
    needed: Needed<'a>,
    #[operand(source = "its spec.completions")]
    completions: i32,
    #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
    terminating: i32,
}

/// A work queue has too few pods.
#[derive(Rule)]
#[rule(
    id = "job.create.queue",
    upstream = MANAGE,
    sentence = "{job} may run {wanted} pod(s) and had {active}, so it creates {count}. Terminating pods do not count.",
    formula = [
        "wanted = parallelism = {parallelism}, since {succeeded} pods have succeeded",
        "count = min(wanted − active, 500) = min({wanted} − {active}, 500) = {count}",
    ],
)]
struct CreateForQueue<'a> {
    #[operands]
    needed: Needed<'a>,
}

/// A work queue has too few pods, and terminating ones hold their slots.
#[derive(Rule)]
#[rule(
    id = "job.create.queue.after-failure",
    upstream = MANAGE,
    section = KEP_REPLACEMENT,
    sentence = "{job} may run {wanted} pod(s) and had {active} active and {terminating} terminating, so it creates {count}.",
    formula = [
        "wanted = parallelism = {parallelism}, since {succeeded} pods have succeeded",
        "count = min(wanted − terminating − active, 500) = min({wanted} − {terminating} − {active}, 500) = {count}",
    ],
)]
struct CreateForQueueAfterFailure<'a> {
    #[operands]
    needed: Needed<'a>,
    #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
    terminating: i32,
}

/// An index has neither ended nor a pod.
#[derive(Rule)]
#[rule(
    id = "job.create.index",
    upstream = "pkg/controller/job/indexed_job_utils.go firstPendingIndexes",
    sentence = "{pod} starts: {job} may run {wanted} pod(s) and had {active}, and index {index} still needed one.",
    formula = [
        "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
        "count = min(wanted − active, 500), and only indexes that may start = {count}",
    ],
)]
struct CreateIndex<'a> {
    #[operands]
    needed: Needed<'a>,
    #[operand(source = "the prefix of the pod's name")]
    pod: &'a str,
    #[operand(source = "its spec.completions")]
    completions: i32,
    #[operand(source = "the completion index of the pod")]
    index: i64,
}

/// An index has neither ended nor a pod, not even a terminating one.
#[derive(Rule)]
#[rule(
    id = "job.create.index.after-failure",
    upstream = "pkg/controller/job/indexed_job_utils.go firstPendingIndexes",
    section = KEP_REPLACEMENT,
    sentence = "{pod} starts: {job} may run {wanted} pod(s) and had {active} active and {terminating} terminating; index {index} had neither.",
    formula = [
        "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
        "count = min(wanted − terminating − active, 500), and only indexes that may start = {count}",
    ],
)]
struct CreateIndexAfterFailure<'a> {
    #[operands]
    needed: Needed<'a>,
    #[operand(source = "the prefix of the pod's name")]
    pod: &'a str,
    #[operand(source = "its spec.completions")]
    completions: i32,
    #[operand(source = "the completion index of the pod")]
    index: i64,
    #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
    terminating: i32,
}

/// An index failed before, and its back-off is over.
#[derive(Rule)]
#[rule(
    id = "job.create.index.retry",
    upstream = "pkg/controller/job/indexed_job_utils.go getNewIndexFailureCounts",
    sentence = "{pod} starts after {failures} failure(s) of index {index}: {job} may run {wanted} pod(s) and had {active}.",
    formula = [
        "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
        "count = min(wanted − active, 500), and only indexes whose back-off is over = {count}",
    ],
)]
struct RetryIndex<'a> {
    #[operands]
    needed: Needed<'a>,
    #[operand(source = "the prefix of the pod's name")]
    pod: &'a str,
    #[operand(source = "its spec.completions")]
    completions: i32,
    #[operand(source = "the completion index of the pod")]
    index: i64,
    #[operand(source = "counted failures of the index, which the new pod keeps in an annotation")]
    failures: i32,
}

/// Operands of rules about a back-off.
#[derive(Clone, Copy, Operands)]
struct Waits<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "pods that it may still run")]
    missing: i32,
    #[operand(source = "failures in a row")]
    failures: i32,
    #[operand(source = "10s, doubled for each further failure, at most 10m")]
    back_off: Duration,
    #[operand(source = "what is left of it")]
    left: Duration,
}

/// Pods failed a short time ago.
#[derive(Rule)]
#[rule(
    id = "job.back-off",
    upstream = "pkg/controller/job/backoff_utils.go getRemainingTimeForFailuresCount",
    sentence = "{job} waits another {left} before it creates {missing} pod(s): {failures} pod(s) failed since the last success.",
    formula = ["back-off = min(10s × 2^(failures − 1), 10m) = min(10s × 2^({failures} − 1), 10m) = {back_off}"],
)]
struct BackOff<'a> {
    #[operands]
    waits: Waits<'a>,
}

/// Every index that could start failed a short time ago.
#[derive(Rule)]
#[rule(
    id = "job.back-off.index",
    upstream = "pkg/controller/job/job_controller.go getPodCreationInfoForIndependentIndexes",
    sentence = "{job} waits another {left} before index {index} gets a new pod: the index failed {failures} time(s). Still to create: {missing} pod(s).",
    formula = ["back-off = min(10s × 2^(failures − 1), 10m) = min(10s × 2^({failures} − 1), 10m) = {back_off}"],
)]
struct BackOffOfIndex<'a> {
    #[operands]
    waits: Waits<'a>,
    #[operand(source = "the index whose back-off ends first")]
    index: i64,
}

/// Terminating pods hold their slots.
#[derive(Rule)]
#[rule(
    id = "job.wait.terminating",
    upstream = MANAGE,
    section = KEP_REPLACEMENT,
    sentence = "{job} may run {wanted} pod(s) and has {active} active and {terminating} terminating, so it creates none: terminating pods keep their slots.",
    formula = ["missing = wanted − terminating − active = {wanted} − {terminating} − {active} = {missing} ≤ 0"],
)]
struct WaitForTerminating<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the pods that it may run now")]
    wanted: i32,
    #[operand(source = "its pods that have not ended and are not terminating", mark = Total)]
    active: i32,
    #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
    terminating: i32,
    #[operand(source = "wanted − terminating − active")]
    missing: i32,
}

/// The Job is being deleted.
#[derive(Rule)]
#[rule(
    id = "job.wait.deleted",
    upstream = SYNC,
    sentence = "{job} is being deleted, so its controller creates and deletes no pods."
)]
struct BeingDeleted<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
}

/// The Job wants no pods at once.
#[derive(Rule)]
#[rule(
    id = "job.wait.parallelism",
    upstream = MANAGE,
    sentence = "{job} is not complete, but creates no pods: its parallelism is {parallelism}."
)]
struct NoParallelism<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "its spec.parallelism")]
    parallelism: i32,
}

/// The Job may be active for some more time.
#[derive(Rule)]
#[rule(
    id = "job.wait.deadline",
    upstream = SYNC,
    sentence = "{job} fails if it is still active in {left}: its activeDeadlineSeconds is {limit}.",
    formula = ["left = startTime + activeDeadlineSeconds − now = startTime + {limit}s − now = {left}"],
)]
struct BeforeDeadline<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "its spec.activeDeadlineSeconds")]
    limit: i64,
    #[operand(source = "the time until its deadline")]
    left: Duration,
}

/// Failed pods stay until their indexes have new pods.
#[derive(Rule)]
#[rule(
    id = "job.wait.replacement",
    upstream = "pkg/controller/job/job_controller.go canRemoveFinalizer",
    sentence = "{pod} keeps its finalizer until index {index} has a new pod, which takes over the failure count. {job} keeps {kept} such pod(s)."
)]
struct KeepForReplacement<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "failed pods that keep their tracking finalizer")]
    kept: i32,
    #[operand(source = "the one with the lowest index")]
    pod: &'a str,
    #[operand(source = "its completion index")]
    index: i64,
}

/// The controller has not seen its own writes.
#[derive(Rule)]
#[rule(
    id = "job.wait.unobserved",
    upstream = "pkg/controller/controller_utils.go ControllerExpectations.SatisfiedExpectations",
    sentence = "The controller creates and deletes no pods of {job} until its cache shows its own {creations} creation(s) and {deletions} deletion(s)."
)]
struct Unobserved<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "creations that it requested and that its cache does not show yet")]
    creations: i64,
    #[operand(source = "deletions that it requested and that its cache does not show yet")]
    deletions: i64,
}

/// The Job is suspended.
#[derive(Rule)]
#[rule(
    id = "job.suspended",
    upstream = MANAGE,
    sentence = "{job} is suspended and has no active pods, so nothing happens until spec.suspend is false."
)]
struct StaysSuspended<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
}

/// Another controller is responsible.
#[derive(Rule)]
#[rule(
    id = "job.managed-by",
    upstream = "pkg/controller/job/job_controller.go managedByExternalController",
    sentence = "The controller ignores {job}: its spec.managedBy names {controller}."
)]
struct ManagedExternally<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "its spec.managedBy")]
    controller: &'a str,
}

/// The completion mode is not known.
#[derive(Rule)]
#[rule(
    id = "job.completion-mode",
    upstream = SYNC,
    sentence = "The controller ignores {job}: its spec.completionMode is {mode}, an unknown mode."
)]
struct UnknownCompletionMode<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "its spec.completionMode")]
    mode: &'a str,
}

/// A pod without a controller is adopted.
#[derive(Rule)]
#[rule(
    id = "job.adopt",
    upstream = "pkg/controller/controller_ref_manager.go AdoptPod",
    sentence = "{job} adopts {pod}, which has no controller and whose labels match, and adds its tracking finalizer."
)]
struct Adopt<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(JOB_NAME)]
    job: &'a str,
}

/// A pod that no longer matches is released.
#[derive(Rule)]
#[rule(
    id = "job.release",
    upstream = "pkg/controller/controller_ref_manager.go ReleasePod",
    sentence = "{job} releases {pod}: the pod's labels no longer match the selector."
)]
struct Release<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(JOB_NAME)]
    job: &'a str,
}

/// A pod that goes or is let go, and its Job.
#[derive(Clone, Copy, Operands)]
struct Gone<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// The Job is suspended.
#[derive(Rule)]
#[rule(id = "job.delete.suspended", upstream = MANAGE, sentence = "{pod} is deleted, since {job} is suspended.")]
struct DeleteSuspended<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// The Job is over.
#[derive(Rule)]
#[rule(
    id = "job.delete.over",
    upstream = "pkg/controller/job/job_controller.go deleteActivePods",
    sentence = "{pod} is deleted, since {job} gets the condition {condition}: {why}."
)]
struct DeleteOver<'a> {
    #[operands]
    gone: Gone<'a>,
    #[operand(source = "the condition's type")]
    condition: &'a str,
    #[operand(source = "the condition's reason")]
    why: &'a str,
}

/// There are too many pods.
#[derive(Rule)]
#[rule(
    id = "job.delete.surplus",
    upstream = REMOVAL,
    sentence = "{wanted} of {active} pod(s) may run: {pod} is deleted, {why}.",
    formula = ["surplus = active − wanted = {active} − {wanted} = {surplus}"],
)]
struct DeleteSurplus<'a> {
    #[operands]
    gone: Gone<'a>,
    #[operand(source = "the pods that it may run now")]
    wanted: i32,
    #[operand(source = "its pods that have not ended and are not terminating", mark = Total)]
    active: i32,
    #[operand(source = "active − wanted")]
    surplus: i32,
    #[clause]
    why: Precedence<'a>,
}

/// Two active pods have one index.
#[derive(Rule)]
#[rule(
    id = "job.delete.duplicate-index",
    upstream = DUPLICATES,
    sentence = "Index {index} has several pods: {pod} is deleted, {why}."
)]
struct DeleteDuplicate<'a> {
    #[operands]
    gone: Gone<'a>,
    #[operand(source = "the completion index of the pod")]
    index: i64,
    #[clause]
    why: Precedence<'a>,
}

/// A pod has an index that the Job no longer has.
#[derive(Rule)]
#[rule(
    id = "job.delete.index-too-large",
    upstream = DUPLICATES,
    sentence = "{pod} is deleted: its index is {index}, but {job} only has indexes below {completions}."
)]
struct DeleteTooLarge<'a> {
    #[operands]
    gone: Gone<'a>,
    #[operand(source = "the completion index of the pod")]
    index: i64,
    #[operand(source = "its spec.completions")]
    completions: i32,
}

/// A pod of an Indexed Job has no index.
#[derive(Rule)]
#[rule(
    id = "job.delete.no-index",
    upstream = DUPLICATES,
    sentence = "{pod} is deleted: {job} is Indexed, but the pod has no completion index."
)]
struct DeleteWithoutIndex<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// A pod succeeded.
#[derive(Rule)]
#[rule(
    id = "job.count.succeeded",
    upstream = TRACK,
    sentence = "{pod} has succeeded and is counted in the status of {job}, so its tracking finalizer is removed."
)]
struct CountSucceeded<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// A pod failed.
#[derive(Rule)]
#[rule(
    id = "job.count.failed",
    upstream = TRACK,
    sentence = "{pod} is counted as failed in the status of {job}, so its tracking finalizer is removed."
)]
struct CountFailed<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// A pod failed, and that counts for nothing.
#[derive(Rule)]
#[rule(
    id = "job.count.ignored",
    upstream = "pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy",
    sentence = "{pod} has failed, but an Ignore rule of {job} matches it: it is not counted, and its tracking finalizer is removed."
)]
struct CountIgnored<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// A pod ended, and there is nothing to count.
#[derive(Rule)]
#[rule(
    id = "job.count.nothing",
    upstream = TRACK,
    sentence = "{pod} has ended and adds nothing to the counts of {job}, so its tracking finalizer is removed."
)]
struct CountNothing<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// The Job is over or being deleted, and the pod counts for nothing.
#[derive(Rule)]
#[rule(
    id = "job.count.job-over",
    upstream = "pkg/controller/job/job_controller.go canRemoveFinalizer",
    sentence = "{job} is finished or being deleted and no longer counts {pod}, so the pod's tracking finalizer is removed."
)]
struct CountJobOver<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// A pod is about to be deleted.
#[derive(Rule)]
#[rule(
    id = "job.count.deleted",
    upstream = "pkg/controller/job/job_controller.go deleteJobPods",
    sentence = "{job} is about to delete {pod} and will not count it, so its tracking finalizer is removed first."
)]
struct CountDeleted<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// The Job will not count the pod.
#[derive(Rule)]
#[rule(
    id = "job.count.orphan",
    upstream = "pkg/controller/job/job_controller.go handleSingleOrphanPod",
    sentence = "{job} is gone or finished and will not count {pod}, so the pod's tracking finalizer is removed."
)]
struct CountOrphan<'a> {
    #[operands]
    gone: Gone<'a>,
}

/// The pod has no Job.
#[derive(Rule)]
#[rule(
    id = "job.count.no-job",
    upstream = "pkg/controller/job/job_controller.go handleSingleOrphanPod",
    sentence = "{pod} belongs to no Job that could count it, so its tracking finalizer is removed."
)]
struct ReleaseOrphan<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// The Job can't be declared over yet.
#[derive(Rule)]
#[rule(
    id = "job.wait.over",
    upstream = ENACT,
    sentence = "{job} is not {condition} yet: it still has to count {uncounted} ended pod(s) and wait for {terminating} terminating pod(s).",
)]
struct NotOver<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the condition's type")]
    condition: &'a str,
    #[operand(source = "pods in its status.uncountedTerminatedPods")]
    uncounted: i32,
    #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
    terminating: i32,
}

/// The status follows the pods.
#[derive(Rule)]
#[rule(
    id = "job.status",
    upstream = TRACK,
    sentence = "{job} counts its pods: {active} active ({ready} ready), {terminating} terminating, {succeeded} succeeded, {failed} failed, {uncounted} not counted yet.",
)]
struct Status<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
    active: i32,
    #[operand(source = "active pods whose Ready condition is True")]
    ready: i32,
    #[operand(source = "terminating pods that have not ended", mark = Terminating)]
    terminating: i32,
    #[operand(source = "pods or indexes that succeeded")]
    succeeded: i32,
    #[operand(source = "failed pods that count")]
    failed: i32,
    #[operand(source = "pods in its status.uncountedTerminatedPods")]
    uncounted: i32,
}

/// The Job is suspended.
#[derive(Rule)]
#[rule(
    id = "job.status.suspended",
    upstream = SYNC,
    sentence = "{job} is suspended: its Suspended condition now says so. It has {active} active and {terminating} terminating pod(s).",
)]
struct Suspended<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
    active: i32,
    #[operand(source = "terminating pods that have not ended", mark = Terminating)]
    terminating: i32,
}

/// The Job is no longer suspended.
#[derive(Rule)]
#[rule(
    id = "job.status.resumed",
    upstream = SYNC,
    sentence = "{job} is resumed: its startTime is set to now, so activeDeadlineSeconds starts over. It has {active} active pod(s).",
)]
struct Resumed<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
    active: i32,
}

/// The Job is over.
#[derive(Rule)]
#[rule(
    id = "job.status.over",
    upstream = ENACT,
    sentence = "{job} gets the condition {condition} ({why}): all pods are counted, {succeeded} succeeded and {failed} failed.",
)]
struct Over<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the condition's type")]
    condition: &'a str,
    #[operand(source = "the condition's reason")]
    why: &'a str,
    #[operand(source = "pods or indexes that succeeded")]
    succeeded: i32,
    #[operand(source = "failed pods that count")]
    failed: i32,
}

/// A pod matches a rule FailJob.
#[derive(Rule)]
#[rule(
    id = "job.target.pod-failure-policy",
    upstream = "pkg/controller/job/job_controller.go getFailJobMessage",
    sentence = "{job} fails because of its podFailurePolicy, and its pods are deleted. {message}."
)]
struct PodFailurePolicy<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the condition's message")]
    message: &'a str,
}

/// Too many pods failed.
#[derive(Rule)]
#[rule(
    id = "job.target.backoff-limit",
    upstream = SYNC,
    sentence = "{job} fails: {failed} pod(s) failed, and its backoffLimit is {limit}.",
    formula = ["failed > backoffLimit: {failed} > {limit}"],
)]
struct BackoffLimit<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "failed pods that count")]
    failed: i32,
    #[operand(source = "its spec.backoffLimit")]
    limit: i32,
}

/// Containers restarted too often.
#[derive(Rule)]
#[rule(
    id = "job.target.restarts",
    upstream = "pkg/controller/job/job_controller.go pastBackoffLimitOnFailure",
    sentence = "{job} fails: the containers of its pods restarted {restarts} time(s), and its backoffLimit is {limit}.",
    formula = ["restarts ≥ max(backoffLimit, 1): {restarts} ≥ max({limit}, 1)"],
)]
struct Restarts<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "restarts of all containers of its pending and running pods")]
    restarts: i32,
    #[operand(source = "its spec.backoffLimit")]
    limit: i32,
}

/// The Job was active for too long.
#[derive(Rule)]
#[rule(
    id = "job.target.deadline",
    upstream = "pkg/controller/job/job_controller.go pastActiveDeadline",
    sentence = "{job} fails: it has been active for {elapsed}, and its activeDeadlineSeconds is {limit}.",
    formula = ["active ≥ deadline: {elapsed} ≥ {limit}s"],
)]
struct Deadline<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the time since its status.startTime")]
    elapsed: Duration,
    #[operand(source = "its spec.activeDeadlineSeconds")]
    limit: i64,
}

/// Too many indexes failed.
#[derive(Rule)]
#[rule(
    id = "job.target.max-failed-indexes",
    upstream = SYNC,
    sentence = "{job} fails: {failed} of its indexes failed, and its maxFailedIndexes is {limit}.",
    formula = ["failed > maxFailedIndexes: {failed} > {limit}"],
)]
struct MaxFailedIndexes<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "indexes that failed")]
    failed: i64,
    #[operand(source = "its spec.maxFailedIndexes")]
    limit: i32,
}

/// All indexes have ended, and some failed.
#[derive(Rule)]
#[rule(
    id = "job.target.failed-indexes",
    upstream = SYNC,
    sentence = "{job} fails: all of its indexes have ended, {succeeded} succeeded and {failed} failed.",
    formula = ["failed + succeeded ≥ completions: {failed} + {succeeded} ≥ {completions}"],
)]
struct FailedIndexes<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "indexes that failed")]
    failed: i64,
    #[operand(source = "indexes that succeeded")]
    succeeded: i64,
    #[operand(source = "its spec.completions")]
    completions: i32,
}

/// A rule of the successPolicy is fulfilled.
#[derive(Rule)]
#[rule(
    id = "job.target.success-policy",
    upstream = "pkg/controller/job/success_policy.go matchSuccessPolicy",
    sentence = "{job} has succeeded: the indexes that succeeded ({succeeded}) meet rule {rule} of its successPolicy. Its other pods are deleted."
)]
struct SuccessPolicy<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the position of the rule, from 0")]
    rule: i64,
    #[operand(source = "indexes that succeeded")]
    succeeded: i64,
}

/// Enough pods succeeded.
#[derive(Rule)]
#[rule(
    id = "job.target.completions",
    upstream = SYNC,
    sentence = "{job} has succeeded: it has {succeeded} of {completions} completions, and no pod is active.",
    formula = ["succeeded ≥ completions: {succeeded} ≥ {completions}"],
)]
struct Completions<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "pods or indexes that succeeded")]
    succeeded: i32,
    #[operand(source = "its spec.completions")]
    completions: i32,
}

/// A pod of a work queue succeeded, and all others have ended.
#[derive(Rule)]
#[rule(
    id = "job.target.queue",
    upstream = SYNC,
    sentence = "{job} has succeeded: {succeeded} pod(s) succeeded, no pod is active, and it has no spec.completions.",
)]
struct QueueDone<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "pods that succeeded")]
    succeeded: i32,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Create::TEXT,
    CreateAfterFailure::TEXT,
    CreateForQueue::TEXT,
    CreateForQueueAfterFailure::TEXT,
    CreateIndex::TEXT,
    CreateIndexAfterFailure::TEXT,
    RetryIndex::TEXT,
    BackOff::TEXT,
    BackOffOfIndex::TEXT,
    WaitForTerminating::TEXT,
    BeingDeleted::TEXT,
    NoParallelism::TEXT,
    BeforeDeadline::TEXT,
    KeepForReplacement::TEXT,
    Unobserved::TEXT,
    StaysSuspended::TEXT,
    ManagedExternally::TEXT,
    UnknownCompletionMode::TEXT,
    Adopt::TEXT,
    Release::TEXT,
    DeleteSuspended::TEXT,
    DeleteOver::TEXT,
    DeleteSurplus::TEXT,
    DeleteDuplicate::TEXT,
    DeleteTooLarge::TEXT,
    DeleteWithoutIndex::TEXT,
    CountSucceeded::TEXT,
    CountFailed::TEXT,
    CountIgnored::TEXT,
    CountNothing::TEXT,
    CountJobOver::TEXT,
    CountDeleted::TEXT,
    CountOrphan::TEXT,
    ReleaseOrphan::TEXT,
    NotOver::TEXT,
    Status::TEXT,
    Suspended::TEXT,
    Resumed::TEXT,
    Over::TEXT,
    PodFailurePolicy::TEXT,
    BackoffLimit::TEXT,
    Restarts::TEXT,
    Deadline::TEXT,
    MaxFailedIndexes::TEXT,
    FailedIndexes::TEXT,
    SuccessPolicy::TEXT,
    Completions::TEXT,
    QueueDone::TEXT,
];
