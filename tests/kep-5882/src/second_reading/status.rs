//! The counts in a Deployment's status.

use super::pods::{total_replicas, total_terminating};
use crate::world::{Status, World};

/// The status that follows from the statuses of the ReplicaSets. The conditions stay.
///
/// Today: `calculateStatus` (sync.go). It counts terminating pods whenever DeploymentReplicaSetTerminatingReplicas is
/// on, whatever the policy. The KEP's test plan says "The .status.terminatingReplicas field should be 0 in that case",
/// for gates that are off and for a policy that is nil. Released code leaves it empty with that gate off, and counts
/// under a nil policy; this follows the released code.
pub fn calculate_status(world: &World) -> Status {
    let available = world.sets.iter().map(|set| set.available).sum();
    Status {
        observed_generation: world.generation,
        replicas: world.sets.iter().map(|set| set.status_replicas).sum(),
        updated: world.new_set().map_or(0, |set| set.status_replicas),
        ready: world.sets.iter().map(|set| set.ready).sum(),
        available,
        unavailable: (total_replicas(&world.sets) - available).max(0),
        terminating: if world.gates.terminating_replicas { total_terminating(&world.sets) } else { None },
        progressing: world.status.progressing,
    }
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{set, world};
    use crate::world::{Gates, Policy, ReplicaSet, World};

    use super::calculate_status;

    #[test]
    fn terminating_pods_are_counted_under_every_policy() {
        let sets = vec![set("a", 4, 3), ReplicaSet { available: 1, ..set("b", 2, 1) }];
        for policy in [Policy::Nil, Policy::Started, Policy::Complete] {
            let world = World { policy, new: Some(1), ..world(6, sets.clone()) };
            let status = calculate_status(&world);
            assert_eq!((status.replicas, status.updated, status.available), (6, 2, 5));
            assert_eq!((status.unavailable, status.terminating), (1, Some(4)));
        }
    }

    #[test]
    fn terminating_pods_are_not_counted_with_the_gate_off() {
        let off = Gates { terminating_replicas: false, pod_replacement_policy: false };
        let world = World { gates: off, ..world(4, vec![set("a", 4, 3)]) };
        assert_eq!(calculate_status(&world).terminating, None);
    }
}
