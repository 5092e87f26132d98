//! What the API server does with spec.podReplacementPolicy.

use serde_json::{Value, json};

use super::super::objects::case;
use super::{DESIGN, ENABLEMENT, FAILED, TERMINATING_OR_FAILED, fail_job, off};

pub fn cases() -> Vec<Value> {
    [defaults(), validation(), gate()].concat()
}

fn given(policy: Option<&str>, pod_failure_policy: bool) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": "train", "namespace": "lab", "uid": "uid-train", "resourceVersion": "7",
            "labels": {
                "batch.kubernetes.io/controller-uid": "uid-train", "batch.kubernetes.io/job-name": "train",
                "controller-uid": "uid-train", "job-name": "train",
            },
        },
        "spec": {
            "backoffLimit": 6, "completionMode": "NonIndexed", "completions": 1, "parallelism": 1, "suspend": false,
            "manualSelector": false,
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "uid-train"}},
            "template": {
                "metadata": {"labels": {
                    "batch.kubernetes.io/controller-uid": "uid-train", "batch.kubernetes.io/job-name": "train",
                    "controller-uid": "uid-train", "job-name": "train",
                }},
                "spec": {
                    "containers": [{
                        "name": "app", "image": "train", "imagePullPolicy": "Always", "resources": {},
                        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                    }],
                    "dnsPolicy": "ClusterFirst", "restartPolicy": "Never", "schedulerName": "default-scheduler",
                    "securityContext": {}, "terminationGracePeriodSeconds": 30,
                },
            },
        },
        "status": {},
    });
    if let Some(policy) = policy {
        job["spec"]["podReplacementPolicy"] = policy.into();
    }
    if pod_failure_policy {
        job["spec"]["podFailurePolicy"] = fail_job();
        job["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"]["containerName"] = Value::Null;
    }
    job
}

fn defaults() -> Vec<Value> {
    let default = |name: &str, pod_failure_policy, policy| {
        let (object, expected) = (given(None, pod_failure_policy), given(Some(policy), pod_failure_policy));
        case("apiserver.default", name, DESIGN, &Value::Null, json!({"object": object}), json!({"object": expected}))
    };
    vec![
        default("by default, a Job does not wait", false, TERMINATING_OR_FAILED),
        default("by default, a Job with a podFailurePolicy waits", true, FAILED),
    ]
}

fn validation() -> Vec<Value> {
    let check = |name: &str, object: Value, old: Option<Value>, errors: Value| {
        let mut input = json!({"object": object});
        if let Some(old) = old {
            input["old"] = old;
        }
        let valid = errors == json!([]);
        case("apiserver.validate", name, DESIGN, &Value::Null, input, json!({"valid": valid, "errors": errors}))
    };
    let only =
        json!(["spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\"",]);
    vec![
        check("TerminatingOrFailed is a policy", given(Some(TERMINATING_OR_FAILED), false), None, json!([])),
        check("Failed is a policy", given(Some(FAILED), false), None, json!([])),
        check("Failed is allowed with a podFailurePolicy", given(Some(FAILED), true), None, json!([])),
        check(
            "TerminatingOrFailed is not allowed with a podFailurePolicy",
            given(Some(TERMINATING_OR_FAILED), true),
            None,
            only.clone(),
        ),
        check(
            "a Job may change back to TerminatingOrFailed",
            given(Some(TERMINATING_OR_FAILED), false),
            Some(given(Some(FAILED), false)),
            json!([]),
        ),
        check(
            "a Job with a podFailurePolicy may not change back",
            given(Some(TERMINATING_OR_FAILED), true),
            Some(given(Some(FAILED), true)),
            only,
        ),
    ]
}

fn gate() -> Vec<Value> {
    let prepare = |name: &str, old: Option<Value>, expected: Value| {
        let mut input = json!({"object": given(Some(FAILED), false)});
        let mut expected = expected;
        expected["metadata"]["generation"] = 1.into();
        if let Some(mut old) = old {
            old["metadata"]["generation"] = 1.into();
            input["object"]["metadata"]["generation"] = 1.into();
            input["old"] = old;
        }
        case("apiserver.prepare", name, ENABLEMENT, &off(), input, json!({"object": expected}))
    };
    vec![
        prepare("the policy of a new Job is dropped [gate off]", None, given(None, false)),
        prepare(
            "the policy of an existing Job is kept [gate off]",
            Some(given(Some(FAILED), false)),
            given(Some(FAILED), false),
        ),
        prepare("an existing Job can't get a policy [gate off]", Some(given(None, false)), given(None, false)),
    ]
}
