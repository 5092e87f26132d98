//! The policy's cases, in the built module and in its host.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use changeover_core::review::{SETTINGS, review, validate_settings};
use changeover_tests_policy::{policy, root};
use changeover_www::{ContextObjects, Policy};
use serde_json::{Value, json};

use crate::guest::response;

/// The cases of an operation.
pub fn cases(op: &str) -> Vec<Value> {
    let folder = fs::read_dir(root().join("tests/conformance/cases/policy")).unwrap();
    let texts = folder.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let cases = texts.flat_map(|text| serde_json::from_str::<Vec<Value>>(&text).unwrap());
    cases.filter(|case| case["op"] == op).collect()
}

/// The settings that a case sets, by their paths.
fn given(settings: &Value) -> BTreeSet<&'static str> {
    let pointer = |path: &str| format!("/{}", path.replace('.', "/"));
    SETTINGS.iter().map(|setting| setting.path).filter(|path| settings.pointer(&pointer(path)).is_some()).collect()
}

#[test]
fn the_guest_gives_the_verdict_of_every_case() {
    let cases = cases("policy.validate");
    assert!(cases.len() > 150);
    for case in &cases {
        let (request, settings) = (&case["input"]["request"], &case["input"]["settings"]);
        let answer = policy().validate(request, settings).unwrap();
        let read = validate_settings(settings).ok().unwrap();
        assert_eq!(answer, response(review(request, &read)), "{}", case["name"]);
        is_expected(&answer, case);
    }
}

#[test]
fn the_guest_gives_the_verdict_of_every_case_in_a_cluster() {
    let cases = cases("policy.validateInCluster");
    assert!(cases.len() > 90);
    for case in &cases {
        let (request, settings) = (&case["input"]["request"], &case["input"]["settings"]);
        let answer = in_cluster(&case["input"]["cluster"]).validate(request, settings).unwrap();
        is_expected(&answer, case);
    }
}

/// The policy in a host that answers as policy-server would in the case's cluster.
pub fn in_cluster(cluster: &Value) -> Policy {
    let objects = ContextObjects::new(cluster["objects"].as_array().unwrap().clone());
    let errors = cluster["errors"].clone();
    let host_calls = move |capability: &str, payload: &[u8]| {
        let asked: Value = serde_json::from_slice(payload).unwrap();
        match errors[asked["kind"].as_str().unwrap()].as_str() {
            Some(error) => Err(format!("Callback evaluation failure: {error}")),
            None => objects.answer(capability, payload),
        }
    };
    policy().clone().with_host_calls(Arc::new(host_calls))
}

/// Checks that Kubewarden's response is what the case expects.
fn is_expected(answer: &Value, case: &Value) {
    let words = [
        ("allowed", "accepted"),
        ("message", "message"),
        ("code", "code"),
        ("patchedObject", "mutated_object"),
        ("warnings", "warnings"),
        ("auditAnnotations", "audit_annotations"),
    ];
    for (expected, got) in words {
        let Some(expected) = case["expected"].get(expected) else { continue };
        // Kubewarden omits empty values.
        let empty = *expected == json!([]) || *expected == json!({});
        assert_eq!(&answer[got], if empty { &Value::Null } else { expected }, "{} {got}", case["name"]);
    }
}

#[test]
fn the_guest_judges_the_settings_of_every_case() {
    for case in cases("policy.validateSettings") {
        let judged = policy().validate_settings(&case["input"]["settings"]);
        assert_eq!(judged.is_ok(), case["expected"]["valid"], "{}", case["name"]);
        let message = judged.err().map_or(Value::Null, Value::from);
        assert_eq!(message, case["expected"].get("message").cloned().unwrap_or_default(), "{}", case["name"]);
    }
}

#[test]
fn every_setting_has_a_case() {
    let validate = cases("policy.validate");
    let settings = cases("policy.validateSettings");
    for setting in SETTINGS {
        for cases in [&validate, &settings] {
            let has = cases.iter().any(|case| given(&case["input"]["settings"]).contains(setting.path));
            assert!(has, "{}", setting.path);
        }
    }
}

/// Two settings that read the same field may conflict.
#[test]
fn every_pair_of_settings_on_one_field_has_a_case() {
    let cases = cases("policy.validate");
    let mut pairs = 0;
    for (index, first) in SETTINGS.iter().enumerate() {
        for second in &SETTINGS[index + 1..] {
            if !first.fields.iter().any(|field| second.fields.contains(field)) {
                continue;
            }
            pairs += 1;
            let covers = |case: &&Value| {
                let given = given(&case["input"]["settings"]);
                // These two, and the gates that they need to be valid.
                let only = given.len() == 2 || (given.len() == 3 && given.contains("feature_gates"));
                given.contains(first.path) && given.contains(second.path) && only
            };
            assert!(cases.iter().any(|case| covers(&case)), "no case for {} with {}", first.path, second.path);
        }
    }
    assert!(pairs > 0, "no two settings read or write the same field");
}

/// The settings' description and the reader have the same keys.
#[test]
fn the_description_matches_the_settings() {
    let mut known = BTreeSet::new();
    for map in [
        "",
        "pod_replacement_policy",
        "pod_replacement_policy.deployments",
        "pod_replacement_policy.jobs",
        "pod_deletion_cost",
        "replicas",
        "rollout",
        "pods",
        "exempt",
    ] {
        let path = if map.is_empty() { "zzz".to_owned() } else { format!("{map}.zzz") };
        let value = path.rsplit('.').fold(json!(0), |value, key| json!({ key: value }));
        let problems = validate_settings(&value).err().unwrap();
        let keys = problems[0].message.strip_prefix(r#"Unsupported value: "zzz": supported values: "#).unwrap();
        let keys = keys.split(", ").map(|key| key.trim_matches('"'));
        known.extend(keys.map(|key| if map.is_empty() { key.to_owned() } else { format!("{map}.{key}") }));
    }
    for branch in [
        "pod_replacement_policy",
        "pod_replacement_policy.deployments",
        "pod_replacement_policy.jobs",
        "pod_deletion_cost",
        "replicas",
        "rollout",
        "pods",
        "exempt",
    ] {
        assert!(known.remove(branch), "{branch}");
    }
    assert_eq!(known, SETTINGS.iter().map(|setting| setting.path.to_owned()).collect());
}
