//! Deployment.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::convert::drop_annotations;
use super::field::FieldError;
use super::meta::validate_nonnegative_field;
use super::pod_spec::{self, Options};
use super::value::{at, field, integer, map_at, map_in, set_default, set_default_string, string};
use super::{names, selector, status};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go::{self, ParseIntError};
use crate::object::IntOrString;
use crate::path::Path;

/// The values of `spec.podReplacementPolicy` (KEP-5882).
pub const POD_REPLACEMENT_POLICIES: [&str; 2] = ["TerminationComplete", "TerminationStarted"];

/// Where the revision to go back to is kept, since `apps/v1` has no field for it.
/// Upstream: `k8s.io/api/apps/v1/types.go DeprecatedRollbackTo`
pub(super) const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

/// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_Deployment`, without the template
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
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
pub(super) fn drop_disabled_fields(spec: &mut Map<String, Value>, old: Option<&Value>, gates: FeatureGates) {
    let in_use = old.is_some_and(|old| field(old, "podReplacementPolicy").is_some());
    if !gates.enabled(Feature::DeploymentPodReplacementPolicy) && !in_use {
        spec.remove("podReplacementPolicy");
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDeploymentSpec`
pub(super) fn validate_spec(spec: &Value, path: &Path<'_>, options: Options, errors: &mut Vec<FieldError>) {
    validate_selector_and_template(spec, path, options, errors);
    validate_rollout(spec, path, errors);
}

/// The selector and the template, which Deployments and ReplicaSets share word by word.
pub(super) fn validate_selector_and_template(
    spec: &Value,
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    let selector = field(spec, "selector");
    let selector_path = path.child("selector");
    selector::validate_required(selector, "deployment", &selector_path, errors);
    let template = field(spec, "template").unwrap_or(&Value::Null);
    match selector::matches(selector, pod_spec::template_labels(template)) {
        Some(matches) => {
            let selected = matches || selector.is_some_and(selector::is_empty);
            pod_spec::validate_for_replica_set(template, selected, &path.child("template"), options, errors);
        }
        None => {
            let value = selector::rendered(selector);
            errors.push(FieldError::invalid(&selector_path, value, "invalid label selector"));
        }
    }
}

/// Writes the revision to go back to as Go does.
/// Upstream: `pkg/apis/apps/v1/conversion.go Convert_v1_Deployment_To_apps_Deployment`, and the way back
pub(super) fn convert_rollback(object: &mut Value) {
    let text = at(object, &["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str);
    if let Some(revision) = text.and_then(|text| text.parse::<i64>().ok())
        && let Some(annotations) = map_at(object, &["metadata", "annotations"])
    {
        annotations.insert(ROLLBACK_TO.into(), format!("{revision}").into());
    }
}

/// An empty one is none, but inside it is an annotation like any other.
/// Upstream: `pkg/apis/apps/v1/conversion.go Convert_apps_Deployment_To_v1_Deployment`
pub(super) fn drop_empty_rollback(object: &mut Value) {
    if at(object, &["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str) == Some("") {
        drop_annotations(object, &[ROLLBACK_TO]);
    }
}

/// An update of the status keeps it, as inside it is a field of the spec.
/// Upstream: `pkg/registry/apps/deployment/strategy.go deploymentStatusStrategy.PrepareForUpdate`
pub(super) fn keep_rollback(object: &mut Value, old: &Value) {
    drop_annotations(object, &[ROLLBACK_TO]);
    let revision = at(old, &["metadata", "annotations", ROLLBACK_TO]);
    if let Some(revision) = revision.filter(|revision| revision.as_str() != Some(""))
        && let Some(annotations) = map_at(object, &["metadata", "annotations"])
    {
        annotations.insert(ROLLBACK_TO.into(), revision.clone());
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateRollback`
pub(super) fn validate_rollback(object: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let text = at(object, &["metadata", "annotations", ROLLBACK_TO]).and_then(Value::as_str);
    if let Some(revision) = text.and_then(|text| text.parse().ok()).filter(|revision| *revision < 0) {
        let path = path.child("rollback");
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid_number(&path.child("version"), revision, detail));
    }
}

/// What bears on a rollout: the numbers, the strategy and the policy. It takes the spec as it stands; one that was not
/// defaulted lacks what [`set_defaults`] writes.
pub(super) fn validate_rollout(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
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

/// A strategy as upstream's error prints it: the internal struct, which has no JSON names.
pub(super) fn printed_strategy(type_: &str, rolling_update: Option<&Value>) -> String {
    let inner = rolling_update.map_or_else(
        || "null".into(),
        |value| {
            let unavailable = rendered(&int_or_string(value, "maxUnavailable"));
            let surge = rendered(&int_or_string(value, "maxSurge"));
            format!("{{\"MaxUnavailable\":{unavailable},\"MaxSurge\":{surge}}}")
        },
    );
    format!("{{\"Type\":{},\"RollingUpdate\":{inner}}}", go::json_string(type_))
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateRollingUpdateDeployment`
fn validate_rolling_update_deployment(rolling_update: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let unavailable = int_or_string(rolling_update, "maxUnavailable");
    let surge = int_or_string(rolling_update, "maxSurge");
    validate_positive_int_or_percent(&unavailable, &path.child("maxUnavailable"), errors);
    validate_positive_int_or_percent(&surge, &path.child("maxSurge"), errors);
    if get_int_or_percent_value(&unavailable) == 0 && get_int_or_percent_value(&surge) == 0 {
        let detail = "may not be 0 when `maxSurge` is 0";
        errors.push(FieldError::invalid(&path.child("maxUnavailable"), rendered(&unavailable), detail));
    }
    is_not_more_than_100_percent(&unavailable, &path.child("maxUnavailable"), errors);
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidatePositiveIntOrPercent`
pub(crate) fn validate_positive_int_or_percent(value: &IntOrString, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let detail = match value {
        IntOrString::String(text) => names::is_valid_percent(text),
        IntOrString::Int(number) => (*number < 0).then(|| "must be greater than or equal to 0".into()),
    };
    if let Some(detail) = detail {
        errors.push(FieldError::invalid(path, rendered(value), detail));
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go IsNotMoreThan100Percent`
pub(crate) fn is_not_more_than_100_percent(value: &IntOrString, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if get_percent_value(value).is_some_and(|percent| percent > 100) {
        errors.push(FieldError::invalid(path, rendered(value), "must not be greater than 100%"));
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go getPercentValue`
fn get_percent_value(value: &IntOrString) -> Option<i64> {
    let IntOrString::String(text) = value else { return None };
    if names::is_valid_percent(text).is_some() {
        return None;
    }
    Some(atoi(text.trim_end_matches('%')))
}

/// The number that upstream goes on with, since it does not look at the error.
fn atoi(text: &str) -> i64 {
    go::atoi(text).unwrap_or_else(|error| match error {
        ParseIntError::Syntax => 0,
        ParseIntError::Range(nearest) => nearest,
    })
}

/// Upstream: `pkg/apis/apps/validation/validation.go getIntOrPercentValue`
pub(super) fn get_int_or_percent_value(value: &IntOrString) -> i64 {
    match value {
        IntOrString::Int(number) => i64::from(*number),
        IntOrString::String(text) => get_percent_value(value).unwrap_or_else(|| atoi(text)),
    }
}

/// The number or text in a field; 0 where there is none, as in Go.
pub(super) fn int_or_string(value: &Value, key: &str) -> IntOrString {
    match field(value, key) {
        Some(Value::String(text)) => IntOrString::String(text.clone()),
        Some(number) => IntOrString::Int(number.as_i64().and_then(|n| i32::try_from(n).ok()).unwrap_or_default()),
        None => IntOrString::Int(0),
    }
}

/// A number or text as Go prints it.
pub(super) fn rendered(value: &IntOrString) -> String {
    match value {
        IntOrString::Int(number) => format!("{number}"),
        IntOrString::String(text) => go::json_string(text),
    }
}

/// Drops the count of terminating pods while its gate is off, unless the old object has it.
/// Upstream: `pkg/registry/apps/deployment/strategy.go dropDisabledStatusFields`, and
/// `pkg/registry/apps/replicaset/strategy.go dropDisabledStatusFields`
pub(super) fn drop_disabled_status_fields(status: &mut Map<String, Value>, old: Option<&Value>, gates: FeatureGates) {
    let in_use = old.is_some_and(|old| field(old, "terminatingReplicas").is_some());
    if !gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas) && !in_use {
        status.remove("terminatingReplicas");
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDeploymentStatusUpdate`
pub(super) fn validate_status(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
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
    status::validate_counts(status, &counts, path, errors);
    let parts = ["updatedReplicas", "readyReplicas", "availableReplicas"];
    let detail = "cannot be greater than status.replicas";
    status::validate_not_greater(status, &parts, "replicas", detail, path, errors);
    let detail = "cannot be greater than readyReplicas";
    status::validate_not_greater(status, &["availableReplicas"], "readyReplicas", detail, path, errors);
    status::validate_collision_count(status, old, path, errors);
}
