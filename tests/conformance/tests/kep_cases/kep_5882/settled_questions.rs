//! What the KEP takes for granted or leaves open, and the existing controller or this project has settled: terms,
//! counts, events, orders, shares, rollouts.

use serde_json::{Value, json};

use super::super::objects::{
    Annotations, ReplicaSet, case, deployment, gates, noted, recreate, replica_set, rollout, sizes, template,
};
use super::{COMPLETE, NONE, POLICIES, STARTED, on, scale};

const SOURCE: &str = "KEP-5882, as settled in docs/kep-5882.md";
const PREFIX: &str = "deployment.kubernetes.io/";
const SURGE: i32 = 3;

pub fn cases() -> Vec<Value> {
    [
        words(),
        zero(),
        counting(),
        events(),
        saturated(),
        orders(),
        ratios(),
        signs(),
        fewer_but_more(),
        rolling(),
        recreating(),
        history(),
        counted_by_replica_sets(),
        gates_again(),
        refused(),
    ]
    .concat()
}

const fn of(color: &'static str, replicas: i32, desired: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::complete(desired, SURGE))
}

/// The resolved maxSurge and maxUnavailable.
fn words() -> Vec<Value> {
    let resolved = |name: &str, surge: &str, unavailable: &str, expected: [i32; 2]| {
        let input = json!({"maxSurge": surge, "maxUnavailable": unavailable, "desired": 10});
        let expected = json!({"surge": expected[0], "unavailable": expected[1], "error": null});
        case("deployment.resolveFenceposts", name, SOURCE, &json!({}), input, expected)
    };
    vec![
        resolved("percentages: surge is rounded up, unavailable down", "25%", "25%", [3, 2]),
        resolved("percentages: a small surge is rounded up to one pod", "1%", "1%", [1, 0]),
        resolved("percentages that both come to 0: one may be unavailable", "0%", "5%", [0, 1]),
    ]
}

/// To zero, and back.
fn zero() -> Vec<Value> {
    let going = [of("red", 6, 10).terminating(Some(8)), of("blue", 4, 10)];
    let gone = [of("red", 0, 0), of("blue", 0, 0)];
    let ending = [of("red", 0, 0).terminating(Some(6)), of("blue", 0, 0).terminating(Some(4))];
    let some = replica_set("blue", 3, Annotations::partial(0, SURGE, 0));
    let only_old = [of("grey", 0, 0), of("red", 0, 0)];
    vec![
        scale(
            "to zero: all pods are deleted, however many are terminating",
            SOURCE,
            &on(),
            deployment(0, SURGE, COMPLETE),
            &going,
            &gone,
        ),
        scale(
            "back from zero: the new ReplicaSet grows as far as there is room",
            SOURCE,
            &on(),
            deployment(10, SURGE, COMPLETE),
            &ending,
            &[of("red", 0, 0), some],
        ),
        scale(
            "back from zero: the new ReplicaSet grows [no policy]",
            SOURCE,
            &on(),
            deployment(10, SURGE, NONE),
            &ending,
            &[of("red", 0, 0), of("blue", 10, 10)],
        ),
        scale(
            "no ReplicaSet has pods, and none is new: the newest old one grows",
            SOURCE,
            &on(),
            deployment(4, SURGE, NONE),
            &only_old,
            &[of("grey", 0, 0), of("red", 4, 4)],
        ),
    ]
}

/// T, and the pods above spec.replicas.
fn counting() -> Vec<Value> {
    const SURGE: i32 = 10;
    let of = |color, replicas, desired| replica_set(color, replicas, Annotations::complete(desired, SURGE));
    let owed = |color, replicas, before| replica_set(color, replicas, Annotations::partial(100, SURGE, before));
    let known = [
        of("red", 50, 100).unobserved().terminating(Some(11)),
        of("green", 30, 100).terminating(Some(4)),
        of("blue", 20, 100),
    ];
    let after = [owed("red", 59, 50), of("green", 35, 120), owed("blue", 21, 20)];
    let behind = [of("red", 50, 100).terminating(None), of("green", 30, 100), of("blue", 20, 100)];
    let mut input = rollout(deployment(120, SURGE, COMPLETE), &behind);
    input["oldReplicaSets"][0]["metadata"]["generation"] = 9.into();
    let expected = json!({"error": true, "replicaSets": sizes(&behind)});
    let name = "a ReplicaSet that is only behind does not count as one that never reported";
    let lagging = [self::of("red", 5, 10).lagging(3), self::of("blue", 5, 10).lagging(-3)];
    let beside = [self::of("red", 7, 14), replica_set("blue", 7, Annotations::partial(10, self::SURGE, 5))];
    vec![
        scale(
            "terminatingReplicas count though their ReplicaSet was never observed",
            SOURCE,
            &on(),
            deployment(120, SURGE, COMPLETE),
            &known,
            &after,
        ),
        case("deployment.scale", name, SOURCE, &on(), input, expected),
        scale(
            "missing pods of a sibling leave no room for pods above spec.replicas",
            SOURCE,
            &on(),
            deployment(14, self::SURGE, COMPLETE),
            &lagging,
            &beside,
        ),
    ]
}

/// A sync and its events.
pub fn sync(name: &str, deployment: Value, sets: &[ReplicaSet], events: &[&str]) -> Value {
    let mut deployment = deployment;
    let there: i32 = sets.iter().map(|set| set.replicas + set.lagging).sum();
    deployment["status"]["replicas"] = there.into();
    let sets: Vec<Value> = sets.iter().map(ReplicaSet::value).collect();
    let input = json!({"deployment": deployment, "replicaSets": sets, "pods": []});
    let events: Vec<String> = events.iter().map(|text| format!("Normal ScalingReplicaSet Scaled {text}")).collect();
    case("deployment.sync", name, SOURCE, &on(), input, json!({"error": false, "events": events}))
}

/// What counts as a scaling event, and what it stops.
fn events() -> Vec<Value> {
    let sets = [of("red", 6, 10), of("blue", 4, 10)];
    let mut paused = deployment(10, 5, COMPLETE);
    paused["spec"]["paused"] = true.into();
    let mut unread = sync(
        "a malformed desired-replicas annotation is no scaling event",
        deployment(12, SURGE, COMPLETE),
        &sets,
        &["up replica set shop-blue from 4 to 9"],
    );
    for set in unread["input"]["replicaSets"].as_array_mut().unwrap() {
        set["metadata"]["annotations"][format!("{PREFIX}desired-replicas")] = "+10".into();
    }
    let mut next = deployment(120, 10, COMPLETE);
    next["spec"]["template"] = template("white");
    let owed = |color, replicas, before| replica_set(color, replicas, Annotations::partial(100, 10, before));
    let part = [
        owed("red", 59, 50).terminating(Some(15)),
        replica_set("green", 35, Annotations::complete(120, 10)),
        owed("blue", 21, 20),
    ];
    vec![
        sync(
            "a change of surge alone is no scaling event",
            deployment(10, 5, COMPLETE),
            &sets,
            &["up replica set shop-blue from 4 to 9"],
        ),
        unread,
        sync(
            "a paused Deployment is scaled at every sync",
            paused,
            &sets,
            &["up replica set shop-red from 6 to 10", "up replica set shop-blue from 4 to 5"],
        ),
        sync("no rollout begins while a scaling is not finished", next, &part, &[]),
    ]
}

/// The API server refuses the write: the sync fails and is retried.
fn refused() -> Vec<Value> {
    let sets = [of("red", 6, 10), of("blue", 4, 10)];
    let name = "a refused write is an error, and nothing is scaled";
    let mut case = sync(name, deployment(10, SURGE, COMPLETE), &sets, &[]);
    let message = "etcdserver: request timed out";
    case["input"]["refuse"] =
        json!([{"verb": "update", "resource": "replicasets", "after": 0, "code": 500, "message": message}]);
    case["expected"] = json!({"error": true, "writes": [], "events": []});
    vec![case]
}

/// The new ReplicaSet has its full size.
fn saturated() -> Vec<Value> {
    let before = [of("red", 3, 8).terminating(Some(40)), of("blue", 10, 10)];
    let after = [of("red", 0, 10), of("blue", 10, 10)];
    let all = POLICIES.map(|(word, policy)| {
        let name = format!("the new ReplicaSet is saturated: the old ones go to 0 [{word}]");
        scale(&name, SOURCE, &on(), deployment(10, SURGE, policy), &before, &after)
    });
    // Truncated to 32 bits, it is 10.
    let name = "the new ReplicaSet is saturated, by an annotation that only Atoi reads";
    let mut odd = scale(name, SOURCE, &on(), deployment(10, SURGE, COMPLETE), &before, &after);
    let annotations = json!({
        format!("{PREFIX}desired-replicas"): "+4294967306",
        format!("{PREFIX}max-replicas"): "13",
    });
    odd["input"]["newReplicaSet"]["metadata"]["annotations"] = annotations.clone();
    odd["expected"]["replicaSets"]["shop-blue"]["annotations"] = annotations;
    let several = POLICIES.map(|(word, policy)| {
        let sets =
            [replica_set("red", 4, Annotations::complete(10, 0)), replica_set("blue", 6, Annotations::complete(10, 0))];
        let name = format!("Recreate during a scaling: nothing is scaled while several ReplicaSets have pods [{word}]");
        scale(&name, SOURCE, &on(), recreate(deployment(20, 0, policy)), &sets, &sets)
    });
    [&all[..], &[odd], &several].concat()
}

/// Which ReplicaSet comes first.
fn orders() -> Vec<Value> {
    let removing = scale(
        "removing pods: of equal size, the oldest first",
        SOURCE,
        &on(),
        deployment(8, SURGE, COMPLETE),
        &[of("red", 6, 9), of("blue", 6, 9)],
        &[of("red", 5, 8), of("blue", 6, 8)],
    );
    let equal = |name: &str, desired: i32, after: &[ReplicaSet]| {
        let before = [of("red", 6, 9), of("green", 6, 9)];
        let mut case = scale(name, SOURCE, &on(), deployment(desired, SURGE, COMPLETE), &before, after);
        for set in case["input"]["oldReplicaSets"].as_array_mut().unwrap() {
            set["metadata"]["creationTimestamp"] = "2026-03-02T01:00:00Z".into();
        }
        case
    };
    vec![
        removing,
        equal("adding pods: of equal age, the higher name first", 10, &[of("red", 7, 10), of("green", 6, 10)]),
        equal("removing pods: of equal age, the lower name first", 8, &[of("red", 6, 8), of("green", 5, 8)]),
        alike(sync(
            "no ReplicaSet has pods: of equal age, the higher name is the newest",
            next(4, true),
            &[of("green", 0, 0), of("red", 0, 0)],
            &["up replica set shop-red from 0 to 4"],
        )),
        alike(sync(
            "rolling: of equal age, the lower name is the oldest",
            deployment(10, SURGE, COMPLETE),
            &[of("red", 5, 10), of("green", 5, 10), of("blue", 3, 10)],
            &["down replica set shop-green from 5 to 0", "down replica set shop-red from 5 to 4"],
        )),
    ]
}

/// A Deployment whose template no ReplicaSet has.
fn next(replicas: i32, paused: bool) -> Value {
    let mut deployment = deployment(replicas, SURGE, COMPLETE);
    deployment["spec"]["template"] = template("white");
    deployment["spec"]["paused"] = paused.into();
    deployment
}

/// All old ReplicaSets have the same age.
fn alike(mut case: Value) -> Value {
    for set in case["input"]["replicaSets"].as_array_mut().unwrap() {
        if set["metadata"]["name"] != "shop-blue" {
            set["metadata"]["creationTimestamp"] = "2026-03-02T01:00:00Z".into();
        }
    }
    case
}

/// The limit before the scaling, if the annotation does not give it.
fn ratios() -> Vec<Value> {
    let go = |name: &str, max: Option<&str>, status_replicas: i32, after: [i32; 2]| {
        let before = [of("red", 4, 10), of("blue", 6, 10)];
        let after = [of("red", after[0], 20), of("blue", after[1], 20)];
        let mut case = scale(name, SOURCE, &on(), deployment(20, SURGE, COMPLETE), &before, &after);
        case["input"]["deployment"]["status"]["replicas"] = status_replicas.into();
        let annotations = case["input"]["oldReplicaSets"][0]["metadata"]["annotations"].as_object_mut().unwrap();
        match max {
            Some(max) => annotations.insert(format!("{PREFIX}max-replicas"), max.into()),
            None => annotations.remove(&format!("{PREFIX}max-replicas")),
        };
        case
    };
    vec![
        go("no max-replicas annotation: status.replicas", None, 10, [9, 14]),
        go("a malformed max-replicas annotation: status.replicas", Some("ten"), 10, [9, 14]),
        go("a max-replicas annotation of 0: status.replicas", Some("0"), 10, [9, 14]),
        go("no max-replicas annotation and no pods counted: no share", None, 0, [4, 19]),
        first_without_a_share("the first ReplicaSet has no share: it gets the leftover, as far as there is room", 8, {
            let owed = Annotations { desired: 10, max: 0, before_scale: Some(6) };
            [replica_set("red", 8, owed), of("blue", 7, 20)]
        }),
        first_without_a_share(
            "the first ReplicaSet has no share: it gets the whole leftover",
            0,
            [of("red", 16, 20), of("blue", 7, 20)],
        ),
    ]
}

/// The largest ReplicaSet, whose limit before the scaling is unknown, and one with a share of 3 of 13.
fn first_without_a_share(name: &str, terminating: i32, after: [ReplicaSet; 2]) -> Value {
    let unknown = Annotations { desired: 10, max: 0, before_scale: None };
    let before = [replica_set("red", 6, unknown).terminating(Some(terminating)), of("blue", 4, 10)];
    let mut case = scale(name, SOURCE, &on(), deployment(20, SURGE, COMPLETE), &before, &after);
    case["input"]["deployment"]["status"]["replicas"] = 0.into();
    case
}

/// Shares with the wrong sign.
fn signs() -> Vec<Value> {
    let adding = [
        replica_set("red", 10, Annotations::partial(10, SURGE, 2)),
        replica_set("blue", 12, Annotations::complete(28, SURGE)),
    ];
    let removing = [
        replica_set("red", 6, Annotations::partial(2, SURGE, 6)),
        replica_set("blue", 12, Annotations::complete(14, SURGE)),
    ];
    let go = |name: &str, policy, desired, before: &[ReplicaSet], after: [i32; 2]| {
        let after = [of("red", after[0], desired), of("blue", after[1], desired)];
        scale(name, SOURCE, &on(), deployment(desired, SURGE, policy), before, &after)
    };
    vec![
        go("adding pods: a share below 0 counts as 0", COMPLETE, 30, &adding, [10, 23]),
        noted(
            go("adding pods: a share below 0 counts [no policy]", NONE, 30, &adding, [5, 28]),
            "as in Kubernetes, where annotations that do not fit have the same effect",
        ),
        go("removing pods: a share above 0 counts as 0", COMPLETE, 10, &removing, [6, 7]),
        noted(
            go("removing pods: a share above 0 counts [no policy]", NONE, 10, &removing, [16, 0]),
            "as in Kubernetes, where annotations that do not fit have the same effect",
        ),
    ]
}

/// From 10 to 8 during a rollout, with 10 of 11 pods: the target is lower, and still one pod is added.
fn fewer_but_more() -> Vec<Value> {
    let sets = |terminating| [of("red", 5, 10).terminating(terminating), of("blue", 5, 10)];
    let go = |name: &str, policy, terminating, after: [ReplicaSet; 2]| {
        scale(name, SOURCE, &on(), deployment(8, SURGE, policy), &sets(Some(terminating)), &after)
    };
    let owed = replica_set("blue", 5, Annotations::partial(10, SURGE, 5));
    let unknown = |name: &str, deployment: Value, error: bool, after: [ReplicaSet; 2]| {
        let expected = json!({"error": error, "replicaSets": sizes(&after)});
        case("deployment.scale", name, SOURCE, &on(), rollout(deployment, &sets(None)), expected)
    };
    let today = [of("red", 4, 8), of("blue", 7, 8)];
    vec![
        go("fewer are desired, but one is added: none terminating", COMPLETE, 0, [of("red", 5, 8), of("blue", 6, 8)]),
        go("fewer are desired, but one is added: it waits for terminating pods", COMPLETE, 5, [of("red", 5, 8), owed]),
        go("fewer are desired, but one is added: terminating pods are ignored [no policy]", NONE, 5, today.clone()),
        go("fewer are desired, but one is added: terminating pods are ignored [TerminationStarted]", STARTED, 5, today),
        unknown(
            "fewer are desired, but one is added: unknown terminatingReplicas are an error",
            deployment(8, SURGE, COMPLETE),
            true,
            sets(None),
        ),
        unknown(
            "fewer are desired and one goes: unknown terminatingReplicas do not matter",
            deployment(6, SURGE, COMPLETE),
            false,
            [of("red", 4, 6), of("blue", 5, 6)],
        ),
    ]
}

/// Rolling updates, under every policy.
fn rolling() -> Vec<Value> {
    let mut cases = Vec::new();
    for (word, policy) in POLICIES {
        let mut go = |op: &str, name: &str, before: &[ReplicaSet], scaled: bool, after: &[ReplicaSet]| {
            let input = rollout(deployment(10, SURGE, policy), before);
            let expected = json!({"error": false, "scaled": scaled, "replicaSets": sizes(after)});
            cases.push(case(op, &format!("{name} [{word}]"), SOURCE, &on(), input, expected));
        };
        let whole = [of("red", 2, 10).terminating(Some(1)), of("blue", 10, 10)];
        go("deployment.reconcileNewReplicaSet", "a new ReplicaSet of full size stays", &whole, false, &whole);
        let before = [of("red", 2, 10).terminating(None), of("blue", 14, 10)];
        let after = [of("red", 2, 10), of("blue", 10, 10)];
        go("deployment.reconcileNewReplicaSet", "a new ReplicaSet that is too large shrinks", &before, true, &after);
        let before = [of("red", 5, 10).lagging(-3), of("green", 5, 10).terminating(Some(9)), of("blue", 4, 10)];
        let after = [of("red", 0, 10), of("green", 3, 10), of("blue", 4, 10)];
        let name = "unavailable old pods go first, then available ones, the oldest first";
        go("deployment.reconcileOldReplicaSets", name, &before, true, &after);
        let before = [of("red", 8, 10).lagging(-8).terminating(Some(9)), of("blue", 4, 10)];
        let after = [of("red", 3, 10), of("blue", 4, 10)];
        let name = "unavailable old pods go only as far as maxUnavailable allows";
        go("deployment.reconcileOldReplicaSets", name, &before, true, &after);
        // At most 14 - 7 - 4, since the new one has none of its four yet.
        let lacking = |red, green| {
            [of("red", 5, 10).lagging(red), of("green", 5, 10).lagging(green), of("blue", 4, 10).lagging(-4)]
        };
        let after = [of("red", 2, 10), of("green", 5, 10), of("blue", 4, 10)];
        let name =
            "of several old ReplicaSets with unavailable pods, the oldest shrinks first; unavailable new pods count";
        go("deployment.reconcileOldReplicaSets", name, &lacking(-3, -2), true, &after);
        let after = [of("red", 3, 10), of("green", 4, 10), of("blue", 4, 10)];
        let name =
            "of several old ReplicaSets with unavailable pods, the next takes the rest; unavailable new pods count";
        go("deployment.reconcileOldReplicaSets", name, &lacking(-2, -2), true, &after);
    }
    cases
}

/// A new ReplicaSet of a Recreate Deployment that is too small.
fn recreating() -> Vec<Value> {
    let sets = |terminating| {
        [
            replica_set("red", 0, Annotations::complete(5, 0)),
            replica_set("blue", 3, Annotations::complete(5, 0)).terminating(terminating),
        ]
    };
    let unknown = {
        let name = "Recreate: unknown terminatingReplicas of the new ReplicaSet are an error";
        let mut case = sync(name, recreate(deployment(5, 0, COMPLETE)), &sets(None), &[]);
        case["expected"]["error"] = true.into();
        case
    };
    let go = |name: &str, policy, terminating, events: &[&str]| {
        sync(name, recreate(deployment(5, 0, policy)), &sets(Some(terminating)), events)
    };
    let grows = "up replica set shop-blue from 3 to 4";
    let whole = "up replica set shop-blue from 3 to 5";
    vec![
        go("Recreate: the new ReplicaSet's own terminating pods count", COMPLETE, 1, &[grows]),
        go("Recreate: the new ReplicaSet's own terminating pods take all slots", COMPLETE, 2, &[]),
        go("Recreate: the new ReplicaSet reaches full size [no policy]", NONE, 1, &[whole]),
        go("Recreate: the new ReplicaSet reaches full size [TerminationStarted]", STARTED, 1, &[whole]),
        unknown,
    ]
}

/// Old ReplicaSets beyond the history limit.
fn history() -> Vec<Value> {
    let go = |name: &str, gates: &Value, limit: i32, sets: &[(ReplicaSet, Option<&str>)], deleted: &[&str]| {
        let mut deployment = deployment(5, SURGE, COMPLETE);
        deployment["spec"]["revisionHistoryLimit"] = limit.into();
        let old = sets.iter().map(|(set, revision)| {
            let mut set = set.value();
            if let Some(revision) = revision {
                set["metadata"]["annotations"][format!("{PREFIX}revision")] = (*revision).into();
            }
            set
        });
        let old: Vec<Value> = old.collect();
        let input = json!({"deployment": deployment, "newReplicaSet": null, "oldReplicaSets": old});
        case("deployment.cleanup", name, SOURCE, gates, input, json!({"error": null, "deleted": deleted}))
    };
    let empty = |color| of(color, 0, 5);
    let with = |red: ReplicaSet| [(red, Some("2")), (empty("grey"), Some("1")), (empty("green"), Some("3"))];
    let off = gates(true, false);
    let names = [(empty("red"), Some("1")), (empty("green"), Some("1"))];
    let mut twins = go("history: of equal revision and age, the lower name goes", &on(), 1, &names, &["shop-green"]);
    for set in twins["input"]["oldReplicaSets"].as_array_mut().unwrap() {
        set["metadata"]["creationTimestamp"] = "2026-03-02T01:00:00Z".into();
    }
    let mut going =
        go("history: one that is being deleted is not counted", &on(), 1, &with(empty("red")), &["shop-grey"]);
    going["input"]["oldReplicaSets"][0]["metadata"]["deletionTimestamp"] = "2026-03-02T11:59:00Z".into();
    vec![
        going,
        go("history: the lowest revisions are deleted", &on(), 1, &with(empty("red")), &["shop-grey", "shop-red"]),
        go(
            "history: one with terminating pods stays, and none is deleted in its place",
            &on(),
            1,
            &with(empty("red").terminating(Some(2))),
            &["shop-grey"],
        ),
        go(
            "history: one that does not report terminatingReplicas stays",
            &on(),
            1,
            &with(empty("red").terminating(None)),
            &["shop-grey"],
        ),
        go("history: one never observed stays", &on(), 1, &with(empty("red").unobserved()), &["shop-grey"]),
        go("history: one with pods stays", &on(), 1, &with(of("red", 1, 5)), &["shop-grey"]),
        go("history: one that still counts pods stays", &on(), 1, &with(empty("red").lagging(1)), &["shop-grey"]),
        go(
            "history: terminating pods do not matter with the gate off",
            &off,
            1,
            &with(empty("red").terminating(Some(2))),
            &["shop-grey", "shop-red"],
        ),
        go(
            "history: no revision counts as 0",
            &on(),
            1,
            &[(empty("grey"), Some("1")), (empty("green"), None)],
            &["shop-green"],
        ),
        go(
            "history: of equal revision, the oldest is deleted",
            &on(),
            1,
            &[(empty("green"), Some("1")), (empty("red"), Some("1"))],
            &["shop-red"],
        ),
        twins,
    ]
}

/// `status.terminatingReplicas` of a ReplicaSet.
fn counted_by_replica_sets() -> Vec<Value> {
    let pod = |name: &str, phase: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name, "namespace": "store", "uid": format!("uid-{name}"),
                "creationTimestamp": "2026-03-02T02:00:00Z",
                "deletionTimestamp": "2026-03-02T12:00:20Z", "deletionGracePeriodSeconds": 30,
                "labels": {"app": "shop", "pod-template-hash": "red"},
                "ownerReferences": [{
                    "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop-red", "uid": "uid-red",
                    "controller": true, "blockOwnerDeletion": true,
                }],
            },
            "spec": {"containers": [{"name": "till", "image": "shop:red"}], "nodeName": "node-1"},
            "status": {"phase": phase},
        })
    };
    let pods = [pod("a", "Running"), pod("b", "Failed"), pod("c", "Pending"), pod("d", "Succeeded")];
    let controller = || {
        let mut set = of("red", 0, 5).terminating(None).value();
        set["apiVersion"] = "v1".into();
        set["kind"] = "ReplicationController".into();
        set["metadata"].as_object_mut().unwrap().remove("ownerReferences");
        set["spec"]["selector"] = json!({"app": "shop"});
        let owned = pods.clone().map(|mut pod| {
            pod["metadata"]["ownerReferences"][0]["apiVersion"] = "v1".into();
            pod["metadata"]["ownerReferences"][0]["kind"] = "ReplicationController".into();
            pod
        });
        let name = "a ReplicationController does not report terminatingReplicas";
        let input = json!({"replicationController": set, "replicaSets": [], "pods": owned});
        let expected = json!({"error": null, "writes": []});
        case("replicationController.sync", name, SOURCE, &on(), input, expected)
    };
    let go = |name: &str, gates: &Value, before: Option<i32>, change: Value| {
        let set = of("red", 0, 5).terminating(before).value();
        let writes = json!([{"verb": "updateStatus", "resource": "replicasets", "name": "shop-red", "change": {"status": change}}]);
        let input = json!({"replicaSet": set, "replicaSets": [set], "pods": pods});
        case("replicaSet.sync", name, SOURCE, gates, input, json!({"error": null, "writes": writes}))
    };
    vec![
        go("a ReplicaSet counts terminating pods until they end", &on(), Some(0), json!({"terminatingReplicas": 2})),
        go(
            "a ReplicaSet does not report terminatingReplicas with the gate off",
            &gates(false, false),
            Some(1),
            json!({"terminatingReplicas": null}),
        ),
        controller(),
    ]
}

/// Gates that differ between components, or are turned on again.
fn gates_again() -> Vec<Value> {
    const SURGE: i32 = 10;
    let of = |color, replicas, desired| replica_set(color, replicas, Annotations::complete(desired, SURGE));
    let owed = |color, replicas, before| replica_set(color, replicas, Annotations::partial(100, SURGE, before));
    let stale = |color, replicas, before| {
        replica_set(color, replicas, Annotations { before_scale: Some(before), ..Annotations::complete(120, SURGE) })
    };
    let before = [of("red", 50, 100).terminating(Some(15)), of("green", 30, 100), of("blue", 20, 100)];
    let skewed = json!({"apiserver": gates(true, false), "controllerManager": gates(true, true)});
    vec![
        scale(
            "the API server's gate is off and the controller's is on: an existing policy works",
            "KEP-5882, Version Skew Strategy",
            &skewed,
            deployment(120, SURGE, COMPLETE),
            &before,
            &[owed("red", 59, 50), of("green", 35, 120), owed("blue", 21, 20)],
        ),
        scale(
            "the gate is on again: an old replicas-before-scale annotation distorts the proportions",
            "KEP-5882, Feature Enablement and Rollback",
            &on(),
            deployment(130, SURGE, COMPLETE),
            &[stale("red", 70, 50), of("green", 35, 120), stale("blue", 25, 20)],
            &[of("red", 77, 130), of("green", 38, 130), of("blue", 25, 130)],
        ),
        scale(
            "the gate is on again: without a replicas-before-scale annotation, the proportions are right",
            "KEP-5882, Feature Enablement and Rollback",
            &on(),
            deployment(130, SURGE, COMPLETE),
            &[of("red", 70, 120), of("green", 35, 120), of("blue", 25, 120)],
            // Scaled from 130 to 140, 70, 35 and 25 become 75.4, 37.7 and 26.9.
            &[of("red", 75, 130), of("green", 38, 130), of("blue", 27, 130)],
        ),
        scale(
            "the gate is on again during a scaling: the scaling continues",
            "KEP-5882, Feature Enablement and Rollback",
            &on(),
            deployment(120, SURGE, COMPLETE),
            &[owed("red", 59, 50).terminating(Some(5)), of("green", 35, 120), owed("blue", 21, 20)],
            &[owed("red", 66, 50), of("green", 35, 120), of("blue", 24, 120)],
        ),
    ]
}
