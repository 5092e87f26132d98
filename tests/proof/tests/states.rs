//! What `kubectl get -o yaml` showed of a real cluster in mid-rollout is read, and what comes next is predicted.

use std::fs;
use std::path::Path;

use changeover_core::prediction::{PredictOptions, predict};
use changeover_text::parse;
use serde_json::Value;

#[test]
fn what_comes_after_each_live_state_is_predicted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../controlplane/states");
    let mut states = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let documents = parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let objects: Vec<Value> = documents.into_iter().map(|document| document.value).collect();
        let of_kind = |kind: &str| objects.iter().filter(|object| object["kind"] == kind).count();
        assert!(of_kind("Pod") > 0 && of_kind("Deployment") + of_kind("Job") > 0, "{}", path.display());
        let predicted = predict(&objects, &[], &PredictOptions::default());
        assert!(predicted.is_ok(), "{}: {:?}", path.display(), predicted.err());
        states += 1;
    }
    assert!(states >= 12, "only {states} states");
}
