//! DaemonSet.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::deployment::{
    get_int_or_percent_value, int_or_string, is_not_more_than_100_percent, printed_strategy, rendered,
    validate_positive_int_or_percent,
};
use super::equal::equal_field;
use super::field::FieldError;
use super::meta::validate_nonnegative_field;
use super::pod_spec::{self, Options};
use super::value::{at, field, map_in, set_default, set_default_string, string};
use super::{selector, status};
use crate::path::Path;

/// Where the template's generation is kept, since `apps/v1` has no field for it.
/// Upstream: `k8s.io/api/apps/v1/types.go DeprecatedTemplateGeneration`
pub(super) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_DaemonSet`, without the template
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
    if let Some(strategy) = map_in(spec, "updateStrategy") {
        set_default_string(strategy, "type", "RollingUpdate");
        if strategy.get("type").and_then(Value::as_str) == Some("RollingUpdate")
            && let Some(rolling_update) = map_in(strategy, "rollingUpdate")
        {
            set_default(rolling_update, "maxUnavailable", 1);
            set_default(rolling_update, "maxSurge", 0);
        }
    }
    set_default(spec, "revisionHistoryLimit", 10);
}

/// Upstream: `pkg/apis/apps/v1/conversion.go Convert_v1_DaemonSet_To_apps_DaemonSet`
fn template_generation(object: &Value) -> i64 {
    let text = at(object, &["metadata", "annotations", TEMPLATE_GENERATION]).and_then(Value::as_str);
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Counts the changes of the template. Whoever updates the object can't set the count.
/// Upstream: `pkg/registry/apps/daemonset/strategy.go PrepareForCreate` and `PrepareForUpdate`
pub(super) fn prepare_template_generation(object: &mut Value, old: Option<&Value>) {
    let generation = match old {
        None => template_generation(object).max(1),
        Some(old) => {
            let way = &["spec", "template"];
            let changed = !equal_field("template", at(object, way), at(old, way));
            template_generation(old).saturating_add(i64::from(changed))
        }
    };
    write_template_generation(object, generation);
}

/// An update of the status takes it from the old object, as it takes the spec.
pub(super) fn keep_template_generation(object: &mut Value, old: &Value) {
    write_template_generation(object, template_generation(old));
}

fn write_template_generation(object: &mut Value, generation: i64) {
    if let Some(annotations) = super::value::map_at(object, &["metadata", "annotations"]) {
        annotations.insert(TEMPLATE_GENERATION.into(), generation.to_string().into());
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDaemonSetSpecUpdate`, but for the selector
pub(super) fn validate_template_generation(object: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (new_generation, old_generation) = (template_generation(object), template_generation(old));
    let way = &["spec", "template"];
    let changed = !equal_field("template", at(object, way), at(old, way));
    let path = path.child("templateGeneration");
    let mut refuse = |detail: &str| errors.push(FieldError::invalid_number(&path, new_generation, detail));
    if new_generation < old_generation {
        refuse("must not be decremented");
    }
    if new_generation == old_generation && changed {
        refuse("must be incremented upon template update");
    } else if new_generation > old_generation && !changed {
        refuse("must not be incremented without template update");
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDaemonSetSpec`
pub(super) fn validate_spec(object: &Value, path: &Path<'_>, options: Options, errors: &mut Vec<FieldError>) {
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let selector = field(spec, "selector");
    let selector_path = path.child("selector");
    if let Some(selector) = selector {
        let lenient = options.allow_invalid_label_value_in_selector;
        selector::validate_label_selector(selector, lenient, &selector_path, errors);
        if selector::is_empty(selector) {
            let detail = "empty selector is invalid for daemonset";
            errors.push(FieldError::invalid(&selector_path, "{}".into(), detail));
        }
    }
    let template = field(spec, "template").unwrap_or(&Value::Null);
    let template_path = path.child("template");
    if selector::matches(selector, pod_spec::template_labels(template)) == Some(false) {
        selector::push_mismatch(template, &template_path, errors);
    }
    pod_spec::validate_pod_template_spec(template, &template_path, options, errors);
    pod_spec::validate_restarted_for_ever(template, &template_path, "DaemonSet", errors);
    validate_nonnegative_field(spec, "minReadySeconds", path, errors);
    let generation = template_generation(object);
    if generation < 0 {
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid_number(&path.child("templateGeneration"), generation, detail));
    }
    validate_update_strategy(spec, &path.child("updateStrategy"), errors);
    validate_nonnegative_field(spec, "revisionHistoryLimit", path, errors);
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDaemonSetUpdateStrategy`
fn validate_update_strategy(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let strategy = field(spec, "updateStrategy").unwrap_or(&Value::Null);
    let rolling_update = field(strategy, "rollingUpdate");
    match (string(strategy, "type"), rolling_update) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errors.push(FieldError::required(&path.child("rollingUpdate"), "")),
        ("RollingUpdate", Some(rolling_update)) => {
            validate_rolling_update(rolling_update, &path.child("rollingUpdate"), errors);
        }
        (other, _) => {
            let value = printed_strategy(other, rolling_update);
            errors.push(FieldError::not_supported(path, value, &["RollingUpdate", "OnDelete"]));
        }
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateRollingUpdateDaemonSet`
fn validate_rolling_update(rolling_update: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let unavailable = int_or_string(rolling_update, "maxUnavailable");
    let surge = int_or_string(rolling_update, "maxSurge");
    for (value, key) in [(&unavailable, "maxUnavailable"), (&surge, "maxSurge")] {
        validate_positive_int_or_percent(value, &path.child(key), errors);
        is_not_more_than_100_percent(value, &path.child(key), errors);
    }
    match (get_int_or_percent_value(&unavailable) != 0, get_int_or_percent_value(&surge) != 0) {
        (true, true) => {
            let detail = "may not be set when maxUnavailable is non-zero";
            errors.push(FieldError::invalid(&path.child("maxSurge"), rendered(&surge), detail));
        }
        (false, false) => {
            errors.push(FieldError::required(&path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0"));
        }
        _ => {}
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDaemonSetStatusUpdate`
pub(super) fn validate_status(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let counts = [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ];
    status::validate_counts(status, &counts, path, errors);
    status::validate_collision_count(status, old, path, errors);
}
