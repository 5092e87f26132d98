//! A difference between releases without a feature gate: which deleted pods queue a Deployment with the strategy
//! Recreate. Besides its two pods, there is one that has failed; a pod takes 30 s to terminate.

use serde_json::{Value, json};

use super::super::objects::gates;
use super::complete_rollouts::{roll_out, shop, under};
use super::rollout::pod;
use super::{COMPLETE, NONE, on};

const SOURCE: &str = "kubernetes pull request 138179";

pub fn cases() -> Vec<Value> {
    let none = gates(false, false);
    vec![
        rollout("1.37: each deleted pod counts [no policy]", "1.37", &none, NONE, &[("89s", 0), ("91s", 2)]),
        // The Deployment is checked again once its deadline has passed.
        rollout(
            "1.36: beside a failed pod, no other counts, and the rollout stalls [no policy]",
            "1.36",
            &none,
            NONE,
            &[("91s", 0), ("600s", 0), ("602s", 2)],
        ),
        // The status of a ReplicaSet that counts terminating pods changes with each of them, and queues the Deployment
        // too.
        rollout("1.36, terminating pods counted: no stall [no policy]", "1.36", &on(), NONE, &[("89s", 0), ("91s", 2)]),
        rollout(
            "1.36, terminating pods counted: no stall [TerminationComplete]",
            "1.36",
            &on(),
            COMPLETE,
            &[("89s", 0), ("91s", 2)],
        ),
    ]
}

/// A new template at 60 s, and the size of the new ReplicaSet at several times.
fn rollout(name: &str, release: &str, gates: &Value, policy: Option<&str>, sizes: &[(&str, i32)]) -> Value {
    let frame = |(at, size): &(&str, i32)| json!({"time": at, "objects": {"ReplicaSet/shop-green": {"spec": {"replicas": size}}}});
    let frames: Vec<Value> = sizes.iter().map(frame).collect();
    let expected = json!({"error": false, "at": frames});
    let name = format!("Recreate in {name}");
    let mut case = under(shop(&name, SOURCE, 2, [json!(0), json!(1)], &[roll_out("60s", "green")], expected), policy);
    let scenario = &mut case["input"]["scenario"];
    scenario["release"] = release.into();
    scenario["featureGates"] = gates.clone();
    let objects = scenario["objects"].as_array_mut().unwrap();
    objects[0]["spec"]["strategy"] = json!({"type": "Recreate"});
    objects[0]["spec"]["progressDeadlineSeconds"] = 600.into();
    objects.push(pod("shop-red-failed", "Failed", false));
    case
}
