//! How a Job ends: what the controller deletes, and when it sets which condition.

use serde_json::{Value, json};

use super::State::{Failed, Running, Succeeded, TerminatedAs, Terminating};
use super::{DESIGN, FAILED, TERMINATING_OR_FAILED, TESTS, TRACKING, fail_job, job, pods, sync, with};

pub fn cases() -> Vec<Value> {
    [deleted(), delayed()].concat()
}

fn new() -> Value {
    json!({"active": 2, "ready": 0, "terminating": 0})
}

fn condition(type_: &str, reason: &str) -> Value {
    json!({"type": type_, "status": "True", "reason": reason})
}

fn deleted() -> Vec<Value> {
    let ends = |name: &str, job: Value, pods: Vec<Value>, reason: &str, deletions: i64| {
        let status =
            json!({"conditions": [condition("FailureTarget", reason)], "active": null, "terminating": deletions});
        sync(name, DESIGN, job, pods, json!({"deletions": deletions, "status": status}))
    };
    let limited = |policy| with(job(2, Some(policy), new()), "backoffLimit", json!(0));
    vec![
        ends(
            "past activeDeadlineSeconds the pods are deleted, and terminate",
            with(job(2, Some(FAILED), new()), "activeDeadlineSeconds", json!(60)),
            pods(&[Running, Running]),
            "DeadlineExceeded",
            2,
        ),
        ends(
            "past the backoffLimit the other pods are deleted, and terminate",
            limited(FAILED),
            pods(&[Running, Failed(60)]),
            "BackoffLimitExceeded",
            1,
        ),
        ends(
            "with FailJob the other pods are deleted, and terminate",
            with(job(2, Some(FAILED), new()), "podFailurePolicy", fail_job()),
            pods(&[Running, Failed(60)]),
            "PodFailurePolicy",
            1,
        ),
    ]
}

fn delayed() -> Vec<Value> {
    let doomed = |reason: &str| {
        let mut target = condition("FailureTarget", reason);
        target["message"] = "as said before".into();
        target["lastTransitionTime"] = super::ago(60).into();
        json!({"active": 0, "ready": 0, "terminating": 1, "failed": 1, "conditions": [target]})
    };
    let done = || {
        let mut met = condition("SuccessCriteriaMet", "CompletionsReached");
        met["message"] = "Reached expected number of succeeded pods".into();
        met["lastTransitionTime"] = super::ago(60).into();
        json!({"active": 0, "ready": 0, "terminating": 1, "succeeded": 10, "conditions": [met]})
    };
    let gone = |status: Value| {
        let mut status = status;
        status["terminating"] = 0.into();
        status
    };
    vec![
        sync(
            "a Job with a terminating pod has not failed yet",
            TRACKING,
            job(2, Some(FAILED), doomed("BackoffLimitExceeded")),
            pods(&[Terminating(60)]),
            json!({"status": {"conditions": [condition("FailureTarget", "BackoffLimitExceeded")], "terminating": 1}}),
        ),
        sync(
            "a Job without terminating pods has failed",
            TRACKING,
            job(2, Some(FAILED), gone(doomed("BackoffLimitExceeded"))),
            pods(&[]),
            json!({"status": {"conditions": [
                condition("FailureTarget", "BackoffLimitExceeded"), condition("Failed", "BackoffLimitExceeded"),
            ]}}),
        ),
        sync(
            "once its last pod has ended, a Job with FailureTarget has failed",
            TRACKING,
            job(2, Some(FAILED), doomed("BackoffLimitExceeded")),
            pods(&[TerminatedAs("Failed")]),
            json!({"status": {"failed": 2, "conditions": [
                condition("FailureTarget", "BackoffLimitExceeded"), condition("Failed", "BackoffLimitExceeded"),
            ]}}),
        ),
        sync(
            "a Job with a terminating pod is not complete yet",
            TRACKING,
            job(2, Some(TERMINATING_OR_FAILED), done()),
            pods(&[Terminating(60)]),
            json!({"status": {"conditions": [condition("SuccessCriteriaMet", "CompletionsReached")], "terminating": 1}}),
        ),
        sync(
            "a Job without terminating pods is complete",
            TRACKING,
            job(2, Some(TERMINATING_OR_FAILED), gone(done())),
            pods(&[]),
            json!({"status": {"conditions": [
                condition("SuccessCriteriaMet", "CompletionsReached"), condition("Complete", "CompletionsReached"),
            ]}}),
        ),
        sync(
            "SuccessCriteriaMet comes when the completions are reached",
            TESTS,
            job(2, Some(FAILED), json!({"active": 1, "ready": 0, "terminating": 1, "succeeded": 9})),
            pods(&[Succeeded(60), Terminating(60)]),
            json!({"status": {
                "conditions": [condition("SuccessCriteriaMet", "CompletionsReached")], "succeeded": 10, "terminating": 1,
            }}),
        ),
    ]
}
