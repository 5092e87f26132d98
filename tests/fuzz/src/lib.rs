//! Properties of the policy for any bytes that reach it. In `fuzz/`, cargo-fuzz searches for counterexamples on a
//! nightly toolchain; a test replays the corpus that it found.
#![expect(clippy::expect_used, reason = "a property that does not hold panics")]

pub mod corpus;

use changeover_core::apiserver::get_deletion_cost_from_pod_annotations;
use changeover_core::review::{ClusterReader, Lookup, Settings, Verdict, review, review_in_cluster, validate_settings};
use changeover_policy::Kubernetes;
use serde_json::{Value, json};

/// A target: its name, which is also that of its corpus, and the function that checks bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 4] =
    [("request", request), ("settings", settings), ("deletion_cost", deletion_cost), ("cluster", cluster)];

/// Settings under which many requests are changed or refused.
fn strict() -> Settings {
    let value = json!({
        "pod_replacement_policy": {
            "deployments": { "default": "TerminationComplete", "allowed": ["TerminationComplete"], "required": true },
            "jobs": { "default": "Failed", "explicit": "replace", "allowed": ["Failed"] },
        },
        "pod_deletion_cost": {
            "default": 1, "min": -5, "max": 5, "in_templates": "deny", "setters": ["system:*"],
            "min_change_interval": "30s", "without_effect": "deny",
        },
        "stale_scale_annotations": "strip",
        "forecast": true,
        "feature_gates": { "DeploymentPodReplacementPolicy": true },
    });
    validate_settings(&value).expect("these settings are valid")
}

/// An `AdmissionRequest` as JSON.
pub fn request(bytes: &[u8]) {
    let Ok(request) = serde_json::from_slice::<Value>(bytes) else { return };
    let lenient = validate_settings(&json!({ "forecast": true })).expect("these settings are valid");
    for settings in [lenient, strict()] {
        holds(&request, &settings);
    }
}

/// Settings as JSON: they are rejected with paths, or a request is reviewed with them.
pub fn settings(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    match validate_settings(&value) {
        Ok(settings) => requests().iter().for_each(|request| holds(request, &settings)),
        Err(problems) => assert!(!problems.is_empty()),
    }
}

/// The text of the annotation: a number in the format of Go's strconv.ParseInt, without a plus sign or leading zeros.
pub fn deletion_cost(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let first = text.bytes().next();
    let begins_right = text == "0" || matches!(first, Some(b'-' | b'1'..=b'9'));
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let expected = if begins_right && is_number { text.parse::<i32>().ok() } else { None };
    assert_eq!(get_deletion_cost_from_pod_annotations(Some(text)).ok(), expected, "{text:?}");
}

/// The cluster's answers as JSON: `object` for all reads of one object, `items` for all lists. A string is an error,
/// and null means that the object does not exist.
struct Answers(Value);

impl Answers {
    fn of(&self, key: &str) -> Result<Value, String> {
        match self.0.get(key) {
            Some(Value::String(error)) => Err(error.clone()),
            answer => Ok(answer.cloned().unwrap_or_default()),
        }
    }
}

impl ClusterReader for Answers {
    fn get(&self, _: &Lookup<'_>) -> Result<Option<Value>, String> {
        Ok(Some(self.of("object")?).filter(|object| !object.is_null()))
    }

    fn list(&self, _: &Lookup<'_>) -> Result<Vec<Value>, String> {
        match self.of("items")? {
            Value::Array(items) => Ok(items),
            _ => Err("no list".to_owned()),
        }
    }
}

/// Whatever the cluster answers, there is a verdict, and missing answers never cause a refusal. The bytes are the answers of the
/// policy's host as well: the answer to each call, and the error of each.
pub fn cluster(bytes: &[u8]) {
    let in_host = |call: &dyn Fn(&str) -> Result<Vec<u8>, String>| {
        let host = Kubernetes(|operation: &str, _: &[u8]| call(operation));
        reviews(&host).for_each(|verdict| is_consistent(&verdict));
    };
    in_host(&|_| Ok(bytes.to_vec()));
    let error = String::from_utf8_lossy(bytes);
    let failing = Kubernetes(|_: &str, _: &[u8]| Err(error.clone().into_owned()));
    for verdict in reviews(&failing) {
        is_consistent(&verdict);
        assert!(verdict.allowed);
    }
    let Ok(answers) = serde_json::from_slice(bytes) else { return };
    let answers = Answers(answers);
    let is_silent = answers.of("object").is_err() && !answers.of("items").is_ok_and(|items| items.is_array());
    for verdict in reviews(&answers) {
        is_consistent(&verdict);
        assert!(verdict.allowed || !is_silent);
    }
    in_host(&|operation| match operation {
        "get_resource" => answers.of("object").map(|object| object.to_string().into_bytes()),
        _ => answers.of("items").map(|items| json!({ "items": items }).to_string().into_bytes()),
    });
}

/// What becomes of four requests in a cluster. Only the scaling is simulated, and only if the cluster has the Deployment: a
/// simulation takes a hundred times as long as the rest.
fn reviews(cluster: &dyn ClusterReader) -> impl Iterator<Item = Verdict> {
    let settings = json!({ "context": true, "quota": "deny", "forecast": true });
    let settings = validate_settings(&settings).expect("these settings are valid");
    let [pod, job, mut deployment] = requests();
    // A rollout in progress gets bounds.
    if let Some(old) = deployment.get_mut("oldObject").and_then(Value::as_object_mut) {
        old.insert("status".into(), json!({ "replicas": 2, "updatedReplicas": 1, "availableReplicas": 1 }));
    }
    let requests = [pod, job, deployment, scale()];
    requests.into_iter().map(move |request| review_in_cluster(&request, &settings, cluster))
}

/// The update that `kubectl scale` sends.
fn scale() -> Value {
    let scale = |replicas: i64| json!({ "metadata": { "name": "web", "uid": "1", "resourceVersion": "1" }, "spec": { "replicas": replicas } });
    json!({
        "operation": "UPDATE", "subResource": "scale", "name": "web", "namespace": "default",
        "resource": { "group": "apps", "version": "v1", "resource": "deployments" },
        "object": scale(2), "oldObject": scale(1),
    })
}

fn requests() -> [Value; 3] {
    let kind = |group: &str, kind: &str| json!({ "group": group, "version": "v1", "kind": kind });
    let cost = json!({ "controller.kubernetes.io/pod-deletion-cost": "7" });
    let owner = json!([{ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": true }]);
    let pod = json!({ "metadata": { "name": "web-1", "ownerReferences": owner, "annotations": cost } });
    let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [] } });
    let deployment = |replicas: i64| json!({ "metadata": { "name": "web" }, "spec": { "replicas": replicas, "template": template } });
    [
        json!({ "operation": "CREATE", "kind": kind("", "Pod"), "object": pod, "userInfo": { "username": "ann" } }),
        json!({ "operation": "CREATE", "kind": kind("batch", "Job"), "object": { "metadata": {}, "spec": {} } }),
        json!({ "operation": "UPDATE", "kind": kind("apps", "Deployment"), "object": deployment(3), "oldObject": deployment(2) }),
    ]
}

/// Checks the properties of a verdict.
fn holds(request: &Value, settings: &Settings) {
    let verdict = review(request, settings);
    is_consistent(&verdict);
    // An unknown field does not affect the verdict.
    let mut more = request.clone();
    if let Some(object) = more.get_mut("object").and_then(Value::as_object_mut) {
        object.insert("x-unknown".into(), json!([1, null]));
    }
    let with_more = review(&more, settings);
    assert_eq!((verdict.allowed, &verdict.message), (with_more.allowed, &with_more.message));
    assert_eq!((&verdict.warnings, &verdict.patch), (&with_more.warnings, &with_more.patch));
    let Some(mut patched) = verdict.mutated_object else { return };
    let unknown = with_more.mutated_object.as_ref().and_then(|object| object.get("x-unknown"));
    assert_eq!(unknown, Some(&json!([1, null])));
    // The patched object needs no further patch.
    let mut again = request.clone();
    if let Some(object) = again.get_mut("object") {
        core::mem::swap(object, &mut patched);
    }
    let again = review(&again, settings);
    assert_eq!((again.allowed, again.mutated_object), (true, None));
}

fn is_consistent(verdict: &Verdict) {
    assert_eq!(verdict.allowed, verdict.message.is_none());
    assert_eq!(verdict.allowed, verdict.code.is_none());
    assert!(verdict.allowed || (verdict.mutated_object.is_none() && verdict.warnings.is_empty()));
    assert_eq!(verdict.mutated_object.is_some(), !verdict.patch.is_empty());
    assert_eq!(verdict.audit_annotations.get("changed").is_some(), !verdict.patch.is_empty());
    let fits = |warning: &String| warning.chars().count() <= 120 && !warning.chars().any(char::is_control);
    assert!(verdict.warnings.len() <= 8 && verdict.warnings.iter().all(fits), "{:?}", verdict.warnings);
}
