//! Why the scheduler finds no node for a pod, and what helps.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::cluster::unschedulable_reasons;

/// Why nodes don't take a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnschedulableReason {
    /// They have no room for it.
    Room,
    /// They are cordoned.
    Cordoned,
    /// They have a taint that it does not tolerate.
    Taint,
    /// They are not where its rules want it: node selector, affinity or topology spread.
    Placement,
    /// Its volumes are not bound, in use, or elsewhere.
    Volume,
    /// Anything else, such as a scheduling gate.
    Other,
}

impl UnschedulableReason {
    /// What a scheduler's message names.
    pub(super) fn all_in(message: &str) -> BTreeSet<Self> {
        unschedulable_reasons(message).map(|(_, reason)| Self::of(reason)).collect()
    }

    fn of(reason: &str) -> Self {
        let names = |words: &[&str]| words.iter().any(|word| reason.contains(word));
        // A volume has an affinity, too.
        if names(&["volume", "Volume"]) {
            Self::Volume
        } else if names(&["Insufficient ", "Too many pods", "no nodes available"]) {
            Self::Room
        } else if names(&["were unschedulable"]) {
            Self::Cordoned
        } else if names(&["taint", "tolerate"]) {
            Self::Taint
        } else if names(&["affinity", "selector", "topology spread"]) {
            Self::Placement
        } else {
            Self::Other
        }
    }

    const fn to_do(self) -> &'static str {
        match self {
            Self::Room => "add a node, make room on one, or request less",
            Self::Cordoned => "uncordon a node whose maintenance is over, or add one",
            Self::Taint => "tolerate the taint, remove it, or add a node without it",
            Self::Placement => "relax its node selector, affinity or spread rules, or add a node that matches them",
            Self::Volume => "check its PersistentVolumeClaims: each must be bound, and usable on a node with room",
            Self::Other => "remove the cause that the scheduler names",
        }
    }
}

/// What helps a pod for which the scheduler names these reasons, as parts of a sentence. Where a node only lacks room, the others
/// are often not meant for the pod.
pub(super) fn to_do(reasons: &BTreeSet<UnschedulableReason>) -> String {
    let helps = |reason: &&UnschedulableReason| {
        matches!(reason, UnschedulableReason::Room | UnschedulableReason::Cordoned) || !is_room(reasons)
    };
    reasons.iter().filter(helps).map(|reason| reason.to_do()).collect::<Vec<_>>().join("; ")
}

/// Whether a node would take the pod if it had room.
pub(super) fn is_room(reasons: &BTreeSet<UnschedulableReason>) -> bool {
    reasons.contains(&UnschedulableReason::Room)
}

/// What was simulated with one more node that takes every pod, as the start of a sentence.
pub(super) fn with_another_node(reasons: &BTreeSet<UnschedulableReason>) -> &'static str {
    if is_room(reasons) {
        "Add a node, or make room on one"
    } else if reasons.contains(&UnschedulableReason::Volume) || reasons.contains(&UnschedulableReason::Other) {
        "Fix what keeps its pods from getting a node"
    } else {
        "Add a node that takes its pods"
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::UnschedulableReason::{Cordoned, Other, Placement, Room, Taint, Volume};
    use super::*;

    #[test]
    fn each_reason_has_its_advice() {
        for (message, expected) in [
            ("0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods.", &[Room][..]),
            ("no nodes available to schedule pods", &[Room]),
            ("0/3 nodes are available: 3 node(s) were unschedulable. preemption: 0/3 nodes.", &[Cordoned]),
            ("0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate", &[Taint]),
            ("0/1 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't tolerate.", &[Taint]),
            ("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", &[Placement]),
            ("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.", &[Placement]),
            ("0/3 nodes are available: 3 node(s) had volume node affinity conflict.", &[Volume]),
            ("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", &[Volume]),
            ("0/2 nodes are available: 1 node(s) were unschedulable, 1 Insufficient memory.", &[Room, Cordoned]),
            ("Scheduling is blocked due to non-empty scheduling gates", &[Other]),
        ] {
            assert_eq!(UnschedulableReason::all_in(message), expected.iter().copied().collect(), "{message}");
        }
    }

    #[test]
    fn where_room_is_missing_the_other_nodes_need_not_change() {
        let advice = |reasons: &[UnschedulableReason]| to_do(&reasons.iter().copied().collect());
        assert_eq!(advice(&[Room, Taint, Placement]), Room.to_do());
        assert_eq!(advice(&[Taint, Placement]), format!("{}; {}", Taint.to_do(), Placement.to_do()));
    }
}
