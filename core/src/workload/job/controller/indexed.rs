//! What an Indexed Job does with the indexes of its pods.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::SyncJobCtx;
use super::backoff::get_finished_time;
use super::failure_count::{
    JOB_INDEX_FAILURE_COUNT_ANNOTATION, JOB_INDEX_IGNORED_FAILURE_COUNT_ANNOTATION, get_index_absolute_failure_count,
    get_index_failure_count, parse_index_failure_ignore_count_annotation,
};
use super::indexes::{
    JOB_COMPLETION_INDEX_ANNOTATION, OrderedIntervals, get_completion_index, get_indexes, sort_by_completion_index,
};
use super::pod::{has_job_tracking_finalizer, is_pod_failed};
use super::pod_failure_policy::match_pod_failure_policy;
use crate::collect_tree::CollectTree;
use crate::controller::rank::{Chosen, compare_active_pods, rank_active_pods};
use crate::object::{Container, Pod, PodPhase, PodSpecFields, Strings};
use crate::workload::job::decision::WrongIndex;
use crate::workload::job::{Job, PodFailurePolicyAction, PodReplacementPolicy};

/// Upstream: `pkg/controller/job/indexed_job_utils.go completionIndexEnvName`
const COMPLETION_INDEX_ENV_NAME: &str = "JOB_COMPLETION_INDEX";
/// Upstream: `pkg/controller/job/indexed_job_utils.go isIndexedJob`
pub(super) fn is_indexed_job(job: &Job) -> bool {
    job.spec.completion_mode.as_deref() == Some("Indexed")
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go hasBackoffLimitPerIndex`
pub(super) fn has_backoff_limit_per_index(job: &Job) -> bool {
    job.spec.backoff_limit_per_index.is_some()
}

/// The completions of an Indexed Job, which always has some.
pub(super) fn completions(job: &Job) -> i64 {
    job.spec.completions.unwrap_or(0).into()
}

/// The pod's index, if the Job has it.
pub(super) fn valid_index(job: &Job, pod: &Pod) -> Option<i64> {
    get_completion_index(pod).filter(|index| *index < completions(job))
}

/// The indexes that have succeeded as the status has them, and with those of pods that are not counted yet.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go calculateSucceededIndexes`
pub(super) fn calculate_succeeded_indexes(job: &Job, pods: &[Rc<Pod>]) -> (OrderedIntervals, OrderedIntervals) {
    let previous = OrderedIntervals::parse(&job.status.completed_indexes, completions(job));
    let succeeded =
        pods.iter().filter(|pod| pod.status.phase == PodPhase::Succeeded && has_job_tracking_finalizer(pod));
    let new: BTreeSet<i64> = succeeded.filter_map(|pod| valid_index(job, pod)).collect_tree();
    let all = previous.with_ordered_indexes(new);
    (previous, all)
}

/// The indexes that have failed, those of pods that are not counted yet among them.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go calculateFailedIndexes`
pub(super) fn calculate_failed_indexes(ctx: &SyncJobCtx) -> OrderedIntervals {
    let (job, policy) = (&ctx.job, ctx.pod_replacement_policy);
    let previous = job.status.failed_indexes.as_deref().unwrap_or_default();
    let failed = ctx.pods.iter().filter(|pod| has_job_tracking_finalizer(pod) && is_index_failed(job, pod, policy));
    let new: BTreeSet<i64> = failed.filter_map(|pod| valid_index(job, pod)).collect_tree();
    OrderedIntervals::parse(previous, completions(job)).with_ordered_indexes(new)
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go isIndexFailed`
fn is_index_failed(job: &Job, pod: &Pod, policy: PodReplacementPolicy) -> bool {
    if !is_pod_failed(pod, policy) {
        return false;
    }
    let matched = match_pod_failure_policy(job.spec.pod_failure_policy.as_ref(), pod);
    matched.action == Some(PodFailurePolicyAction::FailIndex)
        || matched.counts() && get_index_failure_count(pod) >= job.spec.backoff_limit_per_index.unwrap_or(0)
}

/// The first `count` indexes that have neither succeeded nor failed nor a pod. A terminating pod keeps its index where pods
/// are replaced only once they have failed.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go firstPendingIndexes`
pub(super) fn first_pending_indexes(ctx: &SyncJobCtx, count: i32) -> Vec<i64> {
    let mut taken = ctx.succeeded_indexes.with_ordered_indexes(get_indexes(&ctx.active_pods));
    if ctx.pod_replacement_policy == PodReplacementPolicy::Failed {
        taken = taken.with_ordered_indexes(get_indexes(ctx.pods.iter().filter(|pod| pod.is_terminating())));
    }
    if let Some(failed) = &ctx.failed_indexes {
        taken = taken.merge(failed);
    }
    taken.first_missing(usize::try_from(count).unwrap_or(0), completions(&ctx.job))
}

/// Active pods: those that go, with the reason, and those that stay.
#[derive(Default)]
pub(super) struct Removal {
    pub(super) rm: Vec<(Rc<Pod>, WrongIndex)>,
    pub(super) left: Vec<Rc<Pod>>,
}

/// The pods that share their index with another pod, or have no index of the Job.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go appendDuplicatedIndexPodsForRemoval`
pub(super) fn append_duplicated_index_pods_for_removal(pods: &[Rc<Pod>], completions: i32) -> Removal {
    let mut pods = pods.to_vec();
    sort_by_completion_index(&mut pods);
    let mut removal = Removal::default();
    let valid = pods.partition_point(|pod| get_completion_index(pod) < Some(completions.into()));
    let (valid, too_large) = pods.split_at_checked(valid).unwrap_or_default();
    let mut groups = valid.chunk_by(|a, b| get_completion_index(a) == get_completion_index(b));
    // Upstream comes to the last group after those that are too large.
    let last = groups.next_back();
    groups.for_each(|group| append_pods_with_same_index(&mut removal, group));
    removal.rm.extend(too_large.iter().map(|pod| {
        let index = get_completion_index(pod).unwrap_or(0);
        (pod.clone(), WrongIndex::TooLarge { index, completions })
    }));
    append_pods_with_same_index(&mut removal, last.unwrap_or_default());
    removal
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go appendPodsWithSameIndexForRemovalAndRemaining`
fn append_pods_with_same_index(removal: &mut Removal, pods: &[Rc<Pod>]) {
    let sorted: Vec<&Rc<Pod>> = rank_active_pods(pods).iter().filter_map(|position| pods.get(*position)).collect();
    let Some((stays, go)) = sorted.split_last() else { return };
    let Some(index) = get_completion_index(stays) else {
        removal.rm.extend(pods.iter().map(|pod| (pod.clone(), WrongIndex::Missing)));
        return;
    };
    removal.rm.extend(go.iter().map(|pod| {
        let comparison = compare_active_pods(pod, stays);
        let chosen = Chosen { stays: stays.metadata.name.clone(), comparison };
        ((*pod).clone(), WrongIndex::Duplicate { index, chosen })
    }));
    removal.left.push((*stays).clone());
}

/// For each index without an active pod, the failed pod whose finalizer stays until its replacement exists, since the
/// replacement goes on counting from the pod's annotations.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go getPodsWithDelayedDeletionPerIndex`
pub(super) fn get_pods_with_delayed_deletion_per_index(ctx: &SyncJobCtx) -> BTreeMap<i64, Rc<Pod>> {
    let active = get_indexes(&ctx.active_pods);
    let mut delayed: BTreeMap<i64, Rc<Pod>> = BTreeMap::new();
    for pod in ctx.valid_pods(&BTreeSet::new()).filter(|pod| is_pod_failed(pod, ctx.pod_replacement_policy)) {
        let Some(index) = valid_index(&ctx.job, pod) else { continue };
        let failed = ctx.failed_indexes.as_ref().is_some_and(|failed| failed.has(index));
        if ctx.succeeded_indexes.has(index) || failed || active.contains(&index) {
            continue;
        }
        let is_later = delayed.get(&index).is_none_or(|last| {
            get_index_absolute_failure_count(last) <= get_index_absolute_failure_count(pod)
                && get_finished_time(pod) >= get_finished_time(last)
        });
        if is_later {
            delayed.insert(index, pod.clone());
        }
    }
    delayed
}

/// The failures of an index, for the annotations of its next pod.
#[derive(Clone, Copy, Default)]
pub(super) struct IndexFailureCounts {
    /// Those that count toward backoffLimitPerIndex.
    pub(super) failures: i32,
    /// Those that the podFailurePolicy ignores.
    ignored: i32,
}

/// Writes the failures of the index into the annotations of its next pod.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go addIndexFailureCountAnnotation`
pub(super) fn add_index_failure_count_annotation(annotations: &mut Strings, counts: IndexFailureCounts) {
    let IndexFailureCounts { failures, ignored } = counts;
    annotations.insert(JOB_INDEX_FAILURE_COUNT_ANNOTATION.into(), failures.to_string());
    if ignored > 0 {
        annotations.insert(JOB_INDEX_IGNORED_FAILURE_COUNT_ANNOTATION.into(), ignored.to_string());
    }
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go getNewIndexFailureCounts`
pub(super) fn get_new_index_failure_counts(job: &Job, replaced: Option<&Rc<Pod>>) -> IndexFailureCounts {
    let Some(pod) = replaced else { return IndexFailureCounts::default() };
    let (failures, ignored) = (get_index_failure_count(pod), parse_index_failure_ignore_count_annotation(pod));
    if match_pod_failure_policy(job.spec.pod_failure_policy.as_ref(), pod).counts() {
        IndexFailureCounts { failures: failures.wrapping_add(1), ignored }
    } else {
        IndexFailureCounts { failures, ignored: ignored.wrapping_add(1) }
    }
}

/// Tells each container its index in an environment variable.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go addCompletionIndexEnvVariables`
pub(super) fn add_completion_index_env_variables(spec: &mut PodSpecFields) {
    spec.init_containers.iter_mut().chain(&mut spec.containers).for_each(add_completion_index_env_variable);
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go addCompletionIndexEnvVariable`
fn add_completion_index_env_variable(container: &mut Container) {
    let env = container.unknown.get("env").and_then(Value::as_array);
    let mut env = env.map_or_else(Vec::new, Vec::clone);
    if env.iter().any(|variable| variable.get("name").is_some_and(|name| name == COMPLETION_INDEX_ENV_NAME)) {
        return;
    }
    let field = alloc::format!("metadata.labels['{JOB_COMPLETION_INDEX_ANNOTATION}']");
    env.push(json!({"name": COMPLETION_INDEX_ENV_NAME, "valueFrom": {"fieldRef": {"fieldPath": field}}}));
    container.unknown = container.unknown.with("env", env);
}
