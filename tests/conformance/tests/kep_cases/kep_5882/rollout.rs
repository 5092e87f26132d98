//! What the text says about rollouts.

use serde_json::{Value, json};

use super::super::objects::{
    Annotations, NOW, ReplicaSet, case, deployment, gates, recreate, replica_set, rollout, sizes,
};
use super::{COMPLETE, NONE, POLICIES, STARTED, on};

const ROLLING: &str = "KEP-5882, Deployment Behavior Changes, RollingUpdate rollout logic";
const RECREATE: &str = "KEP-5882, Deployment Behavior Changes, Recreate rollout logic";
const DESIRED: i32 = 10;
const SURGE: i32 = 3;

pub fn cases() -> Vec<Value> {
    [rolling_up(), rolling_down(), none_desired(), recreating(), old_pods_running()].concat()
}

const fn of(color: &'static str, replicas: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::complete(DESIRED, SURGE))
}

/// Six old and four new pods of ten; three more are allowed.
fn rolling_up() -> Vec<Value> {
    let mut cases = Vec::new();
    let mut grow = |name: &str, policy, gates: &Value, old: ReplicaSet, new: Option<i32>| {
        let before = [old.clone(), of("blue", 4)];
        let input = || rollout(deployment(DESIRED, SURGE, policy), &before);
        let size = new.map_or_else(|| json!({"error": true}), |new| json!({"error": false, "replicas": new}));
        cases.push(case("deployment.newReplicas", &format!("{name}: size"), ROLLING, gates, input(), size));
        let after = sizes(&[old, of("blue", new.unwrap_or(4))]);
        let mut expected = json!({"error": new.is_none(), "replicaSets": after});
        if let Some(new) = new {
            expected["scaled"] = (new != 4).into();
        }
        cases.push(case("deployment.reconcileNewReplicaSet", name, ROLLING, gates, input(), expected));
    };
    let old = || of("red", 6);
    grow("3 terminating pods are ignored [no policy]", NONE, &on(), old().terminating(Some(3)), Some(7));
    grow("3 terminating pods are ignored [TerminationStarted]", STARTED, &on(), old().terminating(Some(3)), Some(7));
    grow("3 terminating pods take all room", COMPLETE, &on(), old().terminating(Some(3)), Some(4));
    grow("1 terminating pod leaves room for 2", COMPLETE, &on(), old().terminating(Some(1)), Some(6));
    grow("no terminating pod leaves room for 3", COMPLETE, &on(), old().terminating(Some(0)), Some(7));
    grow("more terminating pods than room", COMPLETE, &on(), old().terminating(Some(40)), Some(4));
    grow("pods above spec.replicas take room", COMPLETE, &on(), old().lagging(2), Some(5));
    grow("pods above spec.replicas are ignored [no policy]", NONE, &on(), old().lagging(2), Some(7));
    grow("terminating and surplus pods take room", COMPLETE, &on(), old().lagging(1).terminating(Some(1)), Some(5));
    grow("unknown terminatingReplicas are an error", COMPLETE, &on(), old().terminating(None), None);
    let ignored = "unknown terminatingReplicas do not matter [TerminationStarted]";
    grow(ignored, STARTED, &on(), old().terminating(None), Some(7));
    grow("terminatingReplicas that were never reported count as 0", COMPLETE, &on(), old().unobserved(), Some(7));
    grow("the policy's gate is off", COMPLETE, &gates(true, false), old().terminating(Some(3)), Some(7));
    grow("both gates are off", COMPLETE, &gates(false, false), old().terminating(None), Some(7));
    cases
}

/// Old ReplicaSets shrink in the same way under every policy.
fn rolling_down() -> Vec<Value> {
    let before = [of("red", 8).terminating(Some(6)), of("blue", 4)];
    let after = [of("red", 3).terminating(Some(6)), of("blue", 4)];
    let all = POLICIES.map(|(word, policy)| {
        let expected = json!({"error": false, "scaled": true, "replicaSets": sizes(&after)});
        let name = format!("old pods are deleted, however many are terminating [{word}]");
        let input = rollout(deployment(DESIRED, SURGE, policy), &before);
        case("deployment.reconcileOldReplicaSets", &name, ROLLING, &on(), input, expected)
    });
    all.to_vec()
}

/// A rollout of a Deployment with zero replicas: nothing grows, so no count is needed.
fn none_desired() -> Vec<Value> {
    const REVISION: &str = "deployment.kubernetes.io/revision";
    let old = replica_set("red", 0, Annotations::complete(0, SURGE)).terminating(None);
    let mut new = replica_set("blue", 0, Annotations::complete(0, SURGE)).value();
    new["metadata"] = json!({
        "name": "shop-$HASH", "namespace": "store", "annotations": new["metadata"]["annotations"],
        "labels": {"app": "shop", "pod-template-hash": "$HASH"}, "ownerReferences": new["metadata"]["ownerReferences"],
    });
    new["metadata"]["annotations"][REVISION] = "1".into();
    new["spec"]["selector"]["matchLabels"]["pod-template-hash"] = "$HASH".into();
    new["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = "$HASH".into();
    let new = json!({"spec": new["spec"], "metadata": new["metadata"]});
    let all_available = json!([condition("True", "MinimumReplicasAvailable", "has")]);
    let writes = json!([
        {"verb": "create", "resource": "replicasets", "object": new},
        status_update(json!({"metadata": {"annotations": {REVISION: "1"}}})),
        status_update(json!({"status": {"conditions": all_available}})),
    ]);
    let expected = json!({"error": false, "writes": writes, "events": []});
    let input = json!({"deployment": deployment(0, SURGE, COMPLETE), "replicaSets": [old.value()], "pods": []});
    let name = "no pods are desired: the new ReplicaSet is created empty, even with unknown terminatingReplicas";
    vec![case("deployment.sync", name, ROLLING, &on(), input, expected)]
}

/// A written status of the Deployment.
fn status_update(change: Value) -> Value {
    json!({"verb": "updateStatus", "resource": "deployments", "name": "shop", "change": change})
}

/// The condition Available, set now.
fn condition(status: &str, reason: &str, verb: &str) -> Value {
    json!({
        "type": "Available", "status": status, "reason": reason,
        "message": format!("Deployment {verb} minimum availability."),
        "lastUpdateTime": NOW, "lastTransitionTime": NOW,
    })
}

/// A pod of the red ReplicaSet.
pub fn pod(name: &str, phase: &str, terminating: bool) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "store", "uid": format!("uid-{name}"),
            "creationTimestamp": "2026-03-02T02:00:00Z",
            "labels": {"app": "shop", "pod-template-hash": "red"},
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop-red", "uid": "uid-red",
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "spec": {"containers": [{"name": "till", "image": "shop:red"}], "nodeName": "node-1"},
        "status": {"phase": phase},
    });
    if terminating {
        pod["metadata"]["deletionTimestamp"] = "2026-03-02T12:00:20Z".into();
        pod["metadata"]["deletionGracePeriodSeconds"] = 30.into();
    }
    pod
}

/// Whole syncs of a Deployment with the strategy Recreate, by their events: the old pods are deleted, the new ones are
/// created.
fn recreating() -> Vec<Value> {
    const ALL: i32 = 5;
    const GOES: &str = "Normal ScalingReplicaSet Scaled down replica set shop-red from 5 to 0";
    const COMES: &str = "Normal ScalingReplicaSet Scaled up replica set shop-$HASH from 0 to 5";
    let by_gates = |name: &str, gates: &Value, policy, old: ReplicaSet, pods: Vec<Value>, expected: Value| {
        let mut deployment = recreate(deployment(ALL, 0, policy));
        deployment["status"]["replicas"] = (old.replicas + old.lagging).into();
        let input = json!({"deployment": deployment, "replicaSets": [old.value()], "pods": pods});
        case("deployment.sync", name, RECREATE, gates, input, expected)
    };
    let sync = |name: &str, policy, old: ReplicaSet, pods: Vec<Value>, expected: Value| {
        by_gates(name, &on(), policy, old, pods, expected)
    };
    let old = || replica_set("red", 0, Annotations::complete(ALL, 0));
    let comes = || json!({"error": false, "events": [COMES]});
    let waits = || json!({"error": false, "events": []});
    let mut cases = Vec::new();
    for (word, policy) in POLICIES {
        let full = replica_set("red", ALL, Annotations::complete(ALL, 0));
        let pods = (1..=ALL).map(|number| pod(&format!("shop-red-{number}"), "Running", false)).collect();
        let goes = json!({"error": false, "events": [GOES]});
        cases.push(sync(&format!("old ReplicaSets go to 0 first [{word}]"), policy, full, pods, goes));
        cases.push(both_go(word, policy));
        let gone = format!("all old pods are gone: the new ones are created [{word}]");
        cases.push(sync(&gone, policy, old_gone(), Vec::new(), comes()));
        let running = vec![pod("shop-red-1", "Running", false)];
        let name = format!("a rollout waits for a pod that is not terminating yet [{word}]");
        cases.push(sync(&name, policy, old().lagging(1), running, waits()));
    }
    let terminating = || vec![pod("shop-red-1", "Running", true), pod("shop-red-2", "Running", true)];
    let two = || old().terminating(Some(2));
    let unknown = || old().terminating(None);
    // Terminating pods are not available, and their number is not reported.
    let none_available = json!([condition("False", "MinimumReplicasUnavailable", "does not have")]);
    let status_only = status_update(json!({"status": {"conditions": none_available}}));
    cases.extend([
        sync("all old pods are terminating: enough [TerminationStarted]", STARTED, two(), terminating(), comes()),
        sync("all old pods are terminating: not enough [TerminationComplete]", COMPLETE, two(), terminating(), waits()),
        sync("all old pods are terminating: not enough [no policy]", NONE, two(), terminating(), waits()),
        sync(
            "a rollout does not wait for old pods that have ended [no policy]",
            NONE,
            old_gone(),
            vec![pod("shop-red-1", "Succeeded", true), pod("shop-red-2", "Failed", false)],
            comes(),
        ),
        sync(
            "the number of terminating pods is unknown: the rollout waits for the pods [TerminationComplete]",
            COMPLETE,
            unknown(),
            terminating(),
            json!({"error": false, "writes": [status_only], "events": []}),
        ),
        sync(
            "the number of terminating pods is unknown, and no pod is left: new ones are created [TerminationComplete]",
            COMPLETE,
            unknown(),
            Vec::new(),
            comes(),
        ),
        sync(
            "the number of terminating pods is unknown, but a pod still runs: it waits [TerminationComplete]",
            COMPLETE,
            old().lagging(1).terminating(None),
            vec![pod("shop-red-1", "Running", false)],
            waits(),
        ),
        sync(
            "the number of terminating pods does not matter [TerminationStarted]",
            STARTED,
            old().terminating(None),
            terminating(),
            comes(),
        ),
    ]);
    // A policy that can't be used has no effect: pods are counted, not what the ReplicaSets report.
    for (word, gates) in [("the policy's gate is off", gates(true, false)), ("both gates are off", gates(false, false))]
    {
        let name = |what: &str| format!("{word}: {what} [Recreate]");
        let started = name("TerminationStarted waits for terminating pods");
        cases.push(by_gates(&started, &gates, STARTED, two(), terminating(), waits()));
        let complete = name("TerminationComplete uses only the pods");
        cases.push(by_gates(&complete, &gates, COMPLETE, old().terminating(None), Vec::new(), comes()));
    }
    cases
}

/// Two old ReplicaSets: one sync writes only their sizes and the status.
fn both_go(word: &str, policy: Option<&str>) -> Value {
    let sets =
        [replica_set("red", 3, Annotations::complete(5, 0)), replica_set("green", 2, Annotations::complete(5, 0))];
    let mut deployment = recreate(deployment(5, 0, policy));
    // The count is one too low, so that there is something to write.
    deployment["status"] = json!({
        "observedGeneration": 7, "replicas": 4, "readyReplicas": 5, "availableReplicas": 5, "terminatingReplicas": 0,
        "conditions": [{
            "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
            "message": "Deployment has minimum availability.",
            "lastUpdateTime": "2026-03-02T03:00:00Z", "lastTransitionTime": "2026-03-02T03:00:00Z",
        }],
    });
    let sets: Vec<Value> = sets.iter().map(ReplicaSet::value).collect();
    let zero = |name: &str| json!({"verb": "update", "resource": "replicasets", "name": name, "change": {"spec": {"replicas": 0}}});
    let status = json!({"verb": "updateStatus", "resource": "deployments", "name": "shop", "change": {"status": {"replicas": 5}}});
    let writes = json!([zero("shop-red"), zero("shop-green"), status]);
    let input = json!({"deployment": deployment, "replicaSets": sets, "pods": []});
    let name = format!("both old ReplicaSets go to 0, and only the status is written after it [{word}]");
    case("deployment.sync", &name, RECREATE, &on(), input, json!({"error": false, "writes": writes}))
}

const fn old_gone() -> ReplicaSet {
    replica_set("red", 0, Annotations::complete(5, 0))
}

/// What a Recreate rollout without a policy waits for.
fn old_pods_running() -> Vec<Value> {
    let old = replica_set("red", 0, Annotations::complete(5, 0));
    let running = |name: &str, old: &ReplicaSet, pods: Vec<Value>, result: bool| {
        let mut input = rollout(deployment(5, 0, NONE), std::slice::from_ref(old));
        input.as_object_mut().unwrap().remove("deployment");
        input["podsByOwner"] = json!({"uid-red": pods});
        case("deployment.oldPodsRunning", name, RECREATE, &on(), input, json!({"result": result}))
    };
    vec![
        running("a terminating pod counts as running", &old, vec![pod("shop-red-1", "Running", true)], true),
        running("an unreachable pod counts as running", &old, vec![pod("shop-red-1", "Unknown", true)], true),
        running("a pod that has ended does not count as running", &old, vec![pod("shop-red-1", "Failed", true)], false),
        running("a pod that the status counts is running", &old.clone().lagging(1), Vec::new(), true),
        running("no old pod is left", &old, Vec::new(), false),
    ]
}
