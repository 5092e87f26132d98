//! In every random world at rest, an unfinished rollout reports that its progress deadline has passed.

use changeover_core::workload::deployment::controller::{complete_rule, deployment_complete, get_deployment_condition};
use changeover_kep_5882::controller::{Rest, gates, sync_until_rest};
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::second_reading::is_scaling_event;
use changeover_kep_5882::world::{Condition, ConditionStatus, Reason, Status, World};
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use proptest::sample::select;

const DEADLINE: i64 = 600;

/// The Progressing condition at the start: none, that of the last rollout, which succeeded, or that of this rollout.
const BEFORE: [Option<Reason>; 5] = [
    None,
    Some(Reason::NewReplicaSetAvailable),
    Some(Reason::NewReplicaSetCreated),
    Some(Reason::ReplicaSetUpdated),
    Some(Reason::ProgressDeadlineExceeded),
];

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn an_unfinished_rollout_that_is_stuck_says_so(world in any_world(), before in select(BEFORE.to_vec())) {
        let condition = |reason| {
            let status = if reason == Reason::ProgressDeadlineExceeded { ConditionStatus::False } else { ConditionStatus::True };
            Condition { status, reason, last_update: world.now, last_transition: world.now }
        };
        let status = Status { progressing: before.map(condition), ..world.status };
        // A paused Deployment does not roll out, and without a deadline nothing can report it.
        let world = World { paused: false, progress_deadline_seconds: Some(DEADLINE), status, ..world };
        // A sync that fails because of an unknown count writes no status, until a ReplicaSet reports its count.
        let Some(Rest { deployment, world: after }) = sync_until_rest(&world) else { return Ok(()) };
        if is_scaling_event(&after) {
            // Kubernetes checks no deadline while a scaling is unfinished, and the KEP doesn't change that.
            return Ok(());
        }
        let status = &deployment.status;
        let condition = get_deployment_condition(status, "Progressing");
        let reason = condition.map(|condition| &*condition.reason);
        if deployment_complete(&deployment, status, complete_rule(&deployment, gates(&world))) {
            prop_assert_eq!(reason, Some("NewReplicaSetAvailable"), "{}", world);
            return Ok(());
        }
        // As in Kubernetes today, the NewReplicaSetAvailable of the last rollout stays until something changes, and a
        // Deployment without the condition does not get one until then. docs/kep-5882.md asks about it.
        let is_silent = reason == Some("NewReplicaSetAvailable") || (reason.is_none() && before.is_none());
        prop_assert!(is_silent || reason == Some("ProgressDeadlineExceeded"), "{reason:?} after {before:?} in {world}");
    }
}
