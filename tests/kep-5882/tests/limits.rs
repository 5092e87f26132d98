//! Properties of the second reading itself, in random worlds: it keeps the limit that the KEP sets.
#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test may panic")]

use changeover_kep_5882::random::{any_world, cases, rolling_world};
use changeover_kep_5882::second_reading::numbers::deployment_max_replicas;
use changeover_kep_5882::second_reading::pods::{total_pods, total_replicas};
use changeover_kep_5882::second_reading::{is_scaling_event, progress_while_scaling, scale, sync};
use changeover_kep_5882::settlement::Settlements;
use changeover_kep_5882::world::{Gates, Policy, ReplicaSet, World};
use proptest::prelude::*;

fn grew(before: &World, after: &[ReplicaSet]) -> bool {
    after.iter().enumerate().any(|(index, set)| before.sets.get(index).map_or(0, |set| set.replicas) < set.replicas)
}

/// The pods after a sync. Those that it removes count until they are gone.
fn pods_after(before: &World, after: &[ReplicaSet]) -> i64 {
    let removed =
        before.sets.iter().zip(after).map(|(before, after)| {
            before.replicas.max(before.status_replicas) - after.replicas.max(after.status_replicas)
        });
    total_pods(after).unwrap() + removed.filter(|removed| *removed > 0).sum::<i64>()
}

/// The world once no pod terminates any more and every ReplicaSet has all its pods.
fn settled(world: &World, sets: Vec<ReplicaSet>) -> World {
    let mut after = World { sets, ..world.clone() };
    for set in &mut after.sets {
        (set.status_replicas, set.available, set.terminating) = (set.replicas, set.replicas, Some(0));
    }
    after.status = progress_while_scaling(&after);
    after
}

/// The world under TerminationComplete, decided by the text alone.
fn complete(world: World) -> World {
    let gates = Gates { terminating_replicas: true, pod_replacement_policy: true };
    World { policy: Policy::Complete, gates, settlements: Settlements::None, ..world }
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// KEP: "The total number of the Deployment Pods is limited by the Deployment's .spec.replicas and the
    /// DeploymentStrategy."
    #[test]
    fn nothing_grows_beyond_the_limit(world in any_world()) {
        let world = complete(world);
        // A Recreate rollout follows "Current behaviour", which only looks at pods of old ReplicaSets.
        let recreates = !world.is_rolling() && !world.paused && !is_scaling_event(&world);
        if let Ok(after) = sync(&world)
            && grew(&world, &after.sets)
            && !recreates
        {
            let pods = pods_after(&world, &after.sets);
            prop_assert!(pods <= deployment_max_replicas(&world), "{world}\n{after:?}");
        }
    }

    /// A scaling ends once the terminating pods are gone: the sizes add up to the target, and no annotation is left.
    #[test]
    fn a_scaling_ends(world in rolling_world()) {
        // Without a new ReplicaSet: if it were saturated, the old ones would be scaled to 0 instead.
        let world = World { new: None, ..complete(world) };
        // A single ReplicaSet ends at the size of the Deployment, without surge: `one_replica_set_stops_at_the_limit`.
        let active = world.sets.iter().filter(|set| set.is_active()).count();
        if active > 1 && let Ok(sets) = scale(&world) {
            let grows = total_replicas(&sets) > total_replicas(&world.sets);
            let waits = sets.iter().any(|set| set.annotations.before.is_some() && set.is_active());
            let next = settled(&world, sets);
            if grows && waits {
                let after = scale(&next).unwrap();
                prop_assert_eq!(total_replicas(&after), deployment_max_replicas(&world), "{}", world);
                let after = World { sets: after, ..next };
                prop_assert!(!is_scaling_event(&after), "{world}\n{after:?}");
            }
        }
    }

    /// KEP: "TerminationStarted: Current behaviour", but for a Recreate rollout.
    #[test]
    fn termination_started_is_the_current_behavior(world in any_world()) {
        let world = World { settlements: Settlements::None, ..world };
        let started = World { policy: Policy::Started, ..world.clone() };
        let unset = World { policy: Policy::Nil, ..world.clone() };
        let recreates = !world.is_rolling() && !world.paused && !is_scaling_event(&started);
        if !recreates {
            prop_assert_eq!(sync(&started), sync(&unset), "{}", world);
        }
    }
}
