//! The annotation that says which pods should go first.

use alloc::format;
use alloc::string::String;

use serde_json::{Map, Value};

use crate::apiserver::validation::FieldError;
use crate::go;
use crate::path::Path;

/// The annotation's key.
/// Upstream: `pkg/apis/core/annotation_key_constants.go PodDeletionCost`
pub const POD_DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// The cost that a pod's annotation stands for; none is 0.
///
/// # Errors
/// The text of Go's error, where the value is no 32-bit integer in its shortest form.
///
/// Upstream: `pkg/apis/core/helper/helpers.go GetDeletionCostFromPodAnnotations`
pub fn get_deletion_cost_from_pod_annotations(value: Option<&str>) -> Result<i32, String> {
    let Some(value) = value else { return Ok(0) };
    // Values that start with a plus sign ("+10") or leading zeros ("008") are not valid.
    if !valid_first_digit(value) {
        return Err(format!("invalid value {}", go::quoted(value)));
    }
    go::parse_int32(value).map_err(|what| format!("strconv.ParseInt: parsing {}: {what}", go::quoted(value)))
}

/// Upstream: `pkg/apis/core/helper/helpers.go validFirstDigit`
fn valid_first_digit(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'0') => text == "0",
        Some(first) => *first == b'-' || first.is_ascii_digit(),
        None => false,
    }
}

/// The annotation's text among annotations.
pub(crate) fn annotation(annotations: Option<&Map<String, Value>>) -> Option<&str> {
    // Go reads a null in a map of strings as an empty one.
    annotations?.get(POD_DELETION_COST).map(|value| value.as_str().unwrap_or_default())
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations`
pub(crate) fn validate(
    annotations: Option<&Map<String, Value>>,
    path: &Path<'_>,
    errors: &mut alloc::vec::Vec<FieldError>,
) {
    let value = annotation(annotations);
    if get_deletion_cost_from_pod_annotations(value).is_err() {
        let value = value.unwrap_or_default();
        errors.push(invalid_deletion_cost(value, path));
    }
}

/// What the API server says of a cost that is none, in the annotations at a path.
pub fn invalid_deletion_cost(value: &str, path: &Path<'_>) -> FieldError {
    FieldError::invalid_string(&path.key(POD_DELETION_COST), value, "must be a 32bit integer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_upstreams() {
        let valid =
            [("0", 0), ("-0", 0), ("-008", -8), ("10", 10), ("2147483647", i32::MAX), ("-2147483648", i32::MIN)];
        for (text, cost) in valid {
            assert_eq!(get_deletion_cost_from_pod_annotations(Some(text)), Ok(cost), "{text}");
        }
        assert_eq!(get_deletion_cost_from_pod_annotations(None), Ok(0));
    }

    #[test]
    fn errors_are_gos() {
        for text in ["", "00", "008", "+10", " 1", "low"] {
            let error = get_deletion_cost_from_pod_annotations(Some(text)).unwrap_err();
            assert_eq!(error, format!("invalid value \"{text}\""));
        }
        let syntax = ["-", "--1", "-+1", "1.5", "1e3", "1_0", "1 ", "12x"].map(|text| (text, "invalid syntax"));
        // A number that is too large counts before a stray character after it.
        let too_large = ["2147483648", "-2147483649", "99999999999999999999999", "99999999999x"];
        for (text, what) in syntax.into_iter().chain(too_large.map(|text| (text, "value out of range"))) {
            let error = get_deletion_cost_from_pod_annotations(Some(text)).unwrap_err();
            assert_eq!(error, format!("strconv.ParseInt: parsing \"{text}\": {what}"));
        }
    }
}
