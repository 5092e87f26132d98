use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::backoff::{Remaining, get_remaining_time_per_index};
use super::condition::is_job_finished;
use super::indexed::{
    IndexFailureCounts, Removal, add_completion_index_env_variables, add_index_failure_count_annotation,
    append_duplicated_index_pods_for_removal, first_pending_indexes, get_new_index_failure_counts,
    has_backoff_limit_per_index, is_indexed_job,
};
use super::indexes::{pod_generate_name_with_index, with_index};
use super::pod::{count, has_job_tracking_finalizer, with_tracking_finalizer};
use super::tracking::remove_tracking_finalizer;
use super::{Memory, SyncJobCtx, job_suspended};
use crate::controller::expectations::{Expectations, creation_observed, deletion_observed};
use crate::controller::pod_control::{create_pod, delete_pod, get_pod_from_template};
use crate::controller::rank::{Chosen, Comparison, compare_active_pods, rank_active_pods};
use crate::controller::{ApiError, Client, Error};
use crate::object::{Duration, Kind, OwnerReference, Pod};
use crate::workload::job::decision::{Decision, Gone, Needed, WrongIndex};
use crate::workload::job::{Job, JobCondition, PodReplacementPolicy};

/// Upstream: `pkg/controller/job/job_controller.go MaxPodCreateDeletePerSync`
const MAX_POD_CREATE_DELETE_PER_SYNC: i32 = 500;
/// Upstream: `pkg/controller/controller_utils.go SlowStartInitialBatchSize`
const SLOW_START_INITIAL_BATCH_SIZE: i32 = 1;
/// How many nanoseconds the changes of pods and of the status are gathered for one sync.
///
/// Upstream: `pkg/controller/job/job_controller.go SyncJobBatchPeriod`
pub const SYNC_JOB_BATCH_PERIOD: Duration = Duration::seconds(1);

/// Creates the pods that are missing, or deletes those that are too many; never both. Returns how many pods are active
/// then, and the first error.
///
/// Upstream: `pkg/controller/job/job_controller.go manageJob`
pub(super) fn manage_job(
    client: &mut dyn Client,
    ctx: &mut SyncJobCtx,
    memory: &mut Memory,
) -> (i32, Result<(), Error>) {
    let active = count(ctx.active_pods.len());
    if job_suspended(&ctx.job) {
        if ctx.active_pods.is_empty() {
            client.note(Decision::StaysSuspended { job: ctx.job.metadata.name.clone() }.into());
        }
        let go = suspended_pods(ctx);
        expect_pods_to_go(client, memory, &go);
        return delete_job_pods(client, ctx, memory, go, active);
    }
    let pods = wanted(&ctx.job, ctx.succeeded, active);
    let mut go = active_pods_for_removal(&ctx.job, &ctx.active_pods, &pods);
    go.truncate(usize::try_from(MAX_POD_CREATE_DELETE_PER_SYNC).unwrap_or(usize::MAX));
    if !go.is_empty() {
        expect_pods_to_go(client, memory, &go);
        return delete_job_pods(client, ctx, memory, go, active);
    }
    let waits = ctx.pod_replacement_policy == PodReplacementPolicy::Failed;
    let terminating = waits.then_some(ctx.terminating);
    let missing = pods.wanted.wrapping_sub(terminating.unwrap_or(0)).wrapping_sub(active);
    if missing > 0 {
        return create_missing(client, ctx, memory, pods, missing, terminating);
    }
    note_why_idle(client, ctx, &pods, missing, terminating);
    (active, Ok(()))
}

/// Says why no pods come or go, and when the deadline is over.
fn note_why_idle(client: &mut dyn Client, ctx: &SyncJobCtx, pods: &Wanted, missing: i32, terminating: Option<i32>) {
    let job = &ctx.job.metadata.name;
    let Wanted { parallelism, completions, succeeded, wanted, active } = *pods;
    let enough = completions.map_or(succeeded > 0, |completions| succeeded >= completions);
    if enough && active == 0 {
        return;
    }
    if let Some(terminating) = terminating.filter(|_| wanted > active) {
        client.note(Decision::WaitForTerminating { job: job.clone(), wanted, active, terminating, missing }.into());
    } else if parallelism == 0 && !enough {
        client.note(Decision::NoParallelism { job: job.clone(), parallelism }.into());
    }
    if let (Some(limit), Some(left)) = (ctx.job.spec.active_deadline_seconds, ctx.left_to_deadline) {
        client.note(Decision::BeforeDeadline { job: job.clone(), limit, left }.into());
    }
}

/// How many pods a Job wants at once, and has.
#[derive(Clone)]
struct Wanted {
    /// Its spec.parallelism.
    parallelism: i32,
    /// Its spec.completions; none for a work queue.
    completions: Option<i32>,
    /// Its pods, or indexes, that succeeded.
    succeeded: i32,
    /// How many pods it wants now.
    wanted: i32,
    /// Its pods that neither ended nor terminate.
    active: i32,
}

/// How many pods the Job wants at once: not more than parallelism, nor than are left to succeed. A work queue starts none
/// after the first success.
fn wanted(job: &Job, succeeded: i32, active: i32) -> Wanted {
    let completions = job.spec.completions;
    // The API server sets it in every Job.
    let parallelism = job.spec.parallelism.unwrap_or(1);
    let wanted = match completions {
        None if succeeded > 0 => active,
        None => parallelism,
        Some(completions) => completions.wrapping_sub(succeeded).min(parallelism).max(0),
    };
    Wanted { parallelism, completions, succeeded, wanted, active }
}

/// All active pods of a suspended Job.
fn suspended_pods(ctx: &SyncJobCtx) -> Vec<(Rc<Pod>, Decision)> {
    let active = count(ctx.active_pods.len());
    let none = Wanted { wanted: 0, ..wanted(&ctx.job, ctx.succeeded, active) };
    let go = active_pods_for_removal(&ctx.job, &ctx.active_pods, &none);
    let suspended = go.into_iter().map(|(pod, _)| {
        let decision = Decision::DeleteSuspended(Gone::new(&ctx.job, &pod));
        (pod, decision)
    });
    suspended.collect()
}

/// Pods of an Indexed Job that share an index or have none go in any case, then as many as are too many: first those that
/// have come least far.
///
/// Upstream: `pkg/controller/job/job_controller.go activePodsForRemoval`
fn active_pods_for_removal(job: &Job, pods: &[Rc<Pod>], pods_wanted: &Wanted) -> Vec<(Rc<Pod>, Decision)> {
    let Wanted { wanted, active, .. } = *pods_wanted;
    let surplus = active.wrapping_sub(wanted);
    let rm_at_least = usize::try_from(surplus).unwrap_or(0);
    let Removal { rm, left } = with_wrong_indexes(job, pods);
    let mut rm: Vec<_> = rm.into_iter().map(|(pod, wrong)| delete_wrong_index(job, pod, wrong)).collect();
    let more = rm_at_least.saturating_sub(rm.len());
    if more > 0 {
        let sorted = ranked(&left);
        let stays = sorted.get(more);
        rm.extend(sorted.iter().take(more).map(|pod| {
            let why = Box::new(stays.map(|stays| Chosen {
                stays: stays.metadata.name.clone(),
                comparison: compare_active_pods(pod, stays),
            }));
            ((*pod).clone(), Decision::DeleteSurplus { gone: Gone::new(job, pod), wanted, active, surplus, why })
        }));
    }
    rm
}

/// A pod whose index is wrong goes in any case.
fn delete_wrong_index(job: &Job, pod: Rc<Pod>, wrong: WrongIndex) -> (Rc<Pod>, Decision) {
    let gone = Gone::new(job, &pod);
    let decision = match wrong {
        WrongIndex::Duplicate { index, chosen } => Decision::DeleteDuplicate { gone, index, why: Box::new(chosen) },
        WrongIndex::TooLarge { index, completions } => Decision::DeleteTooLarge { gone, index, completions },
        WrongIndex::Missing => Decision::DeleteWithoutIndex(gone),
    };
    (pod, decision)
}

/// The pods whose index is wrong, and the others.
fn with_wrong_indexes(job: &Job, pods: &[Rc<Pod>]) -> Removal {
    if is_indexed_job(job) {
        append_duplicated_index_pods_for_removal(pods, job.spec.completions.unwrap_or(0))
    } else {
        Removal { rm: Vec::new(), left: pods.to_vec() }
    }
}

/// First those that have come least far.
fn ranked(pods: &[Rc<Pod>]) -> Vec<&Rc<Pod>> {
    rank_active_pods(pods).iter().filter_map(|position| pods.get(*position)).collect()
}

/// The active pods of a Job in the order in which it deletes them.
#[derive(Clone, Debug)]
pub(crate) struct RemovalOrder {
    /// Those whose index is wrong: they go however many the Job wants.
    pub wrong_indexes: Vec<(Rc<Pod>, WrongIndex)>,
    /// The others; the first goes first.
    pub others: Vec<Rc<Pod>>,
    /// For each neighboring pair of the others, what decided between them.
    pub decided: Vec<Comparison>,
}

/// The order in which a Job deletes its active pods if it has too many.
pub(crate) fn removal_order(job: &Job, pods: &[Rc<Pod>]) -> RemovalOrder {
    let Removal { rm, left } = with_wrong_indexes(job, pods);
    let others: Vec<_> = ranked(&left).into_iter().cloned().collect();
    let pairs = others.iter().zip(others.iter().skip(1));
    let decided = pairs.map(|(pod, next)| compare_active_pods(pod, next)).collect();
    RemovalOrder { wrong_indexes: rm, others, decided }
}

/// How many pods a Job wants, by its status: none if it is suspended or over.
pub(crate) fn wanted_pods(job: &Job, active: i32) -> i32 {
    if job_suspended(job) || is_job_finished(job) { 0 } else { wanted(job, job.status.succeeded, active).wanted }
}

fn expect_pods_to_go(client: &dyn Client, memory: &mut Memory, pods: &[(Rc<Pod>, Decision)]) {
    let del = i64::from(count(pods.len()));
    memory.expectations = Some(Expectations { add: 0, del, timestamp: client.now() });
}

/// Deletes pods that must not be counted, after removing their finalizers. Deleted pods are terminating, not active.
///
/// Upstream: `pkg/controller/job/job_controller.go deleteJobPods`
fn delete_job_pods(
    client: &mut dyn Client,
    ctx: &mut SyncJobCtx,
    memory: &mut Memory,
    pods: Vec<(Rc<Pod>, Decision)>,
    active: i32,
) -> (i32, Result<(), Error>) {
    client.in_parallel(count(pods.len()));
    let about = ctx.job.key();
    let mut deletions = Deletions::default();
    for (pod, decision) in pods {
        if has_job_tracking_finalizer(&pod)
            && let Err(error) =
                remove_tracking_finalizer(client, &pod, Decision::CountDeleted(Gone::new(&ctx.job, &pod)))
        {
            deletion_observed(&mut memory.expectations);
            // Upstream wraps the error in words of its own, but still finds a NotFound in it.
            let error = if error.is_not_found() { Error::Api(error) } else { removing_finalizer(&error) };
            deletions.note_failure(error);
            continue;
        }
        if let Err(error) = delete_pod(client, &about, &pod, decision.into()) {
            deletion_observed(&mut memory.expectations);
            deletions.note_failure(error);
        } else {
            deletions.deleted = deletions.deleted.saturating_add(1);
        }
        deletions.count_ready(&pod);
    }
    deletions.end(ctx, active)
}

fn removing_finalizer(error: &ApiError) -> Error {
    Error::Other(alloc::format!("removing completion finalizer: {error}"))
}

/// What became of pods that were to be deleted. One that is gone already counts as deleted.
#[derive(Default)]
struct Deletions {
    deleted: i32,
    ready: i32,
    error: Option<Error>,
}

impl Deletions {
    fn note_failure(&mut self, error: Error) {
        match error {
            Error::Api(error) if error.is_not_found() => self.deleted = self.deleted.saturating_add(1),
            error => {
                self.error.get_or_insert(error);
            }
        }
    }

    fn count_ready(&mut self, pod: &Pod) {
        self.ready = self.ready.saturating_add(i32::from(pod.is_ready()));
    }

    /// Takes the deletions into account.
    fn end(self, ctx: &mut SyncJobCtx, active: i32) -> (i32, Result<(), Error>) {
        ctx.terminating = ctx.terminating.wrapping_add(self.deleted);
        ctx.ready = ctx.ready.wrapping_sub(self.ready);
        (active.wrapping_sub(self.deleted), self.error.map_or(Ok(()), Err))
    }
}

/// Deletes the active pods of a Job that is over. Their finalizers stay until they are counted.
///
/// Upstream: `pkg/controller/job/job_controller.go deleteActivePods`
pub(super) fn delete_active_pods(
    client: &mut dyn Client,
    ctx: &mut SyncJobCtx,
    condition: &JobCondition,
) -> (i32, Result<(), Error>) {
    client.in_parallel(count(ctx.active_pods.len()));
    let about = ctx.job.key();
    let mut deletions = Deletions::default();
    for pod in &ctx.active_pods {
        let decision = Decision::DeleteOver {
            gone: Box::new(Gone::new(&ctx.job, pod)),
            condition: condition.type_.clone(),
            why: condition.reason.clone(),
        };
        match delete_pod(client, &about, pod, decision.into()) {
            Ok(()) => deletions.deleted = deletions.deleted.saturating_add(1),
            Err(error) => deletions.note_failure(error),
        }
        deletions.count_ready(pod);
    }
    let active = count(ctx.active_pods.len());
    deletions.end(ctx, active)
}

/// The pods that this sync creates.
enum Creations {
    /// A number of pods, all alike.
    Alike(i32),
    /// One for each of these indexes.
    Indexes(Vec<i64>),
}

/// Creates pods, unless a back-off is not over.
fn create_missing(
    client: &mut dyn Client,
    ctx: &mut SyncJobCtx,
    memory: &mut Memory,
    pods: Wanted,
    missing: i32,
    terminating: Option<i32>,
) -> (i32, Result<(), Error>) {
    let now = client.now();
    if !has_backoff_limit_per_index(&ctx.job)
        && let Some(remaining) = ctx.new_backoff_record.remaining(now)
    {
        wait(client, ctx, missing, remaining, None);
        return (pods.active, Ok(()));
    }
    let diff = missing.min(MAX_POD_CREATE_DELETE_PER_SYNC);
    let creations = if is_indexed_job(&ctx.job) {
        let indexes = first_pending_indexes(ctx, diff);
        match get_pod_creation_info_for_independent_indexes(ctx, indexes, now) {
            Ok(indexes) => Creations::Indexes(indexes),
            Err((index, remaining)) => {
                wait(client, ctx, missing, remaining, Some(index));
                return (pods.active, Ok(()));
            }
        }
    } else {
        Creations::Alike(diff)
    };
    create_in_batches(client, ctx, memory, &pods, creations, terminating)
}

/// Looks again when the back-off is over.
///
/// Upstream: `pkg/controller/job/job_controller.go enqueueSyncJobWithDelay`
fn wait(client: &mut dyn Client, ctx: &mut SyncJobCtx, missing: i32, remaining: Remaining, index: Option<i64>) {
    let Remaining { failures, back_off, left } = remaining;
    let job = ctx.job.metadata.name.clone();
    let (back_off, rest) = (Duration(back_off), Duration(left));
    let decision = match index {
        None => Decision::BackOff { job, left: rest, missing, failures, back_off },
        Some(index) => Decision::BackOffOfIndex { index, job, left: rest, failures, missing, back_off },
    };
    client.note(decision.into());
    ctx.look_again_after(rest.max(SYNC_JOB_BATCH_PERIOD));
}

/// The indexes whose pods can be created now. If there are none, the one whose back-off ends first.
///
/// Upstream: `pkg/controller/job/job_controller.go getPodCreationInfoForIndependentIndexes`
fn get_pod_creation_info_for_independent_indexes(
    ctx: &SyncJobCtx,
    indexes: Vec<i64>,
    now: crate::object::Time,
) -> Result<Vec<i64>, (i64, Remaining)> {
    if !has_backoff_limit_per_index(&ctx.job) {
        return Ok(indexes);
    }
    let mut first: Option<(i64, Remaining)> = None;
    let mut ready = Vec::new();
    for index in indexes {
        match get_remaining_time_per_index(ctx.pods_with_delayed_deletion_per_index.get(&index), now) {
            None => ready.push(index),
            Some(remaining) if first.is_none_or(|(_, first)| remaining.left < first.left) => {
                first = Some((index, remaining));
            }
            Some(_) => {}
        }
    }
    match first {
        Some(first) if ready.is_empty() => Err(first),
        _ => Ok(ready),
    }
}

/// Creates pods in batches that double as long as all creations of a batch succeed.
fn create_in_batches(
    client: &mut dyn Client,
    ctx: &SyncJobCtx,
    memory: &mut Memory,
    pods: &Wanted,
    creations: Creations,
    terminating: Option<i32>,
) -> (i32, Result<(), Error>) {
    let (mut left, indexes) = match creations {
        Creations::Alike(count) => (count, Vec::new()),
        Creations::Indexes(indexes) => (count(indexes.len()), indexes),
    };
    let (total, mut indexes) = (left, indexes.into_iter());
    memory.expectations = Some(Expectations { add: total.into(), del: 0, timestamp: client.now() });
    let mut active = pods.active.wrapping_add(total);
    let template = pod_template(&ctx.job);
    let about = ctx.job.key();
    let mut first_error = None;
    let mut batch = left.min(SLOW_START_INITIAL_BATCH_SIZE);
    while left > 0 {
        client.in_parallel(batch);
        for _ in 0..batch {
            let index = indexes.next();
            let replaced = index.and_then(|index| ctx.pods_with_delayed_deletion_per_index.get(&index));
            let counts = index
                .filter(|_| has_backoff_limit_per_index(&ctx.job))
                .map(|_| get_new_index_failure_counts(&ctx.job, replaced));
            let pod =
                index.map_or_else(|| template.clone(), |index| with_its_index(&ctx.job, &template, index, counts));
            let needed = Box::new(Needed {
                job: ctx.job.metadata.name.clone(),
                parallelism: pods.parallelism,
                succeeded: pods.succeeded,
                wanted: pods.wanted,
                active: pods.active,
                count: total,
            });
            let decision = match (pods.completions, index) {
                (Some(completions), Some(index)) => {
                    let failures = counts.map(|counts| counts.failures).filter(|failures| *failures > 0);
                    create_index(needed, &pod, completions, index, failures, terminating)
                }
                (completions, _) => create_alike(needed, completions, terminating),
            };
            match create_pod(client, &about, pod, decision.into()) {
                Ok(()) => {}
                // Every creation in a namespace that is being deleted would fail.
                Err(Error::Api(error)) if error.is_namespace_terminating() => {}
                Err(error) => {
                    creation_observed(&mut memory.expectations);
                    active = active.wrapping_sub(1);
                    first_error.get_or_insert(error);
                }
            }
        }
        left = left.wrapping_sub(batch);
        if first_error.is_some() {
            // Those that were not tried are not expected.
            active = active.wrapping_sub(left);
            (0..left).for_each(|_| creation_observed(&mut memory.expectations));
            break;
        }
        batch = batch.saturating_mul(2).min(left);
    }
    (active, first_error.map_or(Ok(()), Err))
}

/// Creates a pod of an index.
fn create_index(
    needed: Box<Needed>,
    pod: &Pod,
    completions: i32,
    index: i64,
    failures: Option<i32>,
    terminating: Option<i32>,
) -> Decision {
    let pod = pod.metadata.generate_name.trim_end_matches('-').into();
    match (failures, terminating) {
        (Some(failures), _) => Decision::RetryIndex { needed, pod, completions, index, failures },
        (None, Some(terminating)) => Decision::CreateIndexAfterFailure { needed, pod, completions, index, terminating },
        (None, None) => Decision::CreateIndex { needed, pod, completions, index },
    }
}

/// Creates one of pods that are all alike.
fn create_alike(needed: Box<Needed>, completions: Option<i32>, terminating: Option<i32>) -> Decision {
    match (completions, terminating) {
        (Some(completions), Some(terminating)) => Decision::CreateAfterFailure { needed, completions, terminating },
        (Some(completions), None) => Decision::Create { needed, completions },
        (None, Some(terminating)) => Decision::CreateForQueueAfterFailure { needed, terminating },
        (None, None) => Decision::CreateForQueue(needed),
    }
}

/// A pod of the Job, as far as all of its pods are alike.
fn pod_template(job: &Job) -> Pod {
    let owner = OwnerReference::controller(Kind::Job.api_version(), Kind::Job.name(), &job.metadata);
    let mut pod = get_pod_from_template(&job.spec.template, &job.metadata, owner);
    if is_indexed_job(job) {
        add_completion_index_env_variables(Rc::make_mut(&mut pod.spec.fields));
    }
    with_tracking_finalizer(Rc::make_mut(&mut pod.metadata));
    pod
}

/// The pod of an index; with a limit for each index, it has the failures of its index.
fn with_its_index(job: &Job, template: &Pod, index: i64, counts: Option<IndexFailureCounts>) -> Pod {
    let mut pod = template.clone();
    let metadata = Rc::make_mut(&mut pod.metadata);
    metadata.generate_name = pod_generate_name_with_index(&job.metadata.name, index).into();
    metadata.labels = with_index(&metadata.labels, index);
    metadata.annotations = with_index(&metadata.annotations, index);
    if let Some(counts) = counts {
        add_index_failure_count_annotation(Rc::make_mut(&mut metadata.annotations), counts);
    }
    let spec = Rc::make_mut(&mut pod.spec.fields);
    spec.unknown = spec.unknown.with("hostname", alloc::format!("{}-{index}", job.metadata.name));
    pod
}
