use alloc::format;
use alloc::string::ToString;

use serde_json::Value;

use super::{Path, Problem};
use crate::render;

/// A value that is not what it should be.
pub fn wrong(value: &Value, path: &Path<'_>, right: &str) -> Problem {
    let message = match value {
        Value::Object(_) => format!("Invalid value: a map: must be {right}"),
        Value::Array(_) => format!("Invalid value: a list: must be {right}"),
        _ => format!("Invalid value: {}: must be {right}", render::shortened(value)),
    };
    Problem::new(path.to_string(), message)
}
