use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value};

use super::encode::Record;
use super::table::{Field, UnknownFields};
use crate::collect_tree::CollectTree;
use crate::go;
use crate::path::Path;
use crate::problem::{Problem, shortened};

/// A type that can be read from a JSON value.
pub trait FromJson {
    /// An empty value, which [`FromJson::read`] fills in.
    fn empty() -> Self
    where
        Self: Sized;

    /// Reads the value into `self`. Absent fields stay as they are.
    ///
    /// # Errors
    /// One sentence with the field's path, its value and what would be right.
    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem>;

    /// Reads a flattened field: the keys of the map that its siblings do not read.
    ///
    /// # Errors
    /// As [`FromJson::read`].
    fn read_flattened(&mut self, siblings: &[Field], rest: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let _ = siblings;
        self.read(rest, path)
    }
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
    read_at(value, &Path::Root(root))
}

/// As [`decode`], further down.
///
/// # Errors
/// As [`decode`].
pub fn read_at<T: FromJson>(value: &Value, path: &Path<'_>) -> Result<T, Problem> {
    let mut read = T::empty();
    read.read(value, path)?;
    Ok(read)
}

/// Reads a type's fields from a map.
///
/// # Errors
/// As [`decode`].
pub fn read_record(record: &mut dyn RecordMut, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
    let Value::Object(map) = value else { return Err(must_be(value, path, "a map")) };
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
        UnknownFields::Refused => match unknown.next() {
            Some((key, _)) => Err(unsupported_key(path, key, table.fields.iter().map(|field| field.name))),
            None => Ok(()),
        },
        UnknownFields::Flattened => {
            let rest: Map<String, Value> = unknown.map(|(key, value)| (key.clone(), value.clone())).collect_tree();
            let slot = record.field_mut(table.fields.len());
            slot.map_or(Ok(()), |slot| slot.read_flattened(table.fields, &Value::Object(rest), path))
        }
    }
}

/// The problem of a key that a map has no place for.
pub fn unsupported_key<'a>(path: &Path<'_>, key: &str, known: impl Iterator<Item = &'a str>) -> Problem {
    let message = format!("Unsupported value: {}: supported values: {}", go::quoted(key), go::quoted_list(known));
    Problem::new(path.child(key).to_string(), message)
}

/// A variant of an enum that is written as a map of one key.
#[derive(Debug)]
pub struct Variant<T> {
    /// Its key.
    pub name: &'static str,
    /// Reads its payload.
    pub read: fn(&Value, &Path<'_>) -> Result<T, Problem>,
}

/// The variants of an enum that is written as a map of one key.
#[derive(Debug)]
pub struct Variants<'a, T> {
    /// A variant's name in messages, like `action`.
    pub what: &'a str,
    /// All of them.
    pub variants: &'a [Variant<T>],
    /// The fields of the type into which the enum is flattened.
    pub siblings: &'a [Field],
}

impl<T> Variants<'_, T> {
    /// Reads the only variant that the map has. A key with null is not given, as with an `Option`.
    ///
    /// # Errors
    /// A key that none of them has, not exactly one variant, or a payload that can't be read.
    pub fn read(&self, value: &Value, path: &Path<'_>) -> Result<T, Problem> {
        let Value::Object(map) = value else { return Err(must_be(value, path, "a map")) };
        let siblings = self.siblings.iter().map(|field| field.name);
        let names = self.variants.iter().map(|variant| variant.name);
        if let Some(key) = map.keys().find(|key| !names.clone().any(|name| name == key.as_str())) {
            return Err(unsupported_key(path, key, siblings.chain(names)));
        }
        let given = self
            .variants
            .iter()
            .filter_map(|variant| Some((variant, map.get(variant.name).filter(|value| !value.is_null())?)));
        let given: Vec<(&Variant<T>, &Value)> = given.collect();
        let [(variant, payload)] = given.as_slice() else {
            let besides: Vec<&str> = siblings.collect();
            let besides = if besides.is_empty() { String::new() } else { format!(" besides {}", besides.join(", ")) };
            let message = format!("Invalid value: {} {}s: must be exactly one{besides}", given.len(), self.what);
            return Err(Problem::new(path.to_string(), message));
        };
        (variant.read)(payload, &path.child(variant.name))
    }
}

/// The index of a value in a list of names.
///
/// # Errors
/// When it is none of them.
pub fn variant_index(names: &[&str], value: &Value, path: &Path<'_>) -> Result<usize, Problem> {
    let found = value.as_str().and_then(|text| names.iter().position(|name| *name == text));
    found.ok_or_else(|| {
        let known = go::quoted_list(names.iter().copied().filter(|name| !name.is_empty()));
        must_be(value, path, &format!("one of {known}"))
    })
}

/// The problem of a value that is not `right`.
pub fn must_be(value: &Value, path: &Path<'_>, right: &str) -> Problem {
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
