use alloc::string::String;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::table::{Table, UnknownFields};

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
            map.insert(field.name.into(), value.to_json());
        }
    }
    Value::Object(map)
}

/// A variant with its payload: a map of one key.
pub fn write_variant(name: &str, payload: &dyn ToJson) -> Value {
    Value::Object(Map::from_iter([(name.into(), payload.to_json())]))
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
