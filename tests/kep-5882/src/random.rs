//! Random worlds: mostly ones that controllers leave behind, some that only users can make.

use std::env;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use crate::world::{Amount, Notes, Policy, Set, Strategy as Rollout, World};

/// How many cases: `KEP_5882_CASES`, or so many.
pub fn cases(default: u32) -> Config {
    let asked = env::var("KEP_5882_CASES").ok().and_then(|text| text.parse().ok());
    Config { cases: asked.unwrap_or(default), failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() }
}

/// A Deployment of up to `most` pods with up to five ReplicaSets.
pub fn any_world() -> impl Strategy<Value = World> {
    let most = prop_oneof![4 => Just(6), 4 => Just(20), 2 => Just(150), 1 => Just(60_000)];
    most.prop_flat_map(world_of)
}

fn world_of(most: i32) -> impl Strategy<Value = World> {
    let deployment = (
        prop_oneof![1 => Just(0), 8 => 0..=most],
        strategy(most),
        select(vec![Policy::Nil, Policy::Started, Policy::Complete, Policy::Complete, Policy::Complete]),
        (prop::bool::weighted(0.9), prop::bool::weighted(0.85), prop::bool::weighted(0.15)),
    );
    // The size before the scaling event, which the annotations tell.
    let before = (0..=most, prop_oneof![3 => Just(None), 1 => (0..=most / 2).prop_map(Some)], any::<bool>());
    (deployment, before, 0..=5_usize).prop_flat_map(move |(deployment, before, count)| {
        let (n, strategy, policy, (terminating_gate, policy_gate, paused)) = deployment;
        let (earlier, surge, scaled) = before;
        let earlier = if scaled { earlier } else { n };
        let surge = surge.unwrap_or_else(|| surge_of(strategy, earlier));
        let sets = vec(set(most, n, earlier, surge), count);
        let new = if count == 0 { Just(None).boxed() } else { prop::option::weighted(0.8, 0..count).boxed() };
        (sets, new, prop_oneof![1 => Just(0), 4 => 0..=most], any::<bool>()).prop_map(
            move |(mut sets, new, status_replicas, waits)| {
                for (index, set) in sets.iter_mut().enumerate() {
                    // A Recreate that has told the old pods to go: else few worlds come as far as its waits.
                    if waits && strategy == Rollout::Recreate && new != Some(index) {
                        set.spec = 0;
                    }
                    set.name = format!("payments-gateway-{}-7d9c5b6f48", ["a", "b", "c", "d", "e"][index]);
                }
                // The policy's gate needs the gate for the count.
                let policy_gate = policy_gate && terminating_gate;
                World { n, strategy, policy, terminating_gate, policy_gate, paused, status_replicas, sets, new }
            },
        )
    })
}

fn surge_of(strategy: Rollout, n: i32) -> i32 {
    match strategy {
        Rollout::RollingUpdate { surge: Amount::Pods(pods), .. } => pods,
        Rollout::RollingUpdate { surge: Amount::Percent(percent), .. } => (n * percent + 99) / 100,
        Rollout::Recreate => 0,
    }
}

fn strategy(most: i32) -> impl Strategy<Value = Rollout> {
    let amount = prop_oneof![
        (0..=most / 3 + 1).prop_map(Amount::Pods),
        select(vec![0, 1, 10, 25, 33, 50, 100]).prop_map(Amount::Percent),
    ];
    let rolling =
        (amount.clone(), amount).prop_map(|(surge, unavailable)| Rollout::RollingUpdate { surge, unavailable });
    prop_oneof![6 => rolling, 1 => Just(Rollout::Recreate)]
}

fn set(most: i32, n: i32, earlier: i32, surge: i32) -> impl Strategy<Value = Set> {
    let spec = prop_oneof![1 => Just(0), 1 => Just(n), 5 => 0..=most];
    let drift = prop_oneof![4 => Just(0), 1 => -most..=most];
    let term = prop_oneof![3 => Just(Some(0)), 4 => (0..=most / 2 + 1).prop_map(Some), 1 => Just(None)];
    let observed = prop_oneof![1 => Just(0), 6 => 1_i64..4];
    let available = prop_oneof![4 => Just(0), 2 => 0..=most, 1 => -1..=1];
    (spec, drift, term, observed, available, 0..4_i64, notes(most, n, earlier, surge), 0..3_i32).prop_map(
        |(spec, drift, term, observed, missing, created, notes, running)| {
            let stat = (spec + drift).max(0);
            let available = (stat - missing).max(0);
            Set { name: String::new(), created, spec, stat, term, available, observed, running, notes }
        },
    )
}

fn notes(most: i32, n: i32, earlier: i32, surge: i32) -> impl Strategy<Value = Notes> {
    let text = |number: i32| Some(number.to_string());
    let consistent = prop_oneof![Just((earlier, surge)), Just((n, surge))].prop_map(move |(desired, surge)| Notes {
        desired: text(desired),
        max: text(desired + surge),
        before: None,
    });
    let partial = (0..=most).prop_map(move |before| Notes {
        desired: text(earlier),
        max: text(earlier + surge),
        before: text(before),
    });
    let odd = prop_oneof![
        2 => Just(None),
        2 => (0..=most).prop_map(text),
        1 => select(vec!["", "x", "+2", "-1", "007", "0", "2147483648", "4294967298", "12345678901234567890", " 3"])
            .prop_map(|text| Some(text.to_owned())),
    ];
    let odd = (odd.clone(), odd.clone(), odd).prop_map(|(desired, max, before)| Notes { desired, max, before });
    prop_oneof![5 => consistent, 3 => partial, 2 => odd]
}
