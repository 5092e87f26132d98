//! The Recreate rollout.

use crate::settlement::Settlement;
use crate::world::{Policy, ReplicaSet, UnknownCount, World};

use super::annotations::write_if_resized;
use super::rolling::{new_replicas, with_new_set};

/// The stage that a Recreate rollout has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Old ReplicaSets were scaled to zero.
    ScaledDown,
    /// The rollout waits for pods of old ReplicaSets.
    Waiting,
    /// The new ReplicaSet was scaled up.
    ScaledUp,
}

/// The result of a step of a Recreate rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recreated {
    /// The world afterward. A new ReplicaSet is the last.
    pub world: World,
    /// The stage that was reached.
    pub stage: Stage,
}

/// One step of a Recreate rollout.
///
/// Today: `rolloutRecreate` (recreate.go).
///
/// KEP: "Terminating (TerminationStarted): Scale down old ReplicaSet(s) to 0. Wait until all the pods are at least
/// terminating. Create new replica set. Terminated (TerminationComplete): Current behaviour."
///
/// # Errors
///
/// Never in this reading: no step looks at `status.terminatingReplicas`. A settlement makes the new ReplicaSet's own
/// count matter.
pub fn recreate(world: &World) -> Result<Recreated, UnknownCount> {
    let mut after = world.clone();
    let mut scaled_down = false;
    for index in world.old() {
        scaled_down |= write_if_resized(world, &mut after.sets[index], 0);
    }
    if scaled_down {
        return Ok(Recreated { world: after, stage: Stage::ScaledDown });
    }
    if is_old_pod_running(world) {
        return Ok(Recreated { world: after, stage: Stage::Waiting });
    }
    let mut after = with_new_set(world)?;
    if let Some(new) = after.new {
        // Today: `scaleUpNewReplicaSetForRecreate` (recreate.go).
        let size = new_replicas(&after, &after.sets, new)?;
        write_if_resized(world, &mut after.sets[new], size);
    }
    Ok(Recreated { world: after, stage: Stage::ScaledUp })
}

/// True if the rollout must wait for pods of old ReplicaSets.
///
/// Today: `oldPodsRunning` (recreate.go), which looks at `status.replicas` and then at all pods that have not ended,
/// including terminating ones.
fn is_old_pod_running(world: &World) -> bool {
    world.old().iter().map(|index| &world.sets[*index]).any(|set| set.status_replicas > 0 || is_waited_for(world, set))
}

/// KEP: "Wait until all the pods are at least terminating", under TerminationStarted. Otherwise the rollout waits until
/// they are gone or have ended.
fn is_waited_for(world: &World, set: &ReplicaSet) -> bool {
    match world.policy_in_force() {
        Policy::Started if world.is_settled(Settlement::StartedWaitsForReplicaCount) => false,
        Policy::Started => set.pods.running > 0,
        Policy::Nil | Policy::Complete => set.pods.running + set.pods.terminating > 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{set, sizes, world};
    use crate::world::{Gates, Pods, Policy, ReplicaSet, Strategy, World};

    use super::{Stage, recreate};

    fn step(policy: Policy, old: ReplicaSet) -> (Stage, Vec<i64>) {
        let after = recreate(&World { policy, strategy: Strategy::Recreate, ..world(5, vec![old]) }).unwrap();
        (after.stage, sizes(&after.world.sets))
    }

    #[test]
    fn old_replica_sets_go_first() {
        for policy in [Policy::Nil, Policy::Started, Policy::Complete] {
            assert_eq!(step(policy, set("a", 5, 0)), (Stage::ScaledDown, vec![0]));
            let stale = ReplicaSet { status_replicas: 5, ..set("a", 0, 0) };
            assert_eq!(step(policy, stale), (Stage::Waiting, vec![0]));
            assert_eq!(step(policy, set("a", 0, 0)), (Stage::ScaledUp, vec![0, 5]));
        }
    }

    #[test]
    fn only_termination_started_does_not_wait_for_terminating_pods() {
        let terminating = set("a", 0, 5);
        assert_eq!(step(Policy::Started, terminating.clone()), (Stage::ScaledUp, vec![0, 5]));
        assert_eq!(step(Policy::Nil, terminating.clone()), (Stage::Waiting, vec![0]));
        assert_eq!(step(Policy::Complete, terminating), (Stage::Waiting, vec![0]));
        let running = ReplicaSet { pods: Pods { running: 1, terminating: 4 }, ..set("a", 0, 5) };
        assert_eq!(step(Policy::Started, running), (Stage::Waiting, vec![0]));
    }

    #[test]
    fn without_the_gate_the_field_has_no_effect() {
        let off = Gates { terminating_replicas: true, pod_replacement_policy: false };
        let world = World {
            policy: Policy::Started,
            gates: off,
            strategy: Strategy::Recreate,
            ..world(5, vec![set("a", 0, 5)])
        };
        assert_eq!(recreate(&world).unwrap().stage, Stage::Waiting);
    }

    /// "Current behaviour" looks at pods, so an unknown count does not stop it.
    #[test]
    fn no_count_is_needed() {
        let silent = ReplicaSet { terminating: None, ..set("a", 0, 0) };
        assert_eq!(step(Policy::Complete, silent), (Stage::ScaledUp, vec![0, 5]));
    }

    /// Terminating pods of the new ReplicaSet don't count in a rollout today, and the KEP says "Current behaviour".
    #[test]
    fn the_new_replica_set_grows_past_its_own_terminating_pods() {
        for policy in [Policy::Nil, Policy::Started, Policy::Complete] {
            let back = World {
                policy,
                strategy: Strategy::Recreate,
                new: Some(0),
                ..world(5, vec![set("a", 0, 5), set("b", 0, 0)])
            };
            assert_eq!(sizes(&recreate(&back).unwrap().world.sets), [5, 0]);
        }
    }
}
