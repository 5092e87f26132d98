//! Which fields of a kind the policy and the simulated cluster read, and the JSON type of each. `api_types` has all fields.

use alloc::vec::Vec;

use serde_json::Value;

use super::validation::FieldError;
use crate::object;
use crate::path::Path;

/// The JSON type of a field. `null` is always allowed: it means absent.
#[derive(Debug)]
pub enum Shape {
    /// `true` or `false`
    Bool,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A string.
    Text,
    /// A time as in RFC 3339.
    Time,
    /// A 32-bit integer, or a string such as `25%`.
    IntOrString,
    /// A map of strings.
    StringMap,
    /// A map with these fields.
    Object(&'static [Field]),
    /// A list of such items.
    List(&'static Self),
}

/// The name of a field and its type.
pub(crate) type Field = (&'static str, Shape);

/// The field `status` where the object is written: only an update of the status writes it.
pub(crate) const STATUS: Field = ("status", Shape::Object(&[]));

/// The listed fields whose JSON type is wrong, each with its path. Everything else takes such fields for absent, so ask this
/// first.
pub(crate) fn wrong_types(object: &Value, shape: &Shape) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(object, shape, &Path::Root(""), &mut errors);
    errors
}

fn walk(value: &Value, shape: &Shape, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let fits = match (shape, value) {
        (_, Value::Null) | (Shape::Bool, Value::Bool(_)) | (Shape::Text | Shape::IntOrString, Value::String(_)) => true,
        (Shape::Time, Value::String(text)) => object::Time::parse(text).is_some(),
        (Shape::Int64, Value::Number(number)) => number.is_i64(),
        (Shape::Int32 | Shape::IntOrString, Value::Number(number)) => {
            number.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
        }
        (Shape::StringMap, Value::Object(map)) => {
            for (key, value) in map {
                walk(value, &Shape::Text, &path.key(key), errors);
            }
            true
        }
        (Shape::Object(fields), Value::Object(map)) => {
            for (name, shape) in *fields {
                if let Some(value) = map.get(*name) {
                    walk(value, shape, &path.child(name), errors);
                }
            }
            true
        }
        (Shape::List(shape), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, shape, &path.index(index), errors);
            }
            true
        }
        _ => false,
    };
    if !fits {
        errors.push(FieldError::type_invalid(path, value, expectation(shape)));
    }
}

const fn expectation(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "must be true or false",
        Shape::Int32 => "must be a 32bit integer",
        Shape::Int64 => "must be a 64bit integer",
        Shape::Text => "must be a string",
        Shape::Time => "must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
        Shape::IntOrString => "must be an integer or percentage (e.g '5%')",
        Shape::StringMap => "must be a map of strings",
        Shape::Object(_) => "must be a map",
        Shape::List(_) => "must be a list",
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use crate::apiserver::api_types::{Content, Type, content, type_of_kind};
    use crate::apiserver::registry;

    #[test]
    fn fields_have_their_recorded_types() {
        for strategy in registry::ALL {
            let kind = strategy.kind();
            compare(strategy.shape(), type_of_kind(kind.name()).unwrap(), kind.name());
        }
    }

    fn compare(shape: &Shape, type_: Type, name: &str) {
        match (shape, content(type_)) {
            (shape, Content::Pointer(below)) => compare(shape, below, name),
            (Shape::Object(listed), Content::Struct(fields)) => {
                // KEP-5882 proposes this field, and no release has it.
                let proposed = ("v1.DeploymentSpec", "podReplacementPolicy");
                let is_released = |(name, _): &&(&str, Shape)| (type_, *name) != proposed;
                for (name, shape) in listed.iter().filter(is_released) {
                    let Some(below) = fields.member(name) else { panic!("{type_} has no field {name}") };
                    compare(shape, below, name);
                }
            }
            (Shape::List(shape), Content::List(item)) => compare(shape, item, name),
            (Shape::Bool, Content::Bool)
            | (Shape::Int32, Content::Int32)
            | (Shape::Int64, Content::Int64)
            | (Shape::Text, Content::String)
            | (Shape::StringMap, Content::Map("string")) => {}
            (Shape::Time, Content::Other) if type_ == "v1.Time" => {}
            (Shape::IntOrString, Content::Other) if type_ == "intstr.IntOrString" => {}
            _ => panic!("{name} is {type_} in Go, and here {shape:?}"),
        }
    }
}
