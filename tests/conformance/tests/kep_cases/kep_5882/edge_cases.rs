//! How a scaling begins and ends where the text says little: the only ReplicaSet has its size already, annotations that
//! nobody can read, counts that nobody needs.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, case, deployment, noted, replica_set, rollout, sizes};
use super::{COMPLETE, NONE, STARTED, on, scale};

const SECTION: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";
const BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";
const SURGE: i32 = 3;

pub fn cases() -> Vec<Value> {
    [only_one(), unreadable(), not_needed()].concat()
}

const fn of(colour: &'static str, replicas: i32, desired: i32) -> ReplicaSet {
    replica_set(colour, replicas, Annotations::complete(desired, SURGE))
}

/// Eight of ten new pods wait for old ones to end, and eight are wanted now.
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
            go("the only one has the size already: the scaling event is over", COMPLETE, &waiting, of("blue", 8, 8)),
            "Kubernetes writes nothing here, and takes it for a scaling event for ever: no rollout could go on. Under the \
             complete rule annotations are written even when the size does not change.",
        ),
        noted(
            go("the only one has the size already: nothing is written [no policy]", NONE, &waiting, waiting.clone()),
            "as in Kubernetes",
        ),
        go(
            "the only one has the size already: nothing is written [TerminationStarted]",
            STARTED,
            &waiting,
            waiting.clone(),
        ),
        go("the only one is owed nothing any more", COMPLETE, &owed, of("blue", 8, 8)),
        go("the only one is owed nothing any more [no policy]", NONE, &owed, of("blue", 8, 8)),
    ]
}

/// Somebody has written a word where the size of before should stand.
fn unreadable() -> Vec<Value> {
    let before = [of("red", 6, 10), of("blue", 6, 10).terminating(Some(8))];
    let mut input = rollout(deployment(20, SURGE, COMPLETE), &before);
    input["oldReplicaSets"][0]["metadata"]["annotations"][BEFORE_SCALE] = "six".into();
    input["newReplicaSet"]["metadata"]["annotations"][BEFORE_SCALE] = "+6".into();
    // 6 * 23 / 13 = 10.6, so 5 each and one left over; room for 3.
    let after = [
        replica_set("red", 6, Annotations::partial(10, SURGE, 6)),
        replica_set("blue", 9, Annotations::partial(10, SURGE, 6)),
    ];
    let name = "a size of before that can't be read counts as none, and is written anew";
    vec![case("deployment.scale", name, SECTION, &on(), input, json!({"error": false, "replicaSets": sizes(&after)}))]
}

/// Where nothing grows, nobody asks how many pods terminate.
fn not_needed() -> Vec<Value> {
    let unknown = |colour, replicas| of(colour, replicas, 10).terminating(None);
    let new_size = |name: &str, desired: i32, new: i32| {
        let input = rollout(deployment(desired, SURGE, COMPLETE), &[unknown("red", 4), unknown("blue", new)]);
        case("deployment.newReplicas", name, SECTION, &on(), input, json!({"error": null, "replicas": new}))
    };
    let before = [unknown("red", 6), unknown("blue", 6)];
    vec![
        new_size("an unknown number does not matter to a new ReplicaSet that is whole", 10, 10),
        new_size("an unknown number does not matter where no pods are wanted", 0, 0),
        scale(
            "an unknown number does not matter to scaling down",
            SECTION,
            &on(),
            deployment(5, SURGE, COMPLETE),
            &before,
            &[of("red", 4, 5), of("blue", 4, 5)],
        ),
    ]
}
