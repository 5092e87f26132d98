//! The object that a client sends: which kind it is of, and whether its fields can be read.

use alloc::vec;
use alloc::vec::Vec;

use serde_json::Value;

use super::decode::fill_nulls;
use super::schema::wrong_types;
use super::strategy::Strategy;
use super::validation::FieldError;
use crate::go;
use crate::object::Kind;
use crate::object::unstructured::{field, map_at, set_default_string, string};
use crate::path::Path;

/// The object in its namespace, and how its kind is treated, if its fields can be read.
pub(super) fn recognize(
    object: &Value,
    kinds: &[&'static dyn Strategy],
) -> Result<(Value, &'static dyn Strategy), Vec<FieldError>> {
    let root = Path::Root("");
    if !object.is_object() {
        return Err(vec![FieldError::type_invalid(&root, object, "must be a Kubernetes object")]);
    }
    for key in ["apiVersion", "kind"] {
        if let Some(value) = field(object, key).filter(|value| !value.is_string()) {
            return Err(vec![FieldError::type_invalid(&root.child(key), value, "must be a string")]);
        }
    }
    let kind = Kind::of(object);
    let Some(strategy) = kinds.iter().copied().find(|strategy| Some(strategy.kind()) == kind) else {
        return Err(vec![unsupported(object, kinds)]);
    };
    let errors = wrong_types(object, strategy.shape());
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut object = object.clone();
    fill_nulls(&mut object, strategy.shape());
    if let Some(metadata) = map_at(&mut object, &["metadata"]) {
        set_default_string(metadata, "namespace", "default");
    }
    Ok((object, strategy))
}

fn unsupported(object: &Value, kinds: &[&dyn Strategy]) -> FieldError {
    let root = Path::Root("");
    let value = string(object, "kind");
    if value.is_empty() {
        return FieldError::required(&root.child("kind"), "name the kind of the object");
    }
    let Some(kind) = kinds.iter().map(|strategy| strategy.kind()).find(|kind| kind.name() == value) else {
        let names: Vec<&str> = kinds.iter().map(|strategy| strategy.kind().name()).collect();
        return FieldError::not_supported(&root.child("kind"), go::quoted(value), &names);
    };
    let path = root.child("apiVersion");
    match string(object, "apiVersion") {
        "" => FieldError::required(&path, ["must be ", &go::quoted(kind.api_version())].concat()),
        other => FieldError::not_supported(&path, go::quoted(other), &[kind.api_version()]),
    }
}
