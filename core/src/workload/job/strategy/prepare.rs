//! What the Job strategy does before validation.

use alloc::string::String;

use serde_json::{Map, Value};

use crate::feature_gates::{Feature, FeatureGates};
use crate::object::unstructured::{at, field, map_at, string};

const JOB_NAME_LABELS: [&str; 2] = ["job-name", "batch.kubernetes.io/job-name"];
const CONTROLLER_UID_LABELS: [&str; 2] = ["controller-uid", "batch.kubernetes.io/controller-uid"];

/// Drops what gates forbid, unless the old object uses it.
/// Upstream: `pkg/registry/batch/job/strategy.go PrepareForCreate` and `PrepareForUpdate`
pub(super) fn drop_disabled_fields(spec: &mut Map<String, Value>, old: Option<&Value>, gates: FeatureGates) {
    let mut drop = |feature: Feature, key: &str| {
        let in_use = old.is_some_and(|old| field(old, key).is_some());
        if !gates.enabled(feature) && !in_use {
            spec.remove(key);
        }
    };
    if old.is_none() {
        drop(Feature::JobManagedBy, "managedBy");
    }
    drop(Feature::JobPodReplacementPolicy, "podReplacementPolicy");
}

/// Upstream: `pkg/registry/batch/job/strategy.go generateSelectorIfNeeded` and `generateSelector`
pub(crate) fn generate_selector_if_needed(object: &mut Value) {
    if at(object, &["spec", "manualSelector"]) == Some(&Value::Bool(true)) {
        return;
    }
    let metadata = field(object, "metadata").unwrap_or(&Value::Null);
    let (name, uid) = (Value::from(string(metadata, "name")), Value::from(string(metadata, "uid")));
    if let Some(labels) = map_at(object, &["spec", "template", "metadata", "labels"]) {
        // Validation refuses other values of these labels.
        for (keys, value) in [(JOB_NAME_LABELS, &name), (CONTROLLER_UID_LABELS, &uid)] {
            for key in keys {
                labels.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
    if let Some(labels) = map_at(object, &["spec", "selector", "matchLabels"]) {
        for key in CONTROLLER_UID_LABELS.iter().skip(1) {
            labels.entry(*key).or_insert_with(|| uid.clone());
        }
    }
}
