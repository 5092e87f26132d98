//! The Progressing condition and its deadline.

use super::completion::is_complete;
use super::status::calculate_status;
use crate::settlement::Settlement;
use crate::world::{Condition, ConditionStatus, Reason, Status, World};

const SECOND: i64 = 1_000_000_000;

/// What a rollout's sync writes, and when the controller checks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The status to store.
    pub status: Status,
    /// The nanoseconds until the Deployment is queued for a check of its deadline. Zero means at once.
    pub check_after: Option<i64>,
}

/// Today: `HasProgressDeadline` (deployment_util.go).
pub fn progress_deadline(world: &World) -> Option<i64> {
    world.progress_deadline_seconds.filter(|seconds| *seconds != i64::from(i32::MAX))
}

/// Today: `SetDeploymentCondition` (deployment_util.go).
fn set_condition(current: Option<Condition>, status: ConditionStatus, reason: Reason, now: i64) -> Condition {
    match current {
        Some(current) if (current.status, current.reason) == (status, reason) => current,
        Some(current) if current.status == status => Condition { reason, last_update: now, ..current },
        _ => Condition { status, reason, last_update: now, last_transition: now },
    }
}

/// Today: `checkPausedConditions` (sync.go). Returns the Progressing condition.
pub fn pause_or_resume(world: &World) -> Option<Condition> {
    let current = world.status.progressing;
    let reason = current.map(|condition| condition.reason);
    let is_paused = reason == Some(Reason::DeploymentPaused);
    if progress_deadline(world).is_none()
        || reason == Some(Reason::ProgressDeadlineExceeded)
        || is_paused == world.paused
    {
        return current;
    }
    let reason = if world.paused { Reason::DeploymentPaused } else { Reason::DeploymentResumed };
    Some(set_condition(current, ConditionStatus::Unknown, reason, world.now))
}

/// Today: in `getNewReplicaSet` (sync.go), "If no other Progressing condition has been recorded". Returns the
/// Progressing condition.
pub fn found_new_set(world: &World) -> Option<Condition> {
    let current = world.status.progressing;
    if progress_deadline(world).is_none() || current.is_some() {
        return current;
    }
    let Some(new) = world.new_set() else { return current };
    let latest_old = world.old().iter().map(|index| world.sets[*index].revision).max().unwrap_or(0);
    if new.revision <= latest_old {
        // A rollback: this sync sets its new revision, and the next one finds it.
        return current;
    }
    Some(set_condition(None, ConditionStatus::True, Reason::FoundNewReplicaSet, world.now))
}

/// Today: in `getNewReplicaSet` (sync.go), after the creation of the new ReplicaSet. Returns the Progressing condition.
pub fn created_new_set(world: &World) -> Option<Condition> {
    let current = world.status.progressing;
    if progress_deadline(world).is_none() {
        return current;
    }
    Some(set_condition(current, ConditionStatus::True, Reason::NewReplicaSetCreated, world.now))
}

/// True if a new status shows progress.
///
/// Today: `DeploymentProgressing` (deployment_util.go), or what the KEP adds.
fn is_progressing(world: &World, new: &Status) -> bool {
    let stored = &world.status;
    new.updated > stored.updated
        || new.replicas - new.updated < stored.replicas - stored.updated
        || new.ready > stored.ready
        || new.available > stored.available
        || has_fewer_terminating(world, new)
}

/// KEP: "We will also update the LastUpdateTime of the DeploymentProgressing condition when the number of terminating
/// pods decreases to reset the progress deadline." The sentence before it ends with "when TerminationComplete policy is
/// used", and the same is meant here: "The current behavior remains unchanged when [...] PodReplacementPolicy is nil".
/// A count that is unknown, before or now, is no decrease.
fn has_fewer_terminating(world: &World, new: &Status) -> bool {
    world.counts_terminating()
        && matches!((world.status.terminating, new.terminating), (Some(before), Some(now)) if now < before)
}

/// Today: `DeploymentTimedOut` (deployment_util.go).
fn has_timed_out(world: &World, new: &Status) -> bool {
    let (Some(deadline), Some(condition)) = (progress_deadline(world), new.progressing) else { return false };
    match condition.reason {
        Reason::NewReplicaSetAvailable => false,
        Reason::ProgressDeadlineExceeded => true,
        _ => (condition.last_update + deadline, 0) < (world.now, world.nanoseconds),
    }
}

/// Today: in `syncRolloutStatus` (progress.go), "Check for progress only if there is a progress deadline set and the
/// latest rollout hasn't completed yet."
fn was_complete(world: &World, new: &Status) -> bool {
    let reason = world.status.progressing.map(|condition| condition.reason);
    new.replicas == new.updated && reason == Some(Reason::NewReplicaSetAvailable)
}

/// The status at the end of a rollout's sync. The world's own status is the stored one.
///
/// Today: `syncRolloutStatus` and `requeueStuckDeployment` (progress.go).
///
/// KEP: "We will therefore delay setting a NewRSAvailable reason to the DeploymentProgressing condition, when
/// TerminationComplete policy is used."
pub fn progress(world: &World) -> Progress {
    let mut new = calculate_status(world);
    let current = world.status.progressing;
    if progress_deadline(world).is_none() {
        new.progressing = None;
    } else if !was_complete(world, &new) {
        let now = world.now;
        if is_complete(world, &new) {
            new.progressing = Some(set_condition(current, ConditionStatus::True, Reason::NewReplicaSetAvailable, now));
        } else if is_progressing(world, &new) {
            new.progressing = Some(updated(world));
        } else if has_timed_out(world, &new) {
            new.progressing =
                Some(set_condition(current, ConditionStatus::False, Reason::ProgressDeadlineExceeded, now));
        }
    }
    let check_after = if new == world.status { check_after(world, &new) } else { None };
    Progress { status: new, check_after }
}

/// Today: the result of `requeueStuckDeployment` (progress.go): the remaining time, or at once if less than a second
/// remains. (The queue gets one second more.)
fn check_after(world: &World, new: &Status) -> Option<i64> {
    let (deadline, current) = (progress_deadline(world)?, world.status.progressing?);
    if is_complete(world, new) || current.reason == Reason::ProgressDeadlineExceeded {
        return None;
    }
    let remaining = (current.last_update + deadline - world.now) * SECOND - world.nanoseconds;
    Some(if remaining < SECOND { 0 } else { remaining })
}

/// The status at the end of a sync that scales, or of a paused Deployment's.
///
/// Today: `syncDeploymentStatus` (sync.go), which leaves the Progressing condition alone.
///
/// KEP: "We will also update the LastUpdateTime of the DeploymentProgressing condition when the number of terminating
/// pods decreases to reset the progress deadline." It makes no exception for scaling, which now lasts as long as pods
/// terminate. Only the time changes: a paused Deployment stays paused. The condition of a rollout that has completed
/// is left alone, as in a rollout's sync: no deadline runs.
pub fn progress_while_scaling(world: &World) -> Status {
    let mut new = calculate_status(world);
    let has_no_deadline = world.paused && world.is_settled(Settlement::PausedDeploymentHasNoDeadline);
    if has_fewer_terminating(world, &new)
        && progress_deadline(world).is_some()
        && !was_complete(world, &new)
        && !has_no_deadline
    {
        let restarted = |condition| Condition { last_update: world.now, ..condition };
        new.progressing = if world.is_settled(Settlement::ScalingProgressIsRolloutProgress) {
            new.progressing.map(|_| updated(world))
        } else {
            new.progressing.map(restarted)
        };
    }
    new
}

/// The condition of a rollout that has made progress.
fn updated(world: &World) -> Condition {
    let (status, reason, now) = (ConditionStatus::True, Reason::ReplicaSetUpdated, world.now);
    let last_transition = match world.status.progressing {
        Some(current) if current.status == status => current.last_transition,
        _ => now,
    };
    Condition { status, reason, last_update: now, last_transition }
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{set, world};
    use crate::second_reading::status::calculate_status;
    use crate::world::{Condition, ConditionStatus, Policy, Reason, ReplicaSet, Status, World};

    use super::{SECOND, progress, progress_while_scaling};

    const UPDATED: Condition = Condition {
        status: ConditionStatus::True,
        reason: Reason::ReplicaSetUpdated,
        last_update: 100,
        last_transition: 50,
    };

    /// A rollout of 3 pods that waits for terminating pods of the old ReplicaSet: `stored` of them in the stored
    /// status, `left` of them now.
    fn waiting(policy: Policy, stored: i64, left: i64, now: i64) -> World {
        let sets = vec![set("a", 0, left), set("b", 3, 0)];
        let world = World { policy, new: Some(1), now, ..world(3, sets) };
        let status = calculate_status(&world);
        let status = Status { terminating: Some(stored), progressing: Some(UPDATED), ..status };
        World { status, ..world }
    }

    fn reason(world: &World) -> Option<Reason> {
        progress(world).status.progressing.map(|condition| condition.reason)
    }

    #[test]
    fn new_replica_set_available_is_delayed() {
        assert_eq!(reason(&waiting(Policy::Nil, 2, 2, 200)), Some(Reason::NewReplicaSetAvailable));
        assert_eq!(reason(&waiting(Policy::Started, 2, 2, 200)), Some(Reason::NewReplicaSetAvailable));
        assert_eq!(reason(&waiting(Policy::Complete, 2, 2, 200)), Some(Reason::ReplicaSetUpdated));
        assert_eq!(reason(&waiting(Policy::Complete, 2, 0, 200)), Some(Reason::NewReplicaSetAvailable));
    }

    #[test]
    fn fewer_terminating_pods_restart_the_deadline() {
        let fewer = progress(&waiting(Policy::Complete, 2, 1, 600)).status.progressing;
        assert_eq!(fewer, Some(Condition { last_update: 600, ..UPDATED }));
        // As many terminating pods as before. The deadline passes after 100 + 600 = 700 s: not at 700, but at 701.
        assert_eq!(progress(&waiting(Policy::Complete, 2, 2, 700)).status.progressing, Some(UPDATED));
        assert_eq!(reason(&waiting(Policy::Complete, 2, 2, 701)), Some(Reason::ProgressDeadlineExceeded));
    }

    #[test]
    fn progress_revokes_an_exceeded_deadline() {
        let mut world = waiting(Policy::Complete, 2, 1, 900);
        let exceeded = Condition {
            status: ConditionStatus::False,
            reason: Reason::ProgressDeadlineExceeded,
            last_update: 701,
            last_transition: 701,
        };
        world.status.progressing = Some(exceeded);
        let after = Condition { last_update: 900, last_transition: 900, ..UPDATED };
        assert_eq!(progress(&world).status.progressing, Some(after));
    }

    #[test]
    fn fewer_terminating_pods_are_no_progress_without_the_policy() {
        for policy in [Policy::Nil, Policy::Started] {
            let mut world = waiting(policy, 2, 1, 600);
            world.sets[1].available = 2;
            world.status.available = 2;
            assert_eq!(progress(&world).status.progressing, Some(UPDATED));
            assert_eq!(progress_while_scaling(&world).progressing, Some(UPDATED));
        }
    }

    #[test]
    fn fewer_terminating_pods_restart_the_deadline_while_scaling() {
        let fewer = progress_while_scaling(&waiting(Policy::Complete, 2, 1, 600));
        assert_eq!(fewer.progressing, Some(Condition { last_update: 600, ..UPDATED }));
        let same = progress_while_scaling(&waiting(Policy::Complete, 2, 2, 600));
        assert_eq!(same.progressing, Some(UPDATED));

        let mut complete = waiting(Policy::Complete, 2, 1, 600);
        let available = Condition { reason: Reason::NewReplicaSetAvailable, ..UPDATED };
        complete.status.progressing = Some(available);
        assert_eq!(progress_while_scaling(&complete).progressing, Some(available));
    }

    #[test]
    fn an_unknown_count_is_not_a_decrease() {
        let mut world = waiting(Policy::Complete, 2, 1, 600);
        world.sets[0] = ReplicaSet { terminating: None, ..world.sets[0].clone() };
        assert_eq!(progress(&world).status.progressing, Some(UPDATED));
        let mut world = waiting(Policy::Complete, 2, 1, 600);
        world.status.terminating = None;
        assert_eq!(progress(&world).status.progressing, Some(UPDATED));
    }

    /// The example in the comment of `requeueStuckDeployment` (progress.go).
    #[test]
    fn the_deadline_is_checked_again() {
        let mut world = waiting(Policy::Complete, 2, 2, 180);
        world.status.progressing = Some(Condition { last_update: 0, ..UPDATED });
        assert_eq!(progress(&world).check_after, Some(420 * SECOND));
        world.now = 600;
        assert_eq!(progress(&world).check_after, Some(0));
    }

    #[test]
    fn without_a_deadline_there_is_no_condition() {
        for seconds in [None, Some(i64::from(i32::MAX))] {
            let world = World { progress_deadline_seconds: seconds, ..waiting(Policy::Complete, 2, 1, 600) };
            assert_eq!(progress(&world).status.progressing, None);
        }
    }
}
