//! The policy's forecast for a changed Job matches a simulation of the same change, under both policies.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may panic")]

use changeover_core::object::Object;
use changeover_core::prediction::{PredictOptions, predict};
use changeover_core::review::{review, validate_settings};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{State, Timeline};
use changeover_core::workload::job::Job;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Which completions a Job has.
#[derive(Clone, Copy, Debug)]
enum Completions {
    /// Always the same number.
    Fixed(i32),
    /// As many as its parallelism: an Indexed Job may change both together.
    Elastic,
}

impl Completions {
    fn mode(self) -> &'static str {
        match self {
            Self::Fixed(_) => "NonIndexed",
            Self::Elastic => "Indexed",
        }
    }

    fn at(self, parallelism: i32) -> i32 {
        match self {
            Self::Fixed(completions) => completions,
            Self::Elastic => parallelism,
        }
    }

    /// An elastic Job with parallelism 0 would be complete.
    fn parallelism(self, parallelism: i32) -> i32 {
        match self {
            Self::Fixed(_) => parallelism,
            Self::Elastic => parallelism.max(1),
        }
    }
}

fn job(policy: &str, completions: Completions, parallelism: i32) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "train" },
        "spec": {
            "completionMode": completions.mode(), "completions": completions.at(parallelism), "parallelism": parallelism,
            "podReplacementPolicy": policy,
            "template": { "spec": {
                "restartPolicy": "Never", "terminationGracePeriodSeconds": 12, "containers": [{ "name": "app", "image": "train:1" }],
            } },
        },
    })
}

/// The changed Job: its parallelism, and whether it is suspended.
type Change = (i32, bool);

fn patch(policy: &str, completions: Completions, (parallelism, suspend): Change) -> Value {
    let mut patch = job(policy, completions, completions.parallelism(parallelism));
    patch["spec"]["suspend"] = suspend.into();
    patch
}

/// The objects five seconds after the last of these changes, which are five seconds apart.
fn cluster_after(policy: &str, completions: Completions, changes: &[Change]) -> (State, String) {
    let mut actions = vec![json!({ "create": job(policy, completions, 4) })];
    for (index, change) in changes.iter().enumerate() {
        actions.push(json!({ "at": format!("{}s", 5 * (index + 1)), "apply": patch(policy, completions, *change) }));
    }
    let end = 5 * actions.len();
    let scenario = json!({
        "version": 1, "actions": actions, "kubelet": [{ "run": "never" }], "limits": { "time": format!("{end}s") },
    });
    let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
    let mut cursor = timeline.cursor();
    cursor.seek(&timeline, timeline.len());
    let now = timeline.scenario.start.plus_seconds(i64::try_from(end).unwrap());
    (cursor.state().clone(), now.to_string())
}

/// A peak in the policy's forecast.
#[derive(Clone, Copy, Debug)]
enum Peak {
    Exactly(i32),
    AtMost(i32),
}

impl Peak {
    fn read(sentence: &str) -> Option<Self> {
        let text = sentence.split("peak ").nth(1)?;
        let number = |text: &str| text.split(' ').next()?.parse().ok();
        match text.strip_prefix("at most ") {
            Some(bound) => Some(Self::AtMost(number(bound)?)),
            None => Some(Self::Exactly(number(text)?)),
        }
    }

    fn allows(self, peak: i32) -> bool {
        match self {
            Self::Exactly(number) => peak == number,
            Self::AtMost(number) => peak <= number,
        }
    }
}

/// The peaks in the policy's forecast: under the Job's own policy and under the other one.
fn forecast(old: &Job, new: &Value) -> Option<(Peak, Peak)> {
    let old = Object::from(old.clone()).to_value();
    let mut object = old.clone();
    for field in ["parallelism", "completions", "suspend"] {
        object["spec"][field] = new["spec"][field].clone();
    }
    let request = json!({
        "operation": "UPDATE", "namespace": "default", "object": object, "oldObject": old,
        "kind": { "group": "batch", "version": "v1", "kind": "Job" },
    });
    let verdict = review(&request, &validate_settings(&json!({ "forecast": true })).unwrap());
    match verdict.warnings.as_slice() {
        [this, other] => Some((Peak::read(this)?, Peak::read(other)?)),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn says_what_the_simulation_shows(
        policy in prop_oneof![Just("TerminatingOrFailed"), Just("Failed")],
        completions in prop_oneof![(1..9_i32).prop_map(Completions::Fixed), Just(Completions::Elastic)],
        changes in prop::collection::vec((0..8_i32, any::<bool>()), 0..5),
        last in (0..8_i32, any::<bool>()),
    ) {
        let (state, now) = cluster_after(policy, completions, &changes);
        let new = patch(policy, completions, last);
        let old = state.jobs().next().unwrap();
        let Some(forecast) = forecast(old, &new) else {
            let parallelism = completions.parallelism(last.0);
            prop_assert_eq!((old.spec.parallelism, old.spec.suspend == Some(true)), (Some(parallelism), last.1));
            return Ok(());
        };
        let objects: Vec<Value> = state.objects().map(Object::to_value).collect();
        let options = json!({ "assumptions": { "now": now, "runFor": "never", "mode": "exact" } });
        let options = PredictOptions::from_value(&options).unwrap();
        let prediction = predict(&objects, &[new], &options).unwrap().prediction;
        let simulated = &prediction.jobs.first().unwrap();
        let other = simulated.other_policy.as_ref().unwrap_or(&simulated.outcome);
        let (this, under_other) = forecast;
        prop_assert!(this.allows(simulated.outcome.peak), "{this:?}: {}", simulated.outcome.peak);
        prop_assert!(under_other.allows(other.peak), "{under_other:?}: {}", other.peak);
        let may_be_bound = matches!(completions, Completions::Elastic) && policy == "Failed";
        prop_assert!(matches!(this, Peak::Exactly(_)));
        prop_assert!(may_be_bound || matches!(under_other, Peak::Exactly(_)));
    }
}

/// A simulation draws the same random names as the one before it, and the API server draws again if one is taken.
#[test]
fn the_name_of_a_terminating_pod_is_not_drawn_again() {
    let (state, now) =
        cluster_after("TerminatingOrFailed", Completions::Fixed(7), &[(7, false), (0, false), (2, false)]);
    let objects: Vec<Value> = state.objects().map(Object::to_value).collect();
    let options =
        PredictOptions::from_value(&json!({ "assumptions": { "now": now, "runFor": "never", "mode": "exact" } }))
            .unwrap();
    let predicted =
        predict(&objects, &[patch("TerminatingOrFailed", Completions::Fixed(7), (3, false))], &options).unwrap();
    assert_eq!((predicted.prediction.total.outcome.peak, predicted.prediction.total.outcome.peak_at), (10, 0));
}
