use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::backoff::BackoffRecord;
use super::claim::get_pods_for_job;
use super::condition::{
    COMPLETE, FAILED, FAILURE_TARGET, SUCCESS_CRITERIA_MET, SUSPENDED, ensure_job_condition_status, in_turn,
    is_job_finished, new_condition, true_condition,
};
use super::indexed::{
    calculate_failed_indexes, calculate_succeeded_indexes, completions, get_pods_with_delayed_deletion_per_index,
    has_backoff_limit_per_index, is_indexed_job,
};
use super::indexes::OrderedIntervals;
use super::manage::{delete_active_pods, manage_job};
use super::pod::{count, count_ready_pods, is_pod_failed, pod_replacement_policy};
use super::pod_failure_policy::match_pod_failure_policy;
use super::success_policy::match_success_policy;
use super::tracking::track_job_status_and_remove_finalizers;
use super::{
    ConditionChange, Finish, Memory, SyncJobCtx, Uncounted, View, job_suspended, managed_by_external_controller,
};
use crate::collect_tree::CollectTree;
use crate::controller::client::record;
use crate::controller::{Client, Error, Event};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Duration, Pod, PodPhase, Time};
use crate::workload::job::decision::{Decision, FinishCause};
use crate::workload::job::{Job, JobCondition};

/// One sync. Returns after what time to look again: a back-off or the deadline is over then.
///
/// # Errors
/// A refused write; the sync is tried again.
///
/// Upstream: `pkg/controller/job/job_controller.go syncJob`
pub fn sync_job(client: &mut dyn Client, view: &View<'_>, memory: &mut Memory) -> Result<Option<Duration>, Error> {
    let job = view.job;
    let name = &job.metadata.name;
    if let Some(controller) = managed_by_external_controller(job, client.gates()) {
        client.note(Decision::ManagedExternally { job: name.clone(), controller: controller.clone() }.into());
        return Ok(None);
    }
    if is_job_finished(job) {
        memory.backoff = None;
        memory.finished = false;
        return Ok(None);
    }
    if memory.finished {
        return Ok(None);
    }
    if let Some(mode) = job.spec.completion_mode.as_ref().filter(|mode| !matches!(&***mode, "NonIndexed" | "Indexed")) {
        record(client, &job.key(), || {
            Event::warning("UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")
        });
        client.note(Decision::UnknownCompletionMode { job: name.clone(), mode: mode.clone() }.into());
        return Ok(None);
    }
    let now = client.now();
    let satisfied = memory.expectations.is_none_or(|expectations| expectations.is_satisfied(now));
    let mut ctx = new_context(client, view, memory)?;
    evaluate(&mut ctx, now);
    let finished = ctx.finished_condition.as_ref().map(|finish| finish.condition.clone());
    let Managed { active, result, suspend_changed } = match finished {
        Some(condition) => end(client, &mut ctx, &condition, satisfied),
        None => go_on(client, &mut ctx, memory, satisfied),
    };
    let look_again = ctx.look_again;
    // Releases before 1.34 with the gate off leave the count out.
    let terminating = client.gates().enabled(Feature::JobPodReplacementPolicy).then_some(ctx.terminating);
    let ready = ctx.ready;
    let status = &mut ctx.job_mut().status;
    let needs_status_update =
        suspend_changed || active != status.active || status.ready != Some(ready) || status.terminating != terminating;
    status.active = active;
    status.ready = Some(ready);
    status.terminating = terminating;
    track_job_status_and_remove_finalizers(client, ctx, memory, needs_status_update)
        .map_err(|error| Error::Other(format!("tracking status: {error}")))?;
    result.map(|()| look_again)
}

/// The Job's pods, counted.
fn new_context(client: &mut dyn Client, view: &View<'_>, memory: &Memory) -> Result<SyncJobCtx, Error> {
    let pods = get_pods_for_job(client, view)?;
    let mut job = view.job.clone();
    let uncounted = job.status.uncounted_terminated_pods.clone().unwrap_or_default();
    let active_pods: Vec<Rc<Pod>> = pods.iter().filter(|pod| pod.is_active()).cloned().collect();
    let status = &mut Rc::make_mut(&mut job).status;
    status.uncounted_terminated_pods = Some(uncounted.clone());
    let uncounted = Uncounted {
        succeeded: uncounted.succeeded.into_iter().collect_tree(),
        failed: uncounted.failed.into_iter().collect_tree(),
    };
    let mut ctx = SyncJobCtx {
        ready: count_ready_pods(&active_pods),
        terminating: count(pods.iter().filter(|pod| pod.is_terminating()).count()),
        delays_terminal_condition: delay_terminal_condition(client.gates()),
        pod_replacement_policy: pod_replacement_policy(view.job, client.gates()),
        succeeded: status.succeeded.wrapping_add(count(uncounted.succeeded.len())),
        failed: status.failed.wrapping_add(count(uncounted.failed.len())),
        uncounted,
        expected_rm_finalizers: memory.finalizers.clone(),
        job,
        pods,
        active_pods,
        finished_condition: None,
        prev_succeeded_indexes: OrderedIntervals::default(),
        succeeded_indexes: OrderedIntervals::default(),
        failed_indexes: None,
        new_backoff_record: BackoffRecord::default(),
        pods_with_delayed_deletion_per_index: BTreeMap::new(),
        condition_change: None,
        left_to_deadline: None,
        look_again: None,
    };
    count_new_finished_pods(&mut ctx, memory);
    if ctx.job.status.start_time.is_none() && !job_suspended(&ctx.job) {
        ctx.job_mut().status.start_time = Some(client.now());
    }
    Ok(ctx)
}

/// Counts the pods that have ended since the last sync. A failure that the podFailurePolicy ignores counts for the back-off
/// only.
///
/// Upstream: `pkg/controller/job/job_controller.go getNewFinishedPods`, `nonIgnoredFailedPodsCount`
fn count_new_finished_pods(ctx: &mut SyncJobCtx, memory: &Memory) {
    let succeeded = ctx.valid_pods(&ctx.uncounted.succeeded).filter(|pod| pod.status.phase == PodPhase::Succeeded);
    let succeeded: Vec<_> = succeeded.cloned().collect();
    let failed = ctx.valid_pods(&ctx.uncounted.failed).filter(|pod| is_pod_failed(pod, ctx.pod_replacement_policy));
    let failed: Vec<_> = failed.cloned().collect();
    let policy = ctx.job.spec.pod_failure_policy.as_ref();
    let counted = failed.iter().filter(|pod| match_pod_failure_policy(policy, pod).counts()).count();
    ctx.new_backoff_record = memory.backoff.unwrap_or_default().after(&succeeded, &failed);
    ctx.succeeded = ctx.succeeded.wrapping_add(count(succeeded.len()));
    ctx.failed = ctx.failed.wrapping_add(count(counted));
}

/// Whether the Job is over. Several criteria may be met at once: first what the status says already, then what makes the
/// Job fail, then what makes it succeed.
fn evaluate(ctx: &mut SyncJobCtx, now: Time) {
    ctx.finished_condition = earlier(&ctx.job, now).or_else(|| fail_job(ctx, now));
    if ctx.finished_condition.is_none() {
        ctx.finished_condition = past_limits(ctx, now);
    }
    if ctx.finished_condition.is_none()
        && let (Some(seconds), Some(start), false) =
            (ctx.job.spec.active_deadline_seconds, ctx.job.status.start_time, job_suspended(&ctx.job))
    {
        let left = Duration(start.plus_seconds(seconds).since(now));
        ctx.left_to_deadline = Some(left);
        ctx.look_again_after(left);
    }
    if !is_indexed_job(&ctx.job) {
        return;
    }
    (ctx.prev_succeeded_indexes, ctx.succeeded_indexes) = calculate_succeeded_indexes(&ctx.job, &ctx.pods);
    ctx.succeeded = ctx.succeeded_indexes.total32();
    if has_backoff_limit_per_index(&ctx.job) {
        let failed = calculate_failed_indexes(ctx);
        if ctx.finished_condition.is_none() {
            ctx.finished_condition = failed_indexes(ctx, &failed, now);
        }
        ctx.failed_indexes = Some(failed);
        ctx.pods_with_delayed_deletion_per_index = get_pods_with_delayed_deletion_per_index(ctx);
    }
    if ctx.finished_condition.is_none() {
        ctx.finished_condition = success_policy(ctx, now);
    }
}

/// What an earlier sync has found.
fn earlier(job: &Job, now: Time) -> Option<Finish> {
    let condition = match true_condition(job, SUCCESS_CRITERIA_MET) {
        Some(condition) => condition.clone(),
        None => in_turn(FAILED, true_condition(job, FAILURE_TARGET)?, now),
    };
    Some(Finish { condition, cause: None })
}

/// Whether a Job whose outcome is clear first gets an interim condition, and Failed or Complete only when no pod terminates. 1.37
/// always does that, so it no longer has this function (`delayTerminalCondition`). Earlier, either gate was enough.
const fn delay_terminal_condition(gates: FeatureGates) -> bool {
    gates.enabled(Feature::JobManagedBy) || gates.enabled(Feature::JobPodReplacementPolicy)
}

fn name(ctx: &SyncJobCtx) -> Rc<str> {
    ctx.job.metadata.name.clone()
}

fn finish(type_: &str, reason: &str, message: &str, cause: FinishCause, now: Time) -> Finish {
    let condition = new_condition(type_, ConditionStatus::True, reason, message, now);
    Finish { condition, cause: Some(cause) }
}

/// Upstream: `pkg/controller/job/job_controller.go newFailureCondition`
fn new_failure_condition(ctx: &SyncJobCtx, reason: &str, message: &str, cause: FinishCause, now: Time) -> Finish {
    let type_ = if ctx.delays_terminal_condition { FAILURE_TARGET } else { FAILED };
    finish(type_, reason, message, cause, now)
}

/// Upstream: `pkg/controller/job/job_controller.go newSuccessCondition`
fn new_success_condition(ctx: &SyncJobCtx, cause: FinishCause, now: Time) -> Finish {
    let type_ = if ctx.delays_terminal_condition { SUCCESS_CRITERIA_MET } else { COMPLETE };
    finish(type_, "CompletionsReached", "Reached expected number of succeeded pods", cause, now)
}

/// A pod that matches a rule FailJob of the podFailurePolicy.
///
/// Upstream: `pkg/controller/job/job_controller.go getFailJobMessage`
fn fail_job(ctx: &SyncJobCtx, now: Time) -> Option<Finish> {
    let policy = Some(ctx.job.spec.pod_failure_policy.as_ref()?);
    let mut failed = ctx.pods.iter().filter(|pod| is_pod_failed(pod, ctx.pod_replacement_policy));
    let message: String = failed.find_map(|pod| match_pod_failure_policy(policy, pod).fail_job)?;
    let cause = FinishCause::PodFailurePolicy { job: name(ctx), message: message.as_str().into() };
    Some(finish(FAILURE_TARGET, "PodFailurePolicy", &message, cause, now))
}

/// Too many failures, or too much time.
fn past_limits(ctx: &SyncJobCtx, now: Time) -> Option<Finish> {
    let limit = backoff_limit(&ctx.job);
    let cause = if ctx.failed > limit {
        Some(FinishCause::BackoffLimit { job: name(ctx), failed: ctx.failed, limit })
    } else {
        past_backoff_limit_on_failure(&ctx.job, &ctx.pods).map(|restarts| FinishCause::Restarts {
            job: name(ctx),
            restarts,
            limit,
        })
    };
    if let Some(cause) = cause {
        let message = "Job has reached the specified backoff limit";
        return Some(new_failure_condition(ctx, "BackoffLimitExceeded", message, cause, now));
    }
    let (elapsed, limit) = past_active_deadline(&ctx.job, now)?;
    let message = "Job was active longer than specified deadline";
    let cause = FinishCause::Deadline { job: name(ctx), elapsed: Duration(elapsed), limit };
    Some(new_failure_condition(ctx, "DeadlineExceeded", message, cause, now))
}

/// How often the containers of running pods restarted, if that is too often. Only counts where a failed container is
/// restarted in its pod.
///
/// Upstream: `pkg/controller/job/job_controller.go pastBackoffLimitOnFailure`
fn past_backoff_limit_on_failure(job: &Job, pods: &[Rc<Pod>]) -> Option<i32> {
    let restart_policy = job.spec.template.spec.fields.unknown.get("restartPolicy");
    restart_policy.filter(|policy| *policy == "OnFailure")?;
    let alive = pods.iter().filter(|pod| matches!(pod.status.phase, PodPhase::Running | PodPhase::Pending));
    let containers =
        alive.flat_map(|pod| pod.status.init_container_statuses.iter().chain(&pod.status.container_statuses));
    let restarts = containers.map(|container| container.restart_count).fold(0, i32::wrapping_add);
    let limit = backoff_limit(job);
    (restarts >= limit && (restarts > 0 || limit != 0)).then_some(restarts)
}

/// How many pods may fail; the API server sets it in every Job.
fn backoff_limit(job: &Job) -> i32 {
    job.spec.backoff_limit.unwrap_or(6)
}

/// For how many nanoseconds the Job has been active, and for how many seconds it may be, if that is over.
///
/// Upstream: `pkg/controller/job/job_controller.go pastActiveDeadline`
fn past_active_deadline(job: &Job, now: Time) -> Option<(i64, i64)> {
    let limit = job.spec.active_deadline_seconds.filter(|_| !job_suspended(job))?;
    let elapsed = now.since(job.status.start_time?);
    (elapsed >= limit.saturating_mul(Time::SECOND)).then_some((elapsed, limit))
}

/// Too many failed indexes, or no index left.
fn failed_indexes(ctx: &SyncJobCtx, failed: &OrderedIntervals, now: Time) -> Option<Finish> {
    let failed = failed.total();
    if let Some(limit) = ctx.job.spec.max_failed_indexes.filter(|limit| failed > (*limit).into()) {
        let message = "Job has exceeded the specified maximal number of failed indexes";
        let cause = FinishCause::MaxFailedIndexes { job: name(ctx), failed, limit };
        return Some(new_failure_condition(ctx, "MaxFailedIndexesExceeded", message, cause, now));
    }
    let succeeded = ctx.succeeded_indexes.total();
    if failed == 0 || failed.saturating_add(succeeded) < completions(&ctx.job) {
        return None;
    }
    let completions = ctx.job.spec.completions.unwrap_or(0);
    let cause = FinishCause::FailedIndexes { job: name(ctx), failed, succeeded, completions };
    Some(new_failure_condition(ctx, "FailedIndexes", "Job has failed indexes", cause, now))
}

fn success_policy(ctx: &SyncJobCtx, now: Time) -> Option<Finish> {
    let completions = ctx.job.spec.completions.unwrap_or(0);
    let policy = ctx.job.spec.success_policy.as_ref();
    let rule = match_success_policy(policy, completions, &ctx.succeeded_indexes)?;
    let succeeded = ctx.succeeded_indexes.total();
    let cause = FinishCause::SuccessPolicy { job: name(ctx), rule: count(rule).into(), succeeded };
    Some(finish(SUCCESS_CRITERIA_MET, "SuccessPolicy", &format!("Matched rules at index {rule}"), cause, now))
}

/// What a sync did about the pods.
struct Managed {
    active: i32,
    result: Result<(), Error>,
    suspend_changed: bool,
}

/// The Job is over: its active pods are deleted. The status may say so only once all deletions were sent and the expectations are met.
fn end(client: &mut dyn Client, ctx: &mut SyncJobCtx, condition: &JobCondition, satisfied: bool) -> Managed {
    let before = ctx.terminating;
    let all = count(ctx.active_pods.len());
    let (active, result) = delete_active_pods(client, ctx, condition);
    if ctx.terminating.wrapping_sub(before) != all || !satisfied {
        ctx.finished_condition = None;
    }
    Managed { active, result, suspend_changed: false }
}

/// The Job goes on: pods come or go, and it may be complete, suspended or resumed.
fn go_on(client: &mut dyn Client, ctx: &mut SyncJobCtx, memory: &mut Memory, satisfied: bool) -> Managed {
    let mut managed = Managed { active: count(ctx.active_pods.len()), result: Ok(()), suspend_changed: false };
    let manage = satisfied && ctx.job.metadata.deletion_timestamp.is_none();
    if manage {
        (managed.active, managed.result) = manage_job(client, ctx, memory);
    } else if let Some(expectations) = memory.expectations.filter(|_| !satisfied) {
        let (job, creations, deletions) = (ctx.job.metadata.name.clone(), expectations.add, expectations.del);
        client.note(Decision::Unobserved { job, creations, deletions }.into());
    } else {
        client.note(Decision::BeingDeleted { job: ctx.job.metadata.name.clone() }.into());
    }
    let (succeeded, completions) = (ctx.succeeded, ctx.job.spec.completions);
    let enough = completions.map_or(succeeded > 0, |completions| succeeded >= completions);
    if enough && managed.active == 0 {
        let cause = match completions {
            Some(completions) => FinishCause::Completions { job: name(ctx), succeeded, completions },
            None => FinishCause::QueueDone { job: name(ctx), succeeded },
        };
        ctx.finished_condition = Some(new_success_condition(ctx, cause, client.now()));
    } else if manage {
        managed.suspend_changed = suspend_or_resume(client, ctx);
    }
    managed
}

/// Brings the condition Suspended up to date, and says whether it has changed. A Job that is resumed starts at that moment.
fn suspend_or_resume(client: &mut dyn Client, ctx: &mut SyncJobCtx) -> bool {
    let now = client.now();
    let suspended = job_suspended(&ctx.job);
    let (status, reason, message, event) = if suspended {
        (ConditionStatus::True, "JobSuspended", "Job suspended", "Suspended")
    } else {
        (ConditionStatus::False, "JobResumed", "Job resumed", "Resumed")
    };
    let condition = new_condition(SUSPENDED, status, reason, message, now);
    if !ensure_job_condition_status(&mut ctx.job_mut().status.conditions, condition) {
        return false;
    }
    record(client, &ctx.job.key(), || Event::normal(event, message));
    if !suspended {
        ctx.job_mut().status.start_time = Some(now);
    } else if client.gates().enabled(Feature::MutableSchedulingDirectivesForSuspendedJobs) {
        ctx.job_mut().status.start_time = None;
    }
    ctx.condition_change = Some(if suspended { ConditionChange::Suspended } else { ConditionChange::Resumed });
    true
}
