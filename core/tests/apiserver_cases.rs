//! Replays the API server's cases against the core, and the whole way of an object into the store.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use changeover_core::apiserver::{Kind, admit_create, admit_update, default, prepare, validate};
use changeover_core::feature_gates::{FeatureGates, Gates};
use serde_json::{Value, json};

#[test]
fn every_case_of_the_api_server_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/cases/apiserver");
    let (mut count, mut failures) = (0_u32, Vec::new());
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for case in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
            count += 1;
            let (expected, got) = (&case["expected"], replay(&case));
            if expected != &got {
                failures.push(format!("{}:\n  expected {expected}\n  got      {got}", case["name"]));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(count > 40, "only {count} cases were found");
}

fn replay(case: &Value) -> Value {
    let gates = Gates::parse(case.get("gates").unwrap_or(&Value::Null), "gates").unwrap().apiserver;
    let mut object = case["input"]["object"].clone();
    let kind = Kind::of(&object).unwrap();
    let old = case["input"].get("old");
    match case["op"].as_str() {
        Some("apiserver.default") => default(&mut object, kind, &gates),
        Some("apiserver.prepare") => prepare(&mut object, kind, old, &gates),
        Some("apiserver.validate") => {
            let mut errors: Vec<String> =
                validate(&object, kind, old, &gates).iter().map(ToString::to_string).collect();
            errors.sort();
            return json!({ "errors": errors });
        }
        op => return json!({ "unknown op": op }),
    }
    json!({ "object": object })
}

fn deployment() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "web"}]}}}})
}

fn refusals(object: &Value) -> Vec<String> {
    let errors = admit_create(object, &FeatureGates::default()).unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn a_manifest_becomes_an_object() {
    let admitted = admit_create(&deployment(), &FeatureGates::default()).unwrap();
    assert_eq!(admitted["metadata"], json!({"name": "web", "namespace": "default", "generation": 1}));
    assert_eq!(admitted["spec"]["replicas"], 1);
    assert_eq!(admitted["spec"]["strategy"]["rollingUpdate"], json!({"maxSurge": "25%", "maxUnavailable": "25%"}));
    assert_eq!(admitted["status"], json!({}));
}

#[test]
fn an_update_keeps_what_the_store_wrote() {
    let mut old = admit_create(&deployment(), &FeatureGates::default()).unwrap();
    old["metadata"]["uid"] = "u1".into();
    old["metadata"]["resourceVersion"] = "7".into();
    old["status"] = json!({"replicas": 1});
    let same = admit_update(&deployment(), &old, &FeatureGates::default()).unwrap();
    assert_eq!(same, old);
    let mut new = deployment();
    new["spec"]["replicas"] = 5.into();
    let changed = admit_update(&new, &old, &FeatureGates::default()).unwrap();
    assert_eq!(changed["metadata"]["generation"], 2);
    assert_eq!(changed["metadata"]["uid"], "u1");
    assert_eq!(changed["status"], old["status"]);
    new["metadata"]["name"] = "other".into();
    let errors = admit_update(&new, &old, &FeatureGates::default()).unwrap_err();
    assert_eq!(errors[0].to_string(), "metadata.name: Invalid value: \"other\": field is immutable");
}

#[test]
fn what_is_no_object_is_said_to_be_none() {
    assert_eq!(refusals(&json!("web")), ["Invalid value: \"web\": must be a Kubernetes object"]);
    assert_eq!(refusals(&json!({})), ["kind: Required value: name the kind of the object"]);
    let known = "\"CronJob\", \"DaemonSet\", \"Deployment\", \"Job\", \"Pod\", \"PodTemplate\", \"ReplicaSet\", \
                 \"ReplicationController\", \"StatefulSet\"";
    let service = json!({"apiVersion": "v1", "kind": "Service"});
    assert_eq!(refusals(&service), [format!("kind: Unsupported value: \"Service\": supported values: {known}")]);
    let old = json!({"apiVersion": "extensions/v1beta1", "kind": "Deployment"});
    let expected = "apiVersion: Unsupported value: \"extensions/v1beta1\": supported values: \"apps/v1\"";
    assert_eq!(refusals(&old), [expected]);
}

#[test]
fn wrong_types_are_told_with_their_paths() {
    let mut object = deployment();
    object["spec"]["replicas"] = 1_099_511_627_776_i64.into();
    object["spec"]["paused"] = "no".into();
    object["spec"]["template"]["spec"]["containers"] = json!([{"name": 1}]);
    object["metadata"]["annotations"] = json!({"a": true});
    assert_eq!(
        refusals(&object),
        [
            "metadata.annotations[a]: Invalid value: true: must be a string",
            "spec.replicas: Invalid value: 1099511627776: must be a 32bit integer",
            "spec.template.spec.containers[0].name: Invalid value: 1: must be a string",
            "spec.paused: Invalid value: \"no\": must be true or false",
        ]
    );
}
