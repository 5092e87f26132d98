//! The numbers from the author's own tests: of pull request 123430, which implements the KEP, and of 134959, whose
//! tests of today's behavior are merged. Red is the oldest ReplicaSet, then green; blue is the new one.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, case, deployment, recreate, replica_set, rollout, sizes};
use super::complete_rollouts::{expected, never_ready, noted, roll_out, shop, two, under};
use super::stories::{new_template, run};
use super::{COMPLETE, NONE, POLICIES, STARTED, on, scale};

const SCALE: &str = "kubernetes pull request 123430, TestScale";
const NEW: &str = "kubernetes pull request 123430, TestDeploymentController_reconcileNewReplicaSet";
const CLEAN_UP: &str = "kubernetes pull request 123430, TestDeploymentController_cleanupDeployment";
const COUNTS: &str = "kubernetes pull request 123430, TestGetReplicaCountForReplicaSets";
const RECREATE: &str = "kubernetes pull request 134959, TestRecreateDeploymentForPodReplacement";
const PROPORTIONAL: &str =
    "kubernetes pull request 134959, TestRollingUpdateAndProportionalScalingForDeploymentPodReplacement";

pub fn cases() -> Vec<Value> {
    [only_one(), two_sets(), three_sets(), new_ones(), clean_up(), counts(), recreated(), in_proportion()].concat()
}

const fn of(color: &'static str, replicas: i32, desired: i32, surge: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::complete(desired, surge))
}

const fn owed(color: &'static str, replicas: i32, before: (i32, i32, i32)) -> ReplicaSet {
    let (desired, surge, size) = before;
    replica_set(color, replicas, Annotations::partial(desired, surge, size))
}

/// A scaling, and the ReplicaSets afterward; `None` if it fails.
fn go(name: &str, deployment: Value, before: &[ReplicaSet], after: Option<&[ReplicaSet]>) -> Value {
    let name = format!("the author's figures: {name}");
    match after {
        Some(after) => scale(&name, SCALE, &on(), deployment, before, after),
        None => {
            let expected = json!({"error": true, "replicaSets": sizes(before)});
            case("deployment.scale", &name, SCALE, &on(), rollout(deployment, before), expected)
        }
    }
}

/// From 10 to 14.
fn only_one() -> Vec<Value> {
    let ten = || of("blue", 10, 10, 0);
    let all = || [of("blue", 14, 14, 0)];
    let up_to = |size| [owed("blue", size, (10, 0, 10))];
    let rolling = |policy| deployment(14, 0, policy);
    let recreating = || recreate(deployment(14, 0, COMPLETE));
    let surging = || deployment(14, 3, COMPLETE);
    let terminating = |name: &str, deployment, after: [ReplicaSet; 1]| {
        go(&format!("10 to 14, 2 terminating: {name}"), deployment, &[ten().terminating(Some(2))], Some(&after))
    };
    let surplus = |name: &str, deployment| {
        go(&format!("10 to 14, one surplus pod: {name}"), deployment, &[ten().lagging(1)], Some(&up_to(13)))
    };
    let broken = [of("red", 0, 10, 0).terminating(None), ten().unobserved()];
    vec![
        terminating("all are created [no policy]", rolling(NONE), all()),
        terminating("all are created [TerminationStarted]", rolling(STARTED), all()),
        terminating("12 for now [TerminationComplete]", rolling(COMPLETE), up_to(12)),
        terminating("12 for now, Recreate [TerminationComplete]", recreating(), up_to(12)),
        surplus("13 for now [TerminationComplete]", rolling(COMPLETE)),
        surplus("13 for now, Recreate [TerminationComplete]", recreating()),
        go("10 to 14, never observed: all are created, Recreate", recreating(), &[ten().unobserved()], Some(&all())),
        go("10 to 14, an old ReplicaSet does not report: an error, Recreate", recreating(), &broken, None),
        go(
            "10 to 14, surge 3, 4 terminating: 13 for now",
            surging(),
            &[of("blue", 10, 10, 3).terminating(Some(4))],
            Some(&[owed("blue", 13, (10, 3, 10))]),
        ),
        go(
            "10 to 14, surge 3, none terminating any more: all are created",
            surging(),
            &[owed("blue", 13, (10, 3, 10)).unobserved()],
            Some(&[of("blue", 14, 14, 3)]),
        ),
    ]
}

/// From 5 to 10, in a rollout from 3 to 2 pods.
fn two_sets() -> Vec<Value> {
    let ten = |policy| deployment(10, 0, policy);
    let sets =
        |lagging| [of("red", 3, 5, 0).lagging(lagging).terminating(Some(1)), of("blue", 2, 5, 0).terminating(Some(1))];
    let all = [of("red", 6, 10, 0), of("blue", 4, 10, 0)];
    let some = [of("red", 6, 10, 0), owed("blue", 2, (5, 0, 2))];
    let broken = [of("red", 3, 5, 0).terminating(None), of("blue", 2, 5, 0).terminating(Some(1))];
    vec![
        go("3 and 2 to 10, 2 terminating: all are created [no policy]", ten(NONE), &sets(1), Some(&all)),
        go("3 and 2 to 10, 2 terminating: all are created [TerminationStarted]", ten(STARTED), &sets(1), Some(&all)),
        go("3 and 2 to 10, 2 terminating: 8 for now", ten(COMPLETE), &sets(0), Some(&some)),
        go("3 and 2 to 10, the old one does not report: an error", ten(COMPLETE), &broken, None),
    ]
}

/// From 7 to 12, and from 100 to 120 with surge 10, in a rollout of three revisions.
fn three_sets() -> Vec<Value> {
    let twelve = || deployment(12, 0, COMPLETE);
    let first = [owed("red", 2, (7, 0, 2)), owed("green", 5, (7, 0, 3)), of("blue", 3, 12, 0)];
    let [red, green, blue] = first.clone();
    let many = || deployment(120, 10, COMPLETE);
    let [red_100, green_100, blue_100] =
        [("red", 20), ("green", 30), ("blue", 50)].map(|(name, size)| of(name, size, 100, 10));
    let part = [owed("red", 21, (100, 10, 20)), of("green", 35, 120, 10), owed("blue", 59, (100, 10, 50))];
    let [red_part, green_part, blue_part] = part.clone();
    let more = [of("red", 24, 120, 10), of("green", 35, 120, 10), owed("blue", 66, (100, 10, 50))];
    let whole = [of("red", 24, 120, 10), of("green", 35, 120, 10), of("blue", 71, 120, 10)];
    vec![
        go(
            "2, 3 and 2 to 12, one terminating and one surplus: 10 for now",
            twelve(),
            &[
                of("red", 2, 7, 0).lagging(1),
                of("green", 3, 7, 0).unobserved(),
                of("blue", 2, 7, 0).terminating(Some(1)),
            ],
            Some(&first),
        ),
        go(
            "2, 3 and 2 to 12, all are gone: the rest is created",
            twelve(),
            &[red, green.unobserved(), blue.unobserved()],
            Some(&[of("red", 3, 12, 0), of("green", 6, 12, 0), of("blue", 3, 12, 0)]),
        ),
        go(
            "100 to 120, 15 terminating: 115 for now",
            many(),
            &[red_100.terminating(Some(5)), green_100.terminating(Some(4)), blue_100.terminating(Some(6))],
            Some(&part),
        ),
        go(
            "100 to 120, 5 terminating: 125 for now",
            many(),
            &[red_part.unobserved(), green_part.terminating(Some(3)), blue_part.terminating(Some(2))],
            Some(&more),
        ),
        go("100 to 120, none terminating: 130", many(), &more.clone().map(ReplicaSet::unobserved), Some(&whole)),
    ]
}

/// The new ReplicaSet of ten in a rolling update from 5 old pods.
fn new_ones() -> Vec<Value> {
    let sized = |name: &str, surge, policy, sets: [ReplicaSet; 2], new: Option<i32>| {
        let [_, blue] = &sets;
        let mut after = sets.clone();
        if let Some(size) = new.filter(|size| *size != blue.replicas) {
            after[1] = of("blue", size, 10, surge);
        }
        let mut expected = json!({"error": new.is_none(), "replicaSets": sizes(&after)});
        if let Some(size) = new {
            expected["scaled"] = (size != blue.replicas).into();
        }
        let input = rollout(deployment(10, surge, policy), &sets);
        let name = format!("the author's figures: {name}");
        case("deployment.reconcileNewReplicaSet", &name, NEW, &on(), input, expected)
    };
    let old = |surge, terminating| of("red", 5, 10, surge).terminating(Some(terminating));
    let new = |surge, size, terminating| of("blue", size, 10, surge).terminating(Some(terminating));
    let many = || [old(2, 1), new(2, 0, 10)];
    vec![
        sized("5 old, surge 2, 11 terminating: 7 new [no policy]", 2, NONE, many(), Some(7)),
        sized("5 old, surge 2, 11 terminating: 7 new [TerminationStarted]", 2, STARTED, many(), Some(7)),
        sized("5 old, surge 2, 11 terminating: none new [TerminationComplete]", 2, COMPLETE, many(), Some(0)),
        sized("5 old and 1 new, one of these terminating: 4 new", 0, COMPLETE, [old(0, 0), new(0, 1, 1)], Some(4)),
        sized(
            "5 old and 1 new that was never observed, one terminating: 4 new",
            0,
            COMPLETE,
            [old(0, 1), new(0, 1, 0).unobserved()],
            Some(4),
        ),
        sized(
            "5 old and 1 new that does not report: an error",
            0,
            COMPLETE,
            [old(0, 1), new(0, 1, 0).terminating(None)],
            None,
        ),
        sized("5 old, one surplus, and 1 new: 4 new", 0, COMPLETE, [old(0, 0).lagging(1), new(0, 1, 0)], Some(4)),
        sized(
            "5 old, surge 2, 3 terminating, one unwanted pod: 3 new",
            2,
            COMPLETE,
            [old(2, 1), new(2, 0, 2).lagging(1)],
            Some(3),
        ),
    ]
}

/// Of six old ReplicaSets, only the one without any pods is deleted. The Deployment has no policy.
fn clean_up() -> Vec<Value> {
    let empty = |color| of(color, 0, 1, 0);
    let sets = [
        empty("grey"),
        empty("red").terminating(Some(1)),
        empty("green").terminating(None),
        empty("blue").lagging(1),
        of("amber", 1, 1, 0).lagging(-1),
        of("violet", 1, 1, 0),
    ];
    let mut deployment = deployment(1, 0, NONE);
    deployment["spec"]["revisionHistoryLimit"] = 0.into();
    let old: Vec<Value> = sets.iter().map(ReplicaSet::value).collect();
    let input = json!({"deployment": deployment, "newReplicaSet": null, "oldReplicaSets": old});
    let name = "the author's figures: of six old ReplicaSets, the one without any pods is deleted";
    vec![case("deployment.cleanup", name, CLEAN_UP, &on(), input, json!({"error": null, "deleted": ["shop-grey"]}))]
}

/// spec.replicas, status.replicas and status.terminatingReplicas of several ReplicaSets.
fn counts() -> Vec<Value> {
    let red = || of("red", 1, 1, 0).lagging(1).terminating(Some(3));
    let green = || of("green", 2, 2, 0).lagging(1).unobserved().terminating(Some(1));
    let blue = || of("blue", 3, 3, 0).lagging(-3).unobserved();
    let amber = || of("amber", 1, 1, 0).terminating(None);
    let sum = |name: &str, sets: &[ReplicaSet], spec: i32, status: i32, terminating: Option<i32>| {
        let input = json!({"replicaSets": sets.iter().map(ReplicaSet::value).collect::<Vec<_>>()});
        let expected = json!({"spec": spec, "status": status, "terminating": terminating});
        let name = format!("the author's figures: counts of {name}");
        case("deployment.replicaCounts", &name, COUNTS, &on(), input, expected)
    };
    vec![
        sum("one that shrinks", &[red()], 1, 2, Some(3)),
        sum("two that shrink", &[red(), green()], 3, 5, Some(4)),
        sum("one that was never observed", &[blue()], 3, 0, Some(0)),
        sum("two that shrink and one that was never observed", &[red(), green(), blue()], 6, 5, Some(4)),
        sum("one that does not report", &[amber()], 1, 1, None),
        sum("four of which one does not report", &[red(), green(), blue(), amber()], 7, 6, None),
    ]
}

/// Recreate with six pods that take 300 s to terminate. Once the new pods exist, one of them is deleted, and the
/// Deployment is scaled to 7 and to 5. The numbers under TerminationStarted and TerminationComplete are ours.
fn recreated() -> Vec<Value> {
    let scale = |at: &str, replicas: i32| json!({"at": at, "scale": {"name": "shop", "namespace": "store", "replicas": replicas}});
    let actions = json!([
        new_template()[0],
        {"at": "362s", "delete": {"kind": "Pod", "name": "shop/0", "namespace": "store"}},
        scale("364s", 7),
        scale("366s", 5),
    ]);
    let counts = |at: &str, replicas: i32, terminating: i32| {
        let replicas = if replicas == 0 { Value::Null } else { replicas.into() };
        let status = json!({"replicas": replicas, "terminatingReplicas": terminating});
        json!({"time": at, "objects": {"Deployment/shop": {"status": status}}})
    };
    let times = ["61s", "361s", "363s", "365s", "367s", "20m"];
    let all = POLICIES.map(|(word, policy)| {
        let figures = match policy {
            NONE => [(0, 6), (6, 0), (6, 1), (7, 1), (5, 3), (5, 0)],
            COMPLETE => [(0, 6), (6, 0), (6, 1), (6, 1), (5, 2), (5, 0)],
            _ => [(6, 6), (6, 0), (6, 1), (7, 1), (5, 3), (5, 0)],
        };
        let frames: Vec<Value> =
            times.iter().zip(figures).map(|(at, (replicas, terminating))| counts(at, replicas, terminating)).collect();
        // Under TerminationComplete, only once the last pod is gone.
        let completed = if policy == COMPLETE { "2026-03-02T12:11:06Z" } else { "2026-03-02T12:06:06Z" };
        let name = format!("the author's figures: Recreate, a pod deleted, 7 and 5 pods [{word}]");
        let expected = json!({"error": false, "completedAt": completed, "at": frames});
        let mut case = run(&name, RECREATE, recreate(deployment(6, 0, policy)), actions.clone(), expected);
        let scenario = &mut case["input"]["scenario"];
        scenario["kubelet"][0]["terminate"] = "300s".into();
        scenario["objects"][0]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 300.into();
        case
    });
    all.to_vec()
}

/// A rolling update of 100 pods with surge 20, scaled to 120 while 15 and then 16 pods terminate. The numbers under
/// TerminationComplete are ours.
fn in_proportion() -> Vec<Value> {
    const GRACE: &str = "300s";
    let delete = |at: &str, pod: i32| json!({"at": at, "delete": {"kind": "Pod", "name": format!("shop/{pod}"), "namespace": "store"}});
    let go = |word: &str, policy, frames: &[Value]| {
        let mut actions: Vec<Value> = (0..15).map(|pod| delete("30s", pod)).collect();
        // The oldest of the new pods. Terminating pods have no numbers.
        actions.extend([roll_out("60s", "green"), delete("70s", 100), super::complete_rollouts::scale("80s", 120)]);
        let name = format!("the author's figures: 100 pods with surge 20, scaled to 120 while 16 terminate [{word}]");
        let mut expected = expected(0, None, frames);
        expected.as_object_mut().unwrap().remove("peak");
        let mut case = never_ready(shop(&name, PROPORTIONAL, 100, [json!(20), json!(0)], &actions, expected), "green");
        let scenario = &mut case["input"]["scenario"];
        for kubelet in scenario["kubelet"].as_array_mut().unwrap() {
            kubelet["terminate"] = GRACE.into();
        }
        let objects = scenario["objects"].as_array_mut().unwrap();
        for object in objects.iter_mut() {
            object["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 300.into();
        }
        objects[1]["metadata"]["annotations"] = of("red", 100, 100, 20).value()["metadata"]["annotations"].clone();
        under(case, policy)
    };
    let whole = |size: i32| (size, (120, 140, None));
    let part = |size: i32| (size, (100, 120, Some(100)));
    let at_once = [two("61s", [100, 20], 15), two("71s", [100, 20], 16), noted("81s", &[whole(117), whole(23)], 16)];
    vec![
        go("no policy", NONE, &at_once),
        go("TerminationStarted", STARTED, &at_once),
        go(
            "TerminationComplete",
            COMPLETE,
            &[
                two("61s", [100, 5], 15),
                two("71s", [100, 5], 16),
                // Shares of 17 and 1 of 19, and one of the 17 left over.
                noted("81s", &[part(118), whole(6)], 16),
                // 15 are gone, and of the 16 pods still owed there is room for 15.
                noted("331s", &[part(133), whole(6)], 1),
            ],
        ),
    ]
}
