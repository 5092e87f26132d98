//! What the API server's decoder makes of an object: fields that Kubernetes does not know are gone, and a `null` in a list
//! or a map of strings has become Go's zero value.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use serde_json::{Map, Value};

use super::internal_version::{Content, Type};
use super::meta::METADATA;
use super::meta::selector::SELECTOR;
use super::schema::{Field, Shape};
use crate::path::Path;

/// Known fields of every object that no shape lists.
const OF_OBJECTS: [&str; 2] = ["apiVersion", "kind"];

/// Other known fields that no shape lists, each after a field that only the structure around it has.
const UNLISTED: &[(&str, &str)] = &[
    ("backoffLimit", "scheduling"),
    ("generateName", "managedFields"),
    ("generateName", "selfLink"),
    ("podManagementPolicy", "volumeClaimTemplates"),
];

/// The fields that are known at a place of an object.
#[derive(Clone, Copy)]
pub(super) enum Known<'a> {
    /// Those of a shape.
    Listed(&'a [Field]),
    /// Those of one of Go's types.
    Members(Type),
}

impl Known<'_> {
    /// Their names.
    pub(super) fn names(self) -> Vec<String> {
        match self {
            Self::Listed(fields) => {
                fields.iter().map(|(name, _)| *name).chain(unlisted(fields)).map(String::from).collect()
            }
            Self::Members(type_) => type_.json_names(),
        }
    }
}

/// Gets the path of each unknown field, its name, and the fields that are known where it is.
pub(super) type OnUnknown<'a> = dyn FnMut(&Path<'_>, &str, Known<'_>) + 'a;

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
    drop_and_report(value, shape, &mut |_, _, _| {});
}

/// The same, and reports each field that Kubernetes does not know, in the order of the object.
pub(super) fn drop_and_report(value: &mut Value, shape: &Shape, on_unknown: &mut OnUnknown<'_>) {
    drop_unlisted(value, shape, &Path::Root(""), on_unknown);
}

fn drop_unlisted(value: &mut Value, shape: &Shape, path: &Path<'_>, on_unknown: &mut OnUnknown<'_>) {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(map)) if !fields.is_empty() => map.retain(|key, value| {
            let is_object = matches!(path, Path::Root(_));
            let path = path.child(key);
            let listed = fields.iter().find(|(name, _)| name == key);
            let is_known = listed.is_some()
                || unlisted(fields).any(|name| name == key)
                || (is_object && OF_OBJECTS.contains(&key.as_str()));
            if !is_known {
                on_unknown(&path, key, Known::Listed(fields));
            }
            if !is_known || value.is_null() {
                return false;
            }
            match listed {
                Some((_, Shape::Object(below))) if is_pod_spec(below) => {
                    drop_unknown_members(value, Type::POD_SPEC, &path, on_unknown);
                }
                Some((_, shape)) => drop_unlisted(value, shape, &path, on_unknown),
                None if key == "volumeClaimTemplates" => drop_unknown_in_claims(value, &path, on_unknown),
                None => {}
            }
            true
        }),
        (Shape::List(shape), Value::Array(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                drop_unlisted(item, shape, &path.index(index), on_unknown);
            }
        }
        _ => {}
    }
}

/// The known fields of a structure with these fields that no shape lists.
fn unlisted(fields: &[Field]) -> impl Iterator<Item = &'static str> {
    let is_there = move |beside: &str| fields.iter().any(|(name, _)| *name == beside);
    UNLISTED.iter().filter(move |(beside, _)| is_there(beside)).map(|(_, name)| *name)
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
fn drop_unknown_members(value: &mut Value, type_: Type, path: &Path<'_>, on_unknown: &mut OnUnknown<'_>) {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    let Some(map) = value.as_object_mut() else { return };
    map.retain(|key, value| {
        let path = path.child(key);
        let Some(content) = type_.content(key) else {
            on_unknown(&path, key, Known::Members(type_));
            return false;
        };
        if value.is_null() {
            return false;
        }
        match (content, value) {
            (Content::List(type_), Value::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    drop_unknown_members(item, type_, &path.index(index), on_unknown);
                }
            }
            (Content::Struct(type_) | Content::Pointer(type_), value) => {
                drop_unknown_members(value, type_, &path, on_unknown);
            }
            (Content::ObjectMeta, value) => drop_unlisted(value, &METADATA.1, &path, on_unknown),
            (Content::LabelSelector, value) => drop_unlisted(value, &SELECTOR.1, &path, on_unknown),
            _ => {}
        }
        true
    });
}

/// The same for the claims of a StatefulSet.
fn drop_unknown_in_claims(claims: &mut Value, path: &Path<'_>, on_unknown: &mut OnUnknown<'_>) {
    let Some(type_) = Type::claim() else { return };
    for (index, claim) in claims.as_array_mut().into_iter().flatten().enumerate() {
        let Some(claim) = claim.as_object_mut() else { continue };
        // The internal version does not keep these.
        let own = OF_OBJECTS.map(|key| claim.remove_entry(key));
        let mut template = Value::Object(mem::take(claim));
        drop_unknown_members(&mut template, type_, &path.index(index), on_unknown);
        claim.extend(template.as_object_mut().map(mem::take).into_iter().flatten().chain(own.into_iter().flatten()));
    }
}
