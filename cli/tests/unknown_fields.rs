//! No object that an API server stored or was sent, and no rendered chart, has a field that Kubernetes does not know.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use changeover_core::apiserver::{UnknownField, strategy_of, unknown_fields};
use changeover_core::feature_gates::{Feature, FeatureGates};
use changeover_text::parse_bytes;
use serde_json::Value;

/// The states of real clusters, charts, and requests of a real API server.
const FOLDERS: [&str; 3] = ["../tests/controlplane/states", "../tests/cli/charts", "../tests/conformance/requests"];

/// The objects in a file: those of a request, or all of a YAML file.
fn objects(path: &Path) -> Vec<Value> {
    let documents = parse_bytes(&fs::read(path).unwrap()).unwrap();
    let of_document = |value: Value| match value.get("request") {
        Some(request) => ["object", "oldObject"].iter().filter_map(|key| request.get(key).cloned()).collect(),
        None => vec![value],
    };
    documents.into_iter().flat_map(|document| of_document(document.value)).collect()
}

#[test]
fn recorded_objects_and_charts_have_no_unknown_fields() {
    let gates = FeatureGates::default().with(Feature::DeploymentPodReplacementPolicy, true);
    for folder in FOLDERS {
        let mut checked: usize = 0;
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if !path.extension().is_some_and(|extension| extension == "yaml" || extension == "json") {
                continue;
            }
            for object in objects(&path) {
                checked = checked.saturating_add(strategy_of(&object).is_some().into());
                let unknown: Vec<String> = unknown_fields(&object, &gates).iter().map(UnknownField::sentence).collect();
                assert_eq!(unknown, [""; 0], "{}", path.display());
            }
        }
        assert!(checked > 10, "{folder}: {checked}");
    }
}
