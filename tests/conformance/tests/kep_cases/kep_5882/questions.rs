//! The numeric examples of the questions in `docs/kep-5882.md` that no other case covers.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, deployment, noted, replica_set};
use super::complete_rollouts::{roll_out, scale as scale_to, shop, under};
use super::{COMPLETE, NONE, on, scale};

const PROGRESS: &str = "KEP-5882, Deployment Completion and Progress Changes";
const ANNOTATION: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";

pub fn cases() -> Vec<Value> {
    [long_grace_period(), no_first_step(), annotation(), table_2_without_annotation()].concat()
}

/// Three pods, surge 1, none unavailable: a grace period of 900 s, and a progress deadline of 600 s.
fn long_grace_period() -> Vec<Value> {
    let status = |at: &str, counts: [i32; 4], reason: &str| {
        let [replicas, updated, available, terminating] = counts;
        let status = json!({
            "replicas": replicas, "updatedReplicas": updated, "availableReplicas": available,
            "terminatingReplicas": terminating,
        });
        at_time(at, status, reason)
    };
    let go = |word: &str, policy, completed: &str, peak: i32, frames: Value| {
        let name = format!("a grace period of 900 s [{word}]");
        let expected = json!({
            "error": false, "peak": peak, "completedAt": format!("2026-03-02T{completed}Z"), "at": frames,
        });
        let mut case =
            under(shop(&name, PROGRESS, 3, [json!(1), json!(0)], &[roll_out("60s", "green")], expected), policy);
        slow_to_end(&mut case, "900s", 900);
        case
    };
    vec![
        go(
            "TerminationComplete",
            COMPLETE,
            "12:46:15",
            4,
            json!([
                status("66s", [3, 1, 3, 1], "ReplicaSetUpdated"),
                status("665s", [3, 1, 3, 1], "ReplicaSetUpdated"),
                status("666s", [3, 1, 3, 1], "ProgressDeadlineExceeded"),
                status("964s", [3, 1, 3, 1], "ProgressDeadlineExceeded"),
                status("966s", [4, 2, 3, 0], "ReplicaSetUpdated"),
                status("1570s", [3, 2, 3, 1], "ReplicaSetUpdated"),
                status("1571s", [3, 2, 3, 1], "ProgressDeadlineExceeded"),
                status("1876s", [3, 3, 3, 1], "ReplicaSetUpdated"),
                status("2475s", [3, 3, 3, 1], "ReplicaSetUpdated"),
                status("2476s", [3, 3, 3, 1], "ProgressDeadlineExceeded"),
                status("2776s", [3, 3, 3, 0], "NewReplicaSetAvailable"),
            ]),
        ),
        go("no policy", NONE, "12:01:15", 6, json!([status("76s", [3, 3, 3, 3], "NewReplicaSetAvailable")])),
    ]
}

/// Six of ten pods terminate for hours. There is no room for a rollback (here to green's template), and only for one
/// pod of a scaling, since the surge is 1.
fn no_first_step() -> Vec<Value> {
    let go = |name: &str, last: Value, peak: i32, [replicas, updated]: [Option<i32>; 2], conditions: [Value; 2]| {
        let actions = [scale_to("600s", 4), last];
        let status = json!({
            "replicas": replicas, "updatedReplicas": updated, "terminatingReplicas": 6, "conditions": conditions,
        });
        let frames = [json!({"time": "50m", "objects": {"Deployment/shop": {"status": status}}})];
        let expected = json!({"error": false, "peak": peak, "at": frames});
        let mut case = shop(name, PROGRESS, 10, [json!(1), json!(0)], &actions, expected);
        slow_to_end(&mut case, "3h", 10_800);
        case
    };
    let available = |status: &str| json!({"type": "Available", "status": status});
    let progressing = || json!({"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"});
    vec![
        go(
            "no room for a rollback",
            roll_out("700s", "green"),
            10,
            [Some(4), None],
            [available("True"), progressing()],
        ),
        go("no room for a scaling", scale_to("700s", 10), 11, [Some(5), Some(5)], [progressing(), available("False")]),
    ]
}

/// The status of the Deployment, with the reason of its Progressing condition.
fn at_time(at: &str, mut status: Value, reason: &str) -> Value {
    status["conditions"] = json!([{"type": "Available"}, {"type": "Progressing", "reason": reason}]);
    json!({"time": at, "objects": {"Deployment/shop": {"status": status}}})
}

/// The pods take this long to terminate, and the progress deadline is 600 s.
fn slow_to_end(case: &mut Value, terminate: &str, grace_period: i32) {
    let scenario = &mut case["input"]["scenario"];
    scenario["kubelet"][0]["terminate"] = terminate.into();
    let objects = scenario["objects"].as_array_mut().unwrap();
    for object in objects.iter_mut() {
        object["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = grace_period.into();
    }
    objects[0]["spec"]["progressDeadlineSeconds"] = 600.into();
}

/// From 10 to 32 with surge 1: the limit triples, so red grows from 6 to 18 and blue from 5 to 15, while the 22
/// terminating pods of grey go in four steps. Without the annotation, the base of each step is the size after the last
/// one.
fn annotation() -> Vec<Value> {
    let set = |color, size, before: Option<i32>| {
        replica_set(color, size, Annotations { desired: 10, max: 11, before_scale: before })
    };
    let whole = |color, size| replica_set(color, size, Annotations::complete(32, 1));
    let grey = |terminating| replica_set("grey", 0, Annotations::complete(10, 1)).terminating(Some(terminating));
    let step = |name: String, terminating, before: [ReplicaSet; 2], after: [ReplicaSet; 2]| {
        let [red, blue] = before;
        let mut sets_after = vec![replica_set("grey", 0, Annotations::complete(10, 1))];
        sets_after.extend(after);
        scale(&name, ANNOTATION, &on(), deployment(32, 1, COMPLETE), &[grey(terminating), red, blue], &sets_after)
    };
    let kept = |terminating, [red, blue]: [i32; 2], after| {
        let before = [set("red", red, Some(6)), set("blue", blue, Some(5))];
        step(format!("annotation kept: {terminating} terminating"), terminating, before, after)
    };
    let lost = |terminating, red, blue, after| {
        noted(
            step(
                format!("annotation lost: {terminating} terminating"),
                terminating,
                [set("red", red, None), blue],
                after,
            ),
            "What a controller without the annotation would do: the base is the size of now.",
        )
    };
    vec![
        step(
            "annotation written: 22 terminating".into(),
            22,
            [set("red", 6, None), set("blue", 5, None)],
            [set("red", 6, Some(6)), set("blue", 5, Some(5))],
        ),
        kept(16, [6, 5], [set("red", 12, Some(6)), set("blue", 5, Some(5))]),
        kept(10, [12, 5], [whole("red", 18), set("blue", 5, Some(5))]),
        kept_whole(4, 5, set("blue", 11, Some(5))),
        kept_whole(0, 11, whole("blue", 15)),
        lost(16, 6, set("blue", 5, None), [set("red", 12, Some(6)), set("blue", 5, Some(5))]),
        lost(10, 12, set("blue", 5, None), [set("red", 18, Some(12)), whole("blue", 5)]),
        lost(4, 18, whole("blue", 5), [set("red", 24, Some(18)), whole("blue", 5)]),
        lost(0, 24, whole("blue", 5), [whole("red", 28), whole("blue", 5)]),
    ]
}

/// The later steps with the annotation: red has its full size.
fn kept_whole(terminating: i32, size: i32, after: ReplicaSet) -> Value {
    let grey = replica_set("grey", 0, Annotations::complete(10, 1));
    let red = replica_set("red", 18, Annotations::complete(32, 1));
    let blue = replica_set("blue", size, Annotations { desired: 10, max: 11, before_scale: Some(5) });
    let before = [grey.clone().terminating(Some(terminating)), red.clone(), blue];
    let name = format!("annotation kept: {terminating} terminating");
    scale(&name, ANNOTATION, &on(), deployment(32, 1, COMPLETE), &before, &[grey, red, after])
}

/// Table 2 without the annotation: 50/30/20 become 59/35/21 at T2, and the last 15 pods all go to the largest.
fn table_2_without_annotation() -> Vec<Value> {
    let part =
        |color, size, before| replica_set(color, size, Annotations { desired: 100, max: 110, before_scale: before });
    let whole = |color, size| replica_set(color, size, Annotations::complete(120, 10));
    let step = |name: &str, terminating, red: i32, after: [ReplicaSet; 3]| {
        let before =
            [part("red", red, None).terminating(Some(terminating)), whole("green", 35), part("blue", 21, None)];
        scale(name, ANNOTATION, &on(), deployment(120, 10, COMPLETE), &before, &after)
    };
    vec![
        step(
            "annotation lost, table 2: T2 to T3",
            5,
            59,
            [part("red", 69, Some(59)), whole("green", 35), part("blue", 21, Some(21))],
        ),
        step("annotation lost, table 2: T3 to T4", 0, 69, [whole("red", 74), whole("green", 35), whole("blue", 21)]),
    ]
}
