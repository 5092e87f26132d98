//! An object as the API server reads it.

use serde_json::Value;

use super::decode::drop_unknown_fields;
use super::strategy::Strategy;

/// An object as the API server has read it.
pub(super) fn decoded(object: &Value, strategy: &dyn Strategy) -> Value {
    let mut object = object.clone();
    drop_unknown_fields(&mut object, strategy.kind());
    object
}
