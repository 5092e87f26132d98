//! Rollbacks with `kubectl rollout undo`. The policy adds one difference: the target ReplicaSet may have an annotation
//! with the size before a scaling. A pod takes 1 s to start, 4 s more to become ready, and 30 s to terminate.

use serde_json::{Value, json};

use super::STARTED;
use super::complete_rollouts::{Noted, PREFIX, expected, noted, roll_out, scale, shop};
use super::skew::{restart, set_policy};

const SKEW: &str = "KEP-5882, kubectl Skew";

pub fn cases() -> Vec<Value> {
    let half_and_half = [whole(15, 30), whole(15, 30)];
    // 30 / 20 * 4 is 6, less than red has: it loses 4, and green gets them and all ten that are added. The rollout then
    // takes the three that are not available from green again.
    let spoilt = [whole(9, 30), whole(21, 30)];
    let twice = [restart("150s", "", false), restart("155s", "", true)];
    let relaxed = [restart("150s", "", false), set_policy("152s", STARTED), restart("155s", "", true)];
    vec![
        goes_back("a rollback doesn't copy the size annotation", None, &[], half_and_half, 0),
        goes_back(
            "a rollback, and the gate off and on: no annotation is left behind, and the proportions are right",
            None,
            &twice,
            half_and_half,
            0,
        ),
        goes_back(
            "an older kubectl's rollback: the annotation on the Deployment does no harm",
            Some("4"),
            &[],
            half_and_half,
            0,
        ),
        goes_back(
            "an older kubectl's rollback, and the gate off and on: the annotation is copied to the ReplicaSet, which has its full size, and removed",
            Some("4"),
            &twice,
            half_and_half,
            0,
        ),
        goes_back(
            "an older kubectl's rollback, and the gate off and on: under TerminationStarted the annotation stays and distorts the proportions",
            Some("4"),
            &relaxed,
            spoilt,
            4,
        ),
        with_the_gate_off(),
    ]
}

/// kubectl has no gate: even though the controllers' gate is off and red keeps its annotation, the Deployment does not
/// get it.
fn with_the_gate_off() -> Value {
    let before_scale = format!("{PREFIX}replicaset-replicas-before-scale");
    let undo = json!({"at": "96s", "undo": {"name": "shop", "namespace": "store"}});
    let actions = [roll_out("60s", "green"), scale("92s", 8), scale("93s", 20), restart("95s", "", false), undo];
    let noted = |at: &str, revision: &str| {
        json!({"time": at, "objects": {
            "Deployment/shop": {"metadata": {"annotations": {before_scale.clone(): null}}},
            "ReplicaSet/shop-red": {"metadata": {"annotations": {
                before_scale.clone(): "4", format!("{PREFIX}revision"): revision,
            }}},
        }})
    };
    let expected = json!({"error": false, "at": [noted("95s", "1"), noted("97s", "3"), noted("5m", "3")]});
    let name = "a rollback while the gate is off doesn't copy the size annotation either";
    shop(name, SKEW, 10, [json!(0), json!("50%")], &actions, expected)
}

const fn whole(size: i32, desired: i32) -> (i32, Noted) {
    (size, (desired, desired, None))
}

/// From red to green; during the rollout, at 92 s and 93 s, from 10 to 8 and then to 20 pods, with room for 10 of 12;
/// then back to red while red still needs two of its ten, and its annotation says 4. An older kubectl copies the
/// annotation to the Deployment. The pods of the third revision never become ready, so the rollback gets stuck at 10
/// and 10; and at 200 s the Deployment is scaled to 30.
fn goes_back(name: &str, taken_along: Option<&str>, later: &[Value], scaled: [(i32, Noted); 2], going: i32) -> Value {
    let before_scale = format!("{PREFIX}replicaset-replicas-before-scale");
    let metadata = json!({"name": "shop", "namespace": "store"});
    let careful = json!({"strategy": {"rollingUpdate": {"maxUnavailable": 1}}});
    let apply = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata.clone(), "spec": careful});
    let mut undo = metadata;
    if taken_along.is_some() {
        undo["olderKubectl"] = true.into();
    }
    let rolled_back = [roll_out("60s", "green"), scale("92s", 8), scale("93s", 20), json!({"at": "96s", "undo": undo})];
    let actions: Vec<Value> = rolled_back
        .into_iter()
        .chain([json!({"at": "97s", "apply": apply})])
        .chain(later.iter().cloned())
        .chain([scale("200s", 30)])
        .collect();
    let mut stuck = noted("140s", &[whole(10, 20), whole(10, 20)], 0);
    stuck["objects"]["Deployment/shop"]["metadata"] = json!({"annotations": {before_scale: taken_along}});
    let frames = [
        noted("95s", &[(8, (8, 8, Some(4))), whole(10, 20)], 2),
        noted("121s", &[(8, (8, 8, Some(4))), whole(10, 20)], 2),
        stuck,
        noted("201s", &scaled, going),
    ];
    let mut case = shop(name, SKEW, 10, [json!(0), json!("50%")], &actions, expected(30 + going, None, &frames));
    let kubelet = case["input"]["scenario"]["kubelet"].as_array_mut().unwrap();
    let mut never = kubelet[0].clone();
    never["revision"] = 3.into();
    never["ready"] = "never".into();
    kubelet.insert(0, never);
    case
}
