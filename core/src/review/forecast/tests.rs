use alloc::vec::Vec;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::bounds::{self, Start};
use super::change::{Change, fewest_steps};
use super::outcome::{Bounded, ForecastFigures};
use super::{Present, needed};
use crate::cluster::SettledRollout;
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ResourceQuotaSpec, Time};
use crate::peak_moments::{PeakMoments, PodMoment};
use crate::prediction::Assumptions;
use crate::scenario::Mode;
use crate::workload::deployment::DeploymentPodReplacementPolicy::{self, TerminationComplete, TerminationStarted};
use crate::worst_case::{ExplorationLimits, PodTimes, explore};

fn gates() -> FeatureGates {
    FeatureGates::default().with(Feature::DeploymentPodReplacementPolicy, true)
}

fn deployment(replicas: i64, strategy: Value, grace: i64, delay: i64, min_ready: i64, image: &str) -> Value {
    let probe = json!({ "initialDelaySeconds": delay });
    json!({ "spec": {
        "replicas": replicas,
        "minReadySeconds": min_ready,
        "strategy": strategy,
        "template": { "spec": {
            "terminationGracePeriodSeconds": grace,
            "containers": [{ "name": "app", "image": image, "readinessProbe": probe }],
        } },
    } })
}

fn strategies() -> impl Strategy<Value = Value> {
    let number =
        || prop_oneof![(0_i64..6).prop_map(Value::from), (0_i64..=100).prop_map(|n| alloc::format!("{n}%").into())];
    let rolling = (number(), number()).prop_map(
        |(surge, unavailable)| json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } }),
    );
    prop_oneof![4 => rolling, 1 => Just(json!({ "type": "Recreate" }))]
}

fn policies() -> impl Strategy<Value = Option<DeploymentPodReplacementPolicy>> {
    prop::sample::select(Vec::from([None, Some(TerminationStarted), Some(TerminationComplete)]))
}

/// Up to an hour and more, which is as long as the pods of a settled Deployment have usually been ready.
fn min_ready() -> impl Strategy<Value = i64> {
    prop_oneof![6 => 0_i64..20, 1 => 1_000_i64..4_000]
}

fn bounded(change: &Change, policy: Option<DeploymentPodReplacementPolicy>) -> ForecastFigures {
    let pods = i64::from(change.before.spec.replicas);
    let start = Start { pods, available: pods, terminating: 0 };
    bounds::of(&start, &change.after(policy), change, Bounded::TooLarge)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn simulations_are_within_the_bounds(
        (before, after) in (0_i64..12, 0_i64..12),
        strategy in strategies(),
        policy in policies(),
        (grace, delay) in (0_i64..60, 0_i64..20),
        (min_ready_before, min_ready) in (min_ready(), min_ready()),
        image in prop::sample::select(Vec::from(["old", "new"])),
        mode in modes(),
    ) {
        let old = deployment(before, strategy.clone(), grace, delay, min_ready_before, "old");
        let new = deployment(after, strategy, grace, delay, min_ready, image);
        let change = change(&old, &new, mode);
        // Else no pod changes, and there is no forecast.
        prop_assume!(change.rollout || before != after);
        let played = change.play(change.after(policy), gates(), Vec::new());
        // A ReplicaSet may have to choose between pods that are not alike.
        prop_assume!(played != Err(Bounded::Ranked) && played != Err(Bounded::NotSimulated));
        let played = played.unwrap();
        let bounds = bounded(&change, policy);
        prop_assert_eq!(played.limit, bounds.limit);
        prop_assert!(played.peak <= bounds.peak, "{:?} {:?}", played, bounds);
        prop_assert!(played.available >= bounds.available, "{:?} {:?}", played, bounds);
        prop_assert!(played.took.unwrap() <= bounds.took.unwrap(), "{:?} {:?}", played, bounds);
        // Whatever the pods of both templates weigh.
        for (old, new) in [(1, 1), (1, 0), (0, 1), (3, 2), (2, 3)] {
            let weigh = |pods: PodMoment| pods.old.saturating_mul(old).saturating_add(pods.new.saturating_mul(new));
            let heaviest = |outcome: &ForecastFigures| outcome.peak_moments.iter().map(weigh).max();
            prop_assert!(heaviest(&played) <= heaviest(&bounds), "{:?} {:?}", played, bounds);
        }
        // Pods that go need no room.
        let needs_pods = after > 0 && (change.rollout || after > before);
        for needed in needed(&change, Present::Settled(before)).into_iter().filter(|_| needs_pods) {
            let is_met = played.peak_moments.iter().any(|pods| pods.old >= needed.old && pods.new >= needed.new);
            prop_assert!(is_met, "{:?} {:?}", needed, played);
        }
    }
}

/// A simulation plays one order of events; the bounds hold for each.
#[test]
fn every_order_is_within_the_bounds() {
    let rolling = |surge, unavailable| json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } });
    let times = PodTimes { ready_min: 0, ready_max: None, stop_max: 30 * Time::SECOND };
    for (replicas, strategy, min_ready) in [
        ([3, 3], rolling(1, 1), 0),
        ([2, 4], rolling(1, 1), 0),
        ([1, 3], rolling(0, 1), 0),
        ([2, 3], rolling(1, 1), 5),
        ([4, 2], rolling(1, 0), 0),
        ([2, 2], json!({ "type": "Recreate" }), 0),
        ([2, 4], json!({ "type": "Recreate" }), 0),
    ] {
        let [old, new] = [(replicas[0], "old"), (replicas[1], "new")]
            .map(|(replicas, image)| deployment(replicas, strategy.clone(), 30, 0, min_ready, image));
        let change = change(&old, &new, Mode::Exact);
        for policy in [None, Some(TerminationStarted), Some(TerminationComplete)] {
            let bounds = bounded(&change, policy);
            let worst =
                explore(&change.before, &change.after(policy), gates(), times, ExplorationLimits::default()).unwrap();
            let (peak, available) = (worst.peak.pods.into(), worst.lowest_available.pods.into());
            assert!(bounds.peak >= peak, "{replicas:?} {policy:?}: {peak}, {bounds:?}");
            assert!(bounds.available <= available, "{replicas:?} {policy:?}: {available}, {bounds:?}");
        }
    }
}

#[test]
fn nothing_is_played_twice() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 1 } });
    let [old, new] = ["old", "new"].map(|image| deployment(10, strategy.clone(), 30, 0, 0, image));
    let change = change(&old, &new, Mode::Realistic);
    let quotas = || {
        let hard = json!({ "pods": "11" }).as_object().unwrap().clone();
        Vec::from([("team".into(), ResourceQuotaSpec { hard: hard.into(), ..ResourceQuotaSpec::default() })])
    };
    let play = |quotas| (change.play(change.after(None), gates(), quotas), change.steps_left());
    let (first, limited) = (play(Vec::new()), play(quotas()));
    assert!(first.1 > limited.1 && first.0 != limited.0);
    // The same again takes no step.
    assert_eq!((play(Vec::new()), play(quotas())), ((first.0, limited.1), limited));
    let complete = |gates| change.play(change.after(Some(TerminationComplete)), gates, Vec::new());
    assert_ne!(complete(gates()), complete(FeatureGates::default()));
}

#[test]
fn the_steps_are_bounded() {
    let one_by_one = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let quarters = json!({ "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } });
    for (replicas, strategy, is_played) in [
        (1, &one_by_one, true),
        (50, &one_by_one, true),
        (10_000, &one_by_one, false),
        (100, &quarters, true),
        (i64::from(i32::MAX), &quarters, false),
    ] {
        let [old, new] = ["old", "new"].map(|image| deployment(replicas, strategy.clone(), 30, 0, 0, image));
        for policy in [None, Some(TerminationComplete)] {
            let change = change(&old, &new, Mode::Realistic);
            let played = change.play(change.after(policy), gates(), Vec::new());
            assert_eq!(played.is_ok(), is_played, "{replicas}");
        }
    }
}

/// A step takes longer with more containers, and no longer with what no pod is played with.
#[test]
fn large_templates_get_fewer_steps() {
    let one_by_one = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let with = |key: &str, items: Value| {
        ["old", "new"].map(|image| {
            let mut deployment = deployment(50, one_by_one.clone(), 30, 0, 0, image);
            deployment["spec"]["template"]["spec"][key] = items.clone();
            deployment
        })
    };
    let containers = |count: u32| -> Value {
        let probe = json!({ "tcpSocket": { "port": 80 } });
        let sidecar =
            |index| json!({ "name": alloc::format!("c{index}"), "restartPolicy": "Always", "readinessProbe": probe });
        (0..count).map(sidecar).collect()
    };
    let volumes = || (0..5_000).map(|index| json!({ "name": alloc::format!("v{index}"), "emptyDir": {} })).collect();
    for (key, items, is_played) in [
        ("initContainers", json!([]), true),
        ("initContainers", containers(1_000), false),
        ("initContainers", containers(200), false),
        ("volumes", volumes(), true),
    ] {
        let [old, new] = with(key, items);
        let change = change(&old, &new, Mode::Realistic);
        let played = change.play(change.after(None), gates(), Vec::new());
        assert_eq!(played == Err(Bounded::TooLarge), !is_played, "{key}: {played:?}");
    }
}

/// What is refused before it is tried would take too many steps.
#[test]
fn the_fewest_steps_are_no_more_than_it_takes() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": "50%", "maxUnavailable": "50%" } });
    for (before, after, image, grace) in [(10, 10, "new", 30), (10, 10, "new", 0), (3, 9, "old", 30), (9, 3, "old", 30)]
    {
        let old = deployment(before, strategy.clone(), grace, 0, 0, "old");
        let new = deployment(after, strategy.clone(), grace, 0, 0, image);
        let change = change(&old, &new, Mode::Exact);
        let after = change.after(None);
        let fewest = fewest_steps(change.rollout, &change.before, &after);
        let max_steps = u32::try_from(fewest - 1).unwrap();
        let simulation = SettledRollout {
            before: change.before.clone(),
            after,
            timing: Assumptions::default().timing(),
            gates: gates(),
            mode: Mode::Exact,
            quotas: Vec::new(),
            max_steps,
        };
        assert!(simulation.start().and_then(|rollout| rollout.play()).is_err(), "{fewest}");
    }
}

fn modes() -> impl Strategy<Value = Mode> {
    prop::sample::select(Vec::from([Mode::Exact, Mode::Realistic]))
}

fn change(old: &Value, new: &Value, mode: Mode) -> Change {
    Change::of(old, new, Assumptions { mode: Some(mode), ..Assumptions::default() }).unwrap()
}

#[test]
fn sentences_of_any_size_fit_a_warning() {
    let outcome = |most: i64, bounded| ForecastFigures {
        peak: most,
        peak_moments: PeakMoments::default(),
        limit: most,
        available: most,
        took: Some(359_999 * Time::SECOND),
        is_stuck: false,
        bounded,
    };
    for why in [Bounded::InProgress, Bounded::TooLarge, Bounded::Ranked, Bounded::NotSimulated] {
        let outcome = outcome(9_999, Some(why));
        assert!("rollout: ".len() + outcome.sentence().len() <= 120, "{}", outcome.sentence());
    }
    let largest = outcome(i64::from(i32::MAX), None);
    assert!("rollout: ".len() + largest.sentence().len() <= 120, "{}", largest.sentence());
    let summary = outcome(i64::from(i32::MAX), Some(Bounded::TooLarge)).summary();
    assert!("with TerminationComplete: ".len() + summary.len() <= 120);
}
