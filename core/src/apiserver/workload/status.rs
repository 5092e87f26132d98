//! The counts and conditions in the status of a workload.

use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::validation::{FieldError, validate_nonnegative_field};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::unstructured::{at, existing_map, integer};
use crate::path::Path;

/// The counts that must not be negative.
pub(crate) fn validate_counts(status: &Value, keys: &[&str], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in keys {
        validate_nonnegative_field(status, key, path, errors);
    }
}

/// The counts that may not be above another one.
pub(crate) fn validate_not_greater(
    status: &Value,
    keys: &[&str],
    other: &str,
    detail: &str,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let most = integer(status, other).unwrap_or_default();
    for key in keys {
        let count = integer(status, key).unwrap_or_default();
        if count > most {
            errors.push(FieldError::invalid_number(&path.child(key), count, detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go IsDecremented`, and what the callers say about it
pub(crate) fn validate_collision_count(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "collisionCount";
    let (new, old) = (integer(status, key), integer(old, key));
    if old.is_some_and(|old| new.is_none_or(|new| new < old)) {
        errors.push(FieldError::invalid_number(&path.child(key), new.unwrap_or_default(), "cannot be decremented"));
    }
}

/// The errors in the counts of a ReplicaSet or a ReplicationController.
/// Upstream: `pkg/apis/apps/validation/validation.go ValidateReplicaSetStatus`, and
/// `pkg/apis/core/validation/validation.go ValidateReplicationControllerStatus`
pub(crate) fn validate_replica_counts(status: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let counts = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];
    validate_counts(status, &counts, path, errors);
    let parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
    validate_not_greater(status, &parts, "replicas", "cannot be greater than status.replicas", path, errors);
    let detail = "cannot be greater than readyReplicas";
    validate_not_greater(status, &["availableReplicas"], "readyReplicas", detail, path, errors);
}

/// Drops the count of terminating pods while its gate is off, unless the old object has it.
///
/// Upstream: `pkg/registry/apps/deployment/strategy.go dropDisabledStatusFields`, and
/// `pkg/registry/apps/replicaset/strategy.go dropDisabledStatusFields`
pub(crate) fn drop_disabled_status_fields(object: &mut Value, old: &Value, gates: FeatureGates) {
    let in_use = at(old, &["status", "terminatingReplicas"]).is_some();
    if !gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas)
        && !in_use
        && let Some(status) = existing_map(object, &["status"])
    {
        status.remove("terminatingReplicas");
    }
}
