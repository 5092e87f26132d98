//! The whole way of an object into the store.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde_json::Value;

use super::field::{FieldError, Path};
use super::kind::Kind;
use super::operation::Operation;
use super::prepare::{default, prepare};
use super::validate::{readable, validate_write};
use super::value::{field, map_at, set_default_string, string};
use crate::feature_gates::FeatureGates;
use crate::render;

/// Creates an object as the API server would: the object with its defaults, in namespace `default` unless it names
/// one, generation 1 and an empty status. UIDs and times are the store's to give, and so is the name where there is only
/// a `generateName`: it must stand in the object already, and so must a Job's UID, of which its selector is made.
///
/// # Errors
/// All fields that the API server refuses; a kind that is not known; a field of the wrong JSON type.
pub fn admit_create(object: &Value, gates: &FeatureGates) -> Result<Value, Vec<FieldError>> {
    let (mut admitted, kind) = read(object)?;
    default(&mut admitted, kind, gates);
    prepare(&mut admitted, kind, Operation::Create, gates);
    finish(admitted, kind, Operation::Create, gates)
}

/// Replaces an object by another as the API server would. What only the store writes (UID, times, generation, and the
/// resource version if `new` has none) comes from `old`, the status too.
///
/// # Errors
/// As [`admit_create`], and what an update may not change.
pub fn admit_update(new: &Value, old: &Value, gates: &FeatureGates) -> Result<Value, Vec<FieldError>> {
    let (mut admitted, kind) = read(new)?;
    default(&mut admitted, kind, gates);
    // Upstream: `k8s.io/apiserver/pkg/registry/rest/update.go BeforeUpdate`
    if let (Some(metadata), Some(old)) = (map_at(&mut admitted, &["metadata"]), field(old, "metadata")) {
        for key in ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"] {
            match field(old, key) {
                Some(value) => metadata.insert(key.to_string(), value.clone()),
                None => metadata.remove(key),
            };
        }
        set_default_string(metadata, "resourceVersion", string(old, "resourceVersion"));
    }
    prepare(&mut admitted, kind, Operation::Update(old), gates);
    finish(admitted, kind, Operation::Update(old), gates)
}

/// The object and its kind, in its namespace, if its fields can be read.
fn read(object: &Value) -> Result<(Value, Kind), Vec<FieldError>> {
    let root = Path::Root("");
    if !object.is_object() {
        return Err(vec![FieldError::type_invalid(&root, object, "must be a Kubernetes object")]);
    }
    let Some(kind) = Kind::of(object) else {
        let (key, value) = ("kind", string(object, "kind"));
        let known = Kind::ALL.into_iter().find(|kind| kind.name() == value);
        return Err(vec![match known {
            _ if value.is_empty() => FieldError::required(&root.child(key), "name the kind of the object"),
            None => FieldError::not_supported(&root.child(key), render::quoted(value), &Kind::ALL.map(Kind::name)),
            Some(kind) => {
                let right: String =
                    if kind.group().is_empty() { "v1".into() } else { alloc::format!("{}/v1", kind.group()) };
                let value = render::quoted(string(object, "apiVersion"));
                FieldError::not_supported(&root.child("apiVersion"), value, &[&right])
            }
        }]);
    };
    let errors = readable(object, kind);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut object = object.clone();
    if let Some(metadata) = map_at(&mut object, &["metadata"]) {
        set_default_string(metadata, "namespace", "default");
    }
    Ok((object, kind))
}

fn finish(object: Value, kind: Kind, operation: Operation<'_>, gates: &FeatureGates) -> Result<Value, Vec<FieldError>> {
    let mut errors = validate_write(&object, kind, operation.old(), gates);
    if operation.old().is_some() {
        // A store without resource versions takes every update for one of the newest object.
        errors.retain(|error| error.path != "metadata.resourceVersion");
    }
    if errors.is_empty() { Ok(object) } else { Err(errors) }
}
