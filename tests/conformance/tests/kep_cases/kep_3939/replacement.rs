//! When a pod is replaced, and how it is counted until then.

use serde_json::{Value, json};

use super::super::objects::case;
use super::State::{Failed, Running, Succeeded, TerminatedAs, Terminating};
use super::{
    BACKOFF, DESIGN, FAILED, STORY, SUMMARY, TERMINATING_OR_FAILED, TRACKING, ignore_disruptions, indexed_pods, job,
    pods, sync, with,
};

pub fn cases() -> Vec<Value> {
    [replaced(), counted(), indexed(), backed_off(), exactly(), elsewhere()].concat()
}

/// The status of a Job that has not been synced yet.
fn new() -> Value {
    json!({"active": 2, "ready": 0, "terminating": 0})
}

fn replaced() -> Vec<Value> {
    let terminating = || pods(&[Running, Terminating(60)]);
    let failed = || pods(&[Running, Failed(60)]);
    vec![
        sync(
            "a terminating pod is replaced [TerminatingOrFailed]",
            SUMMARY,
            job(2, Some(TERMINATING_OR_FAILED), new()),
            terminating(),
            json!({"creations": 1, "status": {"active": 2, "terminating": 1, "failed": 1}}),
        ),
        sync(
            "a terminating pod is not replaced [Failed]",
            SUMMARY,
            job(2, Some(FAILED), new()),
            terminating(),
            json!({"creations": 0, "status": {"active": 1, "terminating": 1, "failed": null}}),
        ),
        sync(
            "a failed pod is replaced [TerminatingOrFailed]",
            SUMMARY,
            job(2, Some(TERMINATING_OR_FAILED), new()),
            failed(),
            json!({"creations": 1, "status": {"active": 2, "terminating": 0, "failed": 1}}),
        ),
        sync(
            "a failed pod is replaced [Failed]",
            SUMMARY,
            job(2, Some(FAILED), new()),
            failed(),
            json!({"creations": 1, "status": {"active": 2, "terminating": 0, "failed": 1}}),
        ),
        sync(
            "a pod that was deleted and has failed is replaced [Failed]",
            DESIGN,
            job(2, Some(FAILED), json!({"active": 1, "ready": 0, "terminating": 1})),
            pods(&[Running, TerminatedAs("Failed")]),
            json!({"creations": 1, "status": {"active": 2, "terminating": 0, "failed": 1}}),
        ),
        sync(
            "a pod that was deleted and has succeeded is counted as succeeded [Failed]",
            DESIGN,
            job(2, Some(FAILED), json!({"active": 1, "ready": 0, "terminating": 1})),
            pods(&[Running, TerminatedAs("Succeeded")]),
            json!({"creations": 1, "status": {"active": 2, "terminating": 0, "succeeded": 1, "failed": null}}),
        ),
        // It was counted, and its finalizer was removed, when it was deleted.
        sync(
            "a pod that was counted as failed and has succeeded stays a failed one [TerminatingOrFailed]",
            DESIGN,
            job(2, Some(TERMINATING_OR_FAILED), json!({"active": 2, "ready": 0, "terminating": 1, "failed": 1})),
            {
                let mut pods = pods(&[Running, Running, TerminatedAs("Succeeded")]);
                pods[2]["metadata"]["finalizers"] = json!([]);
                pods
            },
            json!({"creations": 0, "status": {"active": 2, "terminating": 0, "succeeded": null, "failed": 1}}),
        ),
        sync(
            "a pod that is being counted as failed and has succeeded stays a failed one [TerminatingOrFailed]",
            DESIGN,
            job(
                2,
                Some(TERMINATING_OR_FAILED),
                json!({
                    "active": 2, "ready": 0, "terminating": 1,
                    "uncountedTerminatedPods": {"failed": ["uid-train-2"]},
                }),
            ),
            pods(&[Running, Running, TerminatedAs("Succeeded")]),
            json!({"creations": 0, "status": {"active": 2, "terminating": 0, "succeeded": null, "failed": 1}}),
        ),
        sync(
            "with a podFailurePolicy a terminating pod is not replaced",
            DESIGN,
            with(job(2, Some(FAILED), new()), "podFailurePolicy", ignore_disruptions()),
            terminating(),
            json!({"creations": 0, "status": {"active": 1, "terminating": 1, "failed": null}}),
        ),
        sync(
            "with a podFailurePolicy an evicted pod is judged once it has failed, and then replaced",
            DESIGN,
            with(
                job(2, Some(FAILED), json!({"active": 1, "ready": 0, "terminating": 1})),
                "podFailurePolicy",
                ignore_disruptions(),
            ),
            {
                let mut pods = pods(&[Running, TerminatedAs("Failed")]);
                pods[1]["status"]["conditions"] = json!([{"type": "DisruptionTarget", "status": "True"}]);
                pods
            },
            json!({"creations": 1, "status": {"active": 2, "terminating": 0, "failed": null}}),
        ),
        sync(
            "evicted, preempted and deleted pods are terminating alike [Failed]",
            DESIGN,
            job(3, Some(FAILED), json!({"active": 3, "ready": 0, "terminating": 0})),
            {
                let mut pods = pods(&[Terminating(60), Terminating(60), Terminating(60)]);
                for (pod, reason) in [(0, "EvictionByEvictionAPI"), (1, "PreemptionByScheduler")] {
                    pods[pod]["status"]["conditions"] =
                        json!([{"type": "DisruptionTarget", "status": "True", "reason": reason}]);
                }
                pods
            },
            json!({"creations": 0, "status": {"active": null, "terminating": 3, "failed": null}}),
        ),
    ]
}

fn counted() -> Vec<Value> {
    let count = |name: &str, policy, active: i64, states: &[super::State], status: Value| {
        let before = json!({"active": active, "ready": 0, "terminating": 0});
        sync(name, TRACKING, job(active, Some(policy), before), pods(states), json!({"status": status}))
    };
    let all = [Running, Terminating(60), Terminating(60), Failed(60), Succeeded(60)];
    vec![
        count(
            "terminating pods have a count of their own [Failed]",
            FAILED,
            5,
            &all,
            json!({"active": 3, "terminating": 2, "failed": 1, "succeeded": 1}),
        ),
        count(
            "terminating pods count as failed as well [TerminatingOrFailed]",
            TERMINATING_OR_FAILED,
            5,
            &all,
            json!({"active": 5, "terminating": 2, "failed": 3, "succeeded": 1}),
        ),
        // One write with all counts.
        sync(
            "the count of terminating pods is written with the others",
            TRACKING,
            job(2, Some(FAILED), new()),
            pods(&[Running, Terminating(60)]),
            json!({"writes": [{
                "verb": "updateStatus", "resource": "jobs", "name": "train",
                "change": {"status": {"active": 1, "terminating": 1, "uncountedTerminatedPods": {}}},
            }]}),
        ),
        sync(
            "nothing is written while nothing changes",
            TRACKING,
            job(2, Some(FAILED), json!({"active": 1, "ready": 0, "terminating": 1, "uncountedTerminatedPods": {}})),
            pods(&[Running, Terminating(60)]),
            json!({"writes": [], "events": []}),
        ),
        case(
            "pod.active",
            "an active pod has neither ended nor begun to terminate",
            "KEP-3939, Proposal",
            &Value::Null,
            json!({"pods": pods(&all)}),
            json!({"names": ["train-0"]}),
        ),
        case(
            "pod.countTerminating",
            "a terminating pod was deleted and has not ended",
            DESIGN,
            &Value::Null,
            json!({"pods": pods(&[Running, Terminating(60), TerminatedAs("Failed"), TerminatedAs("Succeeded"), Failed(60)])}),
            json!({"count": 1}),
        ),
    ]
}

fn indexed() -> Vec<Value> {
    let indexed = |policy| {
        with(
            job(3, Some(policy), json!({"active": 3, "ready": 0, "terminating": 0})),
            "completionMode",
            json!("Indexed"),
        )
    };
    let states = [Running, Terminating(60), Running];
    vec![
        sync(
            "two pods of an index at once [TerminatingOrFailed]",
            STORY,
            indexed(TERMINATING_OR_FAILED),
            indexed_pods(&states),
            json!({"createdIndexes": [1], "status": {"active": 3, "terminating": 1, "failed": 1}}),
        ),
        sync(
            "a terminating pod holds its index [Failed]",
            STORY,
            indexed(FAILED),
            indexed_pods(&states),
            json!({"createdIndexes": [], "status": {"active": 2, "terminating": 1, "failed": null}}),
        ),
        sync(
            "its index is free once it has failed [Failed]",
            STORY,
            indexed(FAILED),
            indexed_pods(&[Running, TerminatedAs("Failed"), Running]),
            json!({"createdIndexes": [1], "status": {"active": 3, "terminating": 0, "failed": 1}}),
        ),
        // There is room for one more pod, but not for the index that still has one.
        sync(
            "another index starts beside it [Failed]",
            DESIGN,
            with(indexed(FAILED), "parallelism", json!(4)),
            indexed_pods(&states),
            json!({"createdIndexes": [3], "status": {"active": 3, "terminating": 1}}),
        ),
    ]
}

fn backed_off() -> Vec<Value> {
    const SECOND: i64 = 1_000_000_000;
    let waits = |name: &str, policy, state, left: i64| {
        let expected = json!({"creations": 0, "nanoseconds": left * SECOND});
        sync(name, BACKOFF, job(2, Some(policy), new()), pods(&[Running, state]), expected)
    };
    vec![
        // The back-off after one failure is 10 s.
        waits("the back-off counts from the deletion [TerminatingOrFailed]", TERMINATING_OR_FAILED, Terminating(4), 6),
        waits("the back-off counts from the failure [TerminatingOrFailed]", TERMINATING_OR_FAILED, Failed(3), 7),
        waits("the back-off counts from the failure [Failed]", FAILED, Failed(3), 7),
        sync(
            "the deletion starts no back-off [Failed]",
            BACKOFF,
            job(2, Some(FAILED), new()),
            pods(&[Running, Terminating(4)]),
            json!({"creations": 0, "nanoseconds": -1, "memory": {}}),
        ),
    ]
}

fn exactly() -> Vec<Value> {
    let states = [Running, Running, Terminating(60), Terminating(60), Terminating(60)];
    let before = || json!({"active": 5, "ready": 0, "terminating": 0});
    vec![
        sync(
            "eight pods hold resources where five are wanted [TerminatingOrFailed]",
            STORY,
            job(5, Some(TERMINATING_OR_FAILED), before()),
            pods(&states),
            json!({"creations": 3, "status": {"active": 5, "terminating": 3, "failed": 3}}),
        ),
        sync(
            "five pods hold resources where five are wanted [Failed]",
            STORY,
            job(5, Some(FAILED), before()),
            pods(&states),
            json!({"creations": 0, "status": {"active": 2, "terminating": 3, "failed": null}}),
        ),
        sync(
            "a Job that is suspended deletes all pods, which count as terminating",
            "KEP-3939, Troubleshooting",
            with(job(2, Some(FAILED), new()), "suspend", json!(true)),
            pods(&[Running, Running]),
            json!({"creations": 0, "deletions": 2, "status": {"active": null, "terminating": 2}}),
        ),
    ]
}

/// A ReplicaSet replaces pods as before.
fn elsewhere() -> Vec<Value> {
    let owned = |number: i64, state| {
        let mut pod = super::pod(number, None, state);
        pod["metadata"]["ownerReferences"] = json!([
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "serve", "uid": "uid-serve", "controller": true},
        ]);
        pod["metadata"]["labels"] = json!({"app": "serve"});
        pod["metadata"]["finalizers"] = json!([]);
        pod
    };
    let replica_set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": "serve", "namespace": "lab", "uid": "uid-serve", "generation": 1},
        "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "serve"}},
            "template": {"metadata": {"labels": {"app": "serve"}}, "spec": {"containers": [{"name": "app"}]}},
        },
        "status": {"replicas": 2, "fullyLabeledReplicas": 2, "observedGeneration": 1},
    });
    let created = json!({
        "metadata": {
            "generateName": "serve-", "namespace": "lab", "labels": {"app": "serve"},
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "serve", "uid": "uid-serve",
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "spec": {"containers": [{"name": "app"}]},
    });
    let change = json!({"status": {"replicas": 1, "fullyLabeledReplicas": 1, "terminatingReplicas": 1}});
    vec![case(
        "replicaSet.sync",
        "a ReplicaSet does not wait for its pods",
        "KEP-3939, Non-Goals",
        &Value::Null,
        json!({"replicaSet": replica_set, "pods": [owned(0, Running), owned(1, Terminating(60))]}),
        json!({"writes": [
            {"verb": "create", "resource": "pods", "count": 1, "object": created},
            {"verb": "updateStatus", "resource": "replicasets", "name": "serve", "change": change},
        ]}),
    )]
}
