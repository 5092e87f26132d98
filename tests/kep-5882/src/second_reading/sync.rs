//! One sync of a Deployment.

use super::cleanup::clean_up;
use super::completion::is_complete;
use super::progress::{Progress, created_new_set, found_new_set, pause_or_resume, progress, progress_while_scaling};
use super::recreate::{Stage, recreate};
use super::rolling::{reconcile_new, reconcile_old, with_new_set};
use super::scaling::{is_scaling_event, scale};
use crate::world::{ReplicaSet, Status, UnknownCount, World};

/// The changes of a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synced {
    /// The ReplicaSets, in the world's order. A new one is the last. Deleted ones are still included.
    pub sets: Vec<ReplicaSet>,
    /// The positions of the deleted ReplicaSets.
    pub deleted: Vec<usize>,
    /// The stored status.
    pub status: Status,
    /// The nanoseconds until the Deployment is queued for a check of its deadline.
    pub check_after: Option<i64>,
}

/// One sync.
///
/// Today: `syncDeployment` (deployment_controller.go). Rollbacks, adoption and deletion are left out.
///
/// # Errors
///
/// If a ReplicaSet should grow under TerminationComplete and a count of terminating pods is unknown.
pub fn sync(world: &World) -> Result<Synced, UnknownCount> {
    let mut world = world.clone();
    world.status.progressing = pause_or_resume(&world);
    world.status.progressing = found_new_set(&world);
    if world.paused || is_scaling_event(&world) {
        sync_scaling(&world)
    } else if world.is_rolling() {
        sync_rolling(&world)
    } else {
        sync_recreate(&world)
    }
}

/// Today: `sync` (sync.go). Cleanup and status use the ReplicaSets as they were before the scaling.
fn sync_scaling(world: &World) -> Result<Synced, UnknownCount> {
    let sets = scale(world)?;
    let deleted = if world.paused { clean_up(world) } else { Vec::new() };
    Ok(Synced { sets, deleted, status: progress_while_scaling(world), check_after: None })
}

/// Today: `rolloutRolling` (rolling.go).
fn sync_rolling(world: &World) -> Result<Synced, UnknownCount> {
    let world = created(world)?;
    let sets = reconcile_new(&world)?;
    if sets != world.sets {
        return Ok(synced(&world, sets, Vec::new()));
    }
    let shrunk = reconcile_old(&world);
    let deleted = if shrunk.scaled { Vec::new() } else { clean_up_if_complete(&world) };
    Ok(synced(&world, shrunk.sets, deleted))
}

/// Today: `rolloutRecreate` (recreate.go).
fn sync_recreate(world: &World) -> Result<Synced, UnknownCount> {
    let after = recreate(world)?;
    if after.stage != Stage::ScaledUp {
        return Ok(synced(world, after.world.sets, Vec::new()));
    }
    let world = created(world)?;
    let deleted = clean_up_if_complete(&world);
    Ok(synced(&world, after.world.sets, deleted))
}

/// The world with a new ReplicaSet, and with the condition that reports its creation.
fn created(world: &World) -> Result<World, UnknownCount> {
    let mut after = with_new_set(world)?;
    if world.new.is_none() {
        after.status.progressing = created_new_set(world);
    }
    Ok(after)
}

/// Today: "if util.DeploymentComplete(d, &d.Status)", of the stored status.
fn clean_up_if_complete(world: &World) -> Vec<usize> {
    if is_complete(world, &world.status) { clean_up(world) } else { Vec::new() }
}

fn synced(world: &World, sets: Vec<ReplicaSet>, deleted: Vec<usize>) -> Synced {
    let Progress { status, check_after } = progress(world);
    Synced { sets, deleted, status, check_after }
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{annotated, partially_scaled, rolling, set, sizes, world};
    use crate::second_reading::status::calculate_status;
    use crate::world::{Policy, Reason, Status, Strategy, World};

    use super::sync;

    #[test]
    fn a_rollout_waits_for_the_scaling() {
        // The template is new, and the only ReplicaSet must still grow from 8 to 10.
        let old = partially_scaled(annotated(set("a", 8, 2), 5, 5), 5);
        let world = World { strategy: rolling(0, 1), ..world(10, vec![old]) };
        let after = sync(&world).unwrap();
        assert_eq!(sizes(&after.sets), [8]);
    }

    #[test]
    fn a_new_replica_set_restarts_the_deadline() {
        let world = World { strategy: rolling(1, 0), ..world(3, vec![annotated(set("a", 3, 0), 3, 4)]) };
        let world = World { status: calculate_status(&world), ..world };
        let after = sync(&world).unwrap();
        assert_eq!(sizes(&after.sets), [3, 1]);
        let reason = after.status.progressing.map(|condition| condition.reason);
        assert_eq!(reason, Some(Reason::NewReplicaSetCreated));
        assert_eq!((after.status.replicas, after.status.updated), (3, 0));
    }

    #[test]
    fn old_replica_sets_stay_until_terminating_pods_are_gone() {
        let sets = vec![annotated(set("a", 0, 2), 3, 4), annotated(set("b", 3, 0), 3, 4)];
        let world = World { revision_history_limit: Some(0), new: Some(1), ..world(3, sets) };
        let world = World { status: calculate_status(&world), ..world };
        assert_eq!(sync(&world).unwrap().deleted, [0; 0]);
        let unset = World { policy: Policy::Nil, ..world.clone() };
        assert_eq!(sync(&unset).unwrap().deleted, [0]);
        // The stored status decides.
        let stored = Status { terminating: Some(0), ..world.status };
        assert_eq!(sync(&World { status: stored, ..world }).unwrap().deleted, [0]);
    }

    #[test]
    fn a_paused_deployment_cleans_up_despite_terminating_pods() {
        let sets = vec![annotated(set("a", 0, 2), 3, 4), annotated(set("b", 3, 0), 3, 4)];
        let paused = World { paused: true, revision_history_limit: Some(0), new: Some(1), ..world(3, sets) };
        let after = sync(&paused).unwrap();
        assert_eq!(after.deleted, [0]);
        let reason = after.status.progressing.map(|condition| condition.reason);
        assert_eq!(reason, Some(Reason::DeploymentPaused));
    }

    #[test]
    fn recreate_scales_down_waits_and_creates() {
        let start = World { strategy: Strategy::Recreate, ..world(2, vec![annotated(set("a", 2, 0), 2, 2)]) };
        let down = sync(&start).unwrap();
        assert_eq!(sizes(&down.sets), [0]);
        let mut terminating = World { sets: down.sets, ..start };
        terminating.sets[0] = annotated(set("a", 0, 2), 2, 2);
        assert_eq!(sizes(&sync(&terminating).unwrap().sets), [0]);
        terminating.sets[0] = annotated(set("a", 0, 0), 2, 2);
        assert_eq!(sizes(&sync(&terminating).unwrap().sets), [0, 2]);
    }
}
