//! The gate JobPodReplacementPolicy, which 1.34 locked and 1.37 removed. Cases with the gate off stand for an older
//! release.

use serde_json::{Value, json};

use super::State::{Failed, Running, Succeeded, TerminatedAs, Terminating};
use super::{
    ENABLEMENT, FAILED, TERMINATING_OR_FAILED, TESTS, TRACKING, ago, ignore_disruptions, job, off, pods, sync,
    sync_with, with,
};

pub fn cases() -> Vec<Value> {
    [without(), without_both(), again()].concat()
}

fn new() -> Value {
    json!({"active": 2, "ready": 0})
}

fn failure_target() -> Value {
    json!({
        "type": "FailureTarget", "status": "True", "reason": "BackoffLimitExceeded",
        "message": "Job has reached the specified backoff limit", "lastTransitionTime": ago(60),
    })
}

fn without() -> Vec<Value> {
    let terminating = || pods(&[Running, Terminating(60)]);
    let replaced = || json!({"creations": 1, "status": {"active": 2, "terminating": null, "failed": 1}});
    vec![
        sync_with(
            "a terminating pod is replaced [Failed, gate off]",
            ENABLEMENT,
            &off(),
            job(2, Some(FAILED), new()),
            terminating(),
            replaced(),
        ),
        sync_with(
            "a terminating pod is replaced [TerminatingOrFailed, gate off]",
            ENABLEMENT,
            &off(),
            job(2, Some(TERMINATING_OR_FAILED), new()),
            terminating(),
            replaced(),
        ),
        sync_with(
            "a terminating pod is replaced [no policy, gate off]",
            ENABLEMENT,
            &off(),
            job(2, None, new()),
            terminating(),
            replaced(),
        ),
        sync_with(
            "a terminating pod is not replaced [podFailurePolicy, gate off]",
            TESTS,
            &off(),
            with(job(2, None, new()), "podFailurePolicy", ignore_disruptions()),
            terminating(),
            json!({"creations": 0, "status": {"active": 1, "terminating": null, "failed": null}}),
        ),
        sync_with(
            "a failed pod is replaced [gate off]",
            ENABLEMENT,
            &off(),
            job(2, Some(FAILED), new()),
            pods(&[Running, Failed(60)]),
            replaced(),
        ),
        // It is counted, but not written.
        sync_with(
            "a Job with a terminating pod has not failed yet [gate off]",
            TESTS,
            &off(),
            with(
                job(2, None, json!({"active": 0, "ready": 0, "failed": 2, "conditions": [failure_target()]})),
                "backoffLimit",
                json!(1),
            ),
            {
                let mut pods = pods(&[Terminating(60)]);
                pods[0]["metadata"]["finalizers"] = json!([]);
                pods
            },
            json!({"status": {"conditions": [{"type": "FailureTarget", "status": "True"}], "terminating": null}}),
        ),
        sync_with(
            "the count of terminating pods is removed [gate off]",
            ENABLEMENT,
            &off(),
            job(2, Some(FAILED), json!({"active": 2, "ready": 0, "terminating": 1, "failed": 1})),
            pods(&[Running, Running]),
            json!({"writes": [{
                "verb": "updateStatus", "resource": "jobs", "name": "train",
                "change": {"status": {"terminating": null, "uncountedTerminatedPods": {}}},
            }]}),
        ),
    ]
}

/// JobManagedBy is off, too: nothing delays Failed and Complete, and no other condition comes before them.
fn without_both() -> Vec<Value> {
    let off = json!({"JobManagedBy": false, "JobPodReplacementPolicy": false});
    let over = |type_: &str, reason: &str| json!([{"type": type_, "status": "True", "reason": reason}]);
    vec![
        sync_with(
            "a Job has failed at once, and its pod terminates [both gates off]",
            TRACKING,
            &off,
            with(job(2, None, new()), "backoffLimit", json!(0)),
            pods(&[Running, Failed(60)]),
            json!({"deletions": 1, "status": {
                "active": null, "conditions": over("Failed", "BackoffLimitExceeded"), "failed": 2, "terminating": null,
            }}),
        ),
        sync_with(
            "a Job is complete at once, and its pod terminates [both gates off]",
            TRACKING,
            &off,
            job(2, None, json!({"active": 1, "ready": 0, "failed": 1, "succeeded": 9})),
            {
                let mut pods = pods(&[Succeeded(60), Terminating(60)]);
                pods[1]["metadata"]["finalizers"] = json!([]);
                pods
            },
            json!({"status": {
                "active": null, "conditions": over("Complete", "CompletionsReached"), "succeeded": 10, "terminating": null,
            }}),
        ),
    ]
}

/// The gate is on again.
fn again() -> Vec<Value> {
    // It was counted as failed and replaced while the gate was off, so its finalizer is gone.
    let counted = |phase: Option<&'static str>| {
        let mut pods = pods(&[Running, Running, phase.map_or(Terminating(600), TerminatedAs)]);
        pods[2]["metadata"]["finalizers"] = json!([]);
        pods
    };
    let before = || json!({"active": 2, "ready": 0, "failed": 1});
    vec![
        sync(
            "a pod that was counted as failed is not counted again [Failed, gate on again]",
            ENABLEMENT,
            job(2, Some(FAILED), before()),
            counted(None),
            json!({"creations": 0, "status": {"active": 2, "terminating": 1, "failed": 1}}),
        ),
        sync(
            "a pod that was counted as failed is not counted again when it has succeeded [Failed, gate on again]",
            TESTS,
            job(2, Some(FAILED), before()),
            counted(Some("Succeeded")),
            json!({"creations": 0, "status": {"active": 2, "terminating": 0, "succeeded": null, "failed": 1}}),
        ),
        sync(
            "a pod that is deleted now is not replaced before its end [Failed, gate on again]",
            ENABLEMENT,
            job(2, Some(FAILED), before()),
            pods(&[Running, Terminating(60)]),
            json!({"creations": 0, "status": {"active": 1, "terminating": 1, "failed": 1}}),
        ),
    ]
}
