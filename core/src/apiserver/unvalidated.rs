//! Which fields validation does not look at: about these it never says that they are valid.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::pod_spec::pod_holder;
use super::schema::{Shape, wrong_types};
use super::strategy::Strategy;
use crate::object::unstructured::at;
use crate::path::Path;

/// Annotations of pods that stand for something else: keys, and prefixes of keys.
const ANNOTATIONS: [&str; 4] = [
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "scheduler.alpha.kubernetes.io/tolerations",
    "seccomp.security.alpha.kubernetes.io/pod",
];

/// The paths of the fields that are there but were not validated, in the order of the object, annotations last: each field
/// that the kind's shape does not list, even if it is empty. If the object can't be read, these are all of its fields.
pub fn unvalidated_fields(object: &Value, strategy: &dyn Strategy) -> Vec<String> {
    if !wrong_types(object, strategy.shape()).is_empty() {
        return all_fields(object);
    }
    let mut paths = unlisted_fields(object, strategy.shape());
    let kind = strategy.kind();
    let annotations = pod_holder(object, kind).and_then(|holder| at(holder, &["metadata", "annotations"]));
    for key in annotations.and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if ANNOTATIONS.iter().any(|start| key.starts_with(start)) {
            let template = kind.pod_template().unwrap_or_default().join(".");
            let root = Path::Root(&template);
            let metadata = root.child("metadata");
            let annotations = metadata.child("annotations");
            paths.push(annotations.key(key).to_string());
        }
    }
    if let Some(key) = strategy.unreadable_annotation(object) {
        paths.push(format!("metadata.annotations[{key}]"));
    }
    paths
}

/// The same for an update of the status: the spec, too, which stays as it is.
pub fn unvalidated_status_fields(object: &Value, strategy: &dyn Strategy) -> Vec<String> {
    match strategy.status_shape() {
        Some(shape) if wrong_types(object, shape).is_empty() => unlisted_fields(object, shape),
        _ => all_fields(object),
    }
}

/// All fields of an object.
pub(super) fn all_fields(object: &Value) -> Vec<String> {
    object.as_object().into_iter().flat_map(Map::keys).cloned().collect()
}

/// The paths of the fields that the shape does not list.
fn unlisted_fields(object: &Value, shape: &Shape) -> Vec<String> {
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
