//! The number of a Deployment's pods, including terminating ones.

use super::numbers::deployment_max_replicas;
use crate::world::{ReplicaSet, UnknownCount, World};

/// Today: `GetReplicaCountForReplicaSets` (deployment_util.go).
pub fn total_replicas(sets: &[ReplicaSet]) -> i64 {
    sets.iter().map(|set| set.replicas).sum()
}

/// Today: `GetTerminatingReplicaCountForReplicaSets` (deployment_util.go).
///
/// "Replicasets that have never been synced by the controller don't contribute to TerminatingReplicas." "If any
/// replicaset synced by the controller hasn't reported TerminatingReplicas, we cannot calculate a sum."
pub fn total_terminating(sets: &[ReplicaSet]) -> Option<i64> {
    sets.iter()
        .map(|set| match set.terminating {
            None if set.observed_generation == 0 => Some(0),
            count => count,
        })
        .sum()
}

/// The pods of all ReplicaSets.
///
/// KEP: "This will be implemented by checking ReplicaSet's .spec.replicas, .status.replicas and
/// .status.terminatingReplicas to determine the number of pods." No formula follows. Pods that the ReplicaSet still has
/// to create are in `spec.replicas` only, and pods that it still has to delete are in `status.replicas` only, so the
/// larger one counts. Terminating pods are in neither.
///
/// # Errors
///
/// If a count of terminating pods is unknown.
pub fn total_pods(sets: &[ReplicaSet]) -> Result<i64, UnknownCount> {
    let terminating = total_terminating(sets).ok_or(UnknownCount)?;
    let others: i64 = sets.iter().map(|set| set.replicas.max(set.status_replicas)).sum();
    Ok(others + terminating)
}

/// How many pods may be added now; never negative.
///
/// KEP: "we should consider terminating pods of all ReplicaSets as well and not spawn replicas that would be higher
/// than Deployment's .spec.replicas + .spec.strategy.rollingUpdate.maxSurge."
///
/// # Errors
///
/// If a count of terminating pods is unknown.
pub fn room(world: &World, sets: &[ReplicaSet]) -> Result<i64, UnknownCount> {
    Ok((deployment_max_replicas(world) - total_pods(sets)?).max(0))
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::set;
    use crate::world::ReplicaSet;

    use super::{total_pods, total_terminating};

    #[test]
    fn the_larger_of_spec_and_status_counts() {
        let shrinking = ReplicaSet { status_replicas: 10, ..set("a", 5, 2) };
        let growing = ReplicaSet { status_replicas: 1, ..set("b", 4, 0) };
        assert_eq!(total_pods(&[shrinking, growing]), Ok(10 + 2 + 4));
    }

    #[test]
    fn a_count_is_unknown_only_after_the_first_sync() {
        let unseen = ReplicaSet { terminating: None, observed_generation: 0, ..set("a", 5, 0) };
        let silent = ReplicaSet { terminating: None, ..set("b", 5, 0) };
        assert_eq!(total_terminating(&[unseen.clone(), set("c", 1, 3)]), Some(3));
        assert_eq!(total_terminating(&[unseen, silent]), None);
    }
}
