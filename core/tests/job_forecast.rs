//! The policy's forecast for a changed Job matches a simulation of the same change, under both policies.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may panic")]

use changeover_core::object::{Job, Object};
use changeover_core::prediction::{PredictOptions, predict};
use changeover_core::review::{review, validate_settings};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{State, Timeline};
use proptest::prelude::*;
use serde_json::{Value, json};

fn job(policy: &str, completions: i32) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "train" },
        "spec": {
            "completions": completions, "parallelism": 4, "podReplacementPolicy": policy,
            "template": { "spec": {
                "restartPolicy": "Never", "terminationGracePeriodSeconds": 12, "containers": [{ "name": "app", "image": "train:1" }],
            } },
        },
    })
}

/// The changed Job: its parallelism, and whether it is suspended.
type Change = (i32, bool);

fn patch(policy: &str, completions: i32, (parallelism, suspend): Change) -> Value {
    let mut patch = job(policy, completions);
    patch["spec"]["parallelism"] = parallelism.into();
    patch["spec"]["suspend"] = suspend.into();
    patch
}

/// The objects five seconds after the last of these changes, which are five seconds apart.
fn cluster_after(policy: &str, completions: i32, changes: &[Change]) -> (State, String) {
    let mut actions = vec![json!({ "create": job(policy, completions) })];
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

/// The peaks in the policy's forecast: under the Job's own policy and under the other one.
fn forecast(old: &Job, new: &Value) -> Option<(i32, i32)> {
    let old = Object::from(old.clone()).to_value();
    let mut object = old.clone();
    for field in ["parallelism", "suspend"] {
        object["spec"][field] = new["spec"][field].clone();
    }
    let request = json!({
        "operation": "UPDATE", "namespace": "default", "object": object, "oldObject": old,
        "kind": { "group": "batch", "version": "v1", "kind": "Job" },
    });
    let verdict = review(&request, &validate_settings(&json!({ "forecast": true })).unwrap());
    let peak = |text: &String| text.split("peak ").nth(1)?.split(' ').next()?.parse().ok();
    match verdict.warnings.as_slice() {
        [this, other] => Some((peak(this)?, peak(other)?)),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn says_what_the_simulation_shows(
        policy in prop_oneof![Just("TerminatingOrFailed"), Just("Failed")],
        completions in 1..9_i32,
        changes in prop::collection::vec((0..8_i32, any::<bool>()), 0..5),
        last in (0..8_i32, any::<bool>()),
    ) {
        let (state, now) = cluster_after(policy, completions, &changes);
        let new = patch(policy, completions, last);
        let old = state.jobs().next().unwrap();
        let Some(forecast) = forecast(old, &new) else {
            prop_assert_eq!((old.spec.parallelism, old.spec.suspend == Some(true)), (Some(last.0), last.1));
            return Ok(());
        };
        let objects: Vec<Value> = state.objects().map(Object::to_value).collect();
        let options = json!({ "assumptions": { "now": now, "runFor": "never", "mode": "exact" } });
        let options = PredictOptions::from_value(&options).unwrap();
        let prediction = predict(&objects, &[new], &options).unwrap().prediction;
        let simulated = &prediction.jobs.first().unwrap();
        let other = simulated.other_policy.as_ref().unwrap_or(&simulated.today);
        prop_assert_eq!(forecast, (simulated.today.peak, other.peak));
    }
}

/// A simulation draws the same random names as the one before it, and the API server draws again if one is taken.
#[test]
fn the_name_of_a_terminating_pod_is_not_drawn_again() {
    let (state, now) = cluster_after("TerminatingOrFailed", 7, &[(7, false), (0, false), (2, false)]);
    let objects: Vec<Value> = state.objects().map(Object::to_value).collect();
    let options =
        PredictOptions::from_value(&json!({ "assumptions": { "now": now, "runFor": "never", "mode": "exact" } }))
            .unwrap();
    let predicted = predict(&objects, &[patch("TerminatingOrFailed", 7, (3, false))], &options).unwrap();
    assert_eq!((predicted.prediction.together.today.peak, predicted.prediction.together.today.peak_at), (10, 0));
}
