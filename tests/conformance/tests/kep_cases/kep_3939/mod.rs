//! KEP-3939: podReplacementPolicy of a Job.

pub mod api;
pub mod disruptions;
pub mod end;
pub mod gate;
pub mod replacement;

use serde_json::{Value, json};

use super::objects::{NOW, case};

const SUMMARY: &str = "KEP-3939, Summary";
const STORY: &str = "KEP-3939, User Stories";
const RISKS: &str = "KEP-3939, Risks and Mitigations";
const UPGRADES: &str = "KEP-3939, Rollout, Upgrade and Rollback Planning";
const BACKOFF: &str = "KEP-3939, Exponential Backoff for Pod Failures";
const DESIGN: &str = "KEP-3939, Design Details";
const TRACKING: &str = "KEP-3939, Tracking the terminating pods";
const TESTS: &str = "KEP-3939, Test Plan";
const ENABLEMENT: &str = "KEP-3939, Feature Enablement and Rollback";

const FAILED: &str = "Failed";
const TERMINATING_OR_FAILED: &str = "TerminatingOrFailed";

/// The time of all cases, in seconds since midnight.
const NOON: i64 = 12 * 3600;

/// The time this number of seconds before now; later if negative.
fn ago(seconds: i64) -> String {
    let second = NOON - seconds;
    format!("2026-03-02T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

/// The state of a pod, with the seconds since it began.
#[derive(Clone, Copy)]
enum State {
    Running,
    /// It was deleted, and its containers still run.
    Terminating(i64),
    Succeeded(i64),
    Failed(i64),
    /// It was deleted a minute ago, and has ended since then.
    TerminatedAs(&'static str),
}

/// A pod of the Job, with its number, and its index if the Job is indexed.
fn pod(number: i64, index: Option<i64>, state: State) -> Value {
    let mut pod = json!({
        "metadata": {
            "name": format!("train-{number}"), "namespace": "lab", "uid": format!("uid-train-{number}"),
            "labels": {"job-name": "train"}, "creationTimestamp": ago(3600),
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "uid-train", "controller": true},
            ],
        },
        "spec": {"nodeName": "gpu-1", "containers": [{"name": "app"}]},
        "status": {"phase": "Running"},
    });
    if let Some(index) = index {
        pod["metadata"]["annotations"] = json!({"batch.kubernetes.io/job-completion-index": index.to_string()});
    }
    let deleted = |pod: &mut Value, seconds: i64| {
        pod["metadata"]["deletionTimestamp"] = ago(seconds - 1800).into();
        pod["metadata"]["deletionGracePeriodSeconds"] = 1800.into();
    };
    let ended = |pod: &mut Value, phase: &str, seconds: i64| {
        let code = if phase == "Failed" { 1 } else { 0 };
        let terminated = json!({"exitCode": code, "startedAt": ago(3600), "finishedAt": ago(seconds)});
        pod["status"] =
            json!({"phase": phase, "containerStatuses": [{"name": "app", "state": {"terminated": terminated}}]});
    };
    match state {
        State::Running => {}
        State::Terminating(seconds) => deleted(&mut pod, seconds),
        State::Succeeded(seconds) => ended(&mut pod, "Succeeded", seconds),
        State::Failed(seconds) => ended(&mut pod, "Failed", seconds),
        State::TerminatedAs(phase) => {
            deleted(&mut pod, 60);
            ended(&mut pod, phase, 30);
        }
    }
    pod
}

/// The pods with these states, numbered from 0.
fn pods(states: &[State]) -> Vec<Value> {
    (0..).zip(states).map(|(number, state)| pod(number, None, *state)).collect()
}

/// The pods of an Indexed Job with these states: pod 0 has index 0.
fn indexed_pods(states: &[State]) -> Vec<Value> {
    (0..).zip(states).map(|(number, state)| pod(number, Some(number), *state)).collect()
}

/// A Job with 10 completions that wants `parallelism` pods at once. Its status is what an earlier sync saw.
fn job(parallelism: i64, policy: Option<&str>, status: Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "train", "namespace": "lab", "uid": "uid-train", "creationTimestamp": ago(3600), "generation": 1},
        "spec": {
            "parallelism": parallelism, "completions": 10, "backoffLimit": 6, "completionMode": "NonIndexed",
            "selector": {"matchLabels": {"job-name": "train"}},
            "template": {"metadata": {"labels": {"job-name": "train"}}, "spec": {"containers": [{"name": "app"}]}},
        },
        "status": status,
    });
    job["status"]["startTime"] = ago(3600).into();
    if let Some(policy) = policy {
        job["spec"]["podReplacementPolicy"] = policy.into();
    }
    job
}

/// The Job with another value in its spec.
fn with(mut job: Value, key: &str, value: Value) -> Value {
    job["spec"][key] = value;
    job
}

/// A rule that fails the Job on exit code 1.
fn fail_job() -> Value {
    json!({"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]})
}

/// A rule that ignores disruptions such as evictions.
fn ignore_disruptions() -> Value {
    json!({"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]})
}

/// A sync of the Job.
fn sync(name: &str, source: &str, job: Value, pods: Vec<Value>, expected: Value) -> Value {
    sync_with(name, source, &Value::Null, job, pods, expected)
}

/// A sync of the Job under these gates.
fn sync_with(name: &str, source: &str, gates: &Value, job: Value, pods: Vec<Value>, expected: Value) -> Value {
    let mut expected = expected;
    expected["error"] = false.into();
    case("job.sync", name, source, gates, json!({"job": job, "pods": pods}), expected)
}

/// The gate off, as in a release before 1.34.
fn off() -> Value {
    json!({"JobPodReplacementPolicy": false})
}

#[test]
fn the_clock_is_that_of_all_cases() {
    assert_eq!(ago(0), NOW);
}
