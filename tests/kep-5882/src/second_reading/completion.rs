//! When a Deployment is complete.

use crate::world::{Status, World};

/// True if a status shows a complete Deployment.
///
/// Today: `DeploymentComplete` (deployment_util.go).
///
/// KEP: "we should not declare the deployment complete until all of its terminating replicas have been fully
/// terminated." "when TerminationComplete policy is used." An unknown count does not prove that they have terminated.
pub fn is_complete(world: &World, status: &Status) -> bool {
    let all_terminated = !world.counts_terminating() || status.terminating == Some(0);
    status.updated == world.replicas
        && status.replicas == world.replicas
        && status.available == world.replicas
        && status.observed_generation >= world.generation
        && all_terminated
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{set, world};
    use crate::second_reading::status::calculate_status;
    use crate::world::{Gates, Policy, ReplicaSet, World};

    use super::is_complete;

    fn complete(policy: Policy, terminating: Option<i64>) -> bool {
        let old = ReplicaSet { terminating, ..set("a", 0, 0) };
        let world = World { policy, new: Some(1), ..world(3, vec![old, set("b", 3, 0)]) };
        is_complete(&world, &calculate_status(&world))
    }

    #[test]
    fn terminating_pods_delay_completion_under_termination_complete() {
        for policy in [Policy::Nil, Policy::Started] {
            assert!(complete(policy, Some(0)) && complete(policy, Some(2)) && complete(policy, None));
        }
        assert!(complete(Policy::Complete, Some(0)));
        assert!(!complete(Policy::Complete, Some(2)));
        assert!(!complete(Policy::Complete, None));
    }

    #[test]
    fn the_gate_decides_whether_the_field_counts() {
        let off = Gates { terminating_replicas: true, pod_replacement_policy: false };
        let world = World { gates: off, new: Some(0), ..world(3, vec![set("a", 3, 2)]) };
        assert!(is_complete(&world, &calculate_status(&world)));
    }
}
