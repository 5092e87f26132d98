//! What the text says about scaling, besides its tables.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, case, deployment, noted, recreate, replica_set, rollout, sizes};
use super::{COMPLETE, NONE, POLICIES, STARTED, on, scale};

const SECTION: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";
const BEHAVIOUR: &str = "KEP-5882, Deployment Behavior Changes, Scaling logic";
const SURGE: i32 = 10;

pub fn cases() -> Vec<Value> {
    [fractions(), leftover(), places(), down(), stories(), recreated()].concat()
}

const fn of(color: &'static str, replicas: i32, desired: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::complete(desired, SURGE))
}

const fn owed(color: &'static str, replicas: i32, before: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::partial(100, SURGE, before))
}

/// newReplicaSetReplicas = replicasBeforeScale * deploymentMaxReplicas / deploymentMaxReplicasBeforeScale
fn fractions() -> Vec<Value> {
    let ratio = |ratio: &str, desired: i32, replica_set: ReplicaSet, result: i32| {
        let input = json!({"deployment": deployment(desired, SURGE, COMPLETE), "replicaSet": replica_set.value()});
        let name =
            format!("formula: {} of {} grows by {result}, ratio {ratio}", replica_set.replicas, replica_set.color);
        case("deployment.fraction", &name, SECTION, &on(), input, json!({"result": result}))
    };
    vec![
        ratio("1.182", 120, of("red", 60, 100), 11),
        ratio("1.182", 120, of("green", 30, 100), 5),
        ratio("1.182", 120, of("blue", 20, 100), 4),
        ratio("1.077", 130, of("red", 71, 120), 5),
        ratio("1.077", 130, of("green", 35, 120), 3),
        ratio("1.077", 130, of("blue", 24, 120), 2),
        ratio("1.273 from T1", 130, owed("red", 59, 50), 5),
        ratio("1.273 from T1", 130, owed("blue", 21, 20), 4),
    ]
}

/// The pods that rounding leaves over.
fn leftover() -> Vec<Value> {
    let before = [of("red", 40, 100), of("green", 40, 100), of("blue", 30, 100)];
    let after = [of("red", 40, 101), of("green", 41, 101), of("blue", 30, 101)];
    let newest = POLICIES.map(|(word, policy)| {
        let name = format!("leftover to the newest of the largest [{word}]");
        scale(&name, SECTION, &on(), deployment(101, SURGE, policy), &before, &after)
    });
    let before = [of("red", 42, 100), of("green", 34, 100), of("blue", 34, 100)];
    let after = [of("red", 43, 101), of("green", 34, 101), of("blue", 34, 101)];
    let largest = POLICIES.map(|(word, policy)| {
        let name = format!("leftover to the largest [{word}]");
        scale(&name, SECTION, &on(), deployment(101, SURGE, policy), &before, &after)
    });
    [newest, largest].concat()
}

/// `.spec.replicas`, `.status.replicas` and `.status.terminatingReplicas` all count.
fn places() -> Vec<Value> {
    let deployment = || deployment(120, SURGE, COMPLETE);
    let after = [owed("red", 59, 50), of("green", 35, 120), owed("blue", 21, 20)];
    let lagging = [
        of("red", 50, 100).lagging(5).terminating(Some(2)),
        of("green", 30, 100).terminating(Some(8)),
        of("blue", 20, 100),
    ];
    let unobserved = [
        of("red", 50, 100).terminating(Some(11)),
        of("green", 30, 100).unobserved(),
        of("blue", 20, 100).terminating(Some(4)),
    ];
    let unknown = [of("red", 50, 100), of("green", 30, 100).terminating(None), of("blue", 20, 100)];
    vec![
        scale("pods above spec.replicas take slots, too", BEHAVIOUR, &on(), deployment(), &lagging, &after),
        noted(
            scale(
                "a ReplicaSet that has never reported has no terminating pods",
                BEHAVIOUR,
                &on(),
                deployment(),
                &unobserved,
                &after,
            ),
            "the KEP does not say; the pull request counts 0 where observedGeneration is 0",
        ),
        noted(
            case(
                "deployment.scale",
                "an unknown number of terminating pods is an error, and nothing grows",
                BEHAVIOUR,
                &on(),
                rollout(deployment(), &unknown),
                json!({"error": true, "replicaSets": sizes(&unknown)}),
            ),
            "the KEP does not say; the pull request tries again later",
        ),
        scale(
            "no room at all: nothing grows, everything is owed",
            BEHAVIOUR,
            &on(),
            deployment(),
            &[of("red", 50, 100).terminating(Some(30)), of("green", 30, 100), of("blue", 20, 100)],
            &[owed("red", 50, 50), owed("green", 30, 30), owed("blue", 20, 20)],
        ),
    ]
}

/// "Changing scaling down logic is not necessary."
fn down() -> Vec<Value> {
    let before = [
        of("red", 60, 100).terminating(Some(50)),
        of("green", 30, 100).terminating(Some(3)),
        of("blue", 20, 100).terminating(Some(9)),
    ];
    let after = [of("red", 49, 80), of("green", 25, 80), of("blue", 16, 80)];
    let all = POLICIES.map(|(word, policy)| {
        let name = format!("scaling down does not wait [{word}]");
        scale(&name, BEHAVIOUR, &on(), deployment(80, SURGE, policy), &before, &after)
    });
    all.to_vec()
}

/// The two user stories, on a Deployment that is not in a rollout.
fn stories() -> Vec<Value> {
    const SURGE: i32 = 3;
    let of = |replicas, desired| replica_set("blue", replicas, Annotations::complete(desired, SURGE));
    let owed = |replicas| replica_set("blue", replicas, Annotations::partial(10, SURGE, 10));
    let grow = |name: &str, story: &str, policy, before: ReplicaSet, after: ReplicaSet| {
        let source = format!("KEP-5882, {story}");
        scale(name, &source, &on(), deployment(20, SURGE, policy), &[before], &[after])
    };
    vec![
        grow(
            "a predictable number of pods: 4 are terminating, so 9 of 10 more",
            "Story 1",
            COMPLETE,
            of(10, 10).terminating(Some(4)),
            owed(19),
        ),
        grow(
            "a predictable number of pods: the last one once there is room",
            "Story 1",
            COMPLETE,
            owed(19).terminating(Some(3)),
            of(20, 20),
        ),
        grow(
            "a predictable number of pods: no room yet for the last one",
            "Story 1",
            COMPLETE,
            owed(19).terminating(Some(4)),
            owed(19),
        ),
        grow(
            "a predictable number of pods: surge gives room, but no more than is desired",
            "Story 1",
            COMPLETE,
            of(10, 10).terminating(Some(2)),
            of(20, 20),
        ),
        grow("fast scaling: all at once", "Story 2", STARTED, of(10, 10).terminating(Some(4)), of(20, 20)),
        grow("fast scaling, as in today's releases", "Story 2", NONE, of(10, 10).terminating(Some(4)), of(20, 20)),
    ]
}

/// A Deployment with the strategy Recreate scales by the same rule, without surge.
fn recreated() -> Vec<Value> {
    const SOURCE: &str = "KEP-5882, Proposal";
    let grow = |name: &str, policy, after: ReplicaSet| {
        let before = replica_set("blue", 10, Annotations::complete(10, 0)).terminating(Some(3));
        scale(name, SOURCE, &on(), recreate(deployment(14, 0, policy)), &[before], &[after])
    };
    let all = replica_set("blue", 14, Annotations::complete(14, 0));
    vec![
        grow("Recreate ignores terminating pods when scaling [no policy]", NONE, all.clone()),
        grow("Recreate ignores terminating pods when scaling [TerminationStarted]", STARTED, all),
        grow(
            "Recreate counts terminating pods when scaling [TerminationComplete]",
            COMPLETE,
            replica_set("blue", 11, Annotations::partial(10, 0, 10)),
        ),
    ]
}
