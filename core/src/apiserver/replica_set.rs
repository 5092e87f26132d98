//! ReplicaSet.

use alloc::vec::Vec;

use serde_json::Value;

use super::deployment::validate_selector_and_template;
use super::field::FieldError;
use super::meta::validate_nonnegative_field;
use super::pod_spec::Options;
use super::status;
use crate::path::Path;

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateReplicaSetSpec`
pub(super) fn validate_spec(spec: &Value, path: &Path<'_>, options: Options, errors: &mut Vec<FieldError>) {
    validate_rollout(spec, path, errors);
    validate_selector_and_template(spec, path, options, errors);
}

/// The numbers alone.
pub(super) fn validate_rollout(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_nonnegative_field(spec, "replicas", path, errors);
    validate_nonnegative_field(spec, "minReadySeconds", path, errors);
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateReplicaSetStatus`
pub(super) fn validate_status(status: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    status::validate_replica_counts(status, path, errors);
    validate_nonnegative_field(status, "terminatingReplicas", path, errors);
}
