//! Metadata: names, labels, annotations, and what may not change.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::{FieldError, Path};
use super::names;
use super::value::{field, integer, map, semantic_equal, string};
use crate::render;

const TOTAL_ANNOTATION_SIZE_LIMIT: usize = 256 << 10;

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateObjectMeta`, for a namespaced object named
/// by a DNS subdomain. Owner references, finalizers and managed fields are not looked at.
pub(super) fn validate_object_meta(object: &Value, errors: &mut Vec<FieldError>) {
    let metadata = field(object, "metadata").unwrap_or(&Value::Null);
    let path = Path::Root("metadata");
    let generate_name = string(metadata, "generateName");
    if !generate_name.is_empty() {
        let masked = mask_trailing_dash(generate_name);
        for text in names::is_dns1123_subdomain(&masked) {
            errors.push(FieldError::invalid_string(&path.child("generateName"), generate_name, text));
        }
    }
    let name = string(metadata, "name");
    if name.is_empty() {
        errors.push(FieldError::required(&path.child("name"), "name or generateName is required"));
    } else {
        for text in names::is_dns1123_subdomain(name) {
            errors.push(FieldError::invalid_string(&path.child("name"), name, text));
        }
    }
    let namespace = string(metadata, "namespace");
    if namespace.is_empty() {
        errors.push(FieldError::required(&path.child("namespace"), ""));
    } else {
        for text in names::is_dns1123_label(namespace) {
            errors.push(FieldError::invalid_string(&path.child("namespace"), namespace, text));
        }
    }
    validate_nonnegative_field(metadata, "generation", &path, errors);
    validate_labels(map(metadata, "labels"), &path.child("labels"), errors);
    validate_annotations(map(metadata, "annotations"), &path.child("annotations"), errors);
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateObjectMetaUpdate`
pub(super) fn validate_object_meta_update(object: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let metadata = field(object, "metadata").unwrap_or(&Value::Null);
    let old = field(old, "metadata").unwrap_or(&Value::Null);
    let path = Path::Root("metadata");
    if string(metadata, "resourceVersion").is_empty() {
        errors.push(FieldError::invalid_string(&path.child("resourceVersion"), "", "must be specified for an update"));
    }
    let generation = integer(metadata, "generation").unwrap_or_default();
    if generation < integer(old, "generation").unwrap_or_default() {
        let value = render::json(&Value::from(generation));
        errors.push(FieldError::invalid(&path.child("generation"), value, "must not be decremented"));
    }
    for key in ["name", "namespace", "uid"] {
        if string(metadata, key) != string(old, key) {
            let value = render::json_string(string(metadata, key));
            errors.push(FieldError::invalid(&path.child(key), value, "field is immutable"));
        }
    }
    for key in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        validate_immutable_field(field(metadata, key), field(old, key), &path.child(key), errors);
    }
    validate_labels(map(metadata, "labels"), &path.child("labels"), errors);
    validate_annotations(map(metadata, "annotations"), &path.child("annotations"), errors);
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateImmutableField`
pub(super) fn validate_immutable_field(
    new: Option<&Value>,
    old: Option<&Value>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if !semantic_equal(new, old) {
        let value = render::json(new.unwrap_or(&Value::Null));
        errors.push(FieldError::invalid(path, value, "field is immutable"));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go ValidateNonnegativeField`
pub(super) fn validate_nonnegative_field(value: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(number) = integer(value, key)
        && number < 0
    {
        let text = render::json(&Value::from(number));
        errors.push(FieldError::invalid(&path.child(key), text, "must be greater than or equal to 0"));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go ValidateLabels`
pub(super) fn validate_labels(labels: Option<&Map<String, Value>>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (key, value) in labels.into_iter().flatten() {
        for text in names::is_label_key(key) {
            errors.push(FieldError::invalid_string(path, key, text));
        }
        let value = value.as_str().unwrap_or_default();
        for text in names::is_label_value(value) {
            errors.push(FieldError::invalid_string(path, value, text));
        }
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateAnnotations`
pub(super) fn validate_annotations(
    annotations: Option<&Map<String, Value>>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let mut size: usize = 0;
    for (key, value) in annotations.into_iter().flatten() {
        // The rule for keys of labels, except that case doesn't matter.
        for text in names::is_label_key(&key.to_lowercase()) {
            errors.push(FieldError::invalid_string(path, key, text));
        }
        size = size.saturating_add(key.len()).saturating_add(value.as_str().map_or(0, str::len));
    }
    if size > TOTAL_ANNOTATION_SIZE_LIMIT {
        errors.push(FieldError::too_long(path, TOTAL_ANNOTATION_SIZE_LIMIT));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go maskTrailingDash`
/// (It replaces the last two characters, and so does this.)
fn mask_trailing_dash(name: &str) -> String {
    let mut masked = String::from(name);
    if masked.len() > 1 && masked.pop() == Some('-') {
        masked.pop();
        masked.push('a');
        return masked;
    }
    String::from(name)
}
