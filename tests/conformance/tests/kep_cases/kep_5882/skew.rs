//! Feature gates that change over time, and differ between the components. A pod takes 1 s to start, 4 s more to become
//! ready, and 30 s to terminate.

use serde_json::{Value, json};

use super::super::objects::{deployment, gates, recreate};
use super::stories::{all_at_once, new_template, run};
use super::{COMPLETE, NONE, STARTED, on};

const ENABLEMENT: &str = "KEP-5882, Feature Enablement and Rollback";
const SKEW: &str = "KEP-5882, Version Skew Strategy";
const SETTLED: &str = "KEP-5882, as settled in docs/kep-5882.md";

pub fn cases() -> Vec<Value> {
    [mid_rollout(), mid_scaling(), components(), uncounted(), refused()].concat()
}

/// Restarts components with the policy's gate on or off.
pub fn restart(at: &str, component: &str, policy: bool) -> Value {
    let gates = gates(true, policy);
    let gates = if component.is_empty() { gates } else { json!({component: gates}) };
    json!({"at": at, "featureGates": gates})
}

/// Sets another policy on the Deployment, or none.
pub fn set_policy(at: &str, policy: Option<&str>) -> Value {
    let metadata = json!({"name": "shop", "namespace": "store"});
    let spec = json!({"podReplacementPolicy": policy});
    json!({"at": at, "apply": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}})
}

fn scale(at: &str, replicas: i32) -> Value {
    json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}})
}

fn status(at: &str, status: Value) -> Value {
    json!({"time": at, "objects": {"Deployment/shop": {"status": status}}})
}

/// The given actions after the one that starts the rollout.
fn and(first: Value, later: &[Value]) -> Value {
    let Value::Array(mut actions) = first else { return first };
    actions.extend(later.iter().cloned());
    actions.into()
}

/// All ten terminate from 60 s to 90 s; or five do, and the other five once the first new ones are ready.
fn mid_rollout() -> Vec<Value> {
    let mut halves = all_at_once(COMPLETE);
    halves["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] = 5.into();
    let go = |name: &str, deployment: Value, actions: Value, peak: i32, completed: &str, frames: &[Value]| {
        let completed = format!("2026-03-02T{completed}Z");
        let expected = json!({"error": false, "peak": peak, "completedAt": completed, "at": frames});
        run(name, ENABLEMENT, deployment, actions, expected)
    };
    vec![
        go(
            "the gate is turned off during a rollout: extra pods",
            all_at_once(COMPLETE),
            and(new_template(), &[restart("70s", "", false)]),
            20,
            "12:01:15",
            &[
                status("69s", json!({"updatedReplicas": null, "terminatingReplicas": 10})),
                status("71s", json!({"updatedReplicas": 10, "terminatingReplicas": 10})),
            ],
        ),
        go(
            "the gate is turned on during a rollout: the remaining pods wait",
            halves.clone(),
            and(json!([restart("59s", "", false)]), &[new_template()[0].clone(), restart("62s", "", true)]),
            15,
            "12:01:40",
            &[
                status("61s", json!({"replicas": 10, "updatedReplicas": 5, "terminatingReplicas": 5})),
                status("66s", json!({"replicas": 5, "updatedReplicas": 5, "terminatingReplicas": 10})),
                status("94s", json!({"replicas": 5, "updatedReplicas": 5, "terminatingReplicas": 5})),
                status("96s", json!({"replicas": 10, "updatedReplicas": 10, "terminatingReplicas": 0})),
            ],
        ),
        go(
            "the gate is off and on again during a rollout: extra pods, and then none",
            halves,
            and(new_template(), &[restart("70s", "", false), restart("72s", "", true)]),
            15,
            "12:01:50",
            &[
                status("69s", json!({"replicas": 5, "updatedReplicas": null, "terminatingReplicas": 5})),
                status("71s", json!({"replicas": 10, "updatedReplicas": 5, "terminatingReplicas": 5})),
                status("80s", json!({"replicas": 5, "updatedReplicas": 5, "terminatingReplicas": 10})),
                status("100s", json!({"replicas": 5, "updatedReplicas": 5, "terminatingReplicas": 5})),
                status("3m", json!({"replicas": 10, "updatedReplicas": 10, "terminatingReplicas": 0})),
            ],
        ),
    ]
}

/// A rollout that is stuck with half old and half new pods, since the new ones never become ready.
fn halfway(name: &str, later: &[Value], frames: &[Value]) -> Value {
    let mut deployment = all_at_once(COMPLETE);
    deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] = "50%".into();
    let expected = json!({"error": false, "at": frames});
    let mut case = run(name, ENABLEMENT, deployment, and(new_template(), later), expected);
    let mut never = case["input"]["scenario"]["kubelet"][0].clone();
    never["image"] = "shop:green".into();
    never["ready"] = "never".into();
    case["input"]["scenario"]["kubelet"].as_array_mut().unwrap().insert(0, never);
    case
}

fn mid_scaling() -> Vec<Value> {
    // Six of ten terminate until 90 s.
    let one = |name: &str, later: &[Value], frames: &[Value]| {
        let actions = and(json!([scale("60s", 4), scale("70s", 10)]), later);
        run(name, ENABLEMENT, all_at_once(COMPLETE), actions, json!({"error": false, "at": frames}))
    };
    // Two of ten terminate from 100 s to 130 s. At 110 s there is room for ten of twelve: the new ReplicaSet has its
    // ten, the old one eight.
    let two = |name: &str, later: &[Value], frames: &[Value]| {
        let actions = [&[scale("100s", 8), scale("110s", 20)], later, &[scale("200s", 30)]].concat();
        let partial = status("119s", json!({"replicas": 18, "updatedReplicas": 10, "terminatingReplicas": 2}));
        halfway(name, &actions, &[&[partial], frames].concat())
    };
    vec![
        one(
            "the gate is turned off during a scaling: extra pods",
            &[restart("75s", "", false)],
            &[
                status("74s", json!({"replicas": 4, "terminatingReplicas": 6})),
                status("76s", json!({"replicas": 10, "terminatingReplicas": 6})),
            ],
        ),
        one(
            "the gate is off and on again during a scaling: the next scaling waits again",
            &[restart("75s", "", false), restart("76s", "", true), scale("80s", 12)],
            &[
                status("79s", json!({"replicas": 10, "terminatingReplicas": 6})),
                status("89s", json!({"replicas": 10, "terminatingReplicas": 6})),
                status("91s", json!({"replicas": 12, "terminatingReplicas": 0})),
            ],
        ),
        two(
            "the gate stays on during a scaling: the proportions are right",
            &[],
            &[
                status("131s", json!({"replicas": 20, "updatedReplicas": 10, "terminatingReplicas": 0})),
                status("201s", json!({"replicas": 30, "updatedReplicas": 15, "terminatingReplicas": 0})),
            ],
        ),
        // The old ReplicaSet gets its full size while the gate is off, and keeps its annotation with the 4 from before.
        two(
            "the gate is off and on again during a scaling: the old annotation is removed; the proportions are right",
            &[restart("120s", "", false), restart("122s", "", true)],
            &[
                status("121s", json!({"replicas": 20, "updatedReplicas": 10, "terminatingReplicas": 2})),
                status("201s", json!({"replicas": 30, "updatedReplicas": 15, "terminatingReplicas": 0})),
            ],
        ),
        // 30 / 20 * 4 is 6, less than it has: it loses 4, and the new one gets them and all ten that are added.
        two(
            "the gate is off and on again during a scaling: under TerminationStarted, the old annotation distorts the proportions",
            &[restart("120s", "", false), set_policy("121s", STARTED), restart("122s", "", true)],
            &[
                status("121s", json!({"replicas": 20, "updatedReplicas": 10, "terminatingReplicas": 2})),
                status("201s", json!({"replicas": 30, "updatedReplicas": 24, "terminatingReplicas": 4})),
            ],
        ),
    ]
}

/// Ten old pods terminate at 60 s: the field's value after five minutes, and the maximum number of pods.
fn components() -> Vec<Value> {
    let go = |name: &str, start: Value, actions: Value, policy: Option<&str>, peak: i32, completed: &str| {
        let objects = json!({"Deployment/shop": {"spec": {"podReplacementPolicy": policy}}});
        let completed = format!("2026-03-02T{completed}Z");
        let frames = json!([{"time": "5m", "objects": objects}]);
        let expected = json!({"error": false, "peak": peak, "completedAt": completed, "at": frames});
        with_gates(run(name, SKEW, all_at_once(COMPLETE), actions, expected), start)
    };
    let apart = |apiserver: bool, controllers: bool| json!({"apiserver": gates(true, apiserver), "controllerManager": gates(true, controllers)});
    let then = |first: &[Value]| and(first.to_vec().into(), &[new_template()[0].clone()]);
    let api_off = restart("50s", "apiserver", false);
    vec![
        go(
            "the controller manager's gate is off: the policy is kept but has no effect",
            apart(true, false),
            new_template(),
            COMPLETE,
            20,
            "12:01:05",
        ),
        go(
            "the controller manager's gate is turned off during a rollout: the policy is kept but has no more effect",
            on(),
            and(new_template(), &[restart("70s", "controllerManager", false)]),
            COMPLETE,
            20,
            "12:01:15",
        ),
        go(
            "the API server's gate is off: a new Deployment has no policy",
            apart(false, true),
            new_template(),
            NONE,
            20,
            "12:01:05",
        ),
        go(
            "the API server's gate is turned on: then the policy may be set",
            apart(false, true),
            then(&[restart("30s", "apiserver", true), set_policy("50s", COMPLETE)]),
            COMPLETE,
            10,
            "12:01:35",
        ),
        go(
            "the API server's gate is turned off: an existing policy keeps working",
            on(),
            then(std::slice::from_ref(&api_off)),
            COMPLETE,
            10,
            "12:01:35",
        ),
        go(
            "the API server's gate is turned off: an existing policy may be changed",
            on(),
            then(&[api_off.clone(), set_policy("55s", STARTED)]),
            STARTED,
            20,
            "12:01:05",
        ),
        go(
            "the API server's gate is turned off: a policy that is removed can't be set again",
            on(),
            then(&[api_off, set_policy("55s", NONE), set_policy("56s", COMPLETE)]),
            NONE,
            20,
            "12:01:05",
        ),
    ]
}

fn with_gates(mut case: Value, gates: Value) -> Value {
    case["input"]["scenario"]["featureGates"] = gates;
    case
}

/// The API server's gates are both turned off at 50 s: it keeps the policy, and the counts that ReplicaSets already
/// have, but stores no count for a new ReplicaSet. The controllers need it.
fn uncounted() -> Vec<Value> {
    let off = json!({"at": "50s", "featureGates": {"apiserver": gates(false, false)}});
    let run = |name: &str, deployment: Value, later: &[Value], frames: &[Value]| {
        let actions = [&[off.clone(), new_template()[0].clone()], later].concat();
        run(name, SETTLED, deployment, actions.into(), json!({"error": false, "peak": 10, "at": frames}))
    };
    let counts = |at: &str, replicas: Value, updated: Value, terminating: Value| {
        status(at, json!({"replicas": replicas, "updatedReplicas": updated, "terminatingReplicas": terminating}))
    };
    let mut halves = all_at_once(COMPLETE);
    halves["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] = 5.into();
    // The new ReplicaSet is created without pods while five of the old ones terminate. It then reports no terminating
    // pods, and every sync fails before it writes the status.
    let stands = |at: &str| {
        let mut frame = counts(at, json!(10), Value::Null, json!(0));
        frame["objects"]["ReplicaSet/shop-5556f6cf65"] = json!({"spec": {"replicas": 5}, "status": {"replicas": 5}});
        frame
    };
    let mut watched = recreate(deployment(10, 0, COMPLETE));
    watched["spec"]["progressDeadlineSeconds"] = 60.into();
    let stuck = json!({"updatedReplicas": 10, "readyReplicas": 10, "terminatingReplicas": null, "conditions": [
        {"type": "Available", "status": "True"},
        {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"},
    ]});
    vec![
        run(
            "the API server's gates are turned off: a rolling update stops",
            halves.clone(),
            &[],
            &[stands("61s"), stands("50m")],
        ),
        run(
            "the API server's gates are turned off and on again: the counts are back, and the rollout continues",
            halves,
            &[json!({"at": "600s", "featureGates": on()})],
            &[
                stands("599s"),
                counts("601s", json!(10), json!(5), json!(0)),
                counts("606s", json!(5), json!(5), json!(5)),
                counts("641s", json!(10), json!(10), json!(0)),
            ],
        ),
        // The wait looks at pods; the new ReplicaSet, which was never observed, counts as having none.
        run(
            "the API server's gates are turned off: Recreate waits for the pods, and the new ones are created",
            recreate(deployment(10, 0, COMPLETE)),
            &[],
            &[
                counts("89s", Value::Null, Value::Null, json!(10)),
                status("96s", json!({"replicas": 10, "updatedReplicas": 10, "readyReplicas": 10})),
            ],
        ),
        run(
            "the API server's gates are turned off: a rollout with all its pods is never complete",
            watched,
            &[],
            &[status("50m", stuck)],
        ),
    ]
}

/// The policy's gate without the gate for the count, in one component: the component does not start.
fn refused() -> Vec<Value> {
    const TEXT: &str = "DeploymentPodReplacementPolicy is enabled, but depends on features that are disabled: \
                        [DeploymentReplicaSetTerminatingReplicas]";
    let alone = || gates(false, true);
    let go = |name: &str, start: Value, actions: Value, path: &str| {
        let expected = json!({"error": format!("{path}: {TEXT}")});
        with_gates(run(name, SETTLED, all_at_once(COMPLETE), actions, expected), start)
    };
    vec![
        go("the policy's gate needs the gate for terminatingReplicas", alone(), json!([]), "featureGates"),
        go(
            "the policy's gate needs the gate for terminatingReplicas, in the same component",
            json!({"apiserver": on(), "controllerManager": alone()}),
            json!([]),
            "featureGates.controllerManager",
        ),
        go(
            "the policy's gate needs the gate for terminatingReplicas, when a component restarts",
            on(),
            json!([{"at": "50s", "featureGates": {"apiserver": alone()}}]),
            "actions[0].featureGates.apiserver",
        ),
    ]
}
