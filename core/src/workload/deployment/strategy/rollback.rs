//! The revision that an old client asks a Deployment to go back to.

use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::meta::annotations::remove_annotations;
use crate::apiserver::validation::FieldError;
use crate::object::unstructured::{at, map_at};
use crate::path::Path;

/// Where the revision to go back to is kept, since `apps/v1` has no field for it.
/// Upstream: `k8s.io/api/apps/v1/types.go DeprecatedRollbackTo`
pub(super) const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

/// Writes the revision to go back to as Go does.
/// Upstream: `pkg/apis/apps/v1/conversion.go Convert_v1_Deployment_To_apps_Deployment`, and the way back
pub(super) fn convert(object: &mut Value) {
    let text = at(object, &["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str);
    if let Some(revision) = text.and_then(|text| text.parse::<i64>().ok())
        && let Some(annotations) = map_at(object, &["metadata", "annotations"])
    {
        annotations.insert(ROLLBACK_TO.into(), revision.to_string().into());
    }
}

/// An empty one is none, but inside it is an annotation like any other.
/// Upstream: `pkg/apis/apps/v1/conversion.go Convert_apps_Deployment_To_v1_Deployment`
pub(super) fn drop_empty(object: &mut Value) {
    if at(object, &["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str) == Some("") {
        remove_annotations(object, &[ROLLBACK_TO]);
    }
}

/// An update of the status keeps it, as inside it is a field of the spec.
/// Upstream: `pkg/registry/apps/deployment/strategy.go deploymentStatusStrategy.PrepareForUpdate`
pub(super) fn keep(object: &mut Value, old: &Value) {
    remove_annotations(object, &[ROLLBACK_TO]);
    let revision = at(old, &["metadata", "annotations", ROLLBACK_TO]);
    if let Some(revision) = revision.filter(|revision| revision.as_str() != Some(""))
        && let Some(annotations) = map_at(object, &["metadata", "annotations"])
    {
        annotations.insert(ROLLBACK_TO.into(), revision.clone());
    }
}

/// Whether it is no number. An empty text stands for none.
pub(super) fn is_unreadable(object: &Value) -> bool {
    let text = at(object, &["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str);
    text.is_some_and(|text| !text.is_empty() && text.parse::<i64>().is_err())
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateRollback`
pub(super) fn validate(object: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let text = at(object, &["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str);
    if let Some(revision) = text.and_then(|text| text.parse().ok()).filter(|revision| *revision < 0) {
        let path = path.child("rollback");
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid_number(&path.child("version"), revision, detail));
    }
}
