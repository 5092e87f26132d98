//! The pods among which a ReplicaSet's controller chose those to delete, and why another one of them may go as well.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use changeover_core::controller::rank::{Comparison, Criterion, compare};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Pod, Time};

/// Up to this length, Go uses insertion sort, which keeps the order of equal elements.
const INSERTION_SORT: usize = 12;

/// A pod, with the number of related pods on its node.
pub type RankedPod = (Rc<Pod>, usize);

/// The active pods of a ReplicaSet in one state of its controller's caches, when the controller deletes some of them.
#[derive(Clone, Debug)]
pub struct PodChoice {
    /// The pods.
    pub pods: Vec<RankedPod>,
    /// How many of them are deleted.
    pub count: usize,
    /// The controller's clock.
    pub now: Time,
    /// The feature gates.
    pub gates: FeatureGates,
    /// Whether the rules leave open which pods are deleted.
    pub is_open: bool,
}

/// Why a controller may delete another object than the one that it deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alternative {
    /// This criterion puts the other pod before the recorded one.
    First(Criterion),
    /// No criterion tells the two pods apart.
    Equal,
    /// Pair by pair, the recorded pod goes first, but with a third pod the two form a cycle.
    Cycle,
    /// The list is so long that the checker does not require an order where only ages and uids decide.
    LongList,
    /// All pods are deleted.
    All,
    /// The cache does not show the recorded pod as active.
    NotActive,
    /// Its controller does not rank objects as a ReplicaSet's controller does.
    NotRanked,
}

impl Alternative {
    /// Whether a rule before the ages puts the other pod first. At the caches that explain the recorded deletion, this
    /// deletion would be wrong.
    pub fn breaks_a_rule(self) -> bool {
        matches!(self, Self::First(criterion) if criterion < Criterion::ReadyTime)
    }
}

/// Where the deletion of another object is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExplainedAt {
    /// At the caches and the time that explain the recorded deletion.
    SameState,
    /// Only at other caches or another time.
    OtherState,
}

impl PodChoice {
    /// The pods that are deleted and those that stay.
    pub fn partition(&self, is_deleted: impl Fn(&Pod) -> bool) -> [Vec<&RankedPod>; 2] {
        let (gone, kept) = self.pods.iter().partition(|(pod, _)| is_deleted(pod));
        [gone, kept]
    }

    /// Whether upstream's sort can put exactly the first pods in front of the others.
    ///
    /// Ages are compared by their order of magnitude, and within one magnitude by uid, but equal times are compared by
    /// another age. So three pods can form a cycle in which each must come before the next, and the result of Go's sort
    /// depends on the order of a map. For a short list, which uses insertion sort, the result can be any order in which
    /// no pod must come before the one in front of it. For a long list, we only check that no rule before the ages is
    /// broken.
    pub fn is_legal(&self, gone: &[&RankedPod], kept: &[&RankedPod]) -> bool {
        if self.pods.len() <= INSERTION_SORT {
            return has_valid_order(gone, kept, |first, second| self.compare(first, second).less);
        }
        let breaks = |stays: &RankedPod, goes: &RankedPod| {
            let comparison = self.compare(stays, goes);
            comparison.less && comparison.criterion < Criterion::ReadyTime
        };
        !gone.iter().any(|goes| kept.iter().any(|stays| breaks(stays, goes)))
    }

    /// Why the other pod may be deleted in place of the recorded one. Both are names.
    pub fn alternative(&self, recorded: &str, other: &str) -> Alternative {
        let find = |name: &str| self.pods.iter().find(|(pod, _)| *pod.metadata.name == *name);
        let (Some(recorded), Some(other)) = (find(recorded), find(other)) else { return Alternative::NotActive };
        if self.count >= self.pods.len() {
            return Alternative::All;
        }
        let Comparison { less, criterion, .. } = self.compare(other, recorded);
        match criterion {
            _ if less => Alternative::First(criterion),
            Criterion::Equal => Alternative::Equal,
            _ if self.pods.len() <= INSERTION_SORT => Alternative::Cycle,
            _ => Alternative::LongList,
        }
    }

    fn compare(&self, (first, rank): &RankedPod, (second, other_rank): &RankedPod) -> Comparison {
        compare((first, *rank), (second, *other_rank), Some(self.now), self.gates)
    }
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First(criterion) => goes_first(*criterion),
            Self::Equal => goes_first(Criterion::Equal),
            Self::Cycle => "the recorded pod goes before the other one, but they form a cycle with a third",
            Self::LongList => "more than 12 pods: an order that only ages and uids decide is not checked",
            Self::All => "all pods go",
            Self::NotActive => "the cache does not show the recorded pod as active",
            Self::NotRanked => "not a pod of a ReplicaSet",
        })
    }
}

/// The criterion, as a statement about the pod that goes first.
const fn goes_first(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Assigned => "the other pod has no node",
        Criterion::Phase => "the other pod's phase goes first",
        Criterion::Ready => "the other pod is not ready",
        Criterion::DeletionCost => "the other pod's deletion cost is lower",
        Criterion::RelatedPods => "more related pods are on the other pod's node",
        Criterion::ReadyTime => "the other pod has been ready for less time",
        Criterion::ReadyTimeUid => "both have been ready about as long, and the other pod's uid is lower",
        Criterion::Restarts => "the other pod restarted more often",
        Criterion::SidecarRestarts => "the other pod's sidecars restarted more often",
        Criterion::Created => "the other pod is younger",
        Criterion::CreatedUid => "both are about as old, and the other pod's uid is lower",
        Criterion::Equal => "no rule tells the two apart",
    }
}

/// Whether the pods can be ordered, with the deleted ones before the kept ones, so that none must come before the one
/// in front of it.
fn has_valid_order<T>(gone: &[T], kept: &[T], less: impl Fn(&T, &T) -> bool) -> bool {
    let all: Vec<&T> = gone.iter().chain(kept).collect();
    let mut seen = BTreeSet::new();
    let mut rows: Vec<(BTreeSet<usize>, usize)> = (0..gone.len()).map(|last| (BTreeSet::from([last]), last)).collect();
    while let Some((row, last)) = rows.pop() {
        if row.len() == all.len() {
            return true;
        }
        if !seen.insert((row.clone(), last)) {
            continue;
        }
        let next = if row.len() < gone.len() { 0..gone.len() } else { gone.len()..all.len() };
        for index in next.filter(|index| !row.contains(index)) {
            let stands = all.get(index).zip(all.get(last)).is_some_and(|(next, last)| !less(next, last));
            if stands {
                let mut longer = row.clone();
                longer.insert(index);
                rows.push((longer, index));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A running pod on a node of its own. Its uid is its name, and it has been ready since `ready`.
    fn pod(name: &str, ready: Option<&str>) -> RankedPod {
        let created = "2026-03-02T12:00:00Z";
        let status = if ready.is_some() { "True" } else { "False" };
        let pod = json!({
            "metadata": { "name": name, "uid": name, "creationTimestamp": created },
            "spec": { "nodeName": name },
            "status": {
                "phase": "Running",
                "conditions": [{ "type": "Ready", "status": status, "lastTransitionTime": ready.unwrap_or(created) }],
            },
        });
        (Rc::new(serde_json::from_value(pod).unwrap()), 1)
    }

    fn choice(pods: Vec<RankedPod>, count: usize) -> PodChoice {
        let now = Time::parse("2026-03-02T12:01:00Z").unwrap();
        PodChoice { pods, count, now, gates: FeatureGates::default(), is_open: false }
    }

    #[test]
    fn the_criterion_that_puts_the_other_pod_first_is_named() {
        let ready = Some("2026-03-02T12:00:10Z");
        let later = Some("2026-03-02T12:00:59Z");
        let choice = choice(vec![pod("a", ready), pod("b", ready), pod("new", later), pod("starting", None)], 1);
        let why = |recorded, other| choice.alternative(recorded, other);
        assert_eq!(why("a", "starting"), Alternative::First(Criterion::Ready));
        assert_eq!(why("a", "new"), Alternative::First(Criterion::ReadyTime));
        assert_eq!(why("a", "b"), Alternative::Equal);
        assert_eq!(why("gone", "a"), Alternative::NotActive);
    }

    #[test]
    fn pods_that_are_ready_about_as_long_go_by_their_uids() {
        let choice = choice(
            vec![pod("a", Some("2026-03-02T12:00:10Z")), pod("b", Some("2026-03-02T12:00:11Z")), pod("c", None)],
            1,
        );
        assert_eq!(choice.alternative("b", "a"), Alternative::First(Criterion::ReadyTimeUid));
        assert_eq!(choice.alternative("a", "b"), Alternative::Cycle);
    }

    #[test]
    fn only_a_long_list_leaves_the_order_of_ages_open() {
        let ready = |second: usize| format!("2026-03-02T12:00:{second}Z");
        let pods = (10..=22).map(|second| pod(&format!("web-{second}"), Some(&ready(second)))).collect();
        let choice = choice(pods, 1);
        assert!(choice.pods.len() > INSERTION_SORT);
        assert_eq!(choice.alternative("web-10", "web-11"), Alternative::LongList);
        let [gone, kept] = choice.partition(|pod| *pod.metadata.name == *"web-11");
        assert!(choice.is_legal(&gone, &kept));
    }

    #[test]
    fn nothing_is_ranked_if_all_pods_go() {
        let choice = choice(vec![pod("a", None), pod("b", Some("2026-03-02T12:00:10Z"))], 2);
        assert_eq!(choice.alternative("a", "b"), Alternative::All);
    }

    #[test]
    fn a_short_list_must_be_in_order() {
        let choice = choice(vec![pod("a", None), pod("b", Some("2026-03-02T12:00:10Z"))], 1);
        let is_legal = |name: &str| {
            let [gone, kept] = choice.partition(|pod| *pod.metadata.name == *name);
            choice.is_legal(&gone, &kept)
        };
        assert!(is_legal("a") && !is_legal("b"));
    }

    #[test]
    fn in_a_cycle_any_may_go_first() {
        let less = |first: &u8, second: &u8| matches!((first, second), (0, 1) | (1, 2) | (2, 0));
        assert!(
            has_valid_order(&[0], &[1, 2], less)
                && has_valid_order(&[1], &[0, 2], less)
                && has_valid_order(&[2], &[0, 1], less)
        );
    }

    #[test]
    fn in_order_only_the_first_go() {
        let less = |first: &u8, second: &u8| first < second;
        assert!(has_valid_order(&[1, 0], &[3, 2], less));
        assert!(!has_valid_order(&[0, 2], &[1, 3], less));
    }

    #[test]
    fn among_equals_any_may_go() {
        let less = |first: &(u8, char), second: &(u8, char)| first.0 < second.0;
        assert!(has_valid_order(&[(0, 'c')], &[(0, 'a'), (0, 'b'), (1, 'd')], less));
        assert!(!has_valid_order(&[(1, 'd')], &[(0, 'a'), (0, 'b'), (0, 'c')], less));
    }
}
