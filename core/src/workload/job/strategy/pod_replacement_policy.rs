//! A Job's podReplacementPolicy.

use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::validation::FieldError;
use crate::go;
use crate::object::unstructured::field;
use crate::path::Path;

/// The values of `spec.podReplacementPolicy`.
/// Upstream: `pkg/apis/batch/validation/validation.go supportedPodReplacementPolicy`
pub(crate) const POD_REPLACEMENT_POLICIES: [&str; 2] = ["Failed", "TerminatingOrFailed"];

/// The default of a Job without a podReplacementPolicy.
///
/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_Job`
pub(crate) const fn default_pod_replacement_policy(has_pod_failure_policy: bool) -> &'static str {
    if has_pod_failure_policy { "Failed" } else { "TerminatingOrFailed" }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodReplacementPolicy`
pub(crate) fn validate_pod_replacement_policy(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(policy) = field(spec, "podReplacementPolicy").and_then(Value::as_str) else { return };
    // With a podFailurePolicy only Failed is allowed.
    let supported: &[&str] =
        if field(spec, "podFailurePolicy").is_some() { &["Failed"] } else { &POD_REPLACEMENT_POLICIES };
    if !supported.contains(&policy) {
        errors.push(FieldError::not_supported(path, go::json_string(policy), supported));
    }
}
