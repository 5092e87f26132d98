//! Annotations.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::apiserver::validation::{FieldError, names};
use crate::go;
use crate::object::unstructured::existing_map;
use crate::path::Path;

const TOTAL_ANNOTATION_SIZE_LIMIT: usize = 256 << 10;

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateAnnotations`
pub(crate) fn validate_annotations(
    annotations: Option<&Map<String, Value>>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let mut size: usize = 0;
    for (key, value) in annotations.into_iter().flatten() {
        // The rule for keys of labels, except that case doesn't matter.
        for text in names::is_label_key(&go::to_lower(key)) {
            errors.push(FieldError::invalid_string(path, key, text));
        }
        size = size.saturating_add(key.len()).saturating_add(value.as_str().map_or(0, str::len));
    }
    if size > TOTAL_ANNOTATION_SIZE_LIMIT {
        errors.push(FieldError::too_long(path, TOTAL_ANNOTATION_SIZE_LIMIT));
    }
}

/// Removes annotations, and with the last one the map.
pub(crate) fn remove_annotations(holder: &mut Value, keys: &[&str]) {
    let Some(metadata) = existing_map(holder, &["metadata"]) else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    let before = annotations.len();
    for key in keys {
        annotations.remove(*key);
    }
    if annotations.is_empty() && before > 0 {
        metadata.remove("annotations");
    }
}
