//! Where rollouts stand, from the states of simulations, and what would unblock them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use changeover_core::cluster::{Changes, steady_state};
use changeover_core::prediction::{Assumptions, Outlook, PredictOptions, Rollout, Standing};
use changeover_core::scenario::{Action, Duration, NodeName, TimedAction};
use changeover_core::timeline::Timeline;
use serde_json::{Value, json};

fn deployment(strategy: &Value) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "shop" },
        "spec": {
            "replicas": 2,
            "strategy": strategy,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
            },
        },
    })
}

fn node(name: &str, ready: &str, pods: u32) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": name },
        "status": {
            "allocatable": { "pods": pods.to_string() },
            "conditions": [{ "type": "Ready", "status": ready }],
        },
    })
}

/// The outlook of the only rollout some seconds after the start of a simulation, and what would unblock it.
fn outlook(
    deployment: &Value,
    changes: &Value,
    actions: &[TimedAction],
    seconds: i64,
    nodes: &[Value],
) -> (Rollout, Vec<String>) {
    let mut scenario = steady_state(deployment, &Changes::from_value(changes).unwrap()).unwrap();
    scenario.actions.extend(actions.iter().cloned());
    scenario.actions.sort_by_key(|action| action.at);
    let timeline = Timeline::run(scenario).unwrap();
    let now = timeline.scenario.start.plus_seconds(seconds);
    let mut cursor = timeline.cursor();
    cursor.seek(&timeline, timeline.frame_at(now));
    let objects: Vec<Value> =
        cursor.state().objects().map(|object| object.to_value()).chain(nodes.iter().cloned()).collect();
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    let outlook = Outlook::of(&objects, &PredictOptions { assumptions, ..PredictOptions::default() }).unwrap();
    let [rollout] = outlook.rollouts().collect::<Vec<_>>().try_into().unwrap();
    let mut remedies: Vec<String> = outlook.remedies(&rollout).unwrap().into_iter().map(|remedy| remedy.what).collect();
    remedies.sort();
    (rollout, remedies)
}

#[test]
fn a_full_node_needs_room_or_a_pod_that_goes_first() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let changes = json!({ "at": "0s", "image": "web:2", "nodes": [{ "name": "a", "pods": 2 }] });
    let (rollout, remedies) = outlook(&deployment(&strategy), &changes, &[], 30, &[node("a", "True", 2)]);
    assert_eq!(rollout.standing, Standing::Stuck);
    assert!(
        rollout.obstacles.iter().any(|obstacle| obstacle.why.starts_with("no node has room for a pod: ")),
        "{rollout:?}"
    );
    let expected = ["Add a node, or make room on one", "Allow 1 unavailable pod instead of extra pods", "Roll back"];
    assert_eq!(remedies, expected);
}

#[test]
fn pods_on_a_lost_node_block_recreate() {
    let changes = json!({ "at": "60s", "image": "web:2", "nodes": [{ "name": "a" }, { "name": "b" }] });
    let lost = TimedAction { at: Duration(0), action: Action::LoseNode(NodeName { name: "a".into() }) };
    let nodes = [node("a", "Unknown", 110), node("b", "True", 110)];
    let (rollout, remedies) = outlook(&deployment(&json!({ "type": "Recreate" })), &changes, &[lost], 150, &nodes);
    assert_eq!(rollout.standing, Standing::Stuck);
    let why = "node a no longer reports: 1 pod there does not stop until it does";
    assert!(rollout.obstacles.iter().any(|obstacle| obstacle.why == why), "{:?}", rollout.obstacles);
    for remedy in ["Bring node a back", "Delete node a, if it is gone for good"] {
        assert!(remedies.iter().any(|it| it == remedy), "{remedies:?}");
    }
}

#[test]
fn a_rollout_in_progress_needs_nothing() {
    let changes = json!({ "at": "0s", "image": "web:2" });
    let (rollout, remedies) = outlook(&deployment(&json!({})), &changes, &[], 3, &[]);
    assert_eq!((rollout.standing, rollout.obstacles.len(), remedies.len()), (Standing::Progressing, 0, 0));
    assert!(
        rollout.summary().starts_with("1 new and 2 old pods, 2 of 2 available; complete in "),
        "{}",
        rollout.summary()
    );
}
