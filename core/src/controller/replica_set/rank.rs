//! Which pod goes first when a ReplicaSet has too many (KEP-2255), and what decided it.

use alloc::rc::Rc;
use alloc::vec::Vec;

use serde::Serialize;

use super::go_math::logarithmic_rank;
use super::go_sort::sort;
use crate::apiserver::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Pod, PodPhase, Time};

/// The pods in the order in which they would be deleted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// Positions in the list that was ranked; the first goes first.
    pub order: Vec<usize>,
    /// For each neighbouring pair of `order`, what decided between them; one less than there are pods.
    pub decided: Vec<Comparison>,
}

/// One comparison of two pods.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Whether the first pod is to go before the second.
    pub less: bool,
    /// The rule that decided: the first in which they differ.
    pub rule: Rule,
    /// What the rule saw of the first pod.
    pub first: Operand,
    /// What the rule saw of the second pod.
    pub second: Operand,
}

/// The rules, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RankRule"))]
pub enum Rule {
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
    /// The younger first.
    Created,
    /// Both ages are of the same order of magnitude: the lower uid first, which is as good as random.
    CreatedUid,
    /// No rule tells them apart.
    Equal,
}

/// What a rule saw of one pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RankOperand"))]
pub enum Operand {
    /// Whether something holds: the pod is on a node, or ready.
    Flag(bool),
    /// The pod's phase.
    Phase(#[cfg_attr(feature = "schema", schemars(with = "alloc::string::String"))] PodPhase),
    /// A cost, or a number of pods or restarts.
    Number(i64),
    /// A time; none counts as the latest.
    Time(#[cfg_attr(feature = "schema", schemars(with = "Option<alloc::string::String>"))] Option<Time>),
    /// How long ago that was.
    Age {
        /// In nanoseconds.
        nanoseconds: i64,
        /// The whole part of its base-2 logarithm, which is what is compared; -1 for an age of 0 or less.
        magnitude: i64,
    },
    /// The pod's uid.
    Uid(#[cfg_attr(feature = "schema", schemars(with = "alloc::string::String"))] Rc<str>),
    /// Nothing was left to look at.
    Nothing,
}

/// All that the rules look at of one pod, read once.
#[derive(Clone, Debug)]
struct Candidate {
    assigned: bool,
    phase: PodPhase,
    ready: bool,
    cost: i32,
    rank: usize,
    ready_since: Moment,
    restarts: i32,
    sidecar_restarts: i32,
    created: Moment,
    uid: Rc<str>,
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
}

impl Candidate {
    fn new(pod: &Pod, rank: usize, now: Option<Time>, gates: FeatureGates) -> Self {
        let (restarts, sidecar_restarts) = max_container_restarts(pod);
        let now = now.filter(|_| gates.enabled(Feature::LogarithmicScaleDown));
        Self {
            assigned: pod.spec.node_name.is_some(),
            phase: pod.status.phase,
            ready: pod.is_ready(),
            cost: if gates.enabled(Feature::PodDeletionCost) { deletion_cost(pod) } else { 0 },
            rank,
            ready_since: Moment::new(pod_ready_time(pod), now),
            restarts,
            sidecar_restarts,
            created: Moment::new(pod.metadata.creation_timestamp, now),
            uid: pod.metadata.uid.clone(),
        }
    }

    /// Upstream: `pkg/controller/controller_utils.go ActivePodsWithRanks.Less`
    fn compare(&self, other: &Self) -> Comparison {
        let decided = |rule, less, first, second| Comparison { less, rule, first, second };
        let number = |n: i32| Operand::Number(n.into());
        if self.assigned != other.assigned {
            let (first, second) = (Operand::Flag(self.assigned), Operand::Flag(other.assigned));
            return decided(Rule::Assigned, !self.assigned, first, second);
        }
        let phases = (phase_ordinal(self.phase), phase_ordinal(other.phase));
        if phases.0 != phases.1 {
            let (first, second) = (Operand::Phase(self.phase), Operand::Phase(other.phase));
            return decided(Rule::Phase, phases.0 < phases.1, first, second);
        }
        if self.ready != other.ready {
            return decided(Rule::Ready, !self.ready, Operand::Flag(self.ready), Operand::Flag(other.ready));
        }
        if self.cost != other.cost {
            return decided(Rule::DeletionCost, self.cost < other.cost, number(self.cost), number(other.cost));
        }
        if self.rank != other.rank {
            let (first, second) = (Operand::of_count(self.rank), Operand::of_count(other.rank));
            return decided(Rule::RelatedPods, self.rank > other.rank, first, second);
        }
        if self.ready
            && other.ready
            && let Some(comparison) =
                self.compare_moments(other, |pod| pod.ready_since, Rule::ReadyTime, Rule::ReadyTimeUid)
        {
            return comparison;
        }
        // Upstream: `pkg/controller/controller_utils.go compareMaxContainerRestarts`
        if self.restarts != other.restarts {
            let less = self.restarts > other.restarts;
            return decided(Rule::Restarts, less, number(self.restarts), number(other.restarts));
        }
        if self.sidecar_restarts != other.sidecar_restarts {
            let less = self.sidecar_restarts > other.sidecar_restarts;
            let (first, second) = (number(self.sidecar_restarts), number(other.sidecar_restarts));
            return decided(Rule::SidecarRestarts, less, first, second);
        }
        self.compare_moments(other, |pod| pod.created, Rule::Created, Rule::CreatedUid)
            .unwrap_or_else(|| decided(Rule::Equal, false, Operand::Nothing, Operand::Nothing))
    }

    /// The later time first, or if ages are compared the smaller order of magnitude, or in the same one the lower uid.
    /// None where the times are equal.
    fn compare_moments(
        &self,
        other: &Self,
        moment: impl Fn(&Self) -> Moment,
        rule: Rule,
        uid_rule: Rule,
    ) -> Option<Comparison> {
        let (first, second) = (moment(self), moment(other));
        if first.time == second.time {
            return None;
        }
        let comparison = match (first.age, second.age) {
            (Some(a), Some(b)) if a.magnitude == b.magnitude => Comparison {
                less: self.uid < other.uid,
                rule: uid_rule,
                first: Operand::Uid(self.uid.clone()),
                second: Operand::Uid(other.uid.clone()),
            },
            (Some(a), Some(b)) => {
                Comparison { less: a.magnitude < b.magnitude, rule, first: a.operand(), second: b.operand() }
            }
            _ => Comparison {
                less: after_or_zero(first.time, second.time),
                rule,
                first: Operand::Time(first.time),
                second: Operand::Time(second.time),
            },
        };
        Some(comparison)
    }
}

impl Age {
    const fn operand(self) -> Operand {
        Operand::Age { nanoseconds: self.nanoseconds, magnitude: self.magnitude }
    }
}

impl Operand {
    fn of_count(count: usize) -> Self {
        Self::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// Compares two pods whose numbers of related pods on their nodes are known. Without `now`, times are compared as they
/// are, as with the gate LogarithmicScaleDown off.
///
/// Upstream: `pkg/controller/controller_utils.go ActivePodsWithRanks.Less`
pub fn compare(first: (&Pod, usize), second: (&Pod, usize), now: Option<Time>, gates: FeatureGates) -> Comparison {
    let candidate = |(pod, rank)| Candidate::new(pod, rank, now, gates);
    candidate(first).compare(&candidate(second))
}

/// The order in which the pods would be deleted, and what decided between neighbours.
pub fn rank(pods: &[Rc<Pod>], related: &[Rc<Pod>], now: Time, gates: FeatureGates) -> Ranking {
    let sorted = sort_by_rank(pods, related, now, gates);
    let neighbours = sorted.iter().zip(sorted.iter().skip(1));
    Ranking {
        order: sorted.iter().map(|(index, _)| *index).collect(),
        decided: neighbours.map(|((_, first), (_, second))| first.compare(second)).collect(),
    }
}

/// A pod that is to be deleted, and what decided between it and the first pod that stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Deletion {
    /// The pod.
    pub pod: Rc<Pod>,
    /// The first pod that stays and the comparison of the two; none where all pods go.
    pub why: Option<(Rc<Pod>, Comparison)>,
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
    if diff >= filtered.len() {
        return filtered.iter().map(|pod| Deletion { pod: pod.clone(), why: None }).collect();
    }
    let sorted = sort_by_rank(filtered, related, now, gates);
    let stays = sorted.get(diff).and_then(|(index, stays)| Some((filtered.get(*index)?, stays)));
    let deletion = |(index, goes): &(usize, Candidate)| {
        let why = stays.map(|(pod, stays)| (pod.clone(), goes.compare(stays)));
        Some(Deletion { pod: filtered.get(*index)?.clone(), why })
    };
    sorted.iter().take(diff).filter_map(deletion).collect()
}

fn sort_by_rank(pods: &[Rc<Pod>], related: &[Rc<Pod>], now: Time, gates: FeatureGates) -> Vec<(usize, Candidate)> {
    let ranks = get_pods_ranked_by_related_pods_on_same_node(pods, related);
    let candidate = |(pod, rank): (&Rc<Pod>, usize)| Candidate::new(pod, rank, Some(now), gates);
    let mut candidates: Vec<_> = pods.iter().zip(ranks).map(candidate).enumerate().collect();
    sort(&mut candidates, |(_, first), (_, second)| first.compare(second).less);
    candidates
}

/// For each pod, how many active pods of `related` are on its node. Pods on no node count as being on one.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go getPodsRankedByRelatedPodsOnSameNode`
pub fn get_pods_ranked_by_related_pods_on_same_node(pods: &[Rc<Pod>], related: &[Rc<Pod>]) -> Vec<usize> {
    let mut nodes: Vec<Option<&str>> =
        related.iter().filter(|pod| pod.is_active()).map(|pod| pod.spec.node_name.as_deref()).collect();
    nodes.sort_unstable();
    let count = |node: Option<&str>| {
        let from = nodes.partition_point(|other| *other < node);
        nodes.partition_point(|other| *other <= node).saturating_sub(from)
    };
    // Pods of one node are often neighbours in no order; the answer for the last node asked is kept.
    let mut last = None;
    pods.iter()
        .map(|pod| {
            let node = pod.spec.node_name.as_deref();
            match last {
                Some((asked, answer)) if asked == node => answer,
                _ => {
                    let answer = count(node);
                    last = Some((node, answer));
                    answer
                }
            }
        })
        .collect()
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

    use super::{Operand, Ranking, Rule, get_pods_to_delete, rank};
    use crate::feature_gates::FeatureGates;
    use crate::object::{Pod, Time};

    fn now() -> Time {
        Time::parse("2026-03-02T12:00:00Z").unwrap()
    }

    fn pod(name: &str, cost: &str, ready: bool, node: &str, seconds_ago: i64) -> Rc<Pod> {
        let time = now().plus_seconds(seconds_ago.wrapping_neg());
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
        let rules: Vec<_> = decided.iter().map(|comparison| (comparison.less, comparison.rule)).collect();
        assert_eq!(
            rules,
            [
                (true, Rule::Assigned),
                (true, Rule::Ready),
                (true, Rule::DeletionCost),
                (true, Rule::ReadyTimeUid),
                (true, Rule::RelatedPods),
            ]
        );
        assert_eq!((&decided[2].first, &decided[2].second), (&Operand::Number(-4), &Operand::Number(0)));
        assert_eq!((&decided[4].first, &decided[4].second), (&Operand::Number(2), &Operand::Number(1)));
    }

    #[test]
    fn a_deletion_is_compared_with_the_first_pod_that_stays() {
        let pods = [pod("a", "3", true, "a", 9), pod("b", "1", true, "b", 9), pod("c", "2", true, "c", 9)];
        let deletions = get_pods_to_delete(&pods, &pods, 1, now(), FeatureGates::default());
        let (stays, comparison) = deletions[0].why.clone().unwrap();
        assert_eq!((&*deletions[0].pod.metadata.name, &*stays.metadata.name), ("b", "c"));
        assert_eq!(comparison.why("c"), "since deleting it costs 1, c 2");
        let all = get_pods_to_delete(&pods, &pods, 3, now(), FeatureGates::default());
        assert!(all.iter().all(|deletion| deletion.why.is_none()));
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
            // Asked about a pod itself, no rule puts it before itself.
            for pod in &pods {
                let comparison = super::compare((pod, 1), (pod, 1), Some(now()), FeatureGates::default());
                prop_assert_eq!((comparison.less, comparison.rule), (false, Rule::Equal));
            }
        }
    }
}
