//! The counts in a status, and what every status subresource has in common.

use alloc::vec::Vec;

use serde_json::Value;

use super::field::FieldError;
use super::meta::validate_nonnegative_field;
use super::value::integer;
use crate::path::Path;

/// The counts that must not be negative.
pub(super) fn validate_counts(status: &Value, keys: &[&str], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in keys {
        validate_nonnegative_field(status, key, path, errors);
    }
}

/// The counts that may not be above another one.
pub(super) fn validate_not_greater(
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
pub(super) fn validate_collision_count(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "collisionCount";
    let (new, old) = (integer(status, key), integer(old, key));
    if old.is_some_and(|old| new.is_none_or(|new| new < old)) {
        errors.push(FieldError::invalid_number(&path.child(key), new.unwrap_or_default(), "cannot be decremented"));
    }
}

/// What is wrong with the counts of a ReplicaSet or a ReplicationController.
/// Upstream: `pkg/apis/apps/validation/validation.go ValidateReplicaSetStatus`, and
/// `pkg/apis/core/validation/validation.go ValidateReplicationControllerStatus`
pub(super) fn validate_replica_counts(status: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let counts = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];
    validate_counts(status, &counts, path, errors);
    let parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
    validate_not_greater(status, &parts, "replicas", "cannot be greater than status.replicas", path, errors);
    let detail = "cannot be greater than readyReplicas";
    validate_not_greater(status, &["availableReplicas"], "readyReplicas", detail, path, errors);
}
