//! What the API server's decoder makes of an object: fields that Kubernetes does not know are gone, and a `null` in a list
//! or a map of strings has become Go's zero value.

use core::mem;

use serde_json::{Map, Value};

use super::internal_version::{Content, Type};
use super::meta::METADATA;
use super::meta::selector::SELECTOR;
use super::schema::{Field, Shape};

/// Known fields that no shape lists, wherever they are.
const UNLISTED: [&str; 5] = ["apiVersion", "kind", "managedFields", "selfLink", "volumeClaimTemplates"];

/// Replaces each `null` in the listed lists and maps of strings by Go's zero value.
pub(super) fn fill_nulls(value: &mut Value, shape: &Shape) {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(map)) => {
            for (name, shape) in *fields {
                if let Some(value) = map.get_mut(*name) {
                    fill_nulls(value, shape);
                }
            }
        }
        (Shape::List(shape), Value::Array(items)) => items.iter_mut().for_each(|item| fill_item(item, shape)),
        (Shape::StringMap, Value::Object(map)) => map.values_mut().for_each(|value| fill_item(value, &Shape::Text)),
        _ => {}
    }
}

fn fill_item(item: &mut Value, shape: &Shape) {
    if item.is_null() {
        *item = match shape {
            Shape::Object(_) => Value::Object(Map::new()),
            Shape::Text => "".into(),
            _ => 0.into(),
        };
    }
    fill_nulls(item, shape);
}

/// Drops the fields that Kubernetes does not know, and those that are `null`. A status stays as it is.
pub(super) fn drop_unknown_fields(value: &mut Value, shape: &Shape) {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(map)) if !fields.is_empty() => {
            map.retain(|_, value| !value.is_null());
            map.retain(|key, value| match fields.iter().find(|(name, _)| name == key) {
                Some((_, Shape::Object(below))) if is_pod_spec(below) => {
                    drop_unknown_members(value, Type::POD_SPEC);
                    true
                }
                Some((_, shape)) => {
                    drop_unknown_fields(value, shape);
                    true
                }
                None => {
                    if key == "volumeClaimTemplates" {
                        drop_unknown_in_claims(value);
                    }
                    UNLISTED.contains(&key.as_str())
                }
            });
        }
        (Shape::List(shape), Value::Array(items)) => {
            items.iter_mut().for_each(|item| drop_unknown_fields(item, shape));
        }
        _ => {}
    }
}

/// Whether a pod's spec has a field of this name.
pub fn is_pod_spec_field(name: &str) -> bool {
    Type::POD_SPEC.content(name).is_some()
}

/// Nothing else has containers.
fn is_pod_spec(fields: &[Field]) -> bool {
    fields.iter().any(|(name, _)| *name == "containers")
}

/// The same for a value of one of Go's types. A `null` in a list becomes an empty structure.
fn drop_unknown_members(value: &mut Value, type_: Type) {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    let Some(map) = value.as_object_mut() else { return };
    map.retain(|_, value| !value.is_null());
    map.retain(|key, value| {
        match (type_.content(key), value) {
            (None, _) => return false,
            (Some(Content::List(type_)), Value::Array(items)) => {
                items.iter_mut().for_each(|item| drop_unknown_members(item, type_));
            }
            (Some(Content::Struct(type_) | Content::Pointer(type_)), value) => drop_unknown_members(value, type_),
            (Some(Content::ObjectMeta), value) => drop_unknown_fields(value, &METADATA.1),
            (Some(Content::LabelSelector), value) => drop_unknown_fields(value, &SELECTOR.1),
            _ => {}
        }
        true
    });
}

/// The same for the claims of a StatefulSet.
fn drop_unknown_in_claims(claims: &mut Value) {
    let Some(type_) = Type::claim() else { return };
    for claim in claims.as_array_mut().into_iter().flatten() {
        let Some(claim) = claim.as_object_mut() else { continue };
        // The internal version does not keep these.
        let own = ["apiVersion", "kind"].map(|key| claim.remove_entry(key));
        let mut template = Value::Object(mem::take(claim));
        drop_unknown_members(&mut template, type_);
        claim.extend(template.as_object_mut().map(mem::take).into_iter().flatten().chain(own.into_iter().flatten()));
    }
}
