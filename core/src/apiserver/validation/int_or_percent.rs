//! Numbers of pods that may be percentages, like maxSurge.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::field::FieldError;
use super::names;
use crate::go::{self, ParseIntError};
use crate::object::IntOrString;
use crate::object::unstructured::field;
use crate::path::Path;

/// Upstream: `pkg/apis/apps/validation/validation.go ValidatePositiveIntOrPercent`
pub(crate) fn validate_positive_int_or_percent(value: &IntOrString, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let detail = match value {
        IntOrString::String(text) => names::is_valid_percent(text),
        IntOrString::Int(number) => (*number < 0).then(|| "must be greater than or equal to 0".into()),
    };
    if let Some(detail) = detail {
        errors.push(FieldError::invalid(path, printed(value), detail));
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go IsNotMoreThan100Percent`
pub(crate) fn is_not_more_than_100_percent(value: &IntOrString, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if get_percent_value(value).is_some_and(|percent| percent > 100) {
        errors.push(FieldError::invalid(path, printed(value), "must not be greater than 100%"));
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go getPercentValue`
fn get_percent_value(value: &IntOrString) -> Option<i64> {
    let IntOrString::String(text) = value else { return None };
    if names::is_valid_percent(text).is_some() {
        return None;
    }
    Some(atoi(text.trim_end_matches('%')))
}

/// The number that upstream goes on with, since it does not look at the error.
fn atoi(text: &str) -> i64 {
    go::atoi(text).unwrap_or_else(|error| match error {
        ParseIntError::Syntax => 0,
        ParseIntError::Range(nearest) => nearest,
    })
}

/// Upstream: `pkg/apis/apps/validation/validation.go getIntOrPercentValue`
pub(crate) fn get_int_or_percent_value(value: &IntOrString) -> i64 {
    match value {
        IntOrString::Int(number) => i64::from(*number),
        IntOrString::String(text) => get_percent_value(value).unwrap_or_else(|| atoi(text)),
    }
}

/// The number or text in a field; 0 where there is none, as in Go.
pub(crate) fn int_or_string(value: &Value, key: &str) -> IntOrString {
    match field(value, key) {
        Some(Value::String(text)) => IntOrString::String(text.clone()),
        Some(number) => IntOrString::Int(number.as_i64().and_then(|n| i32::try_from(n).ok()).unwrap_or_default()),
        None => IntOrString::Int(0),
    }
}

/// A number or text as Go prints it.
pub(crate) fn printed(value: &IntOrString) -> String {
    match value {
        IntOrString::Int(number) => format!("{number}"),
        IntOrString::String(text) => go::json_string(text),
    }
}
