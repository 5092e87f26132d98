//! Counts pods that have ended, each once, and lets them go.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::condition::{
    COMPLETE, FAILED, FAILURE_TARGET, SUCCESS_CRITERIA_MET, ensure_job_condition_status, in_turn, true_condition,
};
use super::indexed::{is_indexed_job, valid_index};
use super::indexes::{get_completion_index, sort_by_completion_index};
use super::pod::{count, has_job_tracking_finalizer, is_pod_failed, without_tracking_finalizer};
use super::pod_failure_policy::match_pod_failure_policy;
use super::{ConditionChange, Finish, Memory, SyncJobCtx};
use crate::collect_tree::CollectTree;
use crate::controller::client::record;
use crate::controller::{ApiError, Client, Error, Event, Write};
use crate::object::{Object, Pod, PodPhase};
use crate::workload::job::decision::{Decision, Gone, Over};
use crate::workload::job::{Job, JobCondition, JobStatus, UncountedTerminatedPods};

/// Upstream: `pkg/controller/job/job_controller.go MaxUncountedPods`
const MAX_UNCOUNTED_PODS: usize = 500;

/// Uids of pods.
pub(super) type Uids = BTreeSet<Rc<str>>;

/// Writes the uids of pods that have ended into the status, removes their finalizers, then counts them: none is counted
/// twice, whatever fails between. At the end says that the Job is over, if it is.
///
/// Upstream: `pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers`
pub(super) fn track_job_status_and_remove_finalizers(
    client: &mut dyn Client,
    mut ctx: SyncJobCtx,
    memory: &mut Memory,
    mut needs_flush: bool,
) -> Result<(), Error> {
    let now = client.now();
    let indexed = is_indexed_job(&ctx.job);
    if indexed {
        sort_by_completion_index(&mut ctx.pods);
    }
    let tracked = |pod: &&Rc<Pod>| has_job_tracking_finalizer(pod) && !memory.finalizers.contains(&pod.metadata.uid);
    let mut with_finalizer: Uids = ctx.pods.iter().filter(tracked).map(|pod| pod.metadata.uid.clone()).collect_tree();
    needs_flush |= clean_uncounted_pods_without_finalizers(&mut ctx.job_mut().status, &with_finalizer);

    let ended = count_ended_pods(&mut ctx);
    needs_flush |= ended.needs_flush;
    if indexed {
        ctx.succeeded_indexes = ctx.succeeded_indexes.with_ordered_indexes(ended.succeeded_indexes);
        let completed = ctx.succeeded_indexes.to_string();
        let failed = ctx.failed_indexes.as_ref().map(ToString::to_string);
        let succeeded = ctx.succeeded_indexes.total32();
        let status = &mut ctx.job_mut().status;
        needs_flush |= status.completed_indexes != completed || status.failed_indexes != failed;
        status.succeeded = succeeded;
        status.completed_indexes = completed;
        status.failed_indexes = failed;
    }
    if let Some(Finish { condition, cause }) = ctx.finished_condition.take() {
        let condition = match &*condition.type_ {
            FAILURE_TARGET => {
                ctx.job_mut().status.conditions.push(condition.clone());
                ctx.condition_change = cause.clone().map(ConditionChange::Target);
                needs_flush = true;
                in_turn(FAILED, &condition, now)
            }
            SUCCESS_CRITERIA_MET => {
                if true_condition(&ctx.job, SUCCESS_CRITERIA_MET).is_none() {
                    ctx.job_mut().status.conditions.push(condition.clone());
                    ctx.condition_change = cause.clone().map(ConditionChange::Target);
                    needs_flush = true;
                }
                in_turn(COMPLETE, &condition, now)
            }
            _ => condition,
        };
        ctx.finished_condition = Some(Finish { condition, cause });
    }
    if !needs_flush && ended.pods.is_empty() {
        note_kept_pods(client, &ctx);
    }
    needs_flush =
        flush_uncounted_and_remove_finalizers(client, &mut ctx, memory, &ended.pods, &mut with_finalizer, needs_flush)?;
    let finished = if ended.reached_max { None } else { enact_job_finished(client, &mut ctx) };
    if needs_flush || finished.is_some() {
        let condition_change = finished.as_ref().map(|condition| ConditionChange::Over {
            condition: condition.type_.clone(),
            reason: condition.reason.clone(),
        });
        flush(client, &mut ctx, condition_change)
            .map_err(|error| Error::Other(format!("removing uncounted pods from status: {error}")))?;
        if let Some(condition) = finished {
            record_job_finished(client, &ctx.job, &condition);
            memory.finished = true;
        }
    }
    Ok(())
}

/// Lets a pod go that has ended, and counts it in some way.
type Count = fn(Gone) -> Decision;

/// Pods that have ended.
#[derive(Default)]
struct Ended {
    /// Those whose finalizers go, and why.
    pods: Vec<(Rc<Pod>, Count)>,
    /// Indexes that have newly succeeded, in order.
    succeeded_indexes: Vec<i64>,
    /// Whether the status has to say something new.
    needs_flush: bool,
    /// Whether there are more, for the next sync.
    reached_max: bool,
}

/// Puts the pods that have ended into the status, as uncounted ones or as indexes.
fn count_ended_pods(ctx: &mut SyncJobCtx) -> Ended {
    let mut ended = Ended::default();
    let mut uncounted = ctx.job.status.uncounted_terminated_pods.clone().unwrap_or_default();
    for pod in &ctx.pods {
        let uid = &pod.metadata.uid;
        let failed = is_pod_failed(pod, ctx.pod_replacement_policy);
        if !has_job_tracking_finalizer(pod)
            || ctx.expected_rm_finalizers.contains(uid)
            || !can_remove_finalizer(ctx, pod, failed)
        {
            continue;
        }
        let counted = count_ended_pod(ctx, pod, failed, &mut uncounted, &mut ended);
        ended.pods.push((pod.clone(), counted));
        let listed = uncounted.succeeded.len().saturating_add(uncounted.failed.len());
        if ended.succeeded_indexes.len().saturating_add(listed) >= MAX_UNCOUNTED_PODS {
            ended.reached_max = true;
            break;
        }
    }
    ctx.job_mut().status.uncounted_terminated_pods = Some(uncounted);
    ended
}

fn count_ended_pod(
    ctx: &SyncJobCtx,
    pod: &Pod,
    failed: bool,
    uncounted: &mut UncountedTerminatedPods,
    ended: &mut Ended,
) -> Count {
    let (job, uid) = (&ctx.job, &pod.metadata.uid);
    let indexed = is_indexed_job(job);
    let known_as_failed = ctx.uncounted.failed.contains(uid);
    if pod.status.phase == PodPhase::Succeeded && !known_as_failed {
        let new_index = valid_index(job, pod).filter(|index| !ctx.prev_succeeded_indexes.has(*index));
        return match new_index {
            Some(index) if indexed => {
                ended.succeeded_indexes.push(index);
                ended.needs_flush = true;
                Decision::CountSucceeded
            }
            _ if indexed || ctx.uncounted.succeeded.contains(uid) => Decision::CountNothing,
            _ => {
                uncounted.succeeded.push(uid.clone());
                ended.needs_flush = true;
                Decision::CountSucceeded
            }
        };
    }
    // When the Job is over, every pod that has not ended counts as failed, unless enough have succeeded.
    let job_failed = ctx.finished_condition.as_ref().is_some_and(|finish| !finish.has_succeeded());
    if !failed && !job_failed {
        return Decision::CountJobOver;
    }
    if known_as_failed || indexed && valid_index(job, pod).is_none() {
        return Decision::CountNothing;
    }
    if !match_pod_failure_policy(job.spec.pod_failure_policy.as_ref(), pod).counts() {
        return Decision::CountIgnored;
    }
    uncounted.failed.push(uid.clone());
    ended.needs_flush = true;
    Decision::CountFailed
}

/// The finalizer goes if the Job is over or goes, and if the pod has ended; that of an index's last failed pod stays until
/// its replacement exists.
///
/// Upstream: `pkg/controller/job/job_controller.go canRemoveFinalizer`
fn can_remove_finalizer(ctx: &SyncJobCtx, pod: &Pod, failed: bool) -> bool {
    if ctx.job.metadata.deletion_timestamp.is_some()
        || ctx.finished_condition.is_some()
        || pod.status.phase == PodPhase::Succeeded
    {
        return true;
    }
    let delayed = get_completion_index(pod).and_then(|index| ctx.pods_with_delayed_deletion_per_index.get(&index));
    failed && delayed.is_none_or(|delayed| delayed.metadata.uid != pod.metadata.uid)
}

/// Says which failed pods stay, if the sync does nothing else about pods that have ended.
fn note_kept_pods(client: &mut dyn Client, ctx: &SyncJobCtx) {
    let kept = &ctx.pods_with_delayed_deletion_per_index;
    if let Some((index, pod)) = kept.first_key_value() {
        let (job, pod) = (ctx.job.metadata.name.clone(), pod.metadata.name.clone());
        let (kept, index) = (count(kept.len()), *index);
        client.note(Decision::KeepForReplacement { job, kept, pod, index }.into());
    }
}

/// Writes the status with the uncounted pods, removes their finalizers, and counts those whose finalizers are gone. Says
/// whether the status has to be written again.
///
/// Upstream: `pkg/controller/job/job_controller.go flushUncountedAndRemoveFinalizers`
fn flush_uncounted_and_remove_finalizers(
    client: &mut dyn Client,
    ctx: &mut SyncJobCtx,
    memory: &mut Memory,
    pods: &[(Rc<Pod>, Count)],
    with_finalizer: &mut Uids,
    mut needs_flush: bool,
) -> Result<bool, Error> {
    if needs_flush {
        let condition_change = ctx.condition_change.take();
        flush(client, ctx, condition_change)
            .map_err(|error| Error::Other(format!("adding uncounted pods to status: {error}")))?;
        memory.backoff = Some(ctx.new_backoff_record);
        needs_flush = false;
    }
    let removed = remove_tracking_finalizer_from_pods(client, &ctx.job, memory, pods, with_finalizer);
    needs_flush |= clean_uncounted_pods_without_finalizers(&mut ctx.job_mut().status, with_finalizer);
    if removed.is_err() && needs_flush {
        flush(client, ctx, None)
            .map_err(|error| Error::Other(format!("removing uncounted pods from status: {error}")))?;
    }
    removed?;
    Ok(needs_flush)
}

/// Upstream: `pkg/controller/job/job_controller.go cleanUncountedPodsWithoutFinalizers`
fn clean_uncounted_pods_without_finalizers(status: &mut JobStatus, with_finalizer: &Uids) -> bool {
    let Some(uncounted) = &mut status.uncounted_terminated_pods else { return false };
    let succeeded = filter_in_uncounted_uids(&mut uncounted.succeeded, with_finalizer);
    let failed = filter_in_uncounted_uids(&mut uncounted.failed, with_finalizer);
    status.succeeded = status.succeeded.wrapping_add(succeeded);
    status.failed = status.failed.wrapping_add(failed);
    succeeded > 0 || failed > 0
}

/// Drops the uids of pods without the finalizer, and says how many those were.
///
/// Upstream: `pkg/controller/job/job_controller.go filterInUncountedUIDs`
fn filter_in_uncounted_uids(uncounted: &mut Vec<Rc<str>>, include: &Uids) -> i32 {
    let before = uncounted.len();
    uncounted.retain(|uid| include.contains(uid));
    count(before.saturating_sub(uncounted.len()))
}

/// Removes the finalizers, and takes the uids of those pods out of the set. The controller expects to see each go.
///
/// Upstream: `pkg/controller/job/job_controller.go removeTrackingFinalizerFromPods`
fn remove_tracking_finalizer_from_pods(
    client: &mut dyn Client,
    job: &Job,
    memory: &mut Memory,
    pods: &[(Rc<Pod>, Count)],
    with_finalizer: &mut Uids,
) -> Result<(), Error> {
    let mut first_error = None;
    client.in_parallel(count(pods.len()));
    for (pod, counted) in pods {
        let uid = &pod.metadata.uid;
        memory.finalizers.insert(uid.clone());
        if let Err(error) = remove_tracking_finalizer(client, pod, counted(Gone::new(job, pod))) {
            // No update of the pod will come.
            memory.finalizers.remove(uid);
            if !error.is_not_found() {
                first_error.get_or_insert(error);
                continue;
            }
        }
        with_finalizer.remove(uid);
    }
    first_error.map_or(Ok(()), |error| Err(error.into()))
}

/// Removes the finalizer from the pod as it is stored now: it may have been adopted or deleted in this sync.
pub(super) fn remove_tracking_finalizer(
    client: &mut dyn Client,
    pod: &Rc<Pod>,
    decision: Decision,
) -> Result<(), ApiError> {
    let stored = client.stored(&pod.key()).and_then(|stored| stored.typed().cloned()).unwrap_or_else(|| pod.clone());
    client.write(Write::Patch(Object::Pod(without_tracking_finalizer(stored))), decision.into()).map(drop)
}

/// Writes the status. The Job is then as the API server has it.
///
/// Upstream: `pkg/controller/job/job_controller.go updateJobStatus`
fn flush(
    client: &mut dyn Client,
    ctx: &mut SyncJobCtx,
    condition_change: Option<ConditionChange>,
) -> Result<(), ApiError> {
    let job = ctx.job.metadata.name.clone();
    let status = &mut ctx.job_mut().status;
    status.start_time = status.start_time.map(crate::object::Time::truncated);
    let uncounted = status.uncounted_terminated_pods.as_ref();
    let uncounted = uncounted.map_or(0, |pods| pods.succeeded.len().saturating_add(pods.failed.len()));
    let uncounted = count(uncounted);
    let (active, ready) = (status.active, status.ready.unwrap_or(0));
    let (terminating, succeeded, failed) = (status.terminating.unwrap_or(0), status.succeeded, status.failed);
    let decision = match condition_change {
        Some(ConditionChange::Suspended) => Decision::Suspended { job, active, terminating },
        Some(ConditionChange::Resumed) => Decision::Resumed { job, active },
        Some(ConditionChange::Target(cause)) => Decision::Finish(cause),
        Some(ConditionChange::Over { condition, reason: why }) => {
            Decision::Over(Box::new(Over { job, condition, why, succeeded, failed }))
        }
        None => Decision::Status { job, active, ready, terminating, succeeded, failed, uncounted },
    };
    ctx.job = update_job_status(client, &ctx.job, decision)?;
    Ok(())
}

/// Adds the condition Complete or Failed, once all pods are counted and none terminates.
///
/// Upstream: `pkg/controller/job/job_controller.go enactJobFinished`
fn enact_job_finished(client: &mut dyn Client, ctx: &mut SyncJobCtx) -> Option<JobCondition> {
    let condition = ctx.finished_condition.as_ref()?.condition.clone();
    let uncounted = ctx.job.status.uncounted_terminated_pods.as_ref();
    let uncounted = uncounted.map_or(0, |pods| pods.succeeded.len().saturating_add(pods.failed.len()));
    if uncounted > 0 || ctx.delays_terminal_condition && ctx.terminating > 0 {
        let (job, condition) = (ctx.job.metadata.name.clone(), condition.type_);
        let (uncounted, terminating) = (count(uncounted), ctx.terminating);
        client.note(Decision::NotOver { job, condition, uncounted, terminating }.into());
        return None;
    }
    let status = &mut ctx.job_mut().status;
    ensure_job_condition_status(&mut status.conditions, condition.clone());
    if &*condition.type_ == COMPLETE {
        status.completion_time = condition.last_transition_time;
    }
    Some(condition)
}

/// Upstream: `pkg/controller/job/job_controller.go recordJobFinished`
fn record_job_finished(client: &mut dyn Client, job: &Job, condition: &JobCondition) {
    let about = job.key();
    if &*condition.type_ != COMPLETE {
        record(client, &about, || Event::warning(condition.reason.to_string(), &condition.message));
        return;
    }
    if job.spec.completions.is_some_and(|completions| job.status.succeeded > completions) {
        record(client, &about, || {
            Event::warning("TooManySucceededPods", "Too many succeeded pods running after completion count reached")
        });
    }
    record(client, &about, || Event::normal("Completed", "Job completed"));
}

/// Updates a Job's status.
///
/// Upstream: `pkg/controller/job/job_controller.go updateJobStatus`
fn update_job_status(client: &mut dyn Client, object: &Rc<Job>, decision: Decision) -> Result<Rc<Job>, ApiError> {
    match client.write(Write::UpdateStatus(Object::Job(object.clone())), decision.into())? {
        Some(Object::Job(job)) => Ok(job),
        _ => Err(ApiError::not_found(&object.key())),
    }
}
