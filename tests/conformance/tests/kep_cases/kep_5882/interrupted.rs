//! Interrupted scalings: reverted, refused in the middle, spread over many ReplicaSets, without room for a single pod,
//! or so long that a deadline passes.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, deployment, noted, recreate, replica_set};
use super::complete_rollouts::{self, Noted};
use super::settled_questions::sync;
use super::stories::{all_at_once, run};
use super::{COMPLETE, NONE, on, scale};

const SECTION: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";
const REENTRANT: &str = "KEP-5882, Graduation Criteria, Beta";
const SETTLED: &str = "KEP-5882, as settled in docs/kep-5882.md";
const BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";
const SURGE: i32 = 10;

pub fn cases() -> Vec<Value> {
    [reverted(), refused(), many(), no_room(), watched()].concat()
}

const fn of(color: &'static str, replicas: i32, desired: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::complete(desired, SURGE))
}

const fn owed(color: &'static str, replicas: i32, before: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::partial(100, SURGE, before))
}

/// The user sets the old number of replicas again while the scaling is partial. Old 6 and new 5 of 10, surge 1.
fn reverted() -> Vec<Value> {
    const SURGE: i32 = 1;
    let of = |color, replicas| replica_set(color, replicas, Annotations::complete(10, SURGE));
    let owed = |color, replicas, before| replica_set(color, replicas, Annotations::partial(10, SURGE, before));
    let go = |name: &str, desired: i32, policy, before: &[ReplicaSet], after: &[ReplicaSet]| {
        scale(name, SECTION, &on(), deployment(desired, SURGE, policy), before, after)
    };
    let part = |terminating| [owed("red", 8, 6).terminating(terminating), owed("blue", 5, 5)];
    let back = [of("red", 6), of("blue", 5)];
    vec![
        go(
            "reverted scaling: from 10 to 20, there is room for 2 of 10",
            20,
            COMPLETE,
            &[of("red", 6).terminating(Some(8)), of("blue", 5)],
            &part(None),
        ),
        go("reverted scaling: back to 10, the added pods are removed", 10, COMPLETE, &part(Some(8)), &back),
        go("reverted scaling: removing pods needs no terminatingReplicas", 10, COMPLETE, &part(None), &back),
        sync(
            "reverted scaling: a sync treats it as a scaling event, though desired-replicas is unchanged",
            deployment(10, SURGE, COMPLETE),
            &part(Some(8)),
            &["down replica set shop-red from 8 to 6"],
        ),
        sync(
            "reverted scaling under another policy: the rollout continues from the current sizes [no policy]",
            deployment(10, SURGE, NONE),
            &part(Some(8)),
            &["down replica set shop-red from 8 to 4"],
        ),
        scale(
            "reverted scaling, Recreate: several ReplicaSets get no shares, and the rollout continues",
            SECTION,
            &on(),
            recreate(deployment(10, 0, COMPLETE)),
            &part(Some(8)),
            &[
                replica_set("red", 8, Annotations::complete(10, 0)),
                replica_set("blue", 5, Annotations::complete(10, 0)),
            ],
        ),
        only_one_reverted(),
        autoscaled("TerminationComplete", COMPLETE, [(14, (10, 11, Some(10))), (1, (10, 11, Some(1)))], 10, 14),
        autoscaled("no policy", NONE, [(23, (24, 25, None)), (2, (24, 25, None))], 10, 24),
    ]
}

/// From 10 to 20, to 10, to 24 while ten pods still terminate, and to 10 again, in a stuck rollout. At 24, there is
/// room for 4 of 14 under TerminationComplete.
fn autoscaled(word: &str, policy: Option<&str>, scaled: [(i32, Noted); 2], terminating: i32, afterwards: i32) -> Value {
    let steps = [("100s", 20), ("105s", 10), ("110s", 24), ("115s", 10)];
    let actions: Vec<Value> = [complete_rollouts::roll_out("60s", "green")]
        .into_iter()
        .chain(steps.map(|(at, to)| complete_rollouts::scale(at, to)))
        .collect();
    let back = [(10, (10, 11, None)), (1, (10, 11, None))];
    let frames = [
        complete_rollouts::noted("109s", &back, 10),
        complete_rollouts::noted("114s", &scaled, terminating),
        complete_rollouts::noted("116s", &back, afterwards),
        complete_rollouts::noted("50m", &back, 0),
    ];
    let name = format!("an autoscaler scales up and down during a rollout: the sizes end as they began [{word}]");
    let peak = 11 + afterwards;
    let case = complete_rollouts::shop(
        &name,
        SECTION,
        10,
        [json!(1), json!(0)],
        &actions,
        complete_rollouts::expected(peak, None, &frames),
    );
    complete_rollouts::never_ready(complete_rollouts::under(case, policy), "green")
}

/// From 10 to 4, to 10 while six pods still terminate, and to 4 again.
fn only_one_reverted() -> Value {
    let scale = |at: &str, replicas: i32| json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}});
    let actions = json!([scale("60s", 4), scale("70s", 10), scale("75s", 4)]);
    let frame = |at: &str, before: Value| {
        let annotations = json!({"deployment.kubernetes.io/desired-replicas": "4", BEFORE_SCALE: before});
        json!({"time": at, "objects": {"ReplicaSet/shop-5556f6cf65": {"metadata": {"annotations": annotations}, "spec": {"replicas": 4}}}})
    };
    let frames = json!([frame("74s", json!("4")), frame("76s", Value::Null)]);
    let expected = json!({"error": false, "peak": 10, "at": frames});
    run("reverted scaling: the only ReplicaSet is owed no more pods", SETTLED, all_at_once(COMPLETE), actions, expected)
}

/// The API server refuses one of several writes, and the sync is retried.
fn refused() -> Vec<Value> {
    let [red, green, blue] = [of("red", 50, 100).terminating(Some(15)), of("green", 30, 100), of("blue", 20, 100)];
    let mut first = sync(
        "the second write is refused: the first one stays",
        deployment(120, SURGE, COMPLETE),
        &[red, green.clone(), blue.clone()],
        &["up replica set shop-red from 50 to 59"],
    );
    // The revision is already written.
    first["input"]["deployment"]["metadata"]["annotations"] = json!({"deployment.kubernetes.io/revision": "3"});
    first["input"]["replicaSets"][2]["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "3".into();
    let message = "etcdserver: request timed out";
    first["input"]["refuse"] =
        json!([{"verb": "update", "resource": "replicasets", "after": 1, "code": 500, "message": message}]);
    first["expected"]["error"] = true.into();
    let again = |name: &str, red: ReplicaSet, blue_to: i32| {
        let up = [
            "up replica set shop-green from 30 to 35".to_owned(),
            format!("up replica set shop-blue from 20 to {blue_to}"),
        ];
        let sets = [red, green.clone(), blue.clone()];
        sync(name, deployment(120, SURGE, COMPLETE), &sets, &up.each_ref().map(String::as_str))
    };
    let finished = replica_set("red", 71, Annotations::complete(120, SURGE));
    let mut all = vec![
        first,
        again(
            "after a refused write: the others get their usual shares",
            owed("red", 59, 50).terminating(Some(15)),
            21,
        ),
        again("after a refused write: the others get their full shares", finished, 24),
    ];
    for case in &mut all {
        case["source"] = REENTRANT.into();
    }
    all
}

/// Six ReplicaSets with pods. The full sizes are 58 (with the 14 left over), 36, 29, 15, 15 and 7; there is room for 40
/// of 60.
fn many() -> Vec<Value> {
    let before = [
        of("grey", 10, 100).terminating(Some(20)),
        of("red", 20, 100),
        of("green", 30, 100),
        of("amber", 10, 100),
        of("violet", 5, 100),
        of("blue", 25, 100),
    ];
    let whole = |color, replicas| of(color, replicas, 150);
    let after = [
        owed("grey", 11, 10),
        whole("red", 29),
        owed("green", 44, 30),
        whole("amber", 15),
        owed("violet", 5, 5),
        whole("blue", 36),
    ];
    vec![scale(
        "over six ReplicaSets: shares in order, none for the last one, and the leftover waits",
        SECTION,
        &on(),
        deployment(150, SURGE, COMPLETE),
        &before,
        &after,
    )]
}

/// No ReplicaSet wants pods, and there is no room for the first pod.
fn no_room() -> Vec<Value> {
    let before = [of("blue", 0, 0).terminating(Some(14))];
    let after = [of("blue", 0, 0)];
    vec![scale(
        "no ReplicaSet has pods, and there is no room for one: none is changed",
        SETTLED,
        &on(),
        deployment(4, SURGE, COMPLETE),
        &before,
        &after,
    )]
}

/// Ten pods that take 120 s to terminate, scaled from 10 to 20 during a rollout: the scaling waits for minutes.
fn watched() -> Vec<Value> {
    let mut deployment = deployment(10, 3, COMPLETE);
    deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] = 2.into();
    deployment["spec"]["progressDeadlineSeconds"] = 150.into();
    deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 120.into();
    let template = json!({"spec": {"containers": [{"name": "till", "image": "shop:green"}]}});
    let actions = json!([
        {"at": "60s", "setTemplate": {"name": "shop", "namespace": "store", "template": template}},
        {"at": "70s", "scale": {"name": "shop", "namespace": "store", "replicas": 20}},
        {"at": "130s", "delete": {"kind": "Pod", "name": "shop/0", "namespace": "store"}},
    ]);
    let available = || json!({"type": "Available"});
    let progressing = |at: &str| json!({"type": "Progressing", "reason": "ReplicaSetUpdated", "lastUpdateTime": format!("2026-03-02T{at}Z")});
    let terminating = |at: &str, terminating: i32, conditions: [Value; 2]| {
        let status = json!({"terminatingReplicas": terminating, "conditions": conditions});
        json!({"time": at, "objects": {"Deployment/shop": {"status": status}}})
    };
    // The first two are gone at 180 s, three more at 185 s, and the last one at 250 s: then the scaling is finished,
    // and the rollout continues.
    let frames = [
        terminating("179s", 6, [progressing("12:01:05"), available()]),
        terminating("181s", 4, [available(), progressing("12:03:00")]),
        terminating("249s", 1, [available(), progressing("12:03:05")]),
        terminating("251s", 4, [available(), progressing("12:04:10")]),
    ];
    let expected = json!({"error": false, "at": frames});
    let mut case =
        run("a scaling restarts the deadline when fewer pods are terminating", SETTLED, deployment, actions, expected);
    case["input"]["scenario"]["kubelet"] =
        json!([{"schedule": "0s", "start": "1s", "ready": "4s", "terminate": "120s"}]);
    vec![noted(
        case,
        "Kubernetes looks at the progress of rollouts only; a scaling, which takes no time there, may last for minutes \
         under the complete rule. Without a restart the deadline of 150 s would be over at 215 s.",
    )]
}
