//! A node is lost with five of ten pods. After 50 seconds they are unready, after 300 more they are terminating, and
//! stay so until someone frees their slots. A pod takes 1 s to start, 4 s more to become ready, and 30 s to terminate.

use serde_json::{Value, json};

use super::super::objects::{deployment, recreate};
use super::complete_rollouts::{expected, roll_out, shop};
use super::rollout::pod;
use super::stories::{all_at_once, run};
use super::{COMPLETE, NONE, POLICIES, STARTED};

const SETTLED: &str = "KEP-5882, as settled in docs/kep-5882.md";

pub fn cases() -> Vec<Value> {
    [evicted(), rollouts(), recreated(), scaled(), freed()].concat()
}

/// Node a is lost after a minute, and half an hour passes.
fn lose(name: &str, deployment: Value, later: &[Value], expected: Value) -> Value {
    let actions: Vec<Value> =
        [json!({"at": "60s", "loseNode": {"name": "a"}})].into_iter().chain(later.iter().cloned()).collect();
    let mut case = run(name, SETTLED, deployment, actions.into(), expected);
    case["input"]["scenario"]["nodes"] = json!([{"name": "a"}, {"name": "b"}]);
    case
}

/// A new template after everything that the node controller does.
fn new_template() -> Value {
    let template = json!({"spec": {"containers": [{"name": "till", "image": "shop:green"}]}});
    json!({"at": "600s", "setTemplate": {"name": "shop", "namespace": "store", "template": template}})
}

fn status(at: &str, status: Value) -> Value {
    json!({"time": at, "objects": {"Deployment/shop": {"status": status}}})
}

/// Under every policy, the pods of a lost node are replaced as soon as they are terminating.
fn evicted() -> Vec<Value> {
    let all = POLICIES.map(|(word, policy)| {
        let frames = json!([
            status("109s", json!({"replicas": 10, "readyReplicas": 10, "terminatingReplicas": 0})),
            status("110s", json!({"replicas": 10, "readyReplicas": 5, "terminatingReplicas": 0})),
            status("409s", json!({"replicas": 10, "readyReplicas": 5, "terminatingReplicas": 0})),
            status("410s", json!({"replicas": 10, "readyReplicas": 5, "terminatingReplicas": 5})),
            status("50m", json!({"replicas": 10, "readyReplicas": 10, "terminatingReplicas": 5})),
        ]);
        let name = format!("a lost node's pods are replaced at once [{word}]");
        lose(&name, all_at_once(policy), &[], json!({"error": false, "peak": 15, "at": frames}))
    });
    all.to_vec()
}

/// Five slots stay taken forever.
fn rollouts() -> Vec<Value> {
    let all = POLICIES.map(|(word, policy)| {
        let expected = if policy == COMPLETE {
            let frames = json!([
                status("629s", json!({"updatedReplicas": null, "terminatingReplicas": 15})),
                status(
                    "50m",
                    json!({
                        "updatedReplicas": 5, "readyReplicas": 5, "terminatingReplicas": 5,
                        "conditions": [
                            {"type": "Available", "status": "True"},
                            {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"},
                        ],
                    })
                ),
            ]);
            json!({"error": false, "peak": 15, "completedAt": null, "at": frames})
        } else {
            json!({"error": false, "peak": 25, "completedAt": "2026-03-02T12:10:05Z"})
        };
        let word = if policy == COMPLETE { "blocks a rollout" } else { "does not block a rollout" }.to_owned()
            + &format!(" [{word}]");
        lose(&format!("a lost node {word}"), all_at_once(policy), &[new_template()], expected)
    });
    all.to_vec()
}

fn recreated() -> Vec<Value> {
    let rollout = |name: &str, policy, expected: Value| {
        let mut deployment = recreate(deployment(10, 0, policy));
        deployment["spec"]["progressDeadlineSeconds"] = 600.into();
        lose(name, deployment, &[new_template()], expected)
    };
    let stands = || {
        let frames =
            json!([status("50m", json!({"replicas": null, "updatedReplicas": null, "terminatingReplicas": 5}))]);
        json!({"error": false, "peak": 15, "completedAt": null, "at": frames})
    };
    vec![
        rollout("a lost node blocks a Recreate rollout [no policy]", NONE, stands()),
        rollout("a lost node blocks a Recreate rollout [TerminationComplete]", COMPLETE, stands()),
        rollout(
            "a lost node does not block a Recreate rollout [TerminationStarted]",
            STARTED,
            json!({"error": false, "peak": 25, "completedAt": "2026-03-02T12:10:05Z"}),
        ),
    ]
}

fn scaled() -> Vec<Value> {
    let scale = json!({"at": "600s", "scale": {"name": "shop", "namespace": "store", "replicas": 20}});
    let grow = |name: &str, policy, size: i32| {
        let frames = json!([status("50m", json!({"replicas": size, "terminatingReplicas": 5}))]);
        let expected = json!({"error": false, "peak": size + 5, "at": frames});
        lose(name, all_at_once(policy), std::slice::from_ref(&scale), expected)
    };
    vec![
        grow("a lost node blocks a scaling [TerminationComplete]", COMPLETE, 15),
        grow("a lost node does not block a scaling [TerminationStarted]", STARTED, 20),
        grow("a lost node does not block a scaling [no policy]", NONE, 20),
    ]
}

/// The pods of a lost node are force-deleted. They exist at the start, so that their names are known.
fn by_force() -> Value {
    let pods = |node: &str| -> Vec<Value> {
        let pod = |number: i32| {
            let mut pod = pod(&format!("shop-red-{node}{number}"), "Running", false);
            pod["spec"]["nodeName"] = node.into();
            pod
        };
        (0..5).map(pod).collect()
    };
    let delete = |pod: &Value| {
        let name = &pod["metadata"]["name"];
        json!({"at": "1200s", "delete": {"kind": "Pod", "name": name, "namespace": "store", "gracePeriodSeconds": 0}})
    };
    let begin = [json!({"at": "60s", "loseNode": {"name": "a"}}), roll_out("600s", "green")];
    let actions: Vec<Value> = begin.into_iter().chain(pods("a").iter().map(delete)).collect();
    let frames = [
        status("1199s", json!({"updatedReplicas": 5, "terminatingReplicas": 5})),
        status("1201s", json!({"updatedReplicas": 10, "terminatingReplicas": 0})),
    ];
    let name = "a rollout continues once the lost node's pods are deleted by force";
    let mut case =
        shop(name, SETTLED, 10, [json!(0), json!("100%")], &actions, expected(15, Some("12:20:05"), &frames));
    let scenario = &mut case["input"]["scenario"];
    scenario["nodes"] = json!([{"name": "a"}, {"name": "b"}]);
    scenario["objects"].as_array_mut().unwrap().extend([pods("a"), pods("b")].concat());
    case
}

/// The ways to free the slots of a lost node's pods, used after twenty minutes: then the rollout continues.
fn freed() -> Vec<Value> {
    let go = |how: &str, action: &str, at: &str| {
        let actions = [new_template(), json!({"at": "1200s", action: {"name": "a"}})];
        let frames = json!([status("50m", json!({"updatedReplicas": 10, "terminatingReplicas": 0}))]);
        let expected = json!({"error": false, "peak": 15, "completedAt": format!("2026-03-02T{at}Z"), "at": frames});
        lose(&format!("a rollout continues once the lost node {how}"), all_at_once(COMPLETE), &actions, expected)
    };
    vec![
        // Its kubelet stops the pods within their 30 seconds.
        go("returns", "returnNode", "12:20:35"),
        // The pod garbage collector runs every 20 seconds.
        go("is out of service", "taintOutOfService", "12:20:05"),
        // It waits 40 seconds for the node to come back.
        go("is deleted", "deleteNode", "12:20:45"),
        by_force(),
    ]
}
