//! Job, and the job spec in a CronJob's template.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::FieldError;
use super::value::{field, map, set_default, set_default_string};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::path::Path;

/// The values of `spec.podReplacementPolicy`.
/// Upstream: `pkg/apis/batch/validation/validation.go supportedPodReplacementPolicy`
pub const POD_REPLACEMENT_POLICIES: [&str; 2] = ["Failed", "TerminatingOrFailed"];

/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_Job`, without the template
pub(super) fn set_defaults(object: &mut Map<String, Value>, gates: FeatureGates) {
    let Some(spec) = super::value::map_in(object, "spec") else { return };
    let absent = |spec: &Map<String, Value>, key: &str| spec.get(key).is_none_or(Value::is_null);
    if absent(spec, "completions") && absent(spec, "parallelism") {
        set_default(spec, "completions", 1);
    }
    set_default(spec, "parallelism", 1);
    let per_index = !absent(spec, "backoffLimitPerIndex");
    set_default(spec, "backoffLimit", if per_index { i32::MAX } else { 6 });
    set_default(spec, "completionMode", "NonIndexed");
    set_default(spec, "suspend", false);
    if gates.enabled(Feature::JobPodReplacementPolicy) {
        let policy = default_pod_replacement_policy(!absent(spec, "podFailurePolicy"));
        set_default(spec, "podReplacementPolicy", policy);
    }
    set_default(spec, "manualSelector", false);
    set_defaults_pod_failure_policy(spec);
    let labels = spec
        .get("template")
        .and_then(|template| field(template, "metadata"))
        .and_then(|metadata| map(metadata, "labels"))
        .cloned();
    if let Some(labels) = labels
        && let Some(metadata) = super::value::map_in(object, "metadata")
    {
        let slot = metadata.entry("labels").or_insert(Value::Null);
        if slot.is_null() || slot.as_object().is_some_and(Map::is_empty) {
            *slot = Value::Object(labels);
        }
    }
}

/// What the API server writes into a Job that says nothing.
/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_Job`
pub const fn default_pod_replacement_policy(has_pod_failure_policy: bool) -> &'static str {
    if has_pod_failure_policy { "Failed" } else { "TerminatingOrFailed" }
}

/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_PodFailurePolicyOnPodConditionsPattern`
pub(super) fn set_defaults_pod_failure_policy(spec: &mut Map<String, Value>) {
    let rules = spec.get_mut("podFailurePolicy").and_then(|policy| policy.get_mut("rules"));
    for rule in rules.and_then(Value::as_array_mut).into_iter().flatten() {
        let patterns = rule.get_mut("onPodConditions").and_then(Value::as_array_mut);
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_object_mut) {
            set_default_string(pattern, "status", "True");
        }
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodReplacementPolicy`
pub(super) fn validate_pod_replacement_policy(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(policy) = field(spec, "podReplacementPolicy").and_then(Value::as_str) else { return };
    // With a podFailurePolicy only Failed is allowed.
    let supported: &[&str] =
        if field(spec, "podFailurePolicy").is_some() { &["Failed"] } else { &POD_REPLACEMENT_POLICIES };
    if !supported.contains(&policy) {
        errors.push(FieldError::not_supported(path, go::json_string(policy), supported));
    }
}
