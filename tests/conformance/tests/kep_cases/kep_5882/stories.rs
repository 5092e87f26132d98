//! Whole rollouts in the simulated cluster: the maximum number of pods, and when the rollout is complete. A pod takes 1
//! s to start, 4 s more to become ready, and 30 s to terminate.

use serde_json::{Value, json};

use super::super::objects::{case, deployment, recreate};
use super::{COMPLETE, NONE, POLICIES, STARTED, on};

const SETTLED: &str = "KEP-5882, as settled in docs/kep-5882.md";

pub fn cases() -> Vec<Value> {
    [
        replaced_at_once(),
        recreated(),
        scaled(),
        recreated_and_scaled(),
        to_zero(),
        evicted(),
        standalone(),
        lost(),
        refused(),
    ]
    .concat()
}

/// Ten pods at rest, and what the user does after a minute.
pub fn run(name: &str, source: &str, mut deployment: Value, actions: Value, expected: Value) -> Value {
    let metadata = deployment["metadata"].as_object_mut().unwrap();
    metadata.retain(|key, _| key == "name" || key == "namespace");
    deployment.as_object_mut().unwrap().remove("status");
    let scenario = json!({
        "version": 1,
        "start": "2026-03-02T12:00:00Z",
        "objects": [deployment],
        "kubelet": [{"schedule": "0s", "start": "1s", "ready": "4s", "terminate": "30s"}],
        "actions": actions,
        "limits": {"time": "1h"},
    });
    case("timeline.run", name, source, &on(), json!({"scenario": scenario}), expected)
}

pub fn new_template() -> Value {
    let template = json!({"spec": {"containers": [{"name": "till", "image": "shop:green"}]}});
    json!([{"at": "60s", "setTemplate": {"name": "shop", "namespace": "store", "template": template}}])
}

/// A Deployment whose pods may all be replaced at once, with no surge.
pub fn all_at_once(policy: Option<&str>) -> Value {
    let mut deployment = deployment(10, 0, policy);
    deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] = "100%".into();
    deployment
}

fn replaced_at_once() -> Vec<Value> {
    const SOURCE: &str = "KEP-5882, Motivation";
    let rollout = |name: &str, policy, peak: i32, completed: &str| {
        let expected = json!({"error": false, "peak": peak, "completedAt": completed});
        run(name, SOURCE, all_at_once(policy), new_template(), expected)
    };
    vec![
        rollout("old and new pods side by side [no policy]", NONE, 20, "2026-03-02T12:01:05Z"),
        rollout("old and new pods side by side [TerminationStarted]", STARTED, 20, "2026-03-02T12:01:05Z"),
        rollout("never more than the Deployment says [TerminationComplete]", COMPLETE, 10, "2026-03-02T12:01:35Z"),
    ]
}

fn recreated() -> Vec<Value> {
    const SOURCE: &str = "KEP-5882, Deployment Behavior Changes, Recreate rollout logic";
    let rollout = |name: &str, policy, peak: i32, completed: &str| {
        let expected = json!({"error": false, "peak": peak, "completedAt": completed});
        run(name, SOURCE, recreate(deployment(10, 0, policy)), new_template(), expected)
    };
    vec![
        rollout("Recreate waits for the old pods [no policy]", NONE, 10, "2026-03-02T12:01:35Z"),
        rollout("Recreate does not wait for their end [TerminationStarted]", STARTED, 20, "2026-03-02T12:01:05Z"),
        rollout("Recreate waits for the old pods [TerminationComplete]", COMPLETE, 10, "2026-03-02T12:01:35Z"),
    ]
}

/// Down from 10 to 4, and up again while six pods still terminate.
fn scaled() -> Vec<Value> {
    let scale = |at: &str, replicas: i32| json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}});
    let actions = json!([scale("60s", 4), scale("70s", 10)]);
    let grow = |name: &str, story: &str, policy, peak: i32, size: i32| {
        let frames = json!([
            {"time": "71s", "objects": {"Deployment/shop": {"spec": {"replicas": 10}, "status": {"replicas": size}}}},
            {"time": "3m", "objects": {"Deployment/shop": {"status": {"replicas": 10, "readyReplicas": 10, "terminatingReplicas": 0}}}},
        ]);
        let expected = json!({"error": false, "peak": peak, "at": frames});
        run(name, &format!("KEP-5882, {story}"), all_at_once(policy), actions.clone(), expected)
    };
    vec![
        grow("scaled up again: a predictable number of pods", "Story 1", COMPLETE, 10, 4),
        grow("scaled up again: at once", "Story 2", STARTED, 16, 10),
        grow("scaled up again: at once, as in today's releases", "Story 2", NONE, 16, 10),
    ]
}

/// A Recreate Deployment, down from 10 to 4, and up again while six pods still terminate.
fn recreated_and_scaled() -> Vec<Value> {
    let scale = |at: &str, replicas: i32| json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}});
    let all = POLICIES.map(|(word, policy)| {
        let (size, peak) = if policy == COMPLETE { (4, 10) } else { (10, 16) };
        let frames = json!([
            {"time": "71s", "objects": {"Deployment/shop": {"status": {"replicas": size, "terminatingReplicas": 6}}}},
            {"time": "3m", "objects": {"Deployment/shop": {"status": {"replicas": 10, "terminatingReplicas": 0}}}},
        ]);
        let actions = json!([scale("60s", 4), scale("70s", 10)]);
        let name = format!("Recreate, scaled up again while pods terminate [{word}]");
        let expected = json!({"error": false, "peak": peak, "at": frames});
        run(&name, "KEP-5882, Proposal", recreate(deployment(10, 0, policy)), actions, expected)
    });
    all.to_vec()
}

/// To zero for ten seconds.
fn to_zero() -> Vec<Value> {
    let scale = |at: &str, replicas: i32| json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}});
    let grow = |name: &str, policy, peak: i32, size: Value| {
        let frames = json!([
            {"time": "71s", "objects": {"Deployment/shop": {"status": {"replicas": size}}}},
            {"time": "3m", "objects": {"Deployment/shop": {"status": {"replicas": 10, "terminatingReplicas": 0}}}},
        ]);
        let actions = json!([scale("60s", 0), scale("70s", 10)]);
        let expected = json!({"error": false, "peak": peak, "at": frames});
        run(name, SETTLED, all_at_once(policy), actions, expected)
    };
    vec![
        grow("to zero and back: it waits for the old pods", COMPLETE, 10, Value::Null),
        grow("to zero and back: at once [TerminationStarted]", STARTED, 20, json!(10)),
        grow("to zero and back: at once [no policy]", NONE, 20, json!(10)),
    ]
}

/// The ReplicaSet controller does not know about policies.
fn evicted() -> Vec<Value> {
    let all = POLICIES.map(|(word, policy)| {
        let actions = json!([
            {"at": "60s", "evict": {"name": "shop/0", "namespace": "store"}},
            {"at": "61s", "delete": {"kind": "Pod", "name": "shop/1", "namespace": "store"}},
        ]);
        let name = format!("evicted and deleted pods are replaced at once [{word}]");
        run(&name, SETTLED, all_at_once(policy), actions, json!({"error": false, "peak": 12}))
    });
    all.to_vec()
}

/// A ReplicaSet without a Deployment has no policy.
fn standalone() -> Vec<Value> {
    let set = || {
        let mut set = all_at_once(NONE);
        set["kind"] = "ReplicaSet".into();
        set["spec"].as_object_mut().unwrap().remove("strategy");
        set
    };
    let scale = |at: &str, replicas: i32| json!({"at": at, "scale": {"kind": "ReplicaSet", "name": "shop", "namespace": "store", "replicas": replicas}});
    let frames = json!([{"time": "71s", "objects": {"ReplicaSet/shop": {"status": {"replicas": 10, "terminatingReplicas": 6}}}}]);
    let expected = json!({"error": false, "at": frames});
    let actions = json!([scale("60s", 4), scale("70s", 10)]);
    vec![run(
        "a standalone ReplicaSet waits for nothing",
        "KEP-5882, Consideration for Other Controllers",
        set(),
        actions,
        expected,
    )]
}

/// Pods that never finish terminating, as on a lost node.
fn lost() -> Vec<Value> {
    let go = |name: &str, deployment: Value, actions: Value, status: Value| {
        let frames = json!([{"time": "50m", "objects": {"Deployment/shop": {"status": status}}}]);
        let expected = json!({"error": false, "peak": 10, "completedAt": null, "at": frames});
        let mut case = run(name, SETTLED, deployment, actions, expected);
        let scenario = &mut case["input"]["scenario"];
        scenario["kubelet"][0]["terminate"] = "3h".into();
        scenario["objects"][0]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 86400.into();
        case
    };
    let scale = |at: &str, replicas: i32| json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}});
    let none_new = json!({"updatedReplicas": null, "terminatingReplicas": 10});
    vec![
        go("a rollout waits for pods that never end", all_at_once(COMPLETE), new_template(), none_new.clone()),
        go(
            "a Recreate rollout waits for pods that never end",
            recreate(deployment(10, 0, COMPLETE)),
            new_template(),
            none_new,
        ),
        go(
            "a scaling waits for pods that never end",
            all_at_once(COMPLETE),
            json!([scale("60s", 4), scale("70s", 10)]),
            json!({"replicas": 4, "terminatingReplicas": 6}),
        ),
    ]
}

/// An unknown policy is rejected when the object is created.
fn refused() -> Vec<Value> {
    let expected = json!({"error": "objects[0].spec.podReplacementPolicy: Unsupported value: \"Never\": supported values: \"TerminationComplete\", \"TerminationStarted\""});
    vec![run("an unknown policy is refused", "KEP-5882, API", deployment(10, 1, Some("Never")), json!([]), expected)]
}
