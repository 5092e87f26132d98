//! The core reports every error of the real validation, or lists the error's field as not validated. Checked with
//! random objects and the real validation's errors (`../scrambled`, written by `../recorder`).

use std::env;
use std::fs;

use changeover_core::apiserver::{
    FieldError, Operation, decoding_errors, strategy_of, unvalidated_fields, unvalidated_status_fields, validate,
};
use changeover_core::feature_gates::FeatureGates;
use serde_json::Value;

/// Sometimes the cause of an API server's error is another field, which must then be listed: a volume with an error can't be mounted, an operating system forbids fields, containers of Windows need
/// the host's network, and some paths are empty or use other names.
const CAUSES: [(&str, &str); 6] = [
    ("Forbidden: static pods do not support resource claims", "resourceClaims"),
    ("hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess", "securityContext"),
    ("].name: Not found", "volumes["),
    ("persistentDisk", "gcePersistentDisk"),
    ("for a windows pod", ".os"),
    ("for a linux pod", ".os"),
];

/// Admission has set the service account of a Pod before validation.
const BY_ADMISSION: &str = "Forbidden: must not be specified when serviceAccountName is not set";

/// Whether a path equals, contains or is part of another.
fn touches(path: &str, field: &str) -> bool {
    // The API server omits `metadata` in the paths of a template's labels and annotations.
    let bare = field.replace(".metadata.annotations", ".annotations");
    let around = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    [field, &bare].iter().any(|field| around(field, path) || around(path, field))
}

#[test]
fn every_error_is_reported_or_its_field_listed_as_unvalidated() {
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/scrambled/scrambled.jsonl");
    let file = env::var("SCRAMBLED").unwrap_or_else(|_| committed.to_owned());
    let mut wrong = Vec::new();
    let mut elsewhere = 0;
    for line in fs::read_to_string(file).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let object = &case["input"]["object"];
        let strategy = strategy_of(object).unwrap();
        let old = case["input"].get("old");
        let status = case["input"].get("subresource").is_some();
        let (operation, unvalidated) = match old {
            Some(old) if status => (Operation::UpdateStatus(old), unvalidated_status_fields(object, strategy)),
            Some(old) => (Operation::Update(old), unvalidated_fields(object, strategy)),
            None => (Operation::Create, unvalidated_fields(object, strategy)),
        };
        assert_eq!(decoding_errors(object, strategy.kind()), [], "{}", case["name"]);
        let ours: Vec<String> =
            validate(object, strategy, operation, &FeatureGates::default()).iter().map(FieldError::to_string).collect();
        let theirs = case["expected"]["errors"].as_array().unwrap();
        for (text, field) in theirs.iter().zip(case["expected"]["errorFields"].as_array().unwrap()) {
            let (text, path) = (text.as_str().unwrap(), field["field"].as_str().unwrap());
            if ours.iter().any(|our| our == text) || text.ends_with(BY_ADMISSION) {
                continue;
            }
            elsewhere += 1;
            let caused = |(error, cause): &(&str, &str)| {
                text.contains(error) && unvalidated.iter().any(|field| field.contains(cause))
            };
            if !unvalidated.iter().any(|field| touches(path, field)) && !CAUSES.iter().any(caused) {
                wrong.push(format!("{}: not reported: {text}", case["name"]));
            }
        }
        for text in ours.iter().filter(|our| !theirs.iter().any(|text| text == our.as_str())) {
            wrong.push(format!("{}: not upstream's: {text}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(elsewhere > 100, "{elsewhere}");
}
