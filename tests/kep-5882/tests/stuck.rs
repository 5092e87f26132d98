//! A rollout that stands still says so once its deadline has passed: in every random world around which nothing moves.

use changeover_core::controller::deployment::{deployment_complete, get_deployment_condition};
use changeover_kep_5882::asked::{gates, stand_still};
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::reference;
use changeover_kep_5882::world::{Left, World};
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use proptest::sample::select;

const DEADLINE: i32 = 600;

/// What the Progressing condition may say before: nothing, that the last rollout has succeeded, or how this one goes.
const BEFORE: [Option<&str>; 5] = [
    None,
    Some("NewReplicaSetAvailable"),
    Some("NewReplicaSetCreated"),
    Some("ReplicaSetUpdated"),
    Some("ProgressDeadlineExceeded"),
];

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn an_unfinished_rollout_that_is_stuck_says_so(world in any_world(), before in select(BEFORE.to_vec())) {
        let world = World { paused: false, ..world };
        let Some(still) = stand_still(&world, before, DEADLINE) else { return Ok(()) };
        let Left::Sets(sets) = &still.left else { return Ok(()) };
        let mut after = world.clone();
        for (set, (spec, notes)) in after.sets.iter_mut().zip(sets) {
            (set.spec, set.notes) = (*spec, notes.clone());
        }
        if reference::is_scaling_event(&after) {
            // No deadline is looked at while a scaling is not finished, as in Kubernetes.
            return Ok(());
        }
        let status = &still.deployment.status;
        let condition = get_deployment_condition(status, "Progressing");
        let reason = condition.map(|condition| &*condition.reason);
        if deployment_complete(&still.deployment, status, gates(&world)) {
            // Nothing is missing; a deadline that has passed stays until then.
            prop_assert_eq!(reason, Some("NewReplicaSetAvailable"), "{}", world);
            return Ok(());
        }
        let available = reason == Some("NewReplicaSetAvailable");
        // What was finished once and lacks pods since is no rollout.
        let finished = available && still.has_new && status.replicas == status.updated_replicas;
        // Kubernetes takes the last rollout's word for one that has not moved on once, and where nothing was said before
        // it may say nothing. The KEP leaves that as it is: see docs/kep-5882.md.
        let as_in_kubernetes = available || (reason.is_none() && before.is_none());
        if !finished && !as_in_kubernetes {
            prop_assert!(reason == Some("ProgressDeadlineExceeded"), "{reason:?} after {before:?} in {world}");
        }
    }
}
