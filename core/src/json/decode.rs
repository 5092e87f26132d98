use alloc::format;
use alloc::string::ToString;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value};

use super::encode::Record;
use super::table::{Field, UnknownFields};
use crate::go;
use crate::path::Path;
use crate::problem::{Problem, shortened};

/// What can be read from a JSON value.
pub trait FromJson {
    /// An empty one, into which is read.
    fn blank() -> Self
    where
        Self: Sized;

    /// Reads the value; what it does not say stays as it is.
    ///
    /// # Errors
    /// One sentence with the field's path, its value and what would be right.
    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem>;
}

/// A type with named fields. Derived with [`FromJson`].
pub trait RecordMut: Record {
    /// As [`Record::field`].
    fn field_mut(&mut self, index: usize) -> Option<&mut dyn FromJson>;
}

/// Reads a value of a known shape below `root`.
///
/// # Errors
/// One sentence with the field's path, its value and what would be right.
pub fn decode<T: FromJson>(value: &Value, root: &str) -> Result<T, Problem> {
    let mut read = T::blank();
    read.read(value, &Path::Root(root))?;
    Ok(read)
}

/// Reads a type's fields from a map.
///
/// # Errors
/// As [`decode`].
pub fn read_record(record: &mut dyn RecordMut, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
    let Value::Object(map) = value else { return Err(wrong(value, path, "a map")) };
    let table = record.table();
    for (index, field) in table.fields.iter().enumerate() {
        let path = path.child(field.name);
        match (map.get(field.name), record.field_mut(index)) {
            (Some(value), Some(slot)) => slot.read(value, &path)?,
            _ if field.required => return Err(Problem::new(path.to_string(), "Required value")),
            _ => {}
        }
    }
    let mut unknown = map.iter().filter(|(key, _)| table.fields.iter().all(|field| field.name != *key));
    match table.unknown {
        UnknownFields::Ignored => Ok(()),
        UnknownFields::Refused => unknown.next().map_or(Ok(()), |(key, _)| Err(refused(path, key, table.fields))),
        UnknownFields::Kept => {
            let mut kept = Map::new();
            for (key, value) in unknown {
                kept.insert(key.clone(), value.clone());
            }
            let slot = record.field_mut(table.fields.len());
            slot.map_or(Ok(()), |slot| slot.read(&Value::Object(kept), path))
        }
    }
}

fn refused(path: &Path<'_>, key: &str, fields: &[Field]) -> Problem {
    let known = go::quoted_list(fields.iter().map(|field| field.name));
    let message = format!("Unsupported value: {}: supported values: {known}", go::quoted(key));
    Problem::new(path.child(key).to_string(), message)
}

/// Which of the names a value is.
///
/// # Errors
/// When it is none of them.
pub fn choice(names: &[&str], value: &Value, path: &Path<'_>) -> Result<usize, Problem> {
    let found = value.as_str().and_then(|text| names.iter().position(|name| *name == text));
    found.ok_or_else(|| {
        let known = go::quoted_list(names.iter().copied().filter(|name| !name.is_empty()));
        wrong(value, path, &format!("one of {known}"))
    })
}

/// A value that is not what it should be.
pub fn wrong(value: &Value, path: &Path<'_>, right: &str) -> Problem {
    let message = match value {
        Value::Object(_) => format!("Invalid value: a map: must be {right}"),
        Value::Array(_) => format!("Invalid value: a list: must be {right}"),
        _ => format!("Invalid value: {}: must be {right}", shortened(value)),
    };
    Problem::new(path.to_string(), message)
}

/// For serde: through the value.
///
/// # Errors
/// The deserializer's own, or what [`decode`] says.
pub fn deserialize<'de, T: FromJson, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    decode(&Value::deserialize(deserializer)?, "").map_err(D::Error::custom)
}
