//! Manifests become objects, as the API server admits them.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::aux_objects::{read_key, refused};
use super::kinds::workload_of;
use super::workload::quoted_names;
use crate::Problem;
use crate::apiserver;
use crate::controller::ApiError;
use crate::feature_gates::FeatureGates;
use crate::go::quoted;
use crate::object::unstructured::{existing_map, remove_nulls, string};
use crate::object::{AUX_KINDS, Kind, Object, PersistentVolumeClaim, SURROUNDING_KINDS};

/// The kind of this name, if the cluster stores its objects.
pub(super) fn stored_kind(name: &str) -> Option<Kind> {
    Kind::from_name(name).filter(|kind| Object::KINDS.contains(kind))
}

/// The manifest of a new object with its uid and name, of which a Job's selector and labels are made.
///
/// Upstream: `k8s.io/apiserver/pkg/registry/rest/create.go BeforeCreate`
pub(super) fn identified(manifest: &Value, uid: &str, generate: impl FnOnce(&str) -> Rc<str>) -> Value {
    let mut manifest = manifest.clone();
    if let Some(metadata) = existing_map(&mut manifest, &["metadata"]) {
        metadata.insert("uid".into(), uid.into());
        let text = |key: &str| metadata.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("name").is_empty() && !text("generateName").is_empty() {
            let name = generate(text("generateName"));
            metadata.insert("name".into(), (*name).into());
        }
    }
    manifest
}

/// The object that the API server makes of a new manifest.
///
/// # Errors
/// What the API server refuses, a kind that the cluster does not store, or a field of another type, with its path.
pub(super) fn admit_create(manifest: &Value, path: &str, gates: &FeatureGates) -> Result<Object, Problem> {
    let kind = string(manifest, "kind");
    if !kind.is_empty() && stored_kind(kind).is_none() {
        return Err(unsupported(kind, path));
    }
    if let Some(kind) = stored_kind(kind).filter(|kind| !has_strategy(*kind)) {
        return read_plain(kind, manifest, path);
    }
    let admitted = apiserver::create(manifest, apiserver::SIMULATED, gates);
    typed(admitted.map_err(|errors| refused(path, &errors))?, path)
}

/// Whether the objects of a kind are admitted as the API server does. Of the others, only what is read is checked.
fn has_strategy(kind: Kind) -> bool {
    !matches!(kind, Kind::ControllerRevision | Kind::PersistentVolumeClaim)
}

/// An object of a kind that has no strategy.
fn read_plain(kind: Kind, manifest: &Value, path: &str) -> Result<Object, Problem> {
    let key = read_key(kind, manifest, path)?;
    let object = typed(manifest.clone(), path)?.with_metadata(|metadata| metadata.namespace = key.namespace);
    if let Object::PersistentVolumeClaim(claim) = &object {
        validate_claim(claim, path)?;
    }
    Ok(object)
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePersistentVolumeClaimSpec`
fn validate_claim(claim: &PersistentVolumeClaim, path: &str) -> Result<(), Problem> {
    let modes = &claim.spec.access_modes;
    let path = format!("{path}.spec.accessModes");
    let known = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    if modes.is_empty() {
        return Err(Problem::new(path, "Required value: at least 1 access mode is required"));
    }
    if let Some(other) = modes.iter().find(|mode| !known.contains(&mode.as_str())) {
        let supported = "\"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"";
        return Err(Problem::new(path, format!("Unsupported value: {}: supported values: {supported}", quoted(other))));
    }
    if modes.len() > 1 && modes.iter().any(|mode| mode == "ReadWriteOncePod") {
        return Err(Problem::new(path, "Forbidden: may not use ReadWriteOncePod with other access modes"));
    }
    Ok(())
}

/// The object that the API server makes of a controller's new object, which will have that uid.
///
/// # Errors
/// What the API server refuses.
pub(super) fn admit_created(object: &Object, uid: &str, gates: &FeatureGates) -> Result<Object, ApiError> {
    let manifest = identified(&object.to_value(), uid, |prefix| prefix.into());
    let admitted =
        apiserver::create(&manifest, apiserver::SIMULATED, gates).map_err(|errors| invalid(object, &errors))?;
    typed(admitted, "").map_err(|problem| invalid(object, &[problem]))
}

/// The API server's refusal of an object with these errors.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/errors/errors.go NewInvalid`
pub(super) fn invalid(object: &Object, errors: &[impl ToString]) -> ApiError {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let errors = match errors.as_slice() {
        [error] => error.clone(),
        errors => format!("[{}]", errors.join(", ")),
    };
    let name = quoted(&object.metadata().name);
    ApiError::new(422, "Invalid", format!("{} {name} is invalid: {errors}", object.kind()))
}

/// The object that the API server makes of a changed manifest.
///
/// # Errors
/// As [`admit_create`].
pub(super) fn admit_update(new: &Value, old: &Value, path: &str, gates: &FeatureGates) -> Result<Object, Problem> {
    if let Some(kind) = stored_kind(string(new, "kind")).filter(|kind| !has_strategy(*kind)) {
        return read_plain(kind, new, path);
    }
    let admitted = apiserver::update(new, old, apiserver::SIMULATED, gates);
    typed(admitted.map_err(|errors| refused(path, &errors))?, path)
}

/// The typed object; what is null in it is absent.
fn typed(mut value: Value, path: &str) -> Result<Object, Problem> {
    remove_nulls(&mut value);
    let name = string(&value, "kind");
    let kind = stored_kind(name).ok_or_else(|| unsupported(name, path))?;
    let object = Object::read(kind, &value, path)?.ok_or_else(|| unsupported(name, path))?;
    workload_of(name).map_or(Ok(()), |workload| workload.validate(&object, path))?;
    Ok(object)
}

fn unsupported(kind: &str, path: &str) -> Problem {
    let supported = quoted_names(Object::KINDS.iter().copied().chain(AUX_KINDS).chain(SURROUNDING_KINDS));
    let message = format!("Unsupported value: {}: supported values: {supported}", quoted(kind));
    Problem::new(format!("{path}.kind"), message)
}

#[cfg(all(test, feature = "jobs"))]
mod tests {
    use super::*;

    #[test]
    fn every_stored_kind_can_be_admitted() {
        let admitted: Vec<Kind> = apiserver::SIMULATED.iter().map(|strategy| strategy.kind()).collect();
        let stored: Vec<Kind> = Object::KINDS.iter().copied().filter(|kind| has_strategy(*kind)).collect();
        assert_eq!(admitted, stored);
    }
}
