//! ReplicationController.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::equal::equal_field;
use super::field::FieldError;
use super::meta::validate_nonnegative_field;
use super::pod_spec::{self, Options};
use super::selector;
use super::value::{at, field, map, map_in, set_default};
use crate::go;
use crate::path::Path;

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

/// What an older version of the API could not say stays as it is.
/// Upstream: `pkg/registry/core/replicationcontroller/strategy.go ValidateUpdate`
pub(super) fn validate_non_convertible(object: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    const PREFIX: &str = "non-convertible.kubernetes.io";
    let annotations = at(old, &["metadata", "annotations"]).and_then(Value::as_object);
    for (key, value) in annotations.into_iter().flatten().filter(|(key, _)| key.starts_with(PREFIX)) {
        let Some((_, broken)) = key.split_once('/').filter(|(_, broken)| !broken.contains('/')) else { continue };
        if !broken.contains("selector") {
            let value = go::quoted(value.as_str().unwrap_or_default());
            errors.push(FieldError::not_found(&Path::Root(broken), value, "unknown non-convertible field"));
            continue;
        }
        let selector = at(object, &["spec", "selector"]);
        if !equal_field("selector", selector, at(old, &["spec", "selector"])) {
            let spec = Path::Root("spec");
            let value = go::json(selector.unwrap_or(&Value::Null));
            let detail = "cannot update non-convertible selector";
            errors.push(FieldError::invalid(&spec.child("selector"), value, detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateReplicationControllerSpec`
pub(super) fn validate_spec(spec: &Value, path: &Path<'_>, options: Options, errors: &mut Vec<FieldError>) {
    validate_nonnegative_field(spec, "minReadySeconds", path, errors);
    let selector = map(spec, "selector").filter(|selector| !selector.is_empty());
    if selector.is_none() {
        errors.push(FieldError::required(&path.child("selector"), ""));
    }
    if field(spec, "replicas").is_none() {
        errors.push(FieldError::required(&path.child("replicas"), ""));
    }
    validate_nonnegative_field(spec, "replicas", path, errors);
    // Upstream: `pkg/apis/core/validation/validation.go ValidatePodTemplateSpecForRC`
    let path = path.child("template");
    let Some(template) = field(spec, "template") else {
        errors.push(FieldError::required(&path, ""));
        return;
    };
    let labels = pod_spec::template_labels(template);
    let matches = |(key, value): (&String, &Value)| labels.and_then(|labels| labels.get(key)) == Some(value);
    if !selector.into_iter().flatten().all(matches) {
        selector::push_mismatch(template, &path, errors);
    }
    pod_spec::validate_pod_template_spec(template, &path, options, errors);
    pod_spec::validate_restarted_for_ever(template, &path, "ReplicationController", errors);
}
