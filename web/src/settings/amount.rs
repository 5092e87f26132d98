//! Amounts of resources that pods request.

use changeover_core::object::quantity::nanos;
use serde_json::Value;

use super::{Field, typed_value};

/// What is wrong with an amount of a resource that pods request.
pub(super) fn problem_of_amount(field: Field, text: &str) -> Option<String> {
    let right = match nanos(&typed_value(text)) {
        Some(0..) => return None,
        Some(_) => String::from("must be greater than or equal to 0"),
        None if matches!(field, Field::PodCpu | Field::OtherCpu) => String::from("must be an amount like 500m or 2"),
        None => String::from("must be an amount like 256Mi or 2Gi"),
    };
    Some(format!("Invalid value: {}: {right}", Value::from(text)))
}
