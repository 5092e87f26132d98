//! Manifests become objects, as the API server admits them.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::kinds::workload_of;
use super::workload::quoted_names;
use crate::Problem;
use crate::apiserver::{self, FieldError};
use crate::controller::ApiError;
use crate::feature_gates::FeatureGates;
use crate::go::quoted;
use crate::object::unstructured::{existing_map, remove_nulls, string};
use crate::object::{AUX_KINDS, Kind, Object};

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
    let admitted = apiserver::create(manifest, apiserver::SIMULATED, gates);
    typed(admitted.map_err(|errors| refused(path, &errors))?, path)
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
    ApiError {
        code: 422,
        reason: "Invalid".into(),
        message: format!("{} {} is invalid: {errors}", object.kind(), quoted(&object.metadata().name)),
        cause: None,
    }
}

/// The object that the API server makes of a changed manifest.
///
/// # Errors
/// As [`admit_create`].
pub(super) fn admit_update(new: &Value, old: &Value, path: &str, gates: &FeatureGates) -> Result<Object, Problem> {
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
    let supported = quoted_names(Object::KINDS.iter().copied().chain(AUX_KINDS));
    let message = format!("Unsupported value: {}: supported values: {supported}", quoted(kind));
    Problem::new(format!("{path}.kind"), message)
}

/// What the API server refused of the object at `path`.
pub(super) fn refused(path: &str, errors: &[FieldError]) -> Problem {
    let problem = |error: &FieldError| {
        let Problem { path: field, message, more } = error.clone().into();
        let below = if field.is_empty() { String::from(path) } else { format!("{path}.{field}") };
        Problem { path: below, message, more }
    };
    let Some((first, rest)) = errors.split_first() else { return Problem::new(path, "is refused") };
    Problem { more: rest.iter().map(problem).collect(), ..problem(first) }
}

#[cfg(all(test, feature = "jobs"))]
mod tests {
    use super::*;

    #[test]
    fn every_stored_kind_can_be_admitted() {
        let admitted: Vec<Kind> = apiserver::SIMULATED.iter().map(|strategy| strategy.kind()).collect();
        assert_eq!(admitted, Object::KINDS);
    }
}
