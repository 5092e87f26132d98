use alloc::vec::Vec;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::bounds::{self, Start};
use super::outcome::{Bounded, Certainty, Outcome};
use super::simulation::{self, Change};
use super::{Present, needed};
use crate::cluster::{Changes, RolloutSimulation, steady_state};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::DeploymentPodReplacementPolicy::{self, TerminationComplete, TerminationStarted};
use crate::object::Time;
use crate::peak_moments::{PeakMoments, PodMoment};
use crate::scenario::{Delay, Duration, Limits, Mode, Timing};
use crate::timeline::Timeline;
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

fn bounded(change: &Change<'_>, policy: Option<DeploymentPodReplacementPolicy>) -> Outcome {
    let pods = i64::from(change.before().spec.replicas);
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
        (grace, delay, min_ready) in (0_i64..60, 0_i64..20, 0_i64..20),
        image in prop::sample::select(Vec::from(["old", "new"])),
        mode in modes(),
    ) {
        let old = deployment(before, strategy.clone(), grace, delay, min_ready, "old");
        let new = deployment(after, strategy, grace, delay, min_ready, image);
        let change = Change::of(&old, &new);
        let fewest = simulation::fewest_steps(&change, &change.before(), &change.after(policy));
        let least = least(&change, policy, mode);
        prop_assert!(fewest <= i64::from(least), "{} {}", fewest, least);
        let played = simulation::simulate(&change, policy, gates(), mode).unwrap();
        let bounds = bounded(&change, policy);
        prop_assert_eq!(played.limit, bounds.limit);
        prop_assert!(played.peak <= bounds.peak, "{:?} {:?}", played, bounds);
        prop_assert!(played.available >= bounds.available, "{:?} {:?}", played, bounds);
        prop_assert!(played.seconds <= bounds.seconds, "{:?} {:?}", played, bounds);
        // Whatever the pods of both templates weigh.
        for (old, new) in [(1, 1), (1, 0), (0, 1), (3, 2), (2, 3)] {
            let weigh = |pods: PodMoment| pods.old.saturating_mul(old).saturating_add(pods.new.saturating_mul(new));
            let heaviest = |outcome: &Outcome| outcome.peak_moments.iter().map(weigh).max();
            prop_assert!(heaviest(&played) <= heaviest(&bounds), "{:?} {:?}", played, bounds);
            let certain = played.certain.iter().map(weigh).max();
            prop_assert!(certain <= heaviest(&played), "{:?}", played);
        }
        for needed in needed(&change, Present::Settled(before)) {
            let is_met = played.peak_moments.iter().any(|pods| pods.old >= needed.old && pods.new >= needed.new);
            prop_assert!(is_met, "{:?} {:?}", needed, played);
        }
        let [certain, most] = [&played.certain, &played.peak_moments].map(|front| front.peak().unwrap_or_default());
        prop_assert!(certain <= played.peak && played.peak <= most, "{:?}", played);
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
        let change = Change::of(&old, &new);
        for policy in [None, Some(TerminationStarted), Some(TerminationComplete)] {
            let bounds = bounded(&change, policy);
            let worst =
                explore(&change.before(), &change.after(policy), gates(), times, ExplorationLimits::default()).unwrap();
            let (peak, available) = (worst.peak.pods.into(), worst.lowest_available.pods.into());
            assert!(bounds.peak >= peak, "{replicas:?} {policy:?}: {peak}, {bounds:?}");
            assert!(bounds.available <= available, "{replicas:?} {policy:?}: {available}, {bounds:?}");
        }
    }
}

/// However short the grace period, a kubelet gives two seconds.
#[test]
fn a_short_grace_period_is_within_the_bounds() {
    let strategy = json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } });
    for grace in [0, 1, 2, 3] {
        let [old, new] = [2, 1].map(|replicas| deployment(replicas, strategy.clone(), grace, 0, 0, "old"));
        let change = Change::of(&old, &new);
        let (played, bounds) = (
            simulation::simulate(&change, Some(TerminationComplete), gates(), Mode::Exact).unwrap(),
            bounded(&change, Some(TerminationComplete)),
        );
        assert!(played.seconds <= bounds.seconds, "{grace}: {played:?} {bounds:?}");
    }
}

#[test]
fn the_steps_are_bounded() {
    let one_by_one = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let quarters = json!({ "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } });
    for (replicas, strategy, is_played) in [
        (1, &one_by_one, true),
        (200, &one_by_one, true),
        (10_000, &one_by_one, false),
        (2_000, &quarters, true),
        (i64::from(i32::MAX), &quarters, false),
    ] {
        let [old, new] = ["old", "new"].map(|image| deployment(replicas, strategy.clone(), 30, 0, 0, image));
        for policy in [None, Some(TerminationComplete)] {
            let played = simulation::simulate(&Change::of(&old, &new), policy, gates(), Mode::Realistic);
            assert_eq!(played.is_ok(), is_played, "{replicas}");
        }
    }
    let [old, new] = ["old", "new"].map(|image| deployment(10, one_by_one.clone(), 30, 0, 0, image));
    let change = Change::of(&old, &new);
    let least = least(&change, None, Mode::Exact);
    let steps = steps_within(&change, None, Mode::Exact, least).unwrap();
    // The others until it is at rest.
    assert_eq!((steps, least), (699, 744));
}

/// However long pods must be ready before they are available.
#[test]
fn a_long_min_ready_seconds_is_played() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    for (before, after) in [(3_001, 3_001), (0, 86_400), (86_400, 0), (i64::from(i32::MAX), i64::from(i32::MAX))] {
        let [old, new] = [("old", before), ("new", after)]
            .map(|(image, min_ready)| deployment(3, strategy.clone(), 30, 0, min_ready, image));
        let played = simulation::simulate(&Change::of(&old, &new), None, gates(), Mode::Realistic).unwrap();
        assert_eq!((played.available, played.certainty), (3, Certainty::Exact), "{before} {after}");
        assert_eq!(
            played.seconds.div_euclid(after.max(1)),
            if after == 0 { played.seconds } else { 3 },
            "{before} {after}"
        );
    }
}

/// How many steps a change takes, if they are not too many.
fn steps_within(
    change: &Change<'_>,
    policy: Option<DeploymentPodReplacementPolicy>,
    mode: Mode,
    max_steps: u32,
) -> Option<usize> {
    let (before, after) = (change.before(), change.after(policy));
    RolloutSimulation { before, after, kubelet: Vec::new(), gates: gates(), mode, max_steps }
        .simulate()
        .map(|simulated| simulated.step_count)
}

/// The smallest limit under which a change is played.
fn least(change: &Change<'_>, policy: Option<DeploymentPodReplacementPolicy>, mode: Mode) -> u32 {
    let is_enough = |most| steps_within(change, policy, mode, most).is_some();
    // By halves: a larger limit is enough, too.
    let (mut too_few, mut enough) = (0, 10_000);
    assert!(is_enough(enough));
    while enough.abs_diff(too_few) > 1 {
        let middle = u32::midpoint(too_few, enough);
        if is_enough(middle) {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    enough
}

fn modes() -> impl Strategy<Value = Mode> {
    prop::sample::select(Vec::from([Mode::Exact, Mode::Realistic]))
}

/// As an API server takes it.
fn named(deployment: &Value) -> Value {
    let mut named = deployment.clone();
    let labels = json!({ "app": "web" });
    named["apiVersion"] = json!("apps/v1");
    named["kind"] = json!("Deployment");
    named["metadata"] = json!({ "name": "web" });
    named["spec"]["selector"] = json!({ "matchLabels": labels });
    named["spec"]["template"]["metadata"] = json!({ "labels": labels });
    named["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]["tcpSocket"] = json!({ "port": 80 });
    named
}

/// A changed Deployment, the policy of its rollout, and after how many seconds its pods become ready.
#[derive(Debug)]
struct Changed {
    old: Value,
    new: Value,
    policy: Option<DeploymentPodReplacementPolicy>,
    delay: i64,
}

/// The most pods, the fewest available, and the seconds until a change is complete.
type Figures = (i64, i64, i64);

impl Changed {
    fn forecast(&self, mode: Mode) -> Figures {
        let played = simulation::simulate(&Change::of(&self.old, &self.new), self.policy, gates(), mode).unwrap();
        (played.peak, played.available, played.seconds)
    }

    /// Whether neither chance nor milliseconds had a part in it.
    fn is_exact(&self) -> bool {
        let change = Change::of(&self.old, &self.new);
        let played = simulation::simulate(&change, self.policy, gates(), Mode::Realistic).unwrap();
        played.certainty == Certainty::Exact
    }

    /// What a timeline shows. None for a Deployment that the API server refuses.
    fn timeline(&self, mode: Mode) -> Option<Figures> {
        let (old, mut new) = (named(&self.old), named(&self.new));
        new["spec"]["podReplacementPolicy"] = json!(self.policy.map(DeploymentPodReplacementPolicy::as_str));
        let changes = Changes {
            to: Some(new),
            kubelet: Vec::from([Timing {
                ready: Some(Delay::After(Duration::seconds(self.delay))),
                ..Timing::default()
            }]),
            feature_gates: json!({ "DeploymentPodReplacementPolicy": true }),
            limits: Limits { time: Duration::seconds(1_000_000), ..Limits::default() },
            mode: Some(mode),
            ..Changes::default()
        };
        let timeline = Timeline::run(steady_state(&old, &changes).ok()?).unwrap();
        // From the moment before: what is over within the instant counts, too.
        let totals = timeline.totals("default", "web", timeline.scenario.start.plus_seconds(5).plus(-1));
        let seconds = |took: i64| took.saturating_add(Time::SECOND.saturating_sub(2)).div_euclid(Time::SECOND);
        Some((totals.peak.into(), totals.lowest_available.into(), seconds(totals.complete?)))
    }
}

prop_compose! {
    fn changed()(
        (before, after) in prop_oneof![(0_i64..12, 0_i64..12), (0_i64..90, 0_i64..30), (40_i64..90).prop_map(|n| (n, n))],
        strategy in strategies(),
        policy in policies(),
        (grace, delay, min_ready) in (0_i64..60, 0_i64..20, 0_i64..20),
    ) -> Changed {
        let [old, new] = [(before, "old"), (after, "new")]
            .map(|(replicas, image)| deployment(replicas, strategy.clone(), grace, delay, min_ready, image));
        Changed { old, new, policy, delay }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    /// Pods in groups do what pods do that are objects.
    #[test]
    fn groups_of_pods_show_what_a_timeline_shows_in_the_exact_mode(changed in changed()) {
        let shown = changed.timeline(Mode::Exact);
        // The API server refuses a surge of 0 with none unavailable.
        prop_assume!(shown.is_some());
        prop_assert_eq!(Some(changed.forecast(Mode::Exact)), shown);
    }

    /// In the realistic mode, too, unless chance or milliseconds have a part in it: a forecast spares the syncs that count
    /// nothing, so its controllers may write some milliseconds later. Its time is an "about" in any case.
    #[test]
    fn groups_of_pods_show_what_a_timeline_shows(changed in changed()) {
        let shown = changed.timeline(Mode::Realistic);
        prop_assume!(shown.is_some() && changed.is_exact());
        let (peak, available, seconds) = shown.unwrap();
        let forecast = changed.forecast(Mode::Realistic);
        prop_assert_eq!((forecast.0, forecast.1), (peak, available));
        prop_assert!(forecast.2.abs_diff(seconds) <= 1, "{:?} {:?}", forecast, shown);
    }

    /// Where milliseconds decide, the peak is between the certain one, because of which a change may be denied, and the largest one.
    #[test]
    fn timelines_are_within_what_ties_leave_open(changed in changed()) {
        let shown = changed.timeline(Mode::Realistic);
        let change = Change::of(&changed.old, &changed.new);
        let played = simulation::simulate(&change, changed.policy, gates(), Mode::Realistic).unwrap();
        let (certain, most) = (played.certain.peak(), played.peak_moments.peak());
        // Nothing is certain where a ReplicaSet chooses between pods.
        prop_assume!(shown.is_some() && certain.is_some());
        let peak = shown.map(|(peak, _, _)| peak);
        prop_assert!(certain <= peak && peak <= most, "{certain:?} {peak:?} {most:?}");
    }

    /// Whatever chance and milliseconds decide, the bounds hold.
    #[test]
    fn timelines_are_within_the_bounds(changed in changed()) {
        let shown = changed.timeline(Mode::Realistic);
        prop_assume!(shown.is_some());
        let (peak, available, _) = shown.unwrap();
        let bounds = bounded(&Change::of(&changed.old, &changed.new), changed.policy);
        prop_assert!(peak <= bounds.peak && available >= bounds.available, "{shown:?} {bounds:?}");
    }
}

/// Of a size that no random case has.
#[test]
fn a_thousand_pods_in_groups_show_what_a_timeline_shows() {
    let quarters = json!({ "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } });
    let [old, new] = ["old", "new"].map(|image| deployment(1_000, quarters.clone(), 30, 5, 0, image));
    for policy in [None, Some(TerminationComplete)] {
        let changed = Changed { old: old.clone(), new: new.clone(), policy, delay: 5 };
        // The rate limit spreads creations and ends, so that without the policy some are always close to each other.
        assert_eq!(changed.is_exact(), policy.is_some());
        assert_eq!(Some(changed.forecast(Mode::Realistic)), changed.timeline(Mode::Realistic), "{policy:?}");
    }
}

/// If old pods end at about the moment at which the next new ones are created, there may be one more.
#[test]
fn a_peak_that_milliseconds_decide_is_not_exact() {
    let one_by_one = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    for (grace, certain, most) in [(5, 6, 7), (8, 7, 7)] {
        let [old, new] = ["old", "new"].map(|image| deployment(4, one_by_one.clone(), grace, 4, 0, image));
        let played = simulation::simulate(&Change::of(&old, &new), None, gates(), Mode::Realistic).unwrap();
        assert_eq!((played.certain.peak(), played.peak_moments.peak()), (Some(certain), Some(most)), "{grace}");
        assert_eq!(played.certainty == Certainty::Exact, certain == most, "{grace}");
    }
}

#[test]
fn sentences_of_any_size_fit_a_warning() {
    let outcome = |most: i64, certainty| Outcome {
        peak: most,
        peak_moments: PeakMoments::default(),
        certain: PeakMoments::default(),
        limit: most,
        available: most,
        seconds: 359_999,
        certainty,
    };
    for why in [Bounded::InProgress, Bounded::TooLarge] {
        assert!(
            "rollout: ".len() + outcome(9_999, Certainty::Bounds(why)).sentence().len() <= 120,
            "{}",
            outcome(9_999, Certainty::Bounds(why)).sentence()
        );
    }
    let largest = outcome(i64::from(i32::MAX), Certainty::Exact);
    assert!("rollout: ".len() + largest.sentence().len() <= 120, "{}", largest.sentence());
    // A ReplicaSet chooses between pods only where there are few enough to be simulated.
    let about = outcome(99_999, Certainty::OneOfSeveral);
    assert!("rollout: ".len() + about.sentence().len() <= 120, "{}", about.sentence());
    assert!(
        "with TerminationComplete: ".len()
            + outcome(i64::from(i32::MAX), Certainty::Bounds(Bounded::TooLarge)).summary().len()
            <= 120
    );
}
