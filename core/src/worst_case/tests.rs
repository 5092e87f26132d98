use alloc::vec::Vec;

use serde_json::{Value, json};

use super::longest;
use super::*;
use crate::feature_gates::Feature;
use crate::json::decode;
use crate::object::Time;
use crate::workload::deployment::Deployment;

fn deployment(spec: Value) -> Deployment {
    let mut whole = json!({
        "metadata": { "name": "web", "namespace": "default", "uid": "deployment" },
        "spec": {
            "replicas": 2,
            "selector": { "matchLabels": { "app": "web" } },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
            },
        },
    });
    crate::cluster::merge(&mut whole["spec"], &spec);
    decode(&whole, "").unwrap()
}

const ANY: PodTimes = PodTimes { ready_min: 0, ready_max: None, stop_max: 30 * Time::SECOND };

fn gates() -> FeatureGates {
    FeatureGates::default().with(Feature::DeploymentPodReplacementPolicy, true)
}

/// A change of a Deployment with these settings.
struct Case {
    before: Value,
    after: Value,
    times: PodTimes,
}

fn case(settings: Value, replicas: [i32; 2], images: [&str; 2]) -> Case {
    let spec = |replicas: i32, image: &str| {
        let mut spec = settings.clone();
        spec["replicas"] = replicas.into();
        spec["template"] = json!({ "spec": { "containers": [{ "name": "app", "image": image }] } });
        spec
    };
    let [before, after] = [0, 1].map(|index: usize| spec(replicas[index], images[index]));
    Case { before, after, times: ANY }
}

impl Case {
    fn explore(&self, lag: u8) -> WorstCase {
        let limits = ExplorationLimits { lag, ..ExplorationLimits::default() };
        explore(&deployment(self.before.clone()), &deployment(self.after.clone()), gates(), self.times, limits).unwrap()
    }

    /// The highest peak and the lowest availability.
    fn extremes(&self, lag: u8) -> (i32, i32) {
        let worst = self.explore(lag);
        assert!(worst.always_completes, "{worst:?}");
        (worst.peak.pods, worst.lowest_available.pods)
    }
}

fn rolling(surge: i32, unavailable: i32) -> Value {
    json!({ "strategy": { "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } } })
}

fn with(mut settings: Value, key: &str, value: Value) -> Value {
    settings[key] = value;
    settings
}

const ROLLOUT: [&str; 2] = ["web:1", "web:2"];

#[test]
fn known_changes() {
    let recreate = json!({ "strategy": { "type": "Recreate", "rollingUpdate": null } });
    let complete = |settings| with(settings, "podReplacementPolicy", "TerminationComplete".into());
    let started = |settings| with(settings, "podReplacementPolicy", "TerminationStarted".into());
    for (settings, replicas, images, expected, why) in [
        (rolling(1, 0), [2, 2], ROLLOUT, (4, 2), "all old pods may terminate beside all new ones"),
        (complete(rolling(1, 0)), [2, 2], ROLLOUT, (3, 2), "terminating pods keep their slots"),
        (rolling(0, 1), [3, 3], ROLLOUT, (6, 2), "without surge, terminating pods still come on top"),
        (complete(rolling(0, 1)), [3, 3], ROLLOUT, (3, 2), "never more than the desired ones"),
        (rolling(0, 3), [3, 3], ROLLOUT, (6, 0), "all may be unavailable"),
        (with(rolling(1, 0), "minReadySeconds", 5.into()), [2, 2], ROLLOUT, (4, 2), "ready is not yet available"),
        (recreate.clone(), [3, 3], ROLLOUT, (3, 0), "old pods end before new ones are created"),
        (started(recreate.clone()), [3, 3], ROLLOUT, (6, 0), "new pods beside terminating ones"),
        (complete(recreate), [3, 3], ROLLOUT, (3, 0), "as without a policy"),
        (rolling(1, 0), [2, 5], ["web:1", "web:1"], (5, 2), "scaled up"),
        (rolling(1, 0), [5, 2], ["web:1", "web:1"], (5, 2), "scaled down"),
        (
            with(rolling(0, 2), "minReadySeconds", 5.into()),
            [1, 3],
            ROLLOUT,
            (6, 0),
            "a ready pod may stay for an available one",
        ),
        (with(rolling(1, 0), "paused", true.into()), [2, 4], ROLLOUT, (4, 2), "paused: only scaled"),
    ] {
        for lag in [0, 2] {
            assert_eq!(
                case(settings.clone(), replicas, images).extremes(lag),
                expected,
                "{why}: lag {lag}, {settings}"
            );
        }
    }
}

#[test]
fn pods_that_end_before_others_are_ready_lower_the_peak() {
    let fast = case(rolling(1, 0), [4, 4], ROLLOUT);
    let slow = Case { times: PodTimes { ready_min: 60 * Time::SECOND, ..ANY }, ..case(rolling(1, 0), [4, 4], ROLLOUT) };
    assert_eq!((fast.extremes(2), slow.extremes(2)), ((8, 4), (7, 4)));
}

/// In a rolling update without a policy, terminating pods last until their time is over, and the counts of a status that no
/// size depends on are left out. Without this reduction there are more states, and the same extremes.
#[test]
fn the_reduction_changes_no_extreme() {
    let slow = PodTimes { ready_min: 60 * Time::SECOND, ..ANY };
    let mut changes = Vec::new();
    for replicas in 1..=3 {
        for (surge, unavailable) in [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)] {
            for min_ready in [0, 5] {
                let settings = with(rolling(surge, unavailable), "minReadySeconds", min_ready.into());
                changes.push((settings, [replicas; 2], ROLLOUT));
            }
        }
    }
    for (replicas, images) in [([1, 3], ROLLOUT), ([3, 1], ROLLOUT), ([1, 3], ["web:1"; 2]), ([3, 1], ["web:1"; 2])] {
        changes.push((rolling(1, 0), replicas, images));
    }
    let mut fewer = 0;
    for (settings, replicas, images) in changes {
        for times in [ANY, slow] {
            let Case { before, after, .. } = case(settings.clone(), replicas, images);
            let (before, after) = (deployment(before), deployment(after));
            let explored = |reads| {
                let limits = ExplorationLimits { lag: 1, ..ExplorationLimits::default() };
                explore_reduced(&before, &after, gates(), times, limits, reads).unwrap()
            };
            let (reduced, whole) = (explored(Reads::Available), explored(Reads::AllCounts));
            let extremes = |worst: &WorstCase| {
                let mut peak_moments: Vec<_> = worst.peak_moments.iter().map(|pods| (pods.old, pods.new)).collect();
                peak_moments.sort_unstable();
                (worst.peak.pods, worst.lowest_available.pods, peak_moments, worst.always_completes)
            };
            assert_eq!(extremes(&reduced), extremes(&whole), "{settings}, {replicas:?}, {images:?}, {times:?}");
            fewer += usize::from(reduced.states < whole.states);
        }
    }
    assert!(fewer > 50, "only {fewer} changes have fewer states");
}

/// Each step of an order is one that the state before allows, and the last state is the worst one.
#[test]
fn an_order_can_be_replayed() {
    for settings in [rolling(1, 1), with(rolling(1, 1), "podReplacementPolicy", "TerminationComplete".into())] {
        let case = case(settings, [2, 4], ROLLOUT);
        let worst = case.explore(2);
        for (extreme, is_peak) in [(&worst.peak, true), (&worst.lowest_available, false)] {
            let (before, after) = (deployment(case.before.clone()), deployment(case.after.clone()));
            let (mut space, mut state) =
                StateSpace::new(&before, &after, gates(), ANY, 2, Reads::of(&after, gates())).unwrap();
            for step in &extreme.order {
                let next = space.next(&state).unwrap();
                state = next.into_iter().find(|(next, _)| next == step).unwrap().1;
            }
            let pods = if is_peak { state.pods.all() } else { state.pods.available() };
            assert_eq!(pods, extreme.pods);
        }
    }
}

/// A ReplicaSet's status does not count the pods that the same sync has created, and the controller may be late with the
/// next one. If the old ReplicaSet has to grow first, TerminationComplete takes the slots of these pods for free.
#[test]
fn terminating_pods_may_exceed_the_limit_where_old_pods_are_added_first() {
    let complete = with(rolling(1, 1), "podReplacementPolicy", "TerminationComplete".into());
    assert_eq!(case(complete.clone(), [4, 4], ROLLOUT).extremes(1), (5, 3));
    assert_eq!(case(complete, [2, 4], ROLLOUT).extremes(1), (7, 2));
}

#[test]
fn too_many_replicas_or_states_are_not_explored() {
    let settings = deployment(json!({ "replicas": MAX_REPLICAS + 1 }));
    assert_eq!(explore(&settings, &settings, gates(), ANY, ExplorationLimits::default()), None);
    let (before, after) = (deployment(json!({ "replicas": 2 })), deployment(json!({ "replicas": 5 })));
    assert_eq!(
        explore(&before, &after, gates(), ANY, ExplorationLimits { states: 3, ..ExplorationLimits::default() }),
        None
    );
}

/// A pod is ready after 5 s to 6 s, and stops within 30 s.
const TIMES: PodTimes =
    PodTimes { ready_min: 5 * Time::SECOND, ready_max: Some(6 * Time::SECOND), stop_max: 30 * Time::SECOND };

impl Case {
    fn longest(&self, lag: u8) -> Longest {
        let [before, after] = [&self.before, &self.after].map(|spec| deployment(spec.clone()));
        let limits = ExplorationLimits { lag, ..ExplorationLimits::default() };
        longest::longest(&before, &after, gates(), self.times, limits, Reads::of(&after, gates())).unwrap()
    }
}

#[test]
fn known_longest_times() {
    let recreate = json!({ "strategy": { "type": "Recreate", "rollingUpdate": null } });
    let complete = |settings| with(settings, "podReplacementPolicy", "TerminationComplete".into());
    for (settings, replicas, images, expected, why) in [
        (rolling(1, 0), [3, 3], ROLLOUT, 18, "one pod after the other"),
        (rolling(1, 1), [4, 4], ROLLOUT, 12, "two at a time"),
        (rolling(2, 0), [3, 3], ROLLOUT, 12, "two, then one"),
        (with(rolling(1, 0), "minReadySeconds", 5.into()), [2, 2], ROLLOUT, 22, "available is later than ready"),
        (complete(rolling(1, 0)), [2, 2], ROLLOUT, 72, "each old pod has to end"),
        (complete(rolling(1, 1)), [1, 1], ROLLOUT, 30, "the new pod is available before the old one has ended"),
        (recreate, [3, 3], ROLLOUT, 36, "all old ones have to end"),
        (rolling(1, 0), [2, 5], ["web:1", "web:1"], 6, "scaled up"),
        (rolling(1, 0), [5, 2], ["web:1", "web:1"], 0, "scaled down"),
        (complete(rolling(1, 0)), [5, 2], ["web:1", "web:1"], 30, "scaled down, until the pods have ended"),
    ] {
        let case = Case { times: TIMES, ..case(settings.clone(), replicas, images) };
        for lag in [0, 2] {
            assert_eq!(case.longest(lag).time, expected * Time::SECOND, "{why}: lag {lag}, {settings}");
        }
    }
}

/// Each step is one that the state before allows, each pod takes at most its longest time, and the last state is complete.
#[test]
fn the_longest_order_can_be_replayed() {
    for settings in [rolling(1, 1), with(rolling(1, 1), "podReplacementPolicy", "TerminationComplete".into())] {
        let case = Case { times: TIMES, ..case(settings, [2, 4], ROLLOUT) };
        let longest = case.longest(2);
        let [before, after] = [&case.before, &case.after].map(|spec| deployment(spec.clone()));
        let (mut space, mut state) =
            StateSpace::new(&before, &after, gates(), ANY, 2, Reads::of(&after, gates())).unwrap();
        let mut starting = Vec::new();
        let mut terminating = Vec::new();
        let mut now = 0;
        for TimedStep { at, step } in &longest.order {
            assert!(*at >= now);
            now = *at;
            match step {
                OrderStep::SyncReplicaSet { of, created, deleted, .. } => {
                    starting.extend((0..*created).map(|_| (*of, now)));
                    terminating.extend((0..*deleted).map(|_| (*of, now)));
                }
                OrderStep::Available { of } => {
                    let index = starting.iter().position(|(side, _)| side == of).unwrap();
                    let (_, created) = starting.remove(index);
                    assert!((TIMES.ready_min..=TIMES.ready_max.unwrap()).contains(&(now - created)));
                }
                OrderStep::Gone { of } => {
                    let index = terminating.iter().position(|(side, _)| side == of).unwrap();
                    let (_, deleted) = terminating.remove(index);
                    assert!(now - deleted <= TIMES.stop_max);
                }
                OrderStep::Ready { .. } | OrderStep::SyncDeployment { .. } => {}
            }
            let next = space.next(&state).unwrap();
            state = next.into_iter().find(|(next, _)| next == step).unwrap().1;
        }
        assert_eq!((now, state.pods.available(), space.size(&state, Side::Old)), (longest.time, 4, 0));
    }
}

/// As long as with all counts, and with terminating pods that no controller looks at.
#[test]
fn the_reduction_changes_no_longest_time() {
    for replicas in [[1, 1], [2, 2], [3, 3], [2, 3], [3, 2]] {
        for (surge, unavailable) in [(1, 0), (0, 1), (1, 1), (2, 0)] {
            for min_ready in [0, 5] {
                let settings = with(rolling(surge, unavailable), "minReadySeconds", min_ready.into());
                let Case { before, after, .. } = case(settings.clone(), replicas, ROLLOUT);
                let (before, after) = (deployment(before), deployment(after));
                let limits = ExplorationLimits { lag: 1, ..ExplorationLimits::default() };
                let [reduced, whole] = [Reads::Available, Reads::AllCounts]
                    .map(|reads| longest::longest(&before, &after, gates(), TIMES, limits, reads).unwrap().time);
                assert_eq!(reduced, whole, "{settings}, {replicas:?}");
            }
        }
    }
}

#[test]
fn a_change_whose_pods_may_never_be_ready_has_no_longest_time() {
    assert_eq!(case(rolling(1, 0), [2, 2], ROLLOUT).explore(0).longest, None);
    let timed = Case { times: TIMES, ..case(rolling(1, 0), [2, 2], ROLLOUT) };
    let [before, after] = [timed.before, timed.after].map(deployment);
    let limits = ExplorationLimits { timed_states: 3, ..ExplorationLimits::default() };
    assert_eq!(explore(&before, &after, gates(), TIMES, limits).unwrap().longest, None);
}

/// The old ReplicaSet keeps its minReadySeconds, and grows first.
#[test]
fn the_bound_knows_the_old_min_ready_seconds() {
    for (surge, unavailable) in [(1, 0), (0, 2), (0, 1), (1, 1)] {
        let mut case = Case { times: TIMES, ..case(rolling(surge, unavailable), [1, 3], ROLLOUT) };
        case.before["minReadySeconds"] = 20.into();
        let bound = bound(&deployment(case.before.clone()), &deployment(case.after.clone()), gates(), TIMES);
        let worst = case.explore(1);
        assert!(i64::from(worst.lowest_available.pods) >= bound.lowest_available, "{bound:?}, {worst:?}");
        assert!(worst.longest.map(|longest| longest.time) <= bound.longest, "{bound:?}, {surge}, {unavailable}");
    }
}
