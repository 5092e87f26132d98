use alloc::string::String;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::table::{Table, UnknownFields};
use crate::collect_tree::CollectTree;

/// What can be written as a JSON value.
pub trait ToJson {
    /// The value.
    fn to_json(&self) -> Value;

    /// Whether it is left out where empty fields are.
    fn is_empty(&self) -> bool {
        false
    }
}

/// A type with named fields. Derived with [`ToJson`].
pub trait Record {
    /// The fields' names, and how each is treated.
    fn table(&self) -> &'static Table;

    /// The field at an index of the table; after the last, the flattened one.
    fn field(&self, index: usize) -> Option<&dyn ToJson>;
}

/// The map of a type's fields.
pub fn write_record(record: &dyn Record) -> Value {
    let Table { fields, unknown } = record.table();
    let mut map = Map::new();
    if *unknown == UnknownFields::Flattened
        && let Some(Value::Object(flattened)) = record.field(fields.len()).map(ToJson::to_json)
    {
        map = flattened;
    }
    for (index, field) in fields.iter().enumerate() {
        if let Some(value) = record.field(index)
            && !(field.omitempty && value.is_empty())
        {
            let value = value.to_json();
            map.insert(field.name.into(), if field.milliseconds { with_milliseconds(value) } else { value });
        }
    }
    Value::Object(map)
}

/// A value in which all numbers are nanoseconds, in milliseconds.
fn with_milliseconds(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_i64().map_or(Value::Number(number), in_milliseconds),
        Value::Array(items) => items.into_iter().map(with_milliseconds).collect(),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, with_milliseconds(value))).collect_tree())
        }
        other => other,
    }
}

/// Nanoseconds in milliseconds, as JSON has all times: a whole number, or with a fraction.
#[must_use]
pub fn in_milliseconds(nanoseconds: i64) -> Value {
    match nanoseconds.rem_euclid(NANOSECONDS) {
        0 => nanoseconds.div_euclid(NANOSECONDS).into(),
        #[expect(
            clippy::as_conversions,
            clippy::cast_precision_loss,
            reason = "in months, there are no nanoseconds to lose"
        )]
        _ => (nanoseconds as f64 / 1_000_000.0).into(),
    }
}

/// How many nanoseconds a millisecond has.
const NANOSECONDS: i64 = 1_000_000;

/// The nanoseconds that [`in_milliseconds`] wrote. None for what is no number.
#[must_use]
pub fn nanoseconds(milliseconds: &Value) -> Option<i64> {
    if let Some(whole) = milliseconds.as_i64() {
        return Some(whole.saturating_mul(NANOSECONDS));
    }
    let exact = milliseconds.as_f64()? * 1_000_000.0;
    // `f64::round` needs the standard library.
    #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "it saturates")]
    Some((exact + if exact < 0.0 { -0.5 } else { 0.5 }) as i64)
}

/// A variant with its payload: a map of one key.
pub fn write_variant(name: &str, payload: &dyn ToJson) -> Value {
    Value::Object([(name.into(), payload.to_json())].into_iter().collect_tree())
}

/// Whether all fields are empty.
pub fn record_is_empty(record: &dyn Record) -> bool {
    let mut index = 0_usize;
    while let Some(field) = record.field(index) {
        if !field.is_empty() {
            return false;
        }
        index = index.saturating_add(1);
    }
    true
}

/// A value as text, without spaces.
#[must_use]
pub fn text(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// For serde: through the value.
///
/// # Errors
/// The serializer's own.
pub fn serialize<S: Serializer>(value: &dyn ToJson, serializer: S) -> Result<S::Ok, S::Error> {
    value.to_json().serialize(serializer)
}
