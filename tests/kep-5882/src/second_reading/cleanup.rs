//! Cleaning up old ReplicaSets.

use super::order::oldest_revision_first;
use crate::settlement::Settlement;
use crate::world::World;

/// The old ReplicaSets to delete, by position.
///
/// Today: `cleanupDeployment` (sync.go). It runs in the sync of a paused Deployment, and in a rollout's sync when the
/// stored status is complete.
///
/// The KEP does not mention it, so it stays as it is under every policy. It still waits, because completion does: "we
/// should not declare the deployment complete until all of its terminating replicas have been fully terminated."
pub fn clean_up(world: &World) -> Vec<usize> {
    let Some(limit) = world.revision_history_limit.filter(|limit| *limit != i64::from(i32::MAX)) else {
        return Vec::new();
    };
    let cleanable = world.old().into_iter().filter(|index| !world.sets[*index].being_deleted).collect::<Vec<_>>();
    let too_many = i64::try_from(cleanable.len()).unwrap() - limit;
    oldest_revision_first(&world.sets, cleanable)
        .into_iter()
        .take(usize::try_from(too_many).unwrap_or(0))
        .filter(|index| {
            let set = &world.sets[*index];
            let counts_terminating =
                world.gates.allow_policy() && world.is_settled(Settlement::CleanUpWaitsForTerminatingPods);
            set.status_replicas == 0
                && set.replicas == 0
                && set.generation <= set.observed_generation
                && (!counts_terminating || set.terminating == Some(0))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{set, world};
    use crate::world::{Policy, ReplicaSet, World};

    use super::clean_up;

    fn cleaned(limit: i64, old: &[ReplicaSet]) -> Vec<usize> {
        let new = Some(old.len());
        let sets = [old, &[set("z", 3, 0)]].concat();
        clean_up(&World { revision_history_limit: Some(limit), new, ..world(3, sets) })
    }

    #[test]
    fn the_oldest_revisions_go() {
        let old = [set("c", 0, 0), set("a", 0, 0), set("b", 0, 0)];
        assert_eq!(cleaned(2, &old), [1]);
        assert_eq!(cleaned(1, &old), [1, 2]);
        assert_eq!(cleaned(3, &old), [0; 0]);
        assert_eq!(cleaned(i64::from(i32::MAX), &old), [0; 0]);
    }

    #[test]
    fn one_that_has_pods_keeps_its_turn() {
        let busy = ReplicaSet { status_replicas: 1, ..set("a", 0, 0) };
        assert_eq!(cleaned(1, &[busy, set("b", 0, 0)]), [0; 0]);
        let unseen = ReplicaSet { generation: 2, ..set("a", 0, 0) };
        assert_eq!(cleaned(0, &[unseen, set("b", 0, 0)]), [1]);
        let going = ReplicaSet { being_deleted: true, ..set("a", 0, 0) };
        assert_eq!(cleaned(1, &[going, set("b", 0, 0)]), [0; 0]);
    }

    #[test]
    fn terminating_pods_keep_nothing() {
        for policy in [Policy::Nil, Policy::Started, Policy::Complete] {
            let sets = vec![set("a", 0, 4), set("b", 3, 0)];
            let world = World { policy, revision_history_limit: Some(0), new: Some(1), ..world(3, sets) };
            assert_eq!(clean_up(&world), [0]);
        }
    }
}
