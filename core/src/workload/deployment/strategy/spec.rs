//! The spec of a Deployment: its defaults, and what it must be.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::apiserver::pod_spec::PodValidationOptions;
use crate::apiserver::validation::{
    FieldError, get_int_or_percent_value, int_or_string, is_not_more_than_100_percent, printed,
    validate_nonnegative_field, validate_positive_int_or_percent,
};
use crate::apiserver::workload::{printed_strategy, validate_selector_and_template};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::object::unstructured::{field, integer, map_in, set_default, set_default_string, string};
use crate::path::Path;

/// The values of `spec.podReplacementPolicy` (KEP-5882).
pub(crate) const POD_REPLACEMENT_POLICIES: [&str; 2] = ["TerminationComplete", "TerminationStarted"];

/// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_Deployment`, without the template
pub(crate) fn set_defaults(spec: &mut Map<String, Value>) {
    set_default(spec, "replicas", 1);
    if let Some(strategy) = map_in(spec, "strategy") {
        set_default_string(strategy, "type", "RollingUpdate");
        if strategy.get("type").and_then(Value::as_str) == Some("RollingUpdate")
            && let Some(rolling_update) = map_in(strategy, "rollingUpdate")
        {
            set_default(rolling_update, "maxUnavailable", "25%");
            set_default(rolling_update, "maxSurge", "25%");
        }
    }
    set_default(spec, "revisionHistoryLimit", 10);
    set_default(spec, "progressDeadlineSeconds", 600);
}

/// Drops `podReplacementPolicy` while its gate is off, unless the old object uses it.
/// KEP-5882: "Dropping of disabled fields" in the strategy; in no release yet.
pub(crate) fn drop_disabled_fields(spec: &mut Map<String, Value>, old: Option<&Value>, gates: FeatureGates) {
    let in_use = old.is_some_and(|old| field(old, "podReplacementPolicy").is_some());
    if !gates.enabled(Feature::DeploymentPodReplacementPolicy) && !in_use {
        spec.remove("podReplacementPolicy");
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDeploymentSpec`
pub(super) fn validate_deployment_spec(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_selector_and_template(spec, path, options, errors);
    validate_rollout(spec, path, errors);
}

/// What bears on a rollout: the numbers, the strategy and the policy. It takes the spec as it stands; one that was not
/// defaulted lacks what [`set_defaults`] writes.
pub(crate) fn validate_rollout(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_nonnegative_field(spec, "replicas", path, errors);
    let strategy = field(spec, "strategy").unwrap_or(&Value::Null);
    validate_deployment_strategy(strategy, &path.child("strategy"), errors);
    validate_nonnegative_field(spec, "minReadySeconds", path, errors);
    validate_nonnegative_field(spec, "revisionHistoryLimit", path, errors);
    validate_nonnegative_field(spec, "progressDeadlineSeconds", path, errors);
    if let Some(deadline) = integer(spec, "progressDeadlineSeconds")
        && deadline <= integer(spec, "minReadySeconds").unwrap_or_default()
    {
        let value = go::json(&Value::from(deadline));
        let detail = "must be greater than minReadySeconds";
        errors.push(FieldError::invalid(&path.child("progressDeadlineSeconds"), value, detail));
    }
    // KEP-5882.
    if let Some(policy) = field(spec, "podReplacementPolicy").and_then(Value::as_str)
        && !POD_REPLACEMENT_POLICIES.contains(&policy)
    {
        let value = go::json_string(policy);
        let path = path.child("podReplacementPolicy");
        errors.push(FieldError::not_supported(&path, value, &POD_REPLACEMENT_POLICIES));
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDeploymentStrategy`
fn validate_deployment_strategy(strategy: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let rolling_update = field(strategy, "rollingUpdate");
    let rolling_update_path = path.child("rollingUpdate");
    match (string(strategy, "type"), rolling_update) {
        ("Recreate", Some(_)) => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            errors.push(FieldError::forbidden(&rolling_update_path, detail));
        }
        ("Recreate", None) => {}
        ("RollingUpdate", Some(rolling_update)) => {
            validate_rolling_update_deployment(rolling_update, &rolling_update_path, errors);
        }
        ("RollingUpdate", None) => {
            let detail = "this should be defaulted and never be nil";
            errors.push(FieldError::required(&rolling_update_path, detail));
        }
        (other, _) => {
            let value = printed_strategy(other, rolling_update);
            errors.push(FieldError::not_supported(path, value, &["Recreate", "RollingUpdate"]));
        }
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateRollingUpdateDeployment`
fn validate_rolling_update_deployment(rolling_update: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let unavailable = int_or_string(rolling_update, "maxUnavailable");
    let surge = int_or_string(rolling_update, "maxSurge");
    validate_positive_int_or_percent(&unavailable, &path.child("maxUnavailable"), errors);
    validate_positive_int_or_percent(&surge, &path.child("maxSurge"), errors);
    if get_int_or_percent_value(&unavailable) == 0 && get_int_or_percent_value(&surge) == 0 {
        let detail = "may not be 0 when `maxSurge` is 0";
        errors.push(FieldError::invalid(&path.child("maxUnavailable"), printed(&unavailable), detail));
    }
    is_not_more_than_100_percent(&unavailable, &path.child("maxUnavailable"), errors);
}
