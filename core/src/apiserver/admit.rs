//! The whole way of an object into the store.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde_json::Value;

use super::field::FieldError;
use super::go_print::{Printer, SHORT};
use super::kind::Kind;
use super::meta::{NameRule, validate_object_meta};
use super::prepare::{default_with, prepare_for_create, prepare_for_update};
use super::schema;
use super::strategy::Strategy;
use super::validate::validate_write;
use super::value::{field, map_at, set_default, set_default_string, string};
use crate::feature_gates::FeatureGates;
use crate::go;
use crate::path::Path;

/// Creates an object of one of these kinds as the API server would: the object with its defaults, in namespace `default`
/// unless it names one, generation 1 and an empty status. UIDs and times are the store's to give, and so is the name where
/// there is only a `generateName`: it must stand in the object already, and so must a Job's UID, of which its selector is
/// made.
///
/// # Errors
/// All fields that the API server refuses; a kind that is not known; a field of the wrong JSON type.
pub fn admit_create(object: &Value, kinds: &[&Strategy], gates: &FeatureGates) -> Result<Value, Vec<FieldError>> {
    let (object, strategy) = read(object, kinds)?;
    let admitted = prepared_create(object, strategy, *gates);
    let errors = refused(&admitted, strategy, None, *gates, SHORT);
    if errors.is_empty() { Ok(admitted) } else { Err(errors) }
}

/// A new object as it stands when validation begins.
pub(super) fn prepared_create(mut object: Value, strategy: &Strategy, gates: FeatureGates) -> Value {
    default_with(&mut object, strategy, gates);
    prepare_for_create(&mut object, strategy, gates);
    object
}

/// Replaces an object by another as the API server would. What only the store writes (UID, times, generation, and the
/// resource version if `new` has none) comes from `old`, the status too.
///
/// # Errors
/// As [`admit_create`], and what an update may not change.
pub fn admit_update(
    new: &Value,
    old: &Value,
    kinds: &[&Strategy],
    gates: &FeatureGates,
) -> Result<Value, Vec<FieldError>> {
    let (object, strategy) = read(new, kinds)?;
    // It is read from the store with its defaults, which a controller need not have written.
    let mut old = old.clone();
    default_with(&mut old, strategy, *gates);
    let admitted = prepared_update(object, &old, strategy, *gates);
    let errors = refused(&admitted, strategy, Some(&old), *gates, SHORT);
    if errors.is_empty() { Ok(admitted) } else { Err(errors) }
}

/// A changed object as it stands when validation begins.
pub(super) fn prepared_update(mut object: Value, old: &Value, strategy: &Strategy, gates: FeatureGates) -> Value {
    default_with(&mut object, strategy, gates);
    // Upstream: `k8s.io/apiserver/pkg/registry/rest/update.go BeforeUpdate`
    if let (Some(metadata), Some(old)) = (map_at(&mut object, &["metadata"]), field(old, "metadata")) {
        for key in ["creationTimestamp", "generation"] {
            match field(old, key) {
                Some(value) => metadata.insert(key.to_string(), value.clone()),
                None => metadata.remove(key),
            };
        }
        for key in ["uid", "resourceVersion"] {
            set_default_string(metadata, key, string(old, key));
        }
        // No update changes a deletion; one that sets it is refused.
        if let Some(value) = field(old, "deletionTimestamp") {
            metadata.insert("deletionTimestamp".into(), value.clone());
        }
        if let Some(value) = field(old, "deletionGracePeriodSeconds") {
            set_default(metadata, "deletionGracePeriodSeconds", value.clone());
        }
    }
    prepare_for_update(&mut object, old, strategy, gates);
    object
}

/// The object in its namespace, and how its kind is treated, if its fields can be read.
pub(super) fn read<'a>(object: &Value, kinds: &[&'a Strategy]) -> Result<(Value, &'a Strategy), Vec<FieldError>> {
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
    let Some(strategy) = kinds.iter().find(|strategy| Some(strategy.kind) == kind) else {
        return Err(vec![unsupported(object, kinds)]);
    };
    let mut errors = Vec::new();
    schema::check(object, strategy.shape, schema::is_time, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut object = object.clone();
    schema::fill(&mut object, strategy.shape);
    if let Some(metadata) = map_at(&mut object, &["metadata"]) {
        set_default_string(metadata, "namespace", "default");
    }
    Ok((object, strategy))
}

fn unsupported(object: &Value, kinds: &[&Strategy]) -> FieldError {
    let root = Path::Root("");
    let value = string(object, "kind");
    if value.is_empty() {
        return FieldError::required(&root.child("kind"), "name the kind of the object");
    }
    match kinds.iter().map(|strategy| strategy.kind).find(|kind| kind.name() == value) {
        None => {
            let names: Vec<&str> = kinds.iter().map(|strategy| strategy.kind.name()).collect();
            FieldError::not_supported(&root.child("kind"), go::quoted(value), &names)
        }
        Some(kind) => {
            let right: String =
                if kind.group().is_empty() { "v1".into() } else { alloc::format!("{}/v1", kind.group()) };
            match string(object, "apiVersion") {
                "" => FieldError::required(&root.child("apiVersion"), alloc::format!("must be {}", go::quoted(&right))),
                other => FieldError::not_supported(&root.child("apiVersion"), go::quoted(other), &[&right]),
            }
        }
    }
}

/// What validation refuses, each once, with what is asked of every kind. A store without resource versions takes every update for one of the newest object.
pub(super) fn refused(
    object: &Value,
    strategy: &Strategy,
    old: Option<&Value>,
    gates: FeatureGates,
    printer: Printer,
) -> Vec<FieldError> {
    let mut all = Vec::new();
    // Upstream: `k8s.io/apiserver/pkg/registry/rest/update.go validateCommonFields`
    if old.is_some() {
        validate_object_meta(object, NameRule::PathSegment, &mut all);
    }
    all.extend(validate_write(object, strategy, old, gates, printer));
    // Upstream: `k8s.io/apiserver/pkg/registry/rest/create.go BeforeCreate`
    if all.is_empty() {
        validate_object_meta(object, NameRule::PathSegment, &mut all);
    }
    // Upstream: `k8s.io/apimachinery/pkg/util/errors/errors.go aggregate.Error` tells the same once.
    let mut errors: Vec<FieldError> = Vec::new();
    for error in all {
        if !(errors.contains(&error) || old.is_some() && error.path == "metadata.resourceVersion") {
            errors.push(error);
        }
    }
    errors
}
