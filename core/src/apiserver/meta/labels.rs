//! Labels.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::apiserver::validation::{FieldError, names};
use crate::path::Path;

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go ValidateLabels`
pub(crate) fn validate_labels(labels: Option<&Map<String, Value>>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
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
