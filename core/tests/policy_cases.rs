//! Replays the policy's cases against the core (the conformance runner replays them too, and the waPC host on top).
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use changeover_core::review::{Verdict, review, validate_settings};
use serde_json::{Value, json};

#[test]
fn every_case_of_the_policy_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/cases/policy");
    let mut count = 0;
    let mut failures = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for case in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
            count += 1;
            let (input, expected) = (&case["input"], &case["expected"]);
            let got = match case["op"].as_str() {
                Some("policy.validate") => validate(input),
                Some("policy.validateSettings") => settings(input),
                op => panic!("{}: unknown op {op:?}", case["name"]),
            };
            for (key, expected) in expected.as_object().unwrap() {
                if !alike(expected, &got[key]) {
                    failures.push(format!("{} {key}:\n  expected {expected}\n  got      {}", case["name"], got[key]));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(count > 150, "only {count} cases were found");
}

fn validate(input: &Value) -> Value {
    let settings = validate_settings(&input["settings"]).unwrap();
    let verdict = review(&input["request"], &settings);
    if let Some(patched) = &verdict.mutated_object {
        let mut request = input["request"].clone();
        request["object"] = patched.clone();
        let again = review(&request, &settings);
        assert_eq!(again.mutated_object, None, "defaulting is not idempotent: {request}");
    }
    let Verdict { allowed, message, code, mutated_object, warnings, audit_annotations } = verdict;
    for warning in &warnings {
        assert!(warning.chars().count() <= 120 && !warning.ends_with("..."), "{warning}");
    }
    json!({"allowed": allowed, "message": message, "code": code, "patchedObject": mutated_object,
        "warnings": warnings, "auditAnnotations": audit_annotations})
}

fn settings(input: &Value) -> Value {
    match validate_settings(&input["settings"]) {
        Ok(_) => json!({"valid": true}),
        Err(problems) => {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            json!({"valid": false, "message": lines.join("\n")})
        }
    }
}

/// Null is absent, and so is an empty map or list at the top; inside a patched object equality is exact.
fn alike(expected: &Value, got: &Value) -> bool {
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    expected == got || (empty(expected) && empty(got))
}
