//! The status of a Deployment.

use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::validation::FieldError;
use crate::apiserver::workload::{validate_collision_count, validate_counts, validate_not_greater};
use crate::path::Path;

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDeploymentStatusUpdate`
pub(super) fn validate(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let counts = [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ];
    validate_counts(status, &counts, path, errors);
    let parts = ["updatedReplicas", "readyReplicas", "availableReplicas"];
    let detail = "cannot be greater than status.replicas";
    validate_not_greater(status, &parts, "replicas", detail, path, errors);
    let detail = "cannot be greater than readyReplicas";
    validate_not_greater(status, &["availableReplicas"], "readyReplicas", detail, path, errors);
    validate_collision_count(status, old, path, errors);
}
