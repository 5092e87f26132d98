//! Complete rollouts: rolling updates with a surge, with unavailable pods, with both and with percentages; scalings in
//! the middle of them, and another before the last has ended. A pod takes 1 s to start, 4 s more to become ready, and
//! 30 s to terminate. The expected values were calculated by hand.

use serde_json::{Value, json};

use super::super::objects::{Annotations, deployment, gates, replica_set, template};
use super::stories::run;
use super::{COMPLETE, NONE, STARTED};

pub const PREFIX: &str = "deployment.kubernetes.io/";
const ROLLING: &str = "KEP-5882, Deployment Behavior Changes, RollingUpdate rollout logic";
const SCALING: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";
const SETTLED: &str = "KEP-5882, as settled in docs/kep-5882.md";
const E2E: &str = "KEP-5882, e2e tests";

pub fn cases() -> Vec<Value> {
    [rollouts(), scaled_in_mid_rollout(), succession(), only_one(), history()].concat()
}

/// A shop whose pods are all red, with maxSurge and maxUnavailable. Green and blue were rolled out before and are
/// empty, so that their names are known.
pub fn shop(name: &str, source: &str, replicas: i32, rolling: [Value; 2], actions: &[Value], expected: Value) -> Value {
    let mut deployment = deployment(replicas, 0, COMPLETE);
    let [surge, unavailable] = rolling;
    deployment["spec"]["strategy"]["rollingUpdate"] = json!({"maxSurge": surge, "maxUnavailable": unavailable});
    deployment["spec"]["template"] = template("red");
    let mut case = run(name, source, deployment, actions.into(), expected);
    let objects = case["input"]["scenario"]["objects"].as_array_mut().unwrap();
    objects[0]["metadata"]["uid"] = "uid-shop".into();
    for (color, replicas) in [("red", replicas), ("green", 0), ("blue", 0)] {
        let mut set = replica_set(color, replicas, Annotations::complete(replicas, 0)).value();
        let set_fields = set.as_object_mut().unwrap();
        set_fields.remove("status");
        set_fields["metadata"].as_object_mut().unwrap().remove("annotations");
        objects.push(set);
    }
    case
}

/// The same case under another policy.
pub fn under(mut case: Value, policy: Option<&str>) -> Value {
    let spec = case["input"]["scenario"]["objects"][0]["spec"].as_object_mut().unwrap();
    match policy {
        Some(policy) => spec.insert("podReplacementPolicy".into(), policy.into()),
        None => spec.remove("podReplacementPolicy"),
    };
    case
}

/// The pods of that color never become ready, so a rollout to it gets stuck.
pub fn never_ready(mut case: Value, color: &str) -> Value {
    let kubelet = case["input"]["scenario"]["kubelet"].as_array_mut().unwrap();
    let mut never = kubelet[0].clone();
    never["image"] = format!("shop:{color}").into();
    never["ready"] = "never".into();
    kubelet.insert(0, never);
    case
}

pub fn roll_out(at: &str, color: &str) -> Value {
    json!({"at": at, "setTemplate": {"name": "shop", "namespace": "store", "template": template(color)}})
}

pub fn scale(at: &str, replicas: i32) -> Value {
    json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}})
}

/// The sizes of red and green, and the number of terminating pods.
pub fn two(at: &str, sizes: [i32; 2], terminating: i32) -> Value {
    json!({"time": at, "objects": {
        "ReplicaSet/shop-red": {"spec": {"replicas": sizes[0]}},
        "ReplicaSet/shop-green": {"spec": {"replicas": sizes[1]}},
        "Deployment/shop": {"status": {"replicas": sizes[0] + sizes[1], "terminatingReplicas": terminating}},
    }})
}

/// The annotations of a ReplicaSet: the desired and the maximum replicas, and the size at the start of the scaling.
pub type Noted = (i32, i32, Option<i32>);

/// The sizes of red, green and blue (as many as are given) with their annotations, and the number of terminating pods.
pub fn noted(at: &str, sets: &[(i32, Noted)], terminating: i32) -> Value {
    let set = |(size, (desired, max, before)): &(i32, Noted)| {
        let annotations = json!({
            format!("{PREFIX}desired-replicas"): desired.to_string(),
            format!("{PREFIX}max-replicas"): max.to_string(),
            format!("{PREFIX}replicaset-replicas-before-scale"): before.map(|before| before.to_string()),
        });
        json!({"metadata": {"annotations": annotations}, "spec": {"replicas": size}})
    };
    let names = ["red", "green", "blue"].map(|color| format!("ReplicaSet/shop-{color}"));
    let mut objects: Value = names.into_iter().zip(sets.iter().map(set)).collect();
    objects["Deployment/shop"] = json!({"status": {"terminatingReplicas": terminating}});
    json!({"time": at, "objects": objects})
}

pub fn expected(peak: i32, completed: Option<&str>, frames: &[Value]) -> Value {
    let completed = completed.map(|completed| format!("2026-03-02T{completed}Z"));
    json!({"error": false, "peak": peak, "completedAt": completed, "at": frames})
}

/// From ten red pods to ten green ones: the slots of terminating pods become free 30 s later.
fn rollouts() -> Vec<Value> {
    let roll = |name: &str, rolling: [Value; 2], expected: Value| {
        shop(name, ROLLING, 10, rolling, &[roll_out("60s", "green")], expected)
    };
    let surge = || [json!(3), json!(0)];
    let both = || [json!(2), json!(3)];
    let percentages = || [json!("25%"), json!("25%")];
    let mut cases = vec![
        // The limit is 13, and at least 10 must be available.
        roll(
            "a rolling update with surge 3 [TerminationComplete]",
            surge(),
            expected(
                13,
                Some("12:03:20"),
                &[
                    two("61s", [10, 3], 0),
                    two("66s", [7, 3], 3),
                    two("94s", [7, 3], 3),
                    two("96s", [7, 6], 0),
                    two("101s", [4, 6], 3),
                    two("131s", [4, 9], 0),
                    two("136s", [1, 9], 3),
                    two("166s", [1, 10], 0),
                    two("171s", [0, 10], 1),
                    two("201s", [0, 10], 0),
                ],
            ),
        ),
        // The limit is 12, and at least 7 must be available.
        roll(
            "a rolling update with surge 2 and 3 unavailable [TerminationComplete]",
            both(),
            expected(
                12,
                Some("12:02:10"),
                &[
                    two("61s", [7, 2], 3),
                    two("66s", [5, 2], 5),
                    two("91s", [5, 5], 2),
                    two("96s", [2, 7], 3),
                    two("101s", [0, 7], 5),
                    two("126s", [0, 10], 2),
                    two("131s", [0, 10], 0),
                ],
            ),
        ),
        // Surge 3 of 10 and 2 of 10 unavailable: the limit is 13, and at least 8 must be available.
        roll(
            "a rolling update with a surge of 25% and 25% unavailable [TerminationComplete]",
            percentages(),
            expected(
                13,
                Some("12:02:10"),
                &[
                    two("61s", [8, 3], 2),
                    two("66s", [5, 3], 5),
                    two("91s", [5, 5], 3),
                    two("96s", [3, 8], 2),
                    two("101s", [0, 8], 5),
                    two("126s", [0, 10], 3),
                    two("131s", [0, 10], 0),
                ],
            ),
        ),
    ];
    for (word, policy) in [("no policy", NONE), ("TerminationStarted", STARTED)] {
        let mut at_once = |what: &str, rolling: [Value; 2], completed: &str, frames: &[Value]| {
            let case = roll(&format!("{what} [{word}]"), rolling, expected(20, Some(completed), frames));
            cases.push(under(case, policy));
        };
        at_once(
            "a rolling update with surge 3",
            surge(),
            "12:01:20",
            &[two("61s", [10, 3], 0), two("66s", [7, 6], 3), two("71s", [4, 9], 6), two("76s", [1, 10], 9)],
        );
        at_once(
            "a rolling update with surge 2 and 3 unavailable",
            both(),
            "12:01:10",
            &[two("61s", [7, 5], 3), two("66s", [2, 10], 8), two("71s", [0, 10], 10)],
        );
        at_once(
            "a rolling update with a surge of 25% and 25% unavailable",
            percentages(),
            "12:01:10",
            &[two("61s", [8, 5], 2), two("66s", [3, 10], 7), two("71s", [0, 10], 10)],
        );
    }
    cases
}

/// From 10 to 16 at 70 s, after three red pods were replaced by three green ones and still terminate. Nine are to be
/// added, but there is only room for six: green gets its share of one, red gets three and the leftover. The last three
/// are red and come at 95 s. They are not available yet, so the rollout continues and replaces them with green ones at
/// once.
fn scaled_in_mid_rollout() -> Vec<Value> {
    let frames = [
        two("69s", [7, 3], 3),
        two("71s", [12, 4], 3),
        two("94s", [12, 4], 3),
        two("96s", [12, 7], 0),
        two("101s", [9, 7], 3),
        two("131s", [9, 10], 0),
        two("136s", [6, 10], 3),
        two("201s", [3, 16], 0),
        two("206s", [0, 16], 3),
        two("236s", [0, 16], 0),
    ];
    vec![shop(
        "scaled up during a rolling update with surge 3: the rollout continues afterward",
        SCALING,
        10,
        [json!(3), json!(0)],
        &[roll_out("60s", "green"), scale("70s", 16)],
        expected(19, Some("12:03:55"), &frames),
    )]
}

/// Three revisions, the last one never ready: 12 red, 4 green and 8 blue pods of 20. From 15 on, the Deployment is
/// scaled up twice while pods terminate, so the second scaling begins before the first has ended.
fn succession() -> Vec<Value> {
    let scalings = [("200s", 15), ("210s", 30), ("220s", 40), ("225s", 20)];
    let go = |name: &str, rolling: [Value; 2], policy: Option<&str>, scaled: usize, expected: Value| {
        let metadata = json!({"name": "shop", "namespace": "store"});
        let spec = json!({"podReplacementPolicy": policy});
        let apply = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec});
        let begin = [roll_out("60s", "green"), roll_out("70s", "blue"), json!({"at": "150s", "apply": apply})];
        let scaled = scalings.iter().take(scaled).map(|(at, replicas)| scale(at, *replicas));
        let actions: Vec<Value> = begin.into_iter().chain(scaled).collect();
        never_ready(shop(name, E2E, 20, rolling, &actions, expected), "blue")
    };
    let pods = || [json!(4), json!(4)];
    let whole = |size: i32, desired: i32, surge: i32| (size, (desired, desired + surge, None));
    let part = |size: i32, before: i32, surge: i32| (size, (15, 15 + surge, Some(before)));
    let stuck = || noted("199s", &[whole(12, 20, 4), whole(4, 20, 4), whole(8, 20, 4)], 0);
    // Scaled from 24 to 19, they are 10, 3 and 6. Then 13 pods are available and 11 are needed, so the rollout removes
    // two red ones.
    let fewer = || noted("205s", &[whole(8, 15, 4), whole(3, 15, 4), whole(6, 15, 4)], 7);
    // Scaled from 19 to 34, they are 14, 5 and 11, and red gets the 4 left over; there is room for 10 of 17.
    let first = || noted("215s", &[part(14, 8, 4), part(3, 3, 4), part(10, 6, 4)], 7);
    // Scaled from 19 to 44, they are 19, 7 and 14, and red gets the 4 left over; there is room for 10 of 17.
    let second = || noted("224s", &[part(19, 8, 4), part(4, 3, 4), whole(14, 40, 4)], 7);
    // Without the policy, two blue pods come at 200 s. Scaled from 19 to 34, 8, 3 and 8 become 14, 5 and 14, and the
    // one left over goes to the newest of the largest; scaled from 34 to 44, these become 18, 6 and 19, and again one
    // is left over.
    let old_rule = [
        stuck(),
        noted("205s", &[whole(8, 15, 4), whole(3, 15, 4), whole(8, 15, 4)], 7),
        noted("215s", &[whole(14, 30, 4), whole(5, 30, 4), whole(15, 30, 4)], 7),
        noted("224s", &[whole(18, 40, 4), whole(6, 40, 4), whole(20, 40, 4)], 7),
    ];
    // 20% of 20, 15, 30 and 40 are 4, 3, 6 and 8.
    let percentages = [
        stuck(),
        noted("205s", &[whole(9, 15, 3), whole(3, 15, 3), whole(6, 15, 3)], 6),
        noted("215s", &[whole(18, 30, 6), part(3, 3, 3), part(9, 6, 3)], 6),
        noted("224s", &[whole(24, 40, 8), part(3, 3, 3), part(15, 6, 3)], 6),
        noted("50m", &[whole(24, 40, 8), whole(8, 40, 8), whole(16, 40, 8)], 0),
    ];
    let ended = noted("50m", &[whole(23, 40, 4), whole(7, 40, 4), whole(14, 40, 4)], 0);
    vec![
        go(
            "two scalings up overlap during a rollout of three revisions [TerminationComplete]",
            pods(),
            COMPLETE,
            3,
            expected(
                44,
                None,
                &[
                    two("66s", [12, 4], 8),
                    noted("91s", &[whole(12, 20, 4), whole(4, 20, 4), whole(4, 20, 4)], 4),
                    stuck(),
                    fewer(),
                    first(),
                    second(),
                    ended,
                ],
            ),
        ),
        // Scaled to 24, red's 8 of 19 become 10, blue's 14 of 44 become 8, and green's 3 of 19 become 4. Of the 13 to
        // remove, red loses its 9 and blue the remaining 4.
        go(
            "two scalings up overlap, and a third goes down [TerminationComplete]",
            pods(),
            COMPLETE,
            4,
            expected(
                44,
                None,
                &[
                    second(),
                    noted("226s", &[whole(10, 20, 4), whole(4, 20, 4), whole(10, 20, 4)], 20),
                    noted("50m", &[whole(10, 20, 4), whole(4, 20, 4), whole(10, 20, 4)], 0),
                ],
            ),
        ),
        go(
            "two scalings up overlap, with percentages [TerminationComplete]",
            [json!("20%"), json!("20%")],
            COMPLETE,
            3,
            expected(48, None, &percentages),
        ),
        go("two scalings up follow each other [no policy]", pods(), NONE, 3, expected(51, None, &old_rule)),
        go("two scalings up follow each other [TerminationStarted]", pods(), STARTED, 3, expected(51, None, &old_rule)),
    ]
}

/// Five scalings of one ReplicaSet within half a minute, surge 2. Six pods terminate until 90 s, and two until 110 s.
fn only_one() -> Vec<Value> {
    let scalings = [("60s", 4), ("70s", 8), ("75s", 12), ("80s", 6), ("85s", 14)];
    let actions = scalings.map(|(at, replicas)| scale(at, replicas));
    let frame = |at: &str, size: i32, terminating: i32| two(at, [size, 0], terminating);
    let frames = [
        frame("61s", 4, 6),
        // No slot is free at a size of 10, and four are at 14.
        frame("71s", 4, 6),
        frame("76s", 8, 6),
        frame("81s", 6, 8),
        frame("86s", 8, 8),
        frame("91s", 14, 2),
        frame("111s", 14, 0),
    ];
    vec![shop(
        "five scalings in a row while pods terminate",
        SCALING,
        10,
        [json!(2), json!(0)],
        &actions,
        expected(16, Some("12:01:50"), &frames),
    )]
}

/// No old ReplicaSet is kept. The rollout is complete at 65 s, and the red pods are gone at 90 s.
fn history() -> Vec<Value> {
    let go = |name: &str, policy: Option<&str>, gate: bool, red_stays: bool| {
        let empty = json!({"spec": {"replicas": 0}, "status": {"terminatingReplicas": 10}});
        let red = |stays: bool| if stays { empty.clone() } else { Value::Null };
        let frames = [
            json!({"time": "66s", "objects": {"ReplicaSet/shop-red": red(red_stays)}}),
            json!({"time": "91s", "objects": {"ReplicaSet/shop-red": null}}),
        ];
        let expected = json!({"error": false, "peak": 20, "completedAt": "2026-03-02T12:01:05Z", "at": frames});
        let rolling = [json!(0), json!("100%")];
        let mut case = under(shop(name, SETTLED, 10, rolling, &[roll_out("60s", "white")], expected), policy);
        case["gates"] = gates(true, gate);
        case["input"]["scenario"]["objects"][0]["spec"]["revisionHistoryLimit"] = 0.into();
        case
    };
    vec![
        go("an old ReplicaSet is deleted only once its last pod has ended [no policy]", NONE, true, true),
        go("an old ReplicaSet is deleted only once its last pod has ended [TerminationStarted]", STARTED, true, true),
        go("an old ReplicaSet is deleted while its pods terminate [gate off]", NONE, false, false),
    ]
}
