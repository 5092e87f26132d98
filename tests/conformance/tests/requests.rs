//! The policy's answers to requests as a real API server sends them (`../requests`, written by `../recorder`).
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::fs;

use changeover_core::apiserver::Kind;
use changeover_core::review::{review, validate_settings};
use serde_json::{Value, json};

fn requests() -> Vec<(String, Value)> {
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
}

#[test]
fn every_kind_and_operation_is_there() {
    let requests = requests();
    assert!(requests.len() >= 60);
    for kind in Kind::ALL {
        for operation in ["CREATE", "UPDATE", "DELETE"] {
            let is = |request: &Value| request["kind"]["kind"] == kind.name() && request["operation"] == operation;
            assert!(requests.iter().any(|(_, request)| is(request)), "{operation} {}", kind.name());
        }
    }
}

#[test]
fn only_what_the_api_server_would_refuse_is_refused() {
    let settings = validate_settings(&Value::Null).unwrap();
    for (name, request) in requests() {
        let verdict = review(&request, &settings);
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
    for (name, request) in requests() {
        // With a podFailurePolicy the API server writes Failed.
        let has_rules = request["object"]["spec"]["podFailurePolicy"].is_object();
        if request["kind"]["kind"] == "Job" && has_rules && name != "job-create-terminatingorfailed" {
            assert!(review(&request, &settings).allowed, "{name}");
        }
    }
}

#[test]
fn the_policys_examples_are_such_requests() {
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
