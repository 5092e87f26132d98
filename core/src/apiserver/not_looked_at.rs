//! Which fields validation does not look at: about these it never says that they are valid.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::kind::Kind;
use super::schema::{self, Shape};
use super::validate::readable;
use super::value::at;
use super::{daemon_set, deployment};
use crate::path::Path;

/// Annotations of pods which are read as something else: keys, and what keys begin with.
const ANNOTATIONS: [&str; 4] = [
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "scheduler.alpha.kubernetes.io/tolerations",
    "seccomp.security.alpha.kubernetes.io/pod",
];

/// The paths of what is there but was not looked at, in the order of the object, annotations last: each field that is not
/// in the kind's shape, empty ones too, and fields that nobody knows. Of an object that can't be read nothing is looked at.
pub fn not_looked_at(object: &Value, kind: Kind) -> Vec<String> {
    if !readable(object, kind).is_empty() {
        return everything(object);
    }
    let mut paths = not_in(object, schema::of(kind));
    let template = kind.template().unwrap_or_default();
    let annotations = at(object, template).and_then(|holder| at(holder, &["metadata", "annotations"]));
    for key in annotations.and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if ANNOTATIONS.iter().any(|start| key.starts_with(start)) {
            let mut way = template.join(".");
            way.push_str(if way.is_empty() { "" } else { "." });
            paths.push(format!("{way}metadata.annotations[{key}]"));
        }
    }
    // The API server reads fields of its own from these, and refuses the object where it can't.
    let key = match kind {
        Kind::DaemonSet => daemon_set::TEMPLATE_GENERATION,
        Kind::Deployment => deployment::ROLLBACK_TO,
        _ => return paths,
    };
    let number = at(object, &["metadata", "annotations", key]).and_then(Value::as_str);
    let is_none = kind == Kind::Deployment && number == Some("");
    if number.is_some_and(|text| !is_none && text.parse::<i64>().is_err()) {
        paths.push(format!("metadata.annotations[{key}]"));
    }
    paths
}

/// All fields of an object.
pub(super) fn everything(object: &Value) -> Vec<String> {
    object.as_object().into_iter().flat_map(Map::keys).cloned().collect()
}

/// The paths of what an object has beside its shape.
pub(super) fn not_in(object: &Value, shape: &Shape) -> Vec<String> {
    let mut paths = Vec::new();
    walk(object, shape, &Path::Root(""), &mut paths);
    paths.retain(|path| path != "apiVersion" && path != "kind");
    paths
}

fn walk(value: &Value, shape: &Shape, path: &Path<'_>, paths: &mut Vec<String>) {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(map)) => {
            for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                let path = path.child(key);
                match fields.iter().find(|(name, _)| name == key) {
                    Some((_, shape)) => walk(value, shape, &path, paths),
                    None => paths.push(path.to_string()),
                }
            }
        }
        (Shape::List(shape), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, shape, &path.index(index), paths);
            }
        }
        _ => {}
    }
}
