//! The orders in which ReplicaSets are visited.

use core::cmp::Reverse;

use crate::world::ReplicaSet;

/// Today: `ReplicaSetsByCreationTimestamp` (controller_utils.go), the oldest first, names as the tie breaker.
pub fn oldest_first(sets: &[ReplicaSet], mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_by_key(|index| (sets[*index].created, sets[*index].name.clone()));
    positions
}

/// The order of a scale up.
///
/// KEP: "The leftover pods are added to the largest ReplicaSet (or newest if more than one ReplicaSet has the largest
/// number of pods)." Today: `ReplicaSetsBySizeNewer` (controller_utils.go).
pub fn largest_then_newest(sets: &[ReplicaSet], mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_by_key(|index| {
        let set = &sets[*index];
        Reverse((set.replicas, set.created, set.name.clone()))
    });
    positions
}

/// The order of a scale down. Today: `ReplicaSetsBySizeOlder` (controller_utils.go).
pub fn largest_then_oldest(sets: &[ReplicaSet], mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_by_key(|index| {
        let set = &sets[*index];
        (Reverse(set.replicas), set.created, set.name.clone())
    });
    positions
}

/// Today: `ReplicaSetsByRevision` (deployment_util.go).
pub fn oldest_revision_first(sets: &[ReplicaSet], mut positions: Vec<usize>) -> Vec<usize> {
    positions.sort_by_key(|index| {
        let set = &sets[*index];
        (set.revision, set.created, set.name.clone())
    });
    positions
}

/// The positions of the active ReplicaSets.
pub fn active(sets: &[ReplicaSet]) -> Vec<usize> {
    (0..sets.len()).filter(|index| sets[*index].is_active()).collect()
}
