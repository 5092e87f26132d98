//! The defaults of a Job.

use alloc::string::String;

use serde_json::{Map, Value};

use super::pod_replacement_policy::default_pod_replacement_policy;
use crate::apiserver::pod_spec::template_labels;
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::unstructured::{map_in, set_default, set_default_map, set_default_string};

/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_Job`, without the template
pub(super) fn set_defaults(object: &mut Map<String, Value>, gates: FeatureGates) {
    let Some(spec) = map_in(object, "spec") else { return };
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
    let Some(labels) = spec.get("template").and_then(template_labels).cloned() else { return };
    if let Some(metadata) = map_in(object, "metadata") {
        set_default_map(metadata, "labels", &labels);
    }
}

/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_PodFailurePolicyOnPodConditionsPattern`
pub(crate) fn set_defaults_pod_failure_policy(spec: &mut Map<String, Value>) {
    let rules = spec.get_mut("podFailurePolicy").and_then(|policy| policy.get_mut("rules"));
    for rule in rules.and_then(Value::as_array_mut).into_iter().flatten() {
        let patterns = rule.get_mut("onPodConditions").and_then(Value::as_array_mut);
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_object_mut) {
            set_default_string(pattern, "status", "True");
        }
    }
}
