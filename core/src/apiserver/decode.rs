//! What the API server's decoder makes of an object: fields that Kubernetes does not know are gone, and a `null` in a list
//! or a map has become Go's zero value.

use alloc::string::String;

use serde_json::{Map, Value};

use super::api_types::{Content, Fields, POD_SPEC, Type, content, type_of_kind};
use super::schema::Shape;
use crate::object::Kind;
use crate::path::Path;

/// The field that KEP-5882 adds, and the struct that it is in. No release has it.
const PROPOSED: (Type, &str) = ("v1.DeploymentSpec", "podReplacementPolicy");

/// Gets the path of each unknown field, its name, and the names that are known where it is.
pub(super) type OnUnknown<'a> = dyn FnMut(&Path<'_>, &str, &[String]) + 'a;

/// Replaces each `null` in the listed lists and maps of strings by Go's zero value.
pub(crate) fn fill_nulls(value: &mut Value, shape: &Shape) {
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

/// Drops the fields that Kubernetes does not know, and those that are `null`. What is proposed stays: its gate decides about it.
pub(super) fn drop_unknown_fields(value: &mut Value, kind: Kind) {
    drop_and_report(value, kind, true, &mut |_, _, _| {});
}

/// The same, and reports each field that Kubernetes does not know, in the order of the object.
pub(super) fn drop_and_report(value: &mut Value, kind: Kind, knows_proposed: bool, on_unknown: &mut OnUnknown<'_>) {
    if let Some(type_) = type_of_kind(kind.name()) {
        Decoder { knows_proposed }.drop_unknown(value, type_, &Path::Root(""), on_unknown);
    }
}

/// Whether a pod's spec has a field of this name.
pub fn is_pod_spec_field(name: &str) -> bool {
    Fields::of(POD_SPEC).member(name).is_some()
}

struct Decoder {
    knows_proposed: bool,
}

impl Decoder {
    fn drop_unknown(&self, value: &mut Value, type_: Type, path: &Path<'_>, on_unknown: &mut OnUnknown<'_>) {
        match (content(type_), value) {
            (Content::Pointer(below), value) => self.drop_unknown(value, below, path, on_unknown),
            (Content::Struct(fields), Value::Object(map)) => map.retain(|key, value| {
                let path = path.child(key);
                let member = fields.member(key);
                let is_known = member.is_some() || (self.knows_proposed && PROPOSED == (type_, key));
                if !is_known {
                    on_unknown(&path, key, &fields.json_names());
                }
                if !is_known || value.is_null() {
                    return false;
                }
                if let Some(member) = member {
                    self.drop_unknown(value, member, &path, on_unknown);
                }
                true
            }),
            (Content::List(item), Value::Array(items)) => {
                for (index, value) in items.iter_mut().enumerate() {
                    fill_zero(value, item);
                    self.drop_unknown(value, item, &path.index(index), on_unknown);
                }
            }
            (Content::Map(item), Value::Object(map)) => {
                for (key, value) in map {
                    fill_zero(value, item);
                    self.drop_unknown(value, item, &path.key(key), on_unknown);
                }
            }
            _ => {}
        }
    }
}

/// Go's zero value in the place of a `null`.
fn fill_zero(value: &mut Value, type_: Type) {
    if value.is_null() {
        *value = match content(type_) {
            Content::Struct(_) => Value::Object(Map::new()),
            Content::String => "".into(),
            Content::Bool => false.into(),
            Content::Int32 | Content::Int64 => 0.into(),
            Content::Other if type_ == "resource.Quantity" => "0".into(),
            _ => Value::Null,
        };
    }
}
