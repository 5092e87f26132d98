//! Defaults and validation of DaemonSets.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::apiserver::Reviewed;
use crate::apiserver::meta::selector::{self, SELECTOR};
use crate::apiserver::meta::{METADATA, NameRule};
use crate::apiserver::pod_spec::warnings::warn_of_template;
use crate::apiserver::pod_spec::{
    POD_TEMPLATE, PodValidationOptions, set_spec_defaults, template_labels, validate_pod_template_spec,
};
use crate::apiserver::schema::Shape::{Int32, IntOrString, Object, Text};
use crate::apiserver::schema::{STATUS, Shape};
use crate::apiserver::strategy::{StatusWrite, Strategy, Write, differs};
use crate::apiserver::validation::{
    FieldError, get_int_or_percent_value, int_or_string, is_not_more_than_100_percent, printed,
    validate_nonnegative_field, validate_positive_int_or_percent,
};
use crate::apiserver::workload::{
    printed_strategy, push_mismatch, validate_always_restarted, validate_collision_count, validate_counts,
};
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{at, existing_map, field, map_at, map_in, set_default, set_default_string, string};
use crate::path::Path;
use crate::workload::daemon_set::TEMPLATE_GENERATION;

pub(crate) const REVIEWED: Reviewed = Reviewed::shape_of(&SHAPE);

pub(crate) struct DaemonSetStrategy;

impl Strategy for DaemonSetStrategy {
    fn kind(&self) -> Kind {
        Kind::DaemonSet
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, _: FeatureGates) {
        set_spec_defaults(object, set_defaults);
    }

    fn convert(&self, object: &mut Value) {
        // The internal version has these by value.
        if let Some(rolling_update) = existing_map(object, &["spec", "updateStrategy", "rollingUpdate"]) {
            set_default(rolling_update, "maxUnavailable", 0);
            set_default(rolling_update, "maxSurge", 0);
        }
    }

    fn prepare(&self, object: &mut Value, old: Option<&Value>, _: FeatureGates) {
        prepare_template_generation(object, old);
    }

    /// The template's generation comes from the old object, as the spec does.
    fn prepare_status(&self, object: &mut Value, old: &Value, _: FeatureGates) {
        write_template_generation(object, template_generation(old));
    }

    fn initial_status(&self, _: &Value) -> Value {
        json!({
            "currentNumberScheduled": 0,
            "desiredNumberScheduled": 0,
            "numberMisscheduled": 0,
            "numberReady": 0,
        })
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        let path = Path::Root("spec");
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        if let Some(old) = write.old {
            validate_template_generation(write.object, old, &path, errors);
        }
        validate_spec(write.object, &path, write.options.with_selector(write.old), errors);
        write.validate_immutable_selector(errors);
    }

    fn validate_status(&self, write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
        validate_status(write.status(), write.old_status(), &Path::Root("status"), errors);
        write.validate_metadata(errors);
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_template(object, &["spec", "template"], warnings);
    }

    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>) {
        let written = |object| at(object, &["metadata", "annotations", TEMPLATE_GENERATION]);
        if written(object) != written(old) {
            warn_of_template(object, &["spec", "template"], warnings);
        }
    }

    fn unreadable_annotation(&self, object: &Value) -> Option<&'static str> {
        let text = at(object, &["metadata", "annotations", TEMPLATE_GENERATION]).and_then(Value::as_str);
        text.is_some_and(|text| text.parse::<i64>().is_err()).then_some(TEMPLATE_GENERATION)
    }
}

/// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_DaemonSet`, without the template
fn set_defaults(spec: &mut Map<String, Value>) {
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

/// Counts the changes of the template. A client can't set the count.
///
/// Upstream: `pkg/registry/apps/daemonset/strategy.go PrepareForCreate` and `PrepareForUpdate`
fn prepare_template_generation(object: &mut Value, old: Option<&Value>) {
    let generation = match old {
        None => template_generation(object).max(1),
        Some(old) => {
            let changed = differs(object, old, &["spec", "template"]);
            template_generation(old).saturating_add(i64::from(changed))
        }
    };
    write_template_generation(object, generation);
}

fn write_template_generation(object: &mut Value, generation: i64) {
    if let Some(annotations) = map_at(object, &["metadata", "annotations"]) {
        annotations.insert(TEMPLATE_GENERATION.into(), generation.to_string().into());
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDaemonSetSpecUpdate`, but for the selector
fn validate_template_generation(object: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (new_generation, old_generation) = (template_generation(object), template_generation(old));
    let changed = differs(object, old, &["spec", "template"]);
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
fn validate_spec(object: &Value, path: &Path<'_>, options: PodValidationOptions, errors: &mut Vec<FieldError>) {
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
    if selector::matches(selector, template_labels(template)) == Some(false) {
        push_mismatch(template, &template_path, errors);
    }
    validate_pod_template_spec(template, &template_path, options, errors);
    validate_always_restarted(template, &template_path, "DaemonSet", errors);
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
            errors.push(FieldError::invalid(&path.child("maxSurge"), printed(&surge), detail));
        }
        (false, false) => {
            errors.push(FieldError::required(&path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0"));
        }
        _ => {}
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDaemonSetStatusUpdate`
fn validate_status(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
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
    validate_counts(status, &counts, path, errors);
    validate_collision_count(status, old, path, errors);
}

pub(crate) const SHAPE: Shape = Object(&[
    METADATA,
    (
        "spec",
        Object(&[
            SELECTOR,
            POD_TEMPLATE,
            (
                "updateStrategy",
                Object(&[
                    ("type", Text),
                    ("rollingUpdate", Object(&[("maxUnavailable", IntOrString), ("maxSurge", IntOrString)])),
                ]),
            ),
            ("revisionHistoryLimit", Int32),
            ("minReadySeconds", Int32),
        ]),
    ),
    STATUS,
]);
