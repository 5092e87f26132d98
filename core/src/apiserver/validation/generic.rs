//! Rules about one field, whatever the kind.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::field::FieldError;
use crate::apiserver::equality::equal_field;
use crate::go;
use crate::object::unstructured::{field, integer, string};
use crate::path::Path;

/// A field that must not change, of a type that Go prints as it is in JSON.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateImmutableField`
pub(crate) fn validate_immutable_field(
    new: &Value,
    old: &Value,
    key: &str,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    validate_immutable(new, old, key, path, |value| go::json(value.unwrap_or(&Value::Null)), errors);
}

/// A field that must not change, and how Go prints it.
pub(crate) fn validate_immutable(
    new: &Value,
    old: &Value,
    key: &str,
    path: &Path<'_>,
    printed: impl Fn(Option<&Value>) -> String,
    errors: &mut Vec<FieldError>,
) {
    let (new, old) = (field(new, key), field(old, key));
    if !equal_field(key, new, old) {
        errors.push(FieldError::invalid(&path.child(key), printed(new), "field is immutable"));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go ValidateNonnegativeField`
pub(crate) fn validate_nonnegative_field(value: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(number) = integer(value, key)
        && number < 0
    {
        let text = go::json(&Value::from(number));
        errors.push(FieldError::invalid(&path.child(key), text, "must be greater than or equal to 0"));
    }
}

/// A required string with a list of supported values.
pub(crate) fn validate_enum(
    value: &Value,
    key: &str,
    supported: &[&str],
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    match string(value, key) {
        "" => errors.push(FieldError::required(&path.child(key), "")),
        known if supported.contains(&known) => {}
        other => errors.push(FieldError::not_supported(&path.child(key), go::json_string(other), supported)),
    }
}
