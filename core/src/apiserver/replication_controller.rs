//! ReplicationController.

use alloc::string::String;

use serde_json::{Map, Value};

use super::value::{map_in, set_default};

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_ReplicationController`, without the template's spec
pub(super) fn set_defaults(object: &mut Map<String, Value>) {
    let Some(spec) = map_in(object, "spec") else { return };
    set_default(spec, "replicas", 1);
    let labels = spec.get("template").and_then(|t| t.get("metadata")).and_then(|m| m.get("labels")).cloned();
    let Some(labels) = labels.filter(Value::is_object) else { return };
    set_default_map(spec, "selector", &labels);
    if let Some(metadata) = map_in(object, "metadata") {
        set_default_map(metadata, "labels", &labels);
    }
}

fn set_default_map(map: &mut Map<String, Value>, key: &str, default: &Value) {
    let slot = map.entry(key).or_insert(Value::Null);
    if slot.is_null() || slot.as_object().is_some_and(Map::is_empty) {
        *slot = default.clone();
    }
}
