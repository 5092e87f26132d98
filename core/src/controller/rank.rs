//! Which pod goes first when a ReplicaSet has too many (KEP-2255), and what decided it.

use alloc::rc::Rc;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::apiserver::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go::{log2, sort};
use crate::json::{ToJson, in_milliseconds};
use crate::object::{Pod, PodPhase, Time};

/// The whole part of the base-2 logarithm of an age in nanoseconds; -1 for an age of 0 or less.
///
/// Upstream: `pkg/controller/controller_utils.go logarithmicRankDiff`
#[expect(clippy::as_conversions, reason = "Go's own conversions, and there is no From between i64 and f64")]
fn logarithmic_rank(age: i64) -> i64 {
    let Some(exponent) = age.checked_ilog2() else { return -1 };
    // Just below the next power of two, the logarithm's rounding decides; elsewhere, the age's bits do.
    let next = 1_u64.wrapping_shl(exponent.saturating_add(1));
    let is_close = next.saturating_sub(age.unsigned_abs()) <= age.unsigned_abs() >> 40;
    if is_close { log2(age as f64) as i64 } else { exponent.into() }
}

/// The pods in the order in which they would be deleted.
#[derive(Clone, Debug, PartialEq, ToJson)]
pub struct Ranking {
    /// Positions in the list that was ranked; the first goes first.
    pub order: Vec<usize>,
    /// For each neighboring pair of `order`, what decided between them: one less than there are pods, or none if nothing was
    /// sorted.
    pub decided: Vec<Comparison>,
}

/// One comparison of two pods.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Whether the first pod is to go before the second.
    pub less: bool,
    /// The criterion that decided: the first in which they differ.
    #[serde(rename = "rule")]
    pub criterion: Criterion,
    /// The first pod's value.
    pub first: ComparedValue,
    /// The second pod's value.
    pub second: ComparedValue,
}

/// What decided between a pod that goes and the first one that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The name of the pod that stays.
    pub stays: Rc<str>,
    /// The comparison of the two.
    pub comparison: Comparison,
}

/// The criteria that decide between two pods, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RankRule"))]
pub enum Criterion {
    /// A pod that is on no node goes before one that is.
    Assigned,
    /// Pending before Unknown before Running.
    Phase,
    /// Not ready before ready.
    Ready,
    /// The lower cost first (gate PodDeletionCost).
    DeletionCost,
    /// First the pod with more active pods of the same owner's ReplicaSets on its node.
    RelatedPods,
    /// First the pod that has been ready for less time.
    ReadyTime,
    /// Both have been ready for the same order of magnitude: the lower uid first, which is as good as random.
    ReadyTimeUid,
    /// More restarts first.
    Restarts,
    /// More restarts of sidecars first.
    SidecarRestarts,
    /// The younger pod first.
    Created,
    /// Both ages are of the same order of magnitude: the lower uid first, which is as good as random.
    CreatedUid,
    /// No criterion tells them apart.
    Equal,
}

/// What a criterion compares, of one pod.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RankOperand", rename_all = "camelCase")
)]
pub enum ComparedValue {
    /// A yes or no: whether the pod is on a node, or ready.
    Flag(bool),
    /// The pod's phase.
    Phase(#[cfg_attr(feature = "schema", schemars(with = "alloc::string::String"))] PodPhase),
    /// A cost, or a number of pods or restarts.
    Number(i64),
    /// When the pod became ready, or was created; null counts as the latest.
    Time(#[cfg_attr(feature = "schema", schemars(with = "Option<alloc::string::String>"))] Option<Time>),
    /// How long ago the pod became ready, or was created.
    Age {
        /// The age in milliseconds.
        #[cfg_attr(feature = "schema", schemars(rename = "milliseconds", with = "f64"))]
        nanoseconds: i64,
        /// The whole part of the base-2 logarithm of the age in nanoseconds, which is compared; -1 for an age of 0 or less.
        magnitude: i64,
    },
    /// The pod's uid.
    Uid(#[cfg_attr(feature = "schema", schemars(with = "alloc::string::String"))] Rc<str>),
    /// Nothing was left to look at.
    Nothing,
}

impl ToJson for ComparedValue {
    fn to_json(&self) -> Value {
        match self {
            Self::Flag(flag) => json!({ "flag": flag }),
            Self::Phase(phase) => json!({ "phase": phase.as_str() }),
            Self::Number(number) => json!({ "number": number }),
            Self::Time(time) => json!({ "time": time.to_json() }),
            Self::Age { nanoseconds, magnitude } => {
                json!({ "age": { "milliseconds": in_milliseconds(*nanoseconds), "magnitude": magnitude } })
            }
            Self::Uid(uid) => json!({ "uid": **uid }),
            Self::Nothing => "nothing".into(),
        }
    }
}

/// What is compared of a pod, whatever the time is and wherever the other pods are; read once.
#[derive(Clone, Debug)]
pub(super) struct ComparedPod {
    assigned: bool,
    phase: PodPhase,
    pub(super) ready: bool,
    cost: i32,
    pub(super) ready_since: Option<Time>,
    restarts: i32,
    sidecar_restarts: i32,
    created: Option<Time>,
    uid: Rc<str>,
    /// The first bytes of the uid, which compare as it does, unless they are equal.
    pub(super) uid_start: u64,
}

/// A pod of a list that is ranked.
#[derive(Clone, Debug)]
pub(crate) struct ListedPod {
    pub(crate) pod: Rc<Pod>,
    pub(super) compared: ComparedPod,
    /// The number of its node, which has the number of related pods.
    pub(crate) node: Option<usize>,
    /// Whether it has left the list.
    pub(crate) is_gone: bool,
}

/// What pods are ranked by, besides themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances<'a> {
    /// How many active related pods are on each node, by its number.
    pub(crate) related: &'a [usize],
    /// None where times are compared as they are.
    pub(crate) now: Option<Time>,
    pub(crate) gates: FeatureGates,
}

/// A pod that is ranked now.
#[derive(Clone, Copy, Debug)]
struct Candidate<'a> {
    pod: &'a ComparedPod,
    rank: usize,
    /// None where times are compared as they are.
    now: Option<Time>,
    has_cost: bool,
}

/// What decides between most pods, in one place.
#[derive(Debug)]
struct SortKey {
    /// The criteria before the pods' uids.
    prefix: (u64, u64),
    /// Since when the pod is ready, where the uids decide between such times.
    ready_since: Option<Time>,
    uid_start: u64,
    position: usize,
}

/// A stored time, and its age where ages are compared by order of magnitude.
#[derive(Clone, Copy, Debug)]
struct Moment {
    time: Option<Time>,
    age: Option<Age>,
}

#[derive(Clone, Copy, Debug)]
struct Age {
    nanoseconds: i64,
    magnitude: i64,
}

impl Moment {
    fn new(time: Option<Time>, now: Option<Time>) -> Self {
        let age = time.zip(now).map(|(time, now)| {
            let nanoseconds = now.since(time);
            Age { nanoseconds, magnitude: logarithmic_rank(nanoseconds) }
        });
        Self { time, age }
    }

    /// Whether this time goes before the other, which differs: the later one, or if ages are compared the one of the
    /// smaller order of magnitude. None where both are of the same.
    fn less(self, other: Self) -> Option<bool> {
        match (self.age, other.age) {
            (Some(a), Some(b)) if a.magnitude == b.magnitude => None,
            (Some(a), Some(b)) => Some(a.magnitude < b.magnitude),
            _ => Some(after_or_zero(self.time, other.time)),
        }
    }

    /// The age where both have one, else the time.
    fn compared_with(self, other: Self) -> ComparedValue {
        match (self.age, other.age) {
            (Some(age), Some(_)) => age.value(),
            _ => ComparedValue::Time(self.time),
        }
    }
}

impl ListedPod {
    pub(crate) fn new(pod: Rc<Pod>, node: Option<usize>) -> Self {
        Self { compared: ComparedPod::of(&pod), pod, node, is_gone: false }
    }

    fn candidate(&self, circumstances: Circumstances<'_>) -> Candidate<'_> {
        let Circumstances { related, now, gates } = circumstances;
        let rank = self.node.and_then(|node| related.get(node)).copied().unwrap_or(0);
        Candidate::new(&self.compared, rank, now, gates)
    }
}

impl ComparedPod {
    fn of(pod: &Pod) -> Self {
        let (restarts, sidecar_restarts) = max_container_restarts(pod);
        let uid = pod.metadata.uid.clone();
        let start = uid.bytes().chain(core::iter::repeat(0)).take(8);
        Self {
            assigned: pod.spec.node_name.is_some(),
            phase: pod.status.phase,
            ready: pod.is_ready(),
            cost: deletion_cost(pod),
            ready_since: pod_ready_time(pod),
            restarts,
            sidecar_restarts,
            created: pod.metadata.creation_timestamp,
            uid_start: start.fold(0, |start, byte| (start << 8) | u64::from(byte)),
            uid,
        }
    }

    /// The criteria before the number of related pods, as one number.
    pub(super) fn head(&self, has_cost: bool) -> u64 {
        let cost = i64::from(if has_cost { self.cost } else { 0 }).saturating_sub(i64::from(i32::MIN)).unsigned_abs();
        let head = (u64::from(self.assigned) << 35) | (u64::from(phase_ordinal(self.phase)) << 33);
        head | (u64::from(self.ready) << 32) | cost
    }
}

/// The order of magnitude of the time since a pod is ready: 0 where it does not count.
pub(super) fn magnitude(ready_since: Option<Time>, now: Option<Time>) -> u64 {
    // A missing time is later than any.
    let age = ready_since.zip(now).map(|(since, now)| logarithmic_rank(now.since(since)).saturating_add(2));
    age.map_or(0, i64::unsigned_abs)
}

impl SortKey {
    /// Whether this pod goes before the other, if the keys decide.
    fn less(&self, other: &Self) -> Option<bool> {
        if self.prefix != other.prefix {
            return Some(self.prefix < other.prefix);
        }
        let (since, other_since) = self.ready_since.zip(other.ready_since)?;
        (since != other_since && self.uid_start != other.uid_start).then_some(self.uid_start < other.uid_start)
    }
}

impl<'a> Candidate<'a> {
    fn new(pod: &'a ComparedPod, rank: usize, now: Option<Time>, gates: FeatureGates) -> Self {
        Self {
            pod,
            rank,
            now: now.filter(|_| gates.enabled(Feature::LogarithmicScaleDown)),
            has_cost: gates.enabled(Feature::PodDeletionCost),
        }
    }

    const fn cost(&self) -> i32 {
        if self.has_cost { self.pod.cost } else { 0 }
    }

    fn ready_since(&self) -> Moment {
        Moment::new(self.pod.ready_since, self.now)
    }

    fn created(&self) -> Moment {
        Moment::new(self.pod.created, self.now)
    }

    fn sort_key(&self, position: usize) -> SortKey {
        let pod = self.pod;
        let head = pod.head(self.has_cost);
        let ready_since = pod.ready_since.filter(|_| pod.ready && self.now.is_some());
        let magnitude = magnitude(ready_since, self.now);
        let rank = u64::try_from(self.rank).unwrap_or(u64::MAX).min(u64::MAX >> 8);
        let prefix = (head, ((u64::MAX >> 8).saturating_sub(rank) << 8) | magnitude);
        SortKey { prefix, ready_since, uid_start: pod.uid_start, position }
    }

    /// Whether this pod goes before the other, and the criterion that says so.
    ///
    /// Upstream: `pkg/controller/controller_utils.go ActivePodsWithRanks.Less`
    fn less(&self, other: &Self) -> (bool, Criterion) {
        let (pod, other_pod) = (self.pod, other.pod);
        if pod.assigned != other_pod.assigned {
            return (!pod.assigned, Criterion::Assigned);
        }
        let phases = (phase_ordinal(pod.phase), phase_ordinal(other_pod.phase));
        if phases.0 != phases.1 {
            return (phases.0 < phases.1, Criterion::Phase);
        }
        if pod.ready != other_pod.ready {
            return (!pod.ready, Criterion::Ready);
        }
        if self.cost() != other.cost() {
            return (self.cost() < other.cost(), Criterion::DeletionCost);
        }
        if self.rank != other.rank {
            return (self.rank > other.rank, Criterion::RelatedPods);
        }
        if pod.ready && pod.ready_since != other_pod.ready_since {
            return match self.ready_since().less(other.ready_since()) {
                Some(less) => (less, Criterion::ReadyTime),
                None => (pod.uid < other_pod.uid, Criterion::ReadyTimeUid),
            };
        }
        // Upstream: `pkg/controller/controller_utils.go compareMaxContainerRestarts`
        if pod.restarts != other_pod.restarts {
            return (pod.restarts > other_pod.restarts, Criterion::Restarts);
        }
        if pod.sidecar_restarts != other_pod.sidecar_restarts {
            return (pod.sidecar_restarts > other_pod.sidecar_restarts, Criterion::SidecarRestarts);
        }
        if pod.created != other_pod.created {
            return match self.created().less(other.created()) {
                Some(less) => (less, Criterion::Created),
                None => (pod.uid < other_pod.uid, Criterion::CreatedUid),
            };
        }
        (false, Criterion::Equal)
    }

    /// As [`Candidate::less`], with the values.
    fn compare(&self, other: &Self) -> Comparison {
        let (less, criterion) = self.less(other);
        Comparison { less, criterion, first: self.value(criterion, other), second: other.value(criterion, self) }
    }

    /// What a criterion compares of this pod, beside another one.
    fn value(&self, criterion: Criterion, beside: &Self) -> ComparedValue {
        match criterion {
            Criterion::Assigned => ComparedValue::Flag(self.pod.assigned),
            Criterion::Phase => ComparedValue::Phase(self.pod.phase),
            Criterion::Ready => ComparedValue::Flag(self.pod.ready),
            Criterion::DeletionCost => ComparedValue::Number(self.cost().into()),
            Criterion::RelatedPods => ComparedValue::of_count(self.rank),
            Criterion::ReadyTime => self.ready_since().compared_with(beside.ready_since()),
            Criterion::Restarts => ComparedValue::Number(self.pod.restarts.into()),
            Criterion::SidecarRestarts => ComparedValue::Number(self.pod.sidecar_restarts.into()),
            Criterion::Created => self.created().compared_with(beside.created()),
            Criterion::ReadyTimeUid | Criterion::CreatedUid => ComparedValue::Uid(self.pod.uid.clone()),
            Criterion::Equal => ComparedValue::Nothing,
        }
    }
}

impl Age {
    const fn value(self) -> ComparedValue {
        ComparedValue::Age { nanoseconds: self.nanoseconds, magnitude: self.magnitude }
    }
}

impl ComparedValue {
    fn of_count(count: usize) -> Self {
        Self::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// Compares two pods whose numbers of related pods on their nodes are known. Without `now`, times are compared as they
/// are, as with the gate LogarithmicScaleDown off.
///
/// Upstream: `pkg/controller/controller_utils.go ActivePodsWithRanks.Less`
pub fn compare(first: (&Pod, usize), second: (&Pod, usize), now: Option<Time>, gates: FeatureGates) -> Comparison {
    let [(one, rank), (other, other_rank)] = [first, second].map(|(pod, rank)| (ComparedPod::of(pod), rank));
    Candidate::new(&one, rank, now, gates).compare(&Candidate::new(&other, other_rank, now, gates))
}

/// Whether no criterion tells the pods apart, whatever the gates and the time are and wherever the other pods are.
pub(crate) fn alike(first: &Pod, second: &Pod) -> bool {
    first.metadata.creation_timestamp == second.metadata.creation_timestamp
        && first.status.phase == second.status.phase
        && first.spec.node_name == second.spec.node_name
        && (first.is_ready(), pod_ready_time(first)) == (second.is_ready(), pod_ready_time(second))
        && max_container_restarts(first) == max_container_restarts(second)
        && deletion_cost(first) == deletion_cost(second)
}

/// The order in which the pods would be deleted, and what decided between neighbours.
pub fn rank(pods: &[Rc<Pod>], related: &[Rc<Pod>], now: Time, gates: FeatureGates) -> Ranking {
    let ranks = get_pods_ranked_by_related_pods_on_same_node(pods, related);
    let circumstances = Circumstances { related: &ranks, now: Some(now), gates };
    let pods = listed(pods);
    let order = order(&pods, usize::MAX, circumstances);
    let sorted: Vec<_> =
        order.iter().filter_map(|index| pods.get(*index)).map(|pod| pod.candidate(circumstances)).collect();
    let decided = sorted.iter().zip(sorted.iter().skip(1)).map(|(first, second)| first.compare(second)).collect();
    Ranking { order, decided }
}

/// The order in which a ReplicaSet deletes `diff` of the pods. When all go, nothing decides.
pub(crate) fn rank_for_deletion(
    pods: &[Rc<Pod>],
    related: &[Rc<Pod>],
    diff: usize,
    now: Time,
    gates: FeatureGates,
) -> Ranking {
    if sorts(diff, pods.len()) {
        rank(pods, related, now, gates)
    } else {
        Ranking { order: (0..pods.len()).collect(), decided: Vec::new() }
    }
}

/// Whether the pods are sorted before `diff` of them are deleted. If all are deleted, they are not.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go getPodsToDelete`
const fn sorts(diff: usize, pods: usize) -> bool {
    diff < pods
}

/// A pod that is to be deleted, and what decided between it and the first pod that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The pod.
    pub pod: Rc<Pod>,
    /// The first pod that stays and the comparison of the two; none where all pods go.
    pub why: Option<(Rc<Pod>, Comparison)>,
}

/// The pods that a ReplicaSet with too many deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// In the order in which they are deleted.
    pub deletions: Vec<Deletion>,
    /// What was chosen from; none if all pods go or compare equal.
    pub ranking: Option<Rc<DeletionRanking>>,
}

/// The pods among which a ReplicaSet chose, ranked for deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletionRanking {
    /// The first of the pods, with the number of related pods on their nodes.
    listed: Vec<(Rc<Pod>, usize)>,
    /// How many pods were ranked.
    pub total: usize,
    /// How many of them go: the first ones.
    pub count: usize,
    now: Option<Time>,
    gates: FeatureGates,
}

impl DeletionRanking {
    /// How many pods it lists: timelines keep a ranking for every choice, so its size has a bound.
    pub const MAX_LISTED: usize = 300;

    /// The first pods, in the order in which they would go: at most [`DeletionRanking::MAX_LISTED`].
    pub fn pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.listed.iter().map(|(pod, _)| pod)
    }

    /// What decided between each of those pods and the next one.
    pub fn decided(&self) -> impl Iterator<Item = Comparison> {
        let pairs = self.listed.iter().zip(self.listed.iter().skip(1));
        pairs.map(|((first, rank), (second, next_rank))| {
            compare((first, *rank), (second, *next_rank), self.now, self.gates)
        })
    }
}

/// The pods to delete, `diff` of them, in the order in which they are deleted. When all go, nothing is sorted.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go getPodsToDelete`
pub fn get_pods_to_delete(
    filtered: &[Rc<Pod>],
    related: &[Rc<Pod>],
    diff: usize,
    now: Time,
    gates: FeatureGates,
) -> Vec<Deletion> {
    choose_pods_to_delete(filtered, related, diff, now, gates).deletions
}

/// As [`get_pods_to_delete`], with the ranking.
pub(crate) fn choose_pods_to_delete(
    filtered: &[Rc<Pod>],
    related: &[Rc<Pod>],
    diff: usize,
    now: Time,
    gates: FeatureGates,
) -> Choice {
    if !sorts(diff, filtered.len()) {
        let deletions = filtered.iter().map(|pod| Deletion { pod: pod.clone(), why: None }).collect();
        return Choice { deletions, ranking: None };
    }
    let ranks = get_pods_ranked_by_related_pods_on_same_node(filtered, related);
    choose_listed(&listed(filtered), diff, Circumstances { related: &ranks, now: Some(now), gates })
}

/// As [`choose_pods_to_delete`], where some pods stay.
pub(crate) fn choose_listed(pods: &[ListedPod], diff: usize, circumstances: Circumstances<'_>) -> Choice {
    let wanted = DeletionRanking::MAX_LISTED.max(diff.saturating_add(1));
    let order = order(pods, wanted, circumstances);
    let at = |index: &usize| pods.get(*index).map(|listed| (&listed.pod, listed.candidate(circumstances)));
    let deletions = deletions(pods, &order, diff, circumstances);
    let listed = order.iter().take(DeletionRanking::MAX_LISTED).filter_map(at);
    let listed = listed.map(|(pod, candidate)| (pod.clone(), candidate.rank)).collect();
    let total = pods.iter().filter(|pod| !pod.is_gone).count();
    let Circumstances { now, gates, .. } = circumstances;
    Choice { deletions, ranking: Some(Rc::new(DeletionRanking { listed, total, count: diff, now, gates })) }
}

/// The first pods of an order, up to the first that stays.
pub(super) fn deletions(
    pods: &[ListedPod],
    order: &[usize],
    diff: usize,
    circumstances: Circumstances<'_>,
) -> Vec<Deletion> {
    let at = |index: &usize| pods.get(*index).map(|listed| (&listed.pod, listed.candidate(circumstances)));
    let stays = order.get(diff).and_then(at);
    let deletion = |(pod, goes): (&Rc<Pod>, Candidate<'_>)| {
        let why = stays.map(|(pod, stays)| (pod.clone(), goes.compare(&stays)));
        Deletion { pod: pod.clone(), why }
    };
    order.iter().take(diff).filter_map(at).map(deletion).collect()
}

/// The pods, each with a number of related pods of its own.
fn listed(pods: &[Rc<Pod>]) -> Vec<ListedPod> {
    pods.iter().enumerate().map(|(position, pod)| ListedPod::new(pod.clone(), Some(position))).collect()
}

/// The positions of the pods in the order of deletion: the first `wanted`.
pub(super) fn order(pods: &[ListedPod], wanted: usize, circumstances: Circumstances<'_>) -> Vec<usize> {
    let there = pods.iter().enumerate().filter(|(_, pod)| !pod.is_gone);
    let mut keys: Vec<SortKey> = there.map(|(position, pod)| pod.candidate(circumstances).sort_key(position)).collect();
    let less = |first: &SortKey, second: &SortKey| match (pods.get(first.position), pods.get(second.position)) {
        (Some(first), Some(second)) => first.candidate(circumstances).less(&second.candidate(circumstances)).0,
        _ => false,
    };
    sort::sort_first(&mut keys, wanted, |first, second| first.less(second).unwrap_or_else(|| less(first, second)));
    keys.iter().take(wanted).map(|key| key.position).collect()
}

/// The positions of the pods in the order in which they would be deleted where neither costs nor nodes count, and times are
/// compared as they are.
///
/// Upstream: `pkg/controller/controller_utils.go ActivePods.Less`
pub(crate) fn rank_active_pods(pods: &[Rc<Pod>]) -> Vec<usize> {
    let gates = without_costs(FeatureGates::default());
    order(&listed(pods), usize::MAX, Circumstances { related: &[], now: None, gates })
}

/// Compares two pods as [`rank_active_pods`] does.
pub(crate) fn compare_active_pods(first: &Pod, second: &Pod) -> Comparison {
    compare((first, 0), (second, 0), None, without_costs(FeatureGates::default()))
}

const fn without_costs(gates: FeatureGates) -> FeatureGates {
    gates.with(Feature::PodDeletionCost, false)
}

/// For each pod, how many active pods of `related` are on its node. Pods on no node count as being on one.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go getPodsRankedByRelatedPodsOnSameNode`
pub(crate) fn get_pods_ranked_by_related_pods_on_same_node(pods: &[Rc<Pod>], related: &[Rc<Pod>]) -> Vec<usize> {
    // Sorted by node. Pods are many, nodes are few, and pods of one node are often neighbours: the last one is tried first.
    let mut counts: Vec<(Option<&Rc<str>>, usize)> = Vec::new();
    let mut index = 0;
    for pod in related.iter().filter(|pod| pod.is_active()) {
        let node = pod.spec.node_name.as_ref();
        if counts.get(index).is_none_or(|(last, _)| *last != node) {
            index = counts.partition_point(|(other, _)| *other < node);
        }
        match counts.get_mut(index).filter(|(found, _)| *found == node) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => counts.insert(index, (node, 1)),
        }
    }
    let mut index = 0;
    let rank = |pod: &Rc<Pod>| {
        let node = pod.spec.node_name.as_ref();
        if counts.get(index).is_none_or(|(last, _)| *last != node) {
            index = counts.partition_point(|(other, _)| *other < node);
        }
        counts.get(index).filter(|(found, _)| *found == node).map_or(0, |(_, count)| *count)
    };
    pods.iter().map(rank).collect()
}

/// Phases that the map does not have count as Pending does.
///
/// Upstream: `pkg/controller/controller_utils.go podPhaseToOrdinal`
const fn phase_ordinal(phase: PodPhase) -> u8 {
    match phase {
        PodPhase::Unset | PodPhase::Pending | PodPhase::Succeeded | PodPhase::Failed => 0,
        PodPhase::Unknown => 1,
        PodPhase::Running => 2,
    }
}

/// The cost that the pod's annotation gives; an invalid one counts as none.
fn deletion_cost(pod: &Pod) -> i32 {
    get_deletion_cost_from_pod_annotations(pod.metadata.annotation(POD_DELETION_COST)).unwrap_or(0)
}

/// Whether the first time is later than the second; a missing one is later than any.
///
/// Upstream: `pkg/controller/controller_utils.go afterOrZero`
fn after_or_zero(first: Option<Time>, second: Option<Time>) -> bool {
    match (first, second) {
        (Some(first), Some(second)) => first > second,
        (first, _) => first.is_none(),
    }
}

/// Since when the pod is ready.
///
/// Upstream: `pkg/controller/controller_utils.go podReadyTime`
fn pod_ready_time(pod: &Pod) -> Option<Time> {
    if pod.is_ready() { pod.ready_condition()?.last_transition_time } else { None }
}

/// The most restarts of one container, and of one sidecar.
///
/// Upstream: `pkg/controller/controller_utils.go maxContainerRestarts`
fn max_container_restarts(pod: &Pod) -> (i32, i32) {
    let regular = pod.status.container_statuses.iter().map(|status| status.restart_count);
    let is_sidecar = |name: &str| {
        let mut sidecars = pod.spec.fields.init_containers.iter();
        sidecars.any(|container| container.name == name && container.restart_policy.as_deref() == Some("Always"))
    };
    let sidecars = pod.status.init_container_statuses.iter().filter(|status| is_sidecar(&status.name));
    (regular.max().unwrap_or(0).max(0), sidecars.map(|status| status.restart_count).max().unwrap_or(0).max(0))
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::rc::Rc;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::json;

    use super::{ComparedValue, Criterion, Ranking, get_pods_to_delete, logarithmic_rank, rank};
    use crate::feature_gates::FeatureGates;
    use crate::go::log2;
    use crate::object::{Pod, Time};

    fn now() -> Time {
        Time::parse("2026-03-02T12:00:00Z").unwrap()
    }

    fn pod(name: &str, cost: &str, ready: bool, node: &str, seconds_ago: i64) -> Rc<Pod> {
        let time = now().plus_seconds(seconds_ago.wrapping_neg()).to_string();
        let pod = json!({
            "metadata": {
                "name": name, "uid": name, "creationTimestamp": time,
                "annotations": {"controller.kubernetes.io/pod-deletion-cost": cost},
            },
            "spec": {"nodeName": node},
            "status": {
                "phase": "Running",
                "conditions": [{"type": "Ready", "status": if ready { "True" } else { "False" }, "lastTransitionTime": time}],
            },
        });
        Rc::new(serde_json::from_value(pod).unwrap())
    }

    #[test]
    fn neighbours_say_what_decided() {
        let pods = [
            pod("old", "0", true, "c", 100_000),
            pod("cheap", "-4", true, "a", 100),
            pod("broken", "9", false, "a", 100),
            pod("twin", "0", true, "c", 90_000),
            pod("young", "0", true, "b", 3),
            pod("alone", "x", true, "", 3),
        ];
        let Ranking { order, decided } = rank(&pods, &pods, now(), FeatureGates::default());
        assert_eq!(order, [5, 2, 1, 0, 3, 4]);
        let criteria: Vec<_> = decided.iter().map(|comparison| (comparison.less, comparison.criterion)).collect();
        assert_eq!(
            criteria,
            [
                (true, Criterion::Assigned),
                (true, Criterion::Ready),
                (true, Criterion::DeletionCost),
                (true, Criterion::ReadyTimeUid),
                (true, Criterion::RelatedPods),
            ]
        );
        assert_eq!((&decided[2].first, &decided[2].second), (&ComparedValue::Number(-4), &ComparedValue::Number(0)));
        assert_eq!((&decided[4].first, &decided[4].second), (&ComparedValue::Number(2), &ComparedValue::Number(1)));
    }

    #[test]
    fn a_deletion_is_compared_with_the_first_pod_that_stays() {
        let pods = [pod("a", "3", true, "a", 9), pod("b", "1", true, "b", 9), pod("c", "2", true, "c", 9)];
        let deletions = get_pods_to_delete(&pods, &pods, 1, now(), FeatureGates::default());
        let (stays, comparison) = deletions[0].why.clone().unwrap();
        assert_eq!((&*deletions[0].pod.metadata.name, &*stays.metadata.name), ("b", "c"));
        assert_eq!((comparison.less, comparison.criterion), (true, Criterion::DeletionCost));

        let all = get_pods_to_delete(&pods, &pods, 3, now(), FeatureGates::default());
        assert!(all.iter().all(|deletion| deletion.why.is_none()));
    }

    #[test]
    #[expect(clippy::as_conversions, reason = "the conversions of the full calculation")]
    fn powers_of_two_are_exact() {
        for exponent in 0..63_i64 {
            assert_eq!(logarithmic_rank(1 << exponent), exponent, "2^{exponent}");
            for below in (0..63).map(|bits| 1_i64 << bits).take_while(|below| *below < 1 << exponent) {
                let age = (1_i64 << exponent).wrapping_sub(below);
                assert_eq!(logarithmic_rank(age), log2(age as f64) as i64, "{age}");
            }
        }
        assert_eq!(logarithmic_rank(i64::MAX), 63, "float64 rounds 2^63-1 up");
    }

    #[test]
    fn no_age_is_in_a_bucket_of_its_own() {
        assert_eq!(logarithmic_rank(0), -1);
        assert_eq!(logarithmic_rank(-1), -1);
        assert_eq!(logarithmic_rank(i64::MIN), -1);
    }

    #[test]
    fn just_below_a_power_of_two() {
        // What Go prints for int64(math.Log2(float64(1<<e - d))).
        let go = [
            (20, 1, 19),
            (33, 1, 32),
            (48, 1, 47),
            (49, 1, 49),
            (49, 2, 48),
            (50, 2, 50),
            (50, 3, 49),
            (51, 3, 51),
            (52, 8, 52),
            (52, 15, 51),
            (60, 1, 60),
        ];
        for (exponent, below, bucket) in go {
            assert_eq!(logarithmic_rank((1_i64 << exponent) - below), bucket, "2^{exponent} - {below}");
        }
    }

    proptest! {
        #[test]
        fn any_pods_are_ranked_once(
            seeds in prop::collection::vec((-2_i32..3, any::<bool>(), 0_u8..4, 0_i64..1_000_000), 0..120),
        ) {
            let pod = |(index, (cost, ready, node, age)): (usize, &(i32, bool, u8, i64))| {
                let node = if *node == 0 { "".into() } else { format!("node-{node}") };
                pod(&format!("p{index}"), &cost.to_string(), *ready, &node, *age)
            };
            let pods: Vec<_> = seeds.iter().enumerate().map(pod).collect();
            let Ranking { mut order, decided } = rank(&pods, &pods, now(), FeatureGates::default());
            prop_assert_eq!(decided.len(), pods.len().saturating_sub(1));
            order.sort_unstable();
            prop_assert_eq!(order, (0..pods.len()).collect::<Vec<_>>());
            // Asked about a pod itself, no criterion puts it before itself.
            for pod in &pods {
                let comparison = super::compare((pod, 1), (pod, 1), Some(now()), FeatureGates::default());
                prop_assert_eq!((comparison.less, comparison.criterion), (false, Criterion::Equal));
            }
        }
    }
}
