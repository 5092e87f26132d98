//! What it costs to delete a pod (KEP-2255), as its annotation says.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;

/// The annotation that holds the cost.
///
/// Upstream: `k8s.io/api/core/v1/annotation_key_constants.go PodDeletionCost`
pub const POD_DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Why a value is no cost. Its text is upstream's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeletionCostError {
    /// It begins with neither `-` nor 1 to 9, and is not `0`.
    FirstDigit(String),
    /// It has something that is no decimal digit.
    Syntax(String),
    /// It does not fit into 32 bits.
    Range(String),
}

impl fmt::Display for DeletionCostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FirstDigit(value) => write!(f, "invalid value {value:?}"),
            Self::Syntax(value) => write!(f, "strconv.ParseInt: parsing {value:?}: invalid syntax"),
            Self::Range(value) => write!(f, "strconv.ParseInt: parsing {value:?}: value out of range"),
        }
    }
}

impl core::error::Error for DeletionCostError {}

/// The cost that the annotations give; 0 where there is none.
///
/// # Errors
/// The value is not a 32-bit integer in the annotation's grammar. The controller then counts 0.
///
/// Upstream: `pkg/apis/core/helper/helpers.go GetDeletionCostFromPodAnnotations`
pub fn deletion_cost(annotations: &BTreeMap<String, String>) -> Result<i32, DeletionCostError> {
    annotations.get(POD_DELETION_COST).map_or(Ok(0), |value| parse_deletion_cost(value))
}

/// Reads one value of the annotation: `+10`, `008` and the empty text are invalid, `-0` and `-008` are not.
///
/// # Errors
/// The value is not a 32-bit integer in the annotation's grammar.
pub fn parse_deletion_cost(value: &str) -> Result<i32, DeletionCostError> {
    if !valid_first_digit(value) {
        return Err(DeletionCostError::FirstDigit(value.into()));
    }
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DeletionCostError::Syntax(value.into()));
    }
    value.parse().map_err(|_| DeletionCostError::Range(value.into()))
}

/// Upstream: `pkg/apis/core/helper/helpers.go validFirstDigit`
fn valid_first_digit(value: &str) -> bool {
    value == "0" || matches!(value.bytes().next(), Some(b'-' | b'1'..=b'9'))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::parse_deletion_cost;

    #[test]
    fn grammar() {
        let valid =
            [("0", 0), ("-0", 0), ("-008", -8), ("10", 10), ("2147483647", i32::MAX), ("-2147483648", i32::MIN)];
        for (value, cost) in valid {
            assert_eq!(parse_deletion_cost(value), Ok(cost), "{value:?}");
        }
        let invalid = [
            ("", "invalid value \"\""),
            ("00", "invalid value \"00\""),
            ("008", "invalid value \"008\""),
            ("+10", "invalid value \"+10\""),
            (" 1", "invalid value \" 1\""),
            ("low", "invalid value \"low\""),
            ("-", "strconv.ParseInt: parsing \"-\": invalid syntax"),
            ("--1", "strconv.ParseInt: parsing \"--1\": invalid syntax"),
            ("-+1", "strconv.ParseInt: parsing \"-+1\": invalid syntax"),
            ("1.5", "strconv.ParseInt: parsing \"1.5\": invalid syntax"),
            ("1_0", "strconv.ParseInt: parsing \"1_0\": invalid syntax"),
            ("2147483648", "strconv.ParseInt: parsing \"2147483648\": value out of range"),
            ("-2147483649", "strconv.ParseInt: parsing \"-2147483649\": value out of range"),
            ("99999999999999999999999", "strconv.ParseInt: parsing \"99999999999999999999999\": value out of range"),
        ];
        for (value, error) in invalid {
            assert_eq!(parse_deletion_cost(value).unwrap_err().to_string(), error);
        }
    }
}
