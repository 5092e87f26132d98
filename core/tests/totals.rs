//! A timeline's totals match its steps.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use changeover_core::cluster::{Changes, Decision, steady_state};
use changeover_core::controller;
use changeover_core::object::{Object, Time};
use changeover_core::scenario::{Scenario, TimedAction};
use changeover_core::timeline::{EndReason, Series, Timeline, Totals};
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::deployment::decision::Decision as OfDeployment;
use proptest::prelude::*;
use serde_json::{Value, json};

const NO_DEADLINE: i32 = i32::MAX;

fn deployment(replicas: i32, strategy: &Value, policy: &Value, deadline: i32, min_ready: i32) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": replicas,
            "podReplacementPolicy": policy,
            "strategy": strategy,
            "minReadySeconds": min_ready,
            "progressDeadlineSeconds": deadline,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
            },
        },
    })
}

/// A scenario in which these actions happen after a Deployment has settled.
fn scenario(deployment: &Value, actions: Vec<Value>) -> Scenario {
    let kubelet =
        json!([{ "image": "web:v3", "ready": "never" }, { "ready": "6s", "terminate": "9s", "jitterPercent": 50 }]);
    let kubelet = serde_json::from_value(kubelet).unwrap();
    let limits = serde_json::from_value(json!({ "time": "15m" })).unwrap();
    let changes = Changes { kubelet, limits, ..Changes::default() };
    let mut scenario = steady_state(deployment, &changes).unwrap();
    let decode = |action| serde_json::from_value::<TimedAction>(action).unwrap();
    scenario.actions = actions.into_iter().map(decode).collect();
    scenario.actions.sort_by_key(|action| action.at);
    scenario
}

fn play(deployment: &Value, actions: Vec<Value>) -> Timeline {
    Timeline::run(scenario(deployment, actions)).unwrap()
}

fn totals(timeline: &Timeline) -> Totals {
    timeline.totals("default", "web", timeline.scenario.start)
}

fn set_image(at: i64, image: &str) -> Value {
    json!({
        "at": format!("{at}s"),
        "setTemplate": { "name": "web", "template": { "spec": { "containers": [{ "image": image }] } } },
    })
}

fn scale(at: i64, replicas: i32) -> Value {
    json!({ "at": format!("{at}s"), "scale": { "name": "web", "replicas": replicas } })
}

fn named(at: i64, action: &str) -> Value {
    json!({ "at": format!("{at}s"), action: { "name": "web" } })
}

fn evict(at: i64, pod: usize) -> Value {
    json!({ "at": format!("{at}s"), "evict": { "name": format!("web/{pod}") } })
}

fn image_of(deployment: &Deployment) -> &str {
    &deployment.spec.template.spec.fields.containers[0].image
}

fn says_complete(deployment: &Deployment) -> bool {
    let (spec, status) = (&deployment.spec, &deployment.status);
    let counts = [status.replicas, status.updated_replicas, status.available_replicas];
    counts == [spec.replicas; 3]
        && status.observed_generation == deployment.metadata.generation
        && (spec.pod_replacement_policy.is_none_or(|policy| policy.as_str() != "TerminationComplete")
            || status.terminating_replicas == Some(0))
}

/// Whether the controller finds in this step that the rollout is complete.
fn is_said_complete(deployment: &Deployment, decision: &Decision) -> bool {
    if deployment.spec.progress_deadline_seconds == Some(NO_DEADLINE) {
        return says_complete(deployment);
    }
    let Decision::Controller(controller::Decision::Deployment(decision)) = decision else { return false };
    match decision {
        OfDeployment::Complete(_) | OfDeployment::CompleteComplete(_) => true,
        // A reverted Recreate rollout keeps the reason NewReplicaSetAvailable of the rollout before.
        OfDeployment::StatusSettled(_) => says_complete(deployment),
        // While it is paused, nobody looks at the rollout, and the reason stays.
        OfDeployment::Available { .. } => !deployment.spec.paused && says_complete(deployment),
        _ => false,
    }
}

/// When the last rollout is complete, and all pods of the last scaling are there, according to the steps.
fn complete_by_steps(timeline: &Timeline) -> Option<Time> {
    let Some(Object::Deployment(first)) = timeline.initial.objects().next() else { panic!("there is no Deployment") };
    let (mut image, mut replicas) = (image_of(first).to_owned(), first.spec.replicas);
    let mut complete = Some(timeline.scenario.start);
    let mut scaled = complete;
    for step in &timeline.steps {
        let Some(Object::Deployment(now)) = step.change.as_ref().and_then(|change| change.after.as_ref()) else {
            continue;
        };
        if image_of(now) != image {
            image_of(now).clone_into(&mut image);
            complete = None;
        }
        if now.spec.replicas != replicas {
            replicas = now.spec.replicas;
            scaled = None;
        }
        if says_complete(now) {
            scaled.get_or_insert(step.time);
        }
        // Nothing is complete before the new ReplicaSet exists.
        let decision = &step.decision;
        if matches!(decision, Decision::Controller(controller::Decision::Deployment(OfDeployment::Created { .. }))) {
            complete = None;
        }
        if is_said_complete(now, &step.decision) {
            complete.get_or_insert(step.time);
        }
    }
    complete.zip(scaled).map(|(complete, scaled)| complete.max(scaled))
}

/// When the last pod of an older template was gone.
fn old_pods_gone_by_frames(timeline: &Timeline) -> Option<Time> {
    let mut cursor = timeline.cursor();
    let mut gone = None;
    for frame in 0..=timeline.len() {
        cursor.seek(timeline, frame);
        let state = cursor.state();
        let deployment = state.deployments().next().unwrap();
        let old = state.pods().filter(|pod| pod.spec.fields.containers[0].image != image_of(deployment)).count();
        gone = (old == 0).then(|| gone.unwrap_or(timeline.time_at(frame)));
    }
    gone
}

fn strategies() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "type": "Recreate" })),
        (0..3, 0..3).prop_map(|(surge, unavailable): (i32, i32)| {
            let surge = if unavailable == 0 { surge.max(1) } else { surge };
            json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } })
        }),
    ]
}

fn policies() -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), Just(json!("TerminationStarted")), Just(json!("TerminationComplete"))]
}

fn actions() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => (0_i64..120, "web:v[1-3]").prop_map(|(at, image)| set_image(at, &image)),
        2 => (0_i64..120, 0..7).prop_map(|(at, replicas)| scale(at, replicas)),
        1 => (0_i64..120).prop_map(|at| named(at, "pause")),
        2 => (0_i64..180).prop_map(|at| named(at, "resume")),
        1 => (0_i64..120).prop_map(|at| named(at, "undo")),
        1 => (0_i64..120, 0_usize..4).prop_map(|(at, pod)| evict(at, pod)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn totals_match_the_steps(
        replicas in 0..6,
        strategy in strategies(),
        policy in policies(),
        deadline in prop_oneof![Just(20), Just(600), Just(NO_DEADLINE)],
        min_ready in prop_oneof![Just(0), Just(5)],
        actions in prop::collection::vec(actions(), 0..6),
    ) {
        let timeline = play(&deployment(replicas, &strategy, &policy, deadline, min_ready), actions);
        prop_assert!(matches!(timeline.end.reason, EndReason::Quiet | EndReason::Time), "{:?}", timeline.end);
        let (totals, start) = (totals(&timeline), timeline.scenario.start);
        let since = |time: Option<Time>| time.map(|time| time.since(start));
        prop_assert_eq!(totals.complete, since(complete_by_steps(&timeline)));
        prop_assert_eq!(totals.last_old_pod_gone, since(old_pods_gone_by_frames(&timeline)));
        let points = Series::of(&timeline, "default", "web").points;
        let over = points.iter().map(|point| point.counts.holding() - point.marks.limit).max().unwrap_or(0);
        prop_assert_eq!(totals.most_over, over.max(0));
    }
}

fn rolling() -> Value {
    deployment(3, &json!({ "type": "RollingUpdate" }), &Value::Null, 600, 0)
}

#[test]
fn what_is_no_change_keeps_the_completion_time() {
    let alone = totals(&play(&rolling(), vec![set_image(5, "web:v2")]));
    assert!(alone.complete.unwrap() > 5 * Time::SECOND);
    assert!(alone.last_old_pod_gone > alone.complete);
    for later in [evict(120, 0), named(120, "pause")] {
        let more = totals(&play(&rolling(), vec![set_image(5, "web:v2"), later.clone()]));
        assert_eq!((more.complete, more.last_old_pod_gone), (alone.complete, alone.last_old_pod_gone), "{later}");
    }
}

#[test]
fn a_rollout_that_never_ends_has_no_time() {
    let stuck = totals(&play(&rolling(), vec![set_image(5, "web:v3")]));
    assert_eq!((stuck.complete, stuck.last_old_pod_gone), (None, None));
    let paused = totals(&play(&rolling(), vec![named(4, "pause"), set_image(5, "web:v2")]));
    assert_eq!((paused.complete, paused.last_old_pod_gone), (None, None));
}

#[test]
fn the_last_of_several_rollouts_counts() {
    let rolled_back = totals(&play(&rolling(), vec![set_image(5, "web:v3"), named(60, "undo")]));
    assert!(rolled_back.complete.unwrap() >= 60 * Time::SECOND);
    let first = totals(&play(&rolling(), vec![set_image(5, "web:v2")]));
    let second = totals(&play(&rolling(), vec![set_image(5, "web:v2"), set_image(125, "web:v4")]));
    assert!(second.complete.unwrap() > first.complete.unwrap() + 100 * Time::SECOND);
}

#[test]
fn a_scaling_is_complete_when_all_pods_are_available() {
    let seconds = |complete: Option<i64>| complete.map(|complete| complete / Time::SECOND);
    for (replicas, before, expected) in
        [(6, vec![], Some(14)), (0, vec![], Some(5)), (6, vec![named(4, "pause")], Some(14))]
    {
        let scaled = totals(&play(&rolling(), [before.clone(), vec![scale(5, replicas)]].concat()));
        assert_eq!((seconds(scaled.complete), scaled.last_old_pod_gone), (expected, Some(0)), "{replicas} {before:?}");
    }
    let stuck = totals(&play(&rolling(), vec![named(4, "pause"), set_image(5, "web:v2"), scale(6, 8)]));
    assert_eq!(stuck.complete, None);
}
