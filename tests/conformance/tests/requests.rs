//! The policy's answers to requests as a real API server sends them (`../requests`, written by `../recorder`).
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::sync::LazyLock;

use changeover_core::apiserver;
use changeover_core::json::ToJson;
use changeover_core::object::Kind;
use changeover_core::review::{review, validate_settings};
use serde_json::{Value, json};

static REQUESTS: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/requests");
    let mut requests: Vec<(String, Value)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let review: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            (name, review["request"].clone())
        })
        .collect();
    requests.sort_by(|(a, _), (b, _)| a.cmp(b));
    requests
});

fn request(name: &str) -> &'static Value {
    REQUESTS
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, request)| request)
        .unwrap_or_else(|| panic!("{name}.json"))
}

/// The entries of an object's managed fields: manager, operation and subresource.
fn managers(object: &Value) -> Vec<[&str; 3]> {
    let entries = object["metadata"]["managedFields"].as_array().map_or(&[][..], Vec::as_slice);
    entries
        .iter()
        .map(|entry| ["manager", "operation", "subresource"].map(|key| entry[key].as_str().unwrap_or_default()))
        .collect()
}

/// Checks the properties of every request that an API server sends.
fn is_whole(name: &str, request: &Value) {
    for key in ["uid", "namespace", "operation"] {
        assert!(request[key].is_string(), "{name}: {key}");
    }
    // A generated name is added after the webhooks.
    assert!(request["name"].is_string() || request["object"]["metadata"]["generateName"].is_string(), "{name}");
    for key in ["kind", "resource", "requestKind", "requestResource"] {
        assert!(request[key]["version"].is_string(), "{name}: {key}");
    }
    assert!(request["dryRun"].is_boolean(), "{name}");
    let (created, deleted) = (request["operation"] == "CREATE", request["operation"] == "DELETE");
    assert_eq!((request["object"].is_object(), request["oldObject"].is_object()), (!deleted, !created), "{name}");
}

#[test]
fn every_kind_of_write_is_recorded() {
    assert!(REQUESTS.len() >= 60);
    for (name, request) in &*REQUESTS {
        is_whole(name, request);
    }
    for kind in apiserver::ALL.iter().map(|strategy| strategy.kind()) {
        let request = |what: &str| request(&format!("{}-{what}", kind.name().to_lowercase()));
        let of_alice = |what: &str, operation: &str, options: &str| {
            let request = request(what);
            assert_eq!(request["kind"]["kind"], kind.name(), "{what}");
            assert_eq!((&request["operation"], &request["options"]["kind"]), (&json!(operation), &json!(options)));
            assert_eq!(request["userInfo"]["username"], "alice", "{what}");
            assert_eq!(request["subResource"], Value::Null, "{what}");
            request
        };
        let created = of_alice("create", "CREATE", "CreateOptions");
        assert_eq!(managers(&created["object"]), [["kubectl-create", "Update", ""]]);
        assert_eq!(
            (&created["dryRun"], &of_alice("create-dry-run", "CREATE", "CreateOptions")["dryRun"]),
            (&json!(false), &json!(true))
        );
        // Server-side apply is recognized by the field manager.
        for (what, operation, options) in
            [("apply-create", "CREATE", "CreateOptions"), ("apply-update", "UPDATE", "UpdateOptions")]
        {
            let applied = of_alice(what, operation, options);
            assert!(managers(&applied["object"]).contains(&["kubectl", "Apply", ""]), "{what} {}", kind.name());
        }
        // Client-side apply is recognized by the annotation with the applied manifest.
        for (what, operation, options) in
            [("client-apply-create", "CREATE", "CreateOptions"), ("client-apply-update", "UPDATE", "UpdateOptions")]
        {
            let applied = of_alice(what, operation, options);
            let last = applied["object"]["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]
                .as_str();
            let last: Value = serde_json::from_str(last.unwrap()).unwrap();
            assert_eq!(last["kind"], kind.name());
            assert_eq!(last["metadata"]["labels"]["team"], applied["object"]["metadata"]["labels"]["team"], "{what}");
        }
        let updated = of_alice("update", "UPDATE", "UpdateOptions");
        assert_ne!(updated["object"], updated["oldObject"]);
        of_alice("delete", "DELETE", "DeleteOptions");
        for (what, operation, options) in [
            ("update-dry-run", "UPDATE", "UpdateOptions"),
            ("apply-dry-run", "UPDATE", "UpdateOptions"),
            ("delete-dry-run", "DELETE", "DeleteOptions"),
        ] {
            assert_eq!(of_alice(what, operation, options)["dryRun"], true, "{what}");
        }
        // What Kubewarden's audit scanner sends for an existing object: no user, no options.
        let audit = request("audit");
        assert_eq!(
            (&audit["operation"], &audit["userInfo"], &audit["options"]),
            (&json!("CREATE"), &json!({}), &Value::Null)
        );
        assert!(audit["object"]["metadata"]["uid"].is_string());
        if kind != Kind::PodTemplate {
            let status = request("status");
            assert_eq!((&status["operation"], &status["subResource"]), (&json!("UPDATE"), &json!("status")));
            assert_eq!(status["object"]["spec"], status["oldObject"]["spec"]);
        }
        if matches!(kind, Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet) {
            let scale = request("scale");
            assert_eq!((&scale["operation"], &scale["subResource"]), (&json!("UPDATE"), &json!("scale")));
            assert_eq!(scale["object"]["kind"], "Scale");
            // Its pods are not counted yet.
            assert_eq!(scale["object"]["status"]["replicas"], 0);
            assert_ne!(scale["object"]["spec"]["replicas"], scale["oldObject"]["spec"]["replicas"]);
            assert_eq!(managers(&scale["object"]), [["kubectl-scale", "Update", "scale"]]);
            assert_eq!(managers(&scale["oldObject"]), [["kubectl-create", "Update", ""]]);
        }
    }
}

#[test]
fn controllers_are_among_the_users() {
    for (name, controller) in [
        ("pod-create-by-replicaset-controller", "replicaset-controller"),
        ("pod-delete-by-replicaset-controller", "replicaset-controller"),
        ("pod-create-by-job-controller", "job-controller"),
        ("replicaset-create-by-deployment-controller", "deployment-controller"),
        ("replicaset-scale-by-deployment-controller", "deployment-controller"),
        ("job-create-by-cronjob-controller", "cronjob-controller"),
        ("job-status", "job-controller"),
        ("deployment-status", "deployment-controller"),
    ] {
        let request = request(name);
        assert_eq!(
            request["userInfo"]["username"],
            format!("system:serviceaccount:kube-system:{controller}"),
            "{name}"
        );
        let object = if request["object"].is_object() { &request["object"] } else { &request["oldObject"] };
        assert!(managers(object).iter().any(|entry| entry[0] == "kube-controller-manager"), "{name}");
        if !name.ends_with("status") {
            assert_eq!(object["metadata"]["ownerReferences"][0]["controller"], true, "{name}");
        }
    }
}

/// A recorded request with the contents of a case: its metadata is merged into the recorded one, the rest of the object
/// is replaced.
fn as_sent(recorded: &Value, case: &Value) -> Value {
    let mut sent = recorded.clone();
    for key in ["operation", "userInfo", "dryRun", "name", "namespace"] {
        if !case[key].is_null() {
            sent[key] = case[key].clone();
        }
    }
    for key in ["object", "oldObject"] {
        sent[key] = case[key].clone();
        if case[key].is_object() {
            let base = if recorded[key].is_object() { key } else { "object" };
            sent[key]["metadata"] = recorded[base]["metadata"].clone();
            // It counts changes of a different spec.
            sent[key]["metadata"]["generation"] = Value::Null;
            for (field, value) in case[key]["metadata"].as_object().unwrap() {
                sent[key]["metadata"][field] = value.clone();
            }
        }
    }
    sent
}

#[test]
fn the_policys_cases_decide_the_same_in_recorded_requests() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/policy");
    let mut seen = 0;
    for file in fs::read_dir(folder).unwrap() {
        let cases: Vec<Value> = serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap();
        for case in cases.iter().filter(|case| case["op"] == "policy.validate") {
            let (typed, settings) = (&case["input"]["request"], &case["input"]["settings"]);
            let text = |key: &str| typed["kind"][key].as_str().unwrap_or_default();
            let kind = Kind::new(text("group"), text("version"), text("kind"));
            let writes = ["CREATE", "UPDATE"].iter().find(|operation| typed["operation"] == **operation);
            let (Some(kind), Some(operation), true) = (kind, writes, typed["object"]["metadata"].is_object()) else {
                continue;
            };
            if !typed["subResource"].is_null() {
                continue;
            }
            let recorded = request(&format!("{}-{}", kind.name(), operation).to_lowercase());
            let settings = validate_settings(settings).unwrap();
            let (as_typed, as_sent) = (review(typed, &settings), review(&as_sent(recorded, typed), &settings));
            assert_eq!(as_sent.allowed, as_typed.allowed, "{}: {:?}", case["name"], as_sent.message);
            assert_eq!(as_sent.message, as_typed.message, "{}", case["name"]);
            assert_eq!(as_sent.warnings, as_typed.warnings, "{}", case["name"]);
            assert_eq!(as_sent.audit_annotations.to_json(), as_typed.audit_annotations.to_json(), "{}", case["name"]);
            let spec = |object: &Option<Value>| object.as_ref().map(|object| object["spec"].clone());
            assert_eq!(spec(&as_sent.mutated_object), spec(&as_typed.mutated_object), "{}", case["name"]);
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
}

#[test]
fn only_invalid_requests_are_refused() {
    let settings = validate_settings(&json!({ "validate": "1.37" })).unwrap();
    for (name, request) in &*REQUESTS {
        let verdict = review(request, &settings);
        let invalid =
            ["cost-signed", "cost-too-large", "cost-word", "create-fast"].iter().any(|end| name.ends_with(end))
                || name == "job-create-terminatingorfailed";
        assert_eq!(verdict.allowed, !invalid, "{name}: {:?}", verdict.message);
        assert_eq!(verdict.mutated_object, None, "{name}");
    }
}

#[test]
fn jobs_with_a_failure_policy_get_the_policy_that_is_allowed() {
    let settings = json!({"pod_replacement_policy": {"jobs": {"allowed": ["Failed"]}}});
    let settings = validate_settings(&settings).unwrap();
    for (name, request) in &*REQUESTS {
        // With a podFailurePolicy the API server writes Failed.
        let has_rules = request["object"]["spec"]["podFailurePolicy"].is_object();
        if request["kind"]["kind"] == "Job" && has_rules && name != "job-create-terminatingorfailed" {
            assert!(review(request, &settings).allowed, "{name}");
        }
    }
}

#[test]
fn the_policys_examples_are_recorded_requests() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/requests");
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../policy/examples");
    for (example, request) in [
        ("job", "job-client-apply-create-without-policy"),
        ("deployment", "deployment-create-fast"),
        ("pod", "pod-create-cost-signed"),
    ] {
        let example = fs::read(format!("{examples}/{example}.json")).unwrap();
        assert!(example == fs::read(format!("{folder}/{request}.json")).unwrap(), "{request}");
    }
}
