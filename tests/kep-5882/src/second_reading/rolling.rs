//! The RollingUpdate rollout.

use crate::settlement::Settlement;
use crate::world::{Outcome, ReplicaSet, Strategy, UnknownCount, World};

use super::annotations::{write_if_resized, write_whole};
use super::numbers::{deployment_max_replicas, max_unavailable};
use super::order::{active, oldest_first};
use super::pods::{total_pods, total_replicas};

/// How many replicas the new ReplicaSet should have.
///
/// Today: `NewRSNewReplicas` (deployment_util.go).
///
/// KEP: "When checking if a new replica set can be scaled up during a rollout, we should consider terminating pods of
/// all ReplicaSets as well and not spawn an amount of replicas that would be higher than Deployment's .spec.replicas +
/// .spec.strategy.rollingUpdate.maxSurge." For Recreate: "Terminated (TerminationComplete): Current behaviour."
///
/// # Errors
///
/// If it should grow under TerminationComplete and a count of terminating pods is unknown.
pub fn new_replicas(world: &World, sets: &[ReplicaSet], new: usize) -> Result<i64, UnknownCount> {
    if world.strategy == Strategy::Recreate {
        let is_limited = world.counts_terminating() && world.is_settled(Settlement::RecreateCountsNewTerminatingPods);
        if !is_limited || sets[new].replicas >= world.replicas {
            return Ok(world.replicas);
        }
        let room = world.replicas - total_pods(&sets[new..=new])?;
        return Ok(sets[new].replicas + room.max(0));
    }
    if sets[new].replicas == world.replicas {
        // Nothing grows, so no count is needed.
        return Ok(world.replicas);
    }
    let current = if world.counts_terminating() { total_pods(sets)? } else { total_replicas(sets) };
    let max_total = deployment_max_replicas(world);
    if current >= max_total {
        return Ok(sets[new].replicas);
    }
    let scale_up = (max_total - current).min(world.replicas - sets[new].replicas);
    Ok(sets[new].replicas + scale_up)
}

/// The world with a new ReplicaSet, which is created if it does not exist.
///
/// Today: `getNewReplicaSet` (sync.go) with `createIfNotExisted`.
///
/// # Errors
///
/// If the size of a created one depends on a count of terminating pods that is unknown.
pub fn with_new_set(world: &World) -> Result<World, UnknownCount> {
    if world.new.is_some() {
        return Ok(world.clone());
    }
    let mut created = world.created_set("created");
    let index = world.sets.len();
    let mut sets = world.sets.clone();
    sets.push(created.clone());
    let replicas = new_replicas(world, &sets, index)?;
    write_whole(world, &mut created, replicas);
    sets[index] = created;
    Ok(World { sets, new: Some(index), ..world.clone() })
}

/// Grows the new ReplicaSet as far as the strategy allows, or creates it.
///
/// Today: `reconcileNewReplicaSet` (rolling.go).
///
/// # Errors
///
/// If it should grow under TerminationComplete and a count of terminating pods is unknown.
pub fn reconcile_new(world: &World) -> Outcome {
    let world = with_new_set(world)?;
    let mut sets = world.sets.clone();
    let Some(new) = world.new else { return Ok(sets) };
    let replicas = sets[new].replicas;
    if replicas > world.replicas {
        write_if_resized(&world, &mut sets[new], world.replicas);
    } else if replicas < world.replicas {
        let size = new_replicas(&world, &world.sets, new)?;
        write_if_resized(&world, &mut sets[new], size);
    }
    Ok(sets)
}

/// The result of shrinking the old ReplicaSets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The ReplicaSets afterward.
    pub sets: Vec<ReplicaSet>,
    /// True if the controller counts this as a step of the rollout and ends the sync.
    pub scaled: bool,
}

/// Shrinks the old ReplicaSets as far as availability allows. The world has a new ReplicaSet.
///
/// Today: `reconcileOldReplicaSets` (rolling.go).
///
/// KEP: "Changing scaling down logic is not necessary, and we can scale down as many pods as we want because the policy
/// does not affect this since we are not replacing the pods."
pub fn reconcile_old(world: &World) -> Shrunk {
    let mut sets = world.sets.clone();
    let old: Vec<usize> = active(&sets).into_iter().filter(|index| Some(*index) != world.new).collect();
    let unchanged = Shrunk { sets: sets.clone(), scaled: false };
    let Some(new) = world.new_set() else { return unchanged };
    if old.is_empty() {
        return unchanged;
    }
    let min_available = world.replicas - max_unavailable(world);
    let max_scaled_down = total_replicas(&sets) - min_available - (new.replicas - new.available);
    if max_scaled_down <= 0 {
        return unchanged;
    }
    let old = oldest_first(&sets, old);
    match clean_up_unhealthy(world, &mut sets, &old, max_scaled_down) {
        // Upstream ignores the error here; earlier writes remain.
        Err(InvalidScaleDown) => Shrunk { sets, scaled: false },
        Ok(cleaned) => {
            let shrunk = scale_down_old(world, &mut sets, &old, new.available);
            Shrunk { sets, scaled: cleaned + shrunk > 0 }
        }
    }
}

/// A scale down that would increase a size: a ReplicaSet has more available pods than replicas.
struct InvalidScaleDown;

/// Removes unavailable pods of old ReplicaSets. Returns how many.
///
/// Today: `cleanupUnhealthyReplicas` (rolling.go).
fn clean_up_unhealthy(
    world: &World,
    sets: &mut [ReplicaSet],
    old: &[usize],
    most: i64,
) -> Result<i64, InvalidScaleDown> {
    let mut total = 0;
    for index in old {
        let set = &mut sets[*index];
        if total >= most {
            break;
        }
        if set.replicas == 0 || set.replicas == set.available {
            continue;
        }
        let count = (most - total).min(set.replicas - set.available);
        let size = set.replicas - count;
        if size > set.replicas {
            return Err(InvalidScaleDown);
        }
        write_if_resized(world, set, size);
        total += count;
    }
    Ok(total)
}

/// Removes pods of old ReplicaSets while enough others are available. Returns how many.
///
/// Today: `scaleDownOldReplicaSetsForRollingUpdate` (rolling.go).
fn scale_down_old(world: &World, sets: &mut [ReplicaSet], old: &[usize], new_available: i64) -> i64 {
    let min_available = world.replicas - max_unavailable(world);
    let available: i64 = old.iter().map(|index| sets[*index].available).sum::<i64>() + new_available;
    if available <= min_available {
        return 0;
    }
    let most = available - min_available;
    let mut total = 0;
    for index in old {
        let set = &mut sets[*index];
        if total >= most {
            break;
        }
        if set.replicas == 0 {
            continue;
        }
        let count = set.replicas.min(most - total);
        let size = set.replicas - count;
        write_if_resized(world, set, size);
        total += count;
    }
    total
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{rolling, set, sizes, world};
    use crate::world::{Policy, ReplicaSet, UnknownCount, World};

    use super::{reconcile_new, reconcile_old};

    #[test]
    fn the_new_replica_set_waits_for_terminating_pods() {
        // Surge 3, so at most 13 pods. 8 are old and 2 terminate, so 3 more fit.
        let old = set("a", 8, 2);
        let world = World { strategy: rolling(3, 2), new: Some(1), ..world(10, vec![old, set("b", 0, 0)]) };
        assert_eq!(sizes(&reconcile_new(&world).unwrap()), [8, 3]);
        for policy in [Policy::Nil, Policy::Started] {
            let other = World { policy, ..world.clone() };
            assert_eq!(sizes(&reconcile_new(&other).unwrap()), [8, 5]);
        }
        // The old ReplicaSet has 8 replicas now but still reports 10 pods: the same 3 more fit.
        let shrinking = ReplicaSet { status_replicas: 10, ..set("a", 8, 0) };
        let world = World { sets: vec![shrinking, set("b", 0, 0)], ..world };
        assert_eq!(sizes(&reconcile_new(&world).unwrap()), [8, 3]);
    }

    #[test]
    fn a_new_replica_set_is_created_as_large_as_fits() {
        let world = World { strategy: rolling(3, 2), ..world(10, vec![set("a", 8, 4)]) };
        assert_eq!(sizes(&reconcile_new(&world).unwrap()), [8, 1]);
    }

    #[test]
    fn growing_needs_the_count_and_shrinking_does_not() {
        let old = ReplicaSet { terminating: None, ..set("a", 8, 0) };
        let growing = World { new: Some(1), ..world(10, vec![old.clone(), set("b", 2, 0)]) };
        assert_eq!(reconcile_new(&growing), Err(UnknownCount));
        let shrinking = World { new: Some(1), ..world(10, vec![old, set("b", 12, 0)]) };
        assert_eq!(sizes(&reconcile_new(&shrinking).unwrap()), [8, 10]);
    }

    /// The "Concrete example" in the comment of `reconcileOldReplicaSets` (rolling.go).
    #[test]
    fn old_replica_sets_shrink_as_upstream_explains() {
        let crashing = ReplicaSet { available: 0, ..set("b", 5, 0) };
        let failed_node = ReplicaSet { available: 7, ..set("a", 8, 0) };
        let case_1 = World { strategy: rolling(3, 2), new: Some(1), ..world(10, vec![failed_node, crashing]) };
        assert!(!reconcile_old(&case_1).scaled);
        let rolled_back = World { new: Some(0), ..case_1.clone() };
        assert_eq!(sizes(&reconcile_old(&rolled_back).sets), [8, 1]);

        let mut case_2 = World { new: Some(2), ..case_1 };
        case_2.sets[0].available = 8;
        case_2.sets.push(set("c", 0, 0));
        let after = reconcile_old(&case_2);
        assert_eq!((sizes(&after.sets), after.scaled), (vec![8, 0, 0], true));
    }

    #[test]
    fn the_policy_does_not_change_scaling_down() {
        let before = World {
            strategy: rolling(1, 1),
            new: Some(1),
            ..world(4, vec![set("a", 4, 9), ReplicaSet { available: 1, ..set("b", 1, 0) }])
        };
        let counted = reconcile_old(&before);
        let uncounted = reconcile_old(&World { policy: Policy::Nil, ..before });
        assert_eq!(sizes(&counted.sets), [2, 1]);
        assert_eq!(counted, uncounted);
    }
}
