//! How a Job counts its completions.

use serde_json::Value;

use crate::object::unstructured::string;

/// Whether every completion has its index.
pub(super) fn is_indexed(spec: &Value) -> bool {
    string(spec, "completionMode") == "Indexed"
}
