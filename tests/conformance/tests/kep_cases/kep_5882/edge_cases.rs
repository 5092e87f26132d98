//! How a scaling begins and ends where the text says little: the only ReplicaSet already has its size, annotations
//! can't be read, or counts are not needed or too low.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, case, deployment, noted, replica_set, rollout, sizes};
use super::settled_questions::sync;
use super::stories::run;
use super::{COMPLETE, NONE, STARTED, on, scale};

const SECTION: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";
const SETTLED: &str = "KEP-5882, as settled in docs/kep-5882.md";
const BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";
const SURGE: i32 = 3;

pub fn cases() -> Vec<Value> {
    [only_one(), unreadable(), not_needed(), uncounted_pods()].concat()
}

const fn of(color: &'static str, replicas: i32, desired: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::complete(desired, SURGE))
}

/// Eight of ten new pods wait for old ones to end, and then the Deployment is scaled to eight.
fn only_one() -> Vec<Value> {
    let owed = replica_set("blue", 8, Annotations::partial(5, SURGE, 5));
    let go = |name: &str, policy, before: &ReplicaSet, after: ReplicaSet| {
        let before = [of("red", 0, 10).terminating(Some(5)), before.clone()];
        let after = [of("red", 0, 10), after];
        scale(name, SECTION, &on(), deployment(8, SURGE, policy), &before, &after)
    };
    let waiting = of("blue", 8, 10);
    vec![
        noted(
            go(
                "the only ReplicaSet already has that size: the scaling event is over",
                COMPLETE,
                &waiting,
                of("blue", 8, 8),
            ),
            "Kubernetes writes nothing here, and takes it for a scaling event for ever: no rollout could go on. Under the \
             complete rule annotations are written even when the size does not change.",
        ),
        noted(
            go(
                "the only ReplicaSet already has that size: nothing is written [no policy]",
                NONE,
                &waiting,
                waiting.clone(),
            ),
            "as in Kubernetes",
        ),
        go(
            "the only ReplicaSet already has that size: nothing is written [TerminationStarted]",
            STARTED,
            &waiting,
            waiting.clone(),
        ),
        go("the only ReplicaSet is no longer owed pods", COMPLETE, &owed, of("blue", 8, 8)),
        go("the only ReplicaSet is no longer owed pods [no policy]", NONE, &owed, of("blue", 8, 8)),
    ]
}

/// The annotation with the size before the scaling contains a word.
fn unreadable() -> Vec<Value> {
    let before = [of("red", 6, 10), of("blue", 6, 10).terminating(Some(8))];
    let mut input = rollout(deployment(20, SURGE, COMPLETE), &before);
    input["oldReplicaSets"][0]["metadata"]["annotations"][BEFORE_SCALE] = "six".into();
    input["newReplicaSet"]["metadata"]["annotations"][BEFORE_SCALE] = "+6".into();
    // 6 * 23 / 13 = 10.6, so 5 each with one left over; there is room for 3.
    let after = [
        replica_set("red", 6, Annotations::partial(10, SURGE, 6)),
        replica_set("blue", 9, Annotations::partial(10, SURGE, 6)),
    ];
    let name = "a malformed replicas-before-scale annotation is ignored and overwritten";
    vec![case("deployment.scale", name, SECTION, &on(), input, json!({"error": false, "replicaSets": sizes(&after)}))]
}

/// If nothing grows, the number of terminating pods doesn't matter.
fn not_needed() -> Vec<Value> {
    let unknown = |color, replicas| of(color, replicas, 10).terminating(None);
    let new_size = |name: &str, desired: i32, new: i32| {
        let input = rollout(deployment(desired, SURGE, COMPLETE), &[unknown("red", 4), unknown("blue", new)]);
        case("deployment.newReplicas", name, SECTION, &on(), input, json!({"error": null, "replicas": new}))
    };
    let before = [unknown("red", 6), unknown("blue", 6)];
    vec![
        new_size("unknown terminatingReplicas do not matter to a new ReplicaSet of full size", 10, 10),
        new_size("unknown terminatingReplicas do not matter if no pods are desired", 0, 0),
        scale(
            "unknown terminatingReplicas do not matter to scaling down",
            SECTION,
            &on(),
            deployment(5, SURGE, COMPLETE),
            &before,
            &[of("red", 4, 5), of("blue", 4, 5)],
        ),
    ]
}

/// A rollout that goes from 2 to 4 replicas at the same time, with surge 1. The old ReplicaSet grows to 4 first, but its status
/// does not count the pods that the same sync has created. Until the next status, their slots look free.
fn uncounted_pods() -> Vec<Value> {
    const SURGE: i32 = 1;
    let of = |color, replicas| replica_set(color, replicas, Annotations::complete(4, SURGE));
    let go =
        |name: &str, sets: &[ReplicaSet], events: &[&str]| sync(name, deployment(4, SURGE, COMPLETE), sets, events);
    vec![
        go(
            "4 old pods and 1 new one, but the status counts 2 old ones: the new one grows",
            &[of("red", 3).lagging(-1), of("blue", 1)],
            &["up replica set shop-blue from 1 to 2"],
        ),
        noted(
            go(
                "4 old pods and 1 new one, but the status counts 2 old ones: the new one grows once more",
                &[of("red", 2), of("blue", 2).lagging(-1)],
                &["up replica set shop-blue from 2 to 3"],
            ),
            "Then there are 7 pods where the limit is 5: the old ReplicaSet still has 4.",
        ),
        go(
            "4 old pods and 1 new one, and the status counts them: nothing grows",
            &[of("red", 3).lagging(1), of("blue", 1)],
            &[],
        ),
        throttled(),
    ]
}

/// Such a rollout with a ReplicaSet controller whose client has few tokens left, as after other rollouts.
fn throttled() -> Value {
    let mut before = deployment(2, 1, COMPLETE);
    let mut after = deployment(4, 1, COMPLETE);
    after["metadata"] = json!({"name": "shop", "namespace": "store"});
    after["spec"]["template"]["spec"]["containers"][0]["image"] = "shop:green".into();
    after.as_object_mut().unwrap().remove("status");
    before["spec"]["template"]["spec"]["containers"][0]["image"] = "shop:blue".into();
    let actions = json!([{"at": "60s", "apply": after}]);
    let expected = json!({"error": false, "peak": 6});
    let mut case = run(
        "4 instead of 2 replicas, and a new template: 6 pods where the limit is 5",
        SETTLED,
        before,
        actions,
        expected,
    );
    case["input"]["scenario"]["controllerManager"] = json!({"qps": 20, "burst": 5, "requestTime": "10ms"});
    case
}
