//! Defaults and validation of StatefulSets.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::apiserver::Reviewed;
use crate::apiserver::meta::selector::{self, SELECTOR};
use crate::apiserver::meta::{METADATA, NameRule};
use crate::apiserver::pod_spec::warnings::warn_of_template;
use crate::apiserver::pod_spec::{
    POD_TEMPLATE, PodValidationOptions, set_defaults_claim, set_spec_defaults, template_labels,
    validate_template_metadata, validate_template_without,
};
use crate::apiserver::schema::Shape::{Int32, IntOrString, Object, Text};
use crate::apiserver::schema::{STATUS, Shape};
use crate::apiserver::strategy::{StatusWrite, Strategy, Write, generation};
use crate::apiserver::validation::{
    FieldError, get_int_or_percent_value, int_or_string, is_not_more_than_100_percent, names, printed,
    validate_immutable, validate_nonnegative_field, validate_positive_int_or_percent,
};
use crate::apiserver::workload::{
    push_mismatch, validate_always_restarted, validate_collision_count, validate_counts, validate_not_greater,
    validate_replicas,
};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::object::Kind;
use crate::object::unstructured::{at, existing_map, field, integer, map_in, set_default, set_default_string, string};
use crate::path::Path;

pub(crate) const REVIEWED: Reviewed =
    Reviewed { shape: &SHAPE, validate: |spec, errors| validate_replicas(spec, &Path::Root("spec"), errors) };

pub(crate) struct StatefulSetStrategy;

impl Strategy for StatefulSetStrategy {
    fn kind(&self) -> Kind {
        Kind::StatefulSet
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn skips_pod_template_without_selector(&self) -> bool {
        true
    }

    fn has_claim_templates(&self) -> bool {
        true
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, gates: FeatureGates) {
        set_spec_defaults(object, |spec| set_defaults(spec, gates));
    }

    fn convert(&self, object: &mut Value) {
        // The internal version has this by value.
        if let Some(rolling_update) = existing_map(object, &["spec", "updateStrategy", "rollingUpdate"]) {
            set_default(rolling_update, "partition", 0);
        }
        name_claims(object);
    }

    fn prepare(&self, object: &mut Value, old: Option<&Value>, gates: FeatureGates) {
        drop_disabled_fields(object, old, gates);
    }

    fn initial_status(&self, _: &Value) -> Value {
        json!({ "availableReplicas": 0, "replicas": 0 })
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        let path = Path::Root("spec");
        write.validate_metadata(NameRule::DnsLabel, errors);
        match write.old_spec() {
            None => {
                let leniency = Leniency {
                    is_update: false,
                    skip_pod_template_spec: false,
                    allow_recreate: write.gates.enabled(Feature::StatefulSetRecreateStrategy),
                };
                validate_spec(write.spec(), &path, write.options, leniency, errors);
            }
            Some(old) => validate_update(write, old, &path, errors),
        }
    }

    fn skips_pod_template(&self, write: &Write<'_>) -> bool {
        write.old_spec().is_some_and(|old| lenient(write, old).skip_pod_template_spec)
    }

    fn validate_status(&self, write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
        validate_status(write.status(), write.old_status(), &Path::Root("status"), errors);
        write.validate_metadata(errors);
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_template(object, &["spec", "template"], warnings);
        warn_of_history(object, warnings);
    }

    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>) {
        if generation(object) != generation(old) {
            warn_of_template(object, &["spec", "template"], warnings);
        }
        warn_of_history(object, warnings);
    }
}

fn warn_of_history(object: &Value, warnings: &mut Vec<String>) {
    let history = at(object, &["spec", "revisionHistoryLimit"]).and_then(Value::as_i64);
    if history.is_some_and(|history| history < 0) {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .into(),
        );
    }
}

/// The claims in a StatefulSet are written as objects of their own.
fn name_claims(object: &mut Value) {
    let claims = existing_map(object, &["spec"]).and_then(|spec| spec.get_mut("volumeClaimTemplates"));
    for claim in claims.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        claim.insert("apiVersion".into(), "v1".into());
        claim.insert("kind".into(), "PersistentVolumeClaim".into());
    }
}

/// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_StatefulSet`, without the template
fn set_defaults(spec: &mut Map<String, Value>, gates: FeatureGates) {
    set_default_string(spec, "podManagementPolicy", "OrderedReady");
    if let Some(strategy) = map_in(spec, "updateStrategy") {
        if strategy.get("type").and_then(Value::as_str).unwrap_or_default().is_empty() {
            set_default_string(strategy, "type", "RollingUpdate");
            set_default(strategy, "rollingUpdate", Map::new());
        }
        if strategy.get("type").and_then(Value::as_str) == Some("RollingUpdate")
            && let Some(rolling_update) = strategy.get_mut("rollingUpdate").and_then(Value::as_object_mut)
        {
            set_default(rolling_update, "partition", 0);
            if gates.enabled(Feature::MaxUnavailableStatefulSet) {
                set_default(rolling_update, "maxUnavailable", 1);
            }
        }
    }
    if let Some(policy) = map_in(spec, "persistentVolumeClaimRetentionPolicy") {
        set_default_string(policy, "whenDeleted", "Retain");
        set_default_string(policy, "whenScaled", "Retain");
    }
    // These are no pointers: an absent field is written as an empty string.
    set_default(spec, "serviceName", "");
    if let Some(ordinals) = spec.get_mut("ordinals").and_then(Value::as_object_mut) {
        set_default(ordinals, "start", 0);
    }
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    for claim in spec.get_mut("volumeClaimTemplates").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(claim) = claim.as_object_mut() {
            set_defaults_claim(claim);
        }
    }
}

/// Upstream: `pkg/registry/apps/statefulset/strategy.go dropStatefulSetDisabledFields`
fn drop_disabled_fields(object: &mut Value, old: Option<&Value>, gates: FeatureGates) {
    let key = "maxUnavailable";
    let field_path = ["spec", "updateStrategy", "rollingUpdate"];
    let in_use = old.and_then(|old| at(old, &field_path)).is_some_and(|old| field(old, key).is_some());
    if !gates.enabled(Feature::MaxUnavailableStatefulSet)
        && !in_use
        && let Some(rolling_update) = existing_map(object, &field_path)
    {
        rolling_update.remove(key);
    }
}

/// What is not asked of an object.
/// Upstream: `pkg/apis/apps/validation/validation.go StatefulSetValidationOptions`
#[derive(Clone, Copy, Debug)]
struct Leniency {
    /// An update can't change the service name, so it need not be valid.
    is_update: bool,
    /// What an update replaces was not valid either.
    skip_pod_template_spec: bool,
    /// The gate is on, or what an update replaces has the strategy too.
    allow_recreate: bool,
}

/// What is not asked of an update.
fn lenient(write: &Write<'_>, old: &Value) -> Leniency {
    let was_recreate = at(old, &["updateStrategy", "type"]).and_then(Value::as_str) == Some("Recreate");
    let allow_recreate = write.gates.enabled(Feature::StatefulSetRecreateStrategy) || was_recreate;
    let leniency = Leniency { is_update: true, skip_pod_template_spec: false, allow_recreate };
    let mut old_errors = Vec::new();
    validate_spec(old, &Path::Root("spec"), write.options, leniency, &mut old_errors);
    Leniency { skip_pod_template_spec: !old_errors.is_empty(), ..leniency }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateStatefulSetUpdate`, but for the metadata
fn validate_update(write: &Write<'_>, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (spec, options, leniency) = (write.spec(), write.options, lenient(write, old));
    validate_spec(spec, path, options, leniency, errors);
    validate_immutable(spec, old, "selector", path, selector::printed, errors);
    let printed_claims = |claims: Option<&Value>| options.printer.claims(claims);
    validate_immutable(spec, old, "volumeClaimTemplates", path, printed_claims, errors);
    for key in ["serviceName", "podManagementPolicy"] {
        let printed = |value: Option<&Value>| go::json_string(value.and_then(Value::as_str).unwrap_or_default());
        validate_immutable(spec, old, key, path, printed, errors);
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateStatefulSetSpec`, but for the volume claim templates
fn validate_spec(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    leniency: Leniency,
    errors: &mut Vec<FieldError>,
) {
    let management = path.child("podManagementPolicy");
    match string(spec, "podManagementPolicy") {
        "" => errors.push(FieldError::required(&management, "")),
        "OrderedReady" | "Parallel" => {}
        other => {
            let detail = "must be 'OrderedReady' or 'Parallel'";
            errors.push(FieldError::invalid(&management, go::json_string(other), detail));
        }
    }
    validate_update_strategy(spec, &path.child("updateStrategy"), leniency, errors);
    if let Some(policy) = field(spec, "persistentVolumeClaimRetentionPolicy") {
        let path = path.child("persistentVolumeClaimRetentionPolicy");
        for key in ["whenDeleted", "whenScaled"] {
            let value = string(policy, key);
            if !["Retain", "Delete"].contains(&value) {
                let value = go::json_string(value);
                errors.push(FieldError::not_supported(&path.child(key), value, &["Retain", "Delete"]));
            }
        }
    }
    validate_nonnegative_field(spec, "replicas", path, errors);
    validate_nonnegative_field(spec, "minReadySeconds", path, errors);
    if let Some(ordinals) = field(spec, "ordinals") {
        validate_nonnegative_field(ordinals, "start", &path.child("ordinals"), errors);
    }
    let service_name = string(spec, "serviceName");
    if !leniency.is_update && !service_name.is_empty() {
        for text in names::is_dns1123_label(service_name) {
            errors.push(FieldError::invalid_string(&path.child("serviceName"), service_name, text));
        }
    }
    let selector = field(spec, "selector");
    selector::validate_required(selector, "statefulset", &path.child("selector"), errors);
    let template = field(spec, "template").unwrap_or(&Value::Null);
    let template_path = path.child("template");
    match selector::matches(selector, template_labels(template)) {
        None => errors.push(FieldError::invalid(&path.child("selector"), selector::printed(selector), "")),
        Some(matches) => {
            // What selects everything needs no labels.
            if !(matches || selector.is_some_and(selector::is_empty)) {
                push_mismatch(template, &template_path, errors);
            }
            validate_template(template, &template_path, options, leniency, errors);
        }
    }
    validate_always_restarted(template, &template_path, "StatefulSet", errors);
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidatePodTemplateSpecForStatefulSet`, which looks at labels and
/// annotations twice
fn validate_template(
    template: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    leniency: Leniency,
    errors: &mut Vec<FieldError>,
) {
    if !leniency.skip_pod_template_spec {
        // The controller overwrites these two.
        validate_template_without(template, &["hostname", "subdomain"], path, options, errors);
    }
    validate_template_metadata(template, path, options, errors);
}

fn validate_update_strategy(spec: &Value, path: &Path<'_>, leniency: Leniency, errors: &mut Vec<FieldError>) {
    let strategy = field(spec, "updateStrategy").unwrap_or(&Value::Null);
    let rolling_update = field(strategy, "rollingUpdate");
    match (string(strategy, "type"), rolling_update) {
        ("", _) => errors.push(FieldError::required(path, "")),
        ("OnDelete" | "RollingUpdate", None) => {}
        ("Recreate", None) if leniency.allow_recreate => {}
        (type_, Some(rolling_update)) if type_ == "OnDelete" || (type_ == "Recreate" && leniency.allow_recreate) => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            let value = printed_rolling_update(rolling_update);
            errors.push(FieldError::invalid(&path.child("rollingUpdate"), value, detail));
        }
        ("RollingUpdate", Some(rolling_update)) => {
            validate_rolling_update(rolling_update, &path.child("rollingUpdate"), errors);
        }
        (other, _) => {
            let inner = rolling_update.map_or_else(|| "null".into(), printed_rolling_update);
            let value = format!("{{\"Type\":{},\"RollingUpdate\":{inner}}}", go::json_string(other));
            let detail = if leniency.allow_recreate {
                "must be 'RollingUpdate', 'OnDelete', or 'Recreate'"
            } else {
                "must be 'RollingUpdate' or 'OnDelete'"
            };
            errors.push(FieldError::invalid(path, value, detail));
        }
    }
}

/// Upstream prints its internal struct, which has no JSON names.
fn printed_rolling_update(rolling_update: &Value) -> String {
    let partition = integer(rolling_update, "partition").unwrap_or_default();
    let key = "maxUnavailable";
    let unavailable = field(rolling_update, key).map(|_| printed(&int_or_string(rolling_update, key)));
    format!("{{\"Partition\":{partition},\"MaxUnavailable\":{}}}", unavailable.as_deref().unwrap_or("null"))
}

/// Upstream: `pkg/apis/apps/validation/validation.go validateRollingUpdateStatefulSet`
fn validate_rolling_update(rolling_update: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_nonnegative_field(rolling_update, "partition", path, errors);
    if field(rolling_update, "maxUnavailable").is_some() {
        let unavailable = int_or_string(rolling_update, "maxUnavailable");
        let path = path.child("maxUnavailable");
        validate_positive_int_or_percent(&unavailable, &path, errors);
        if get_int_or_percent_value(&unavailable) == 0 {
            errors.push(FieldError::invalid(&path, printed(&unavailable), "cannot be 0"));
        }
        is_not_more_than_100_percent(&unavailable, &path, errors);
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateStatefulSetStatusUpdate`
fn validate_status(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let counts = [
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    ];
    validate_counts(status, &counts, path, errors);
    let parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
    let detail = "cannot be greater than status.replicas";
    validate_not_greater(status, &parts, "replicas", detail, path, errors);
    let detail = "cannot be greater than status.readyReplicas";
    validate_not_greater(status, &["availableReplicas"], "readyReplicas", detail, path, errors);
    validate_collision_count(status, old, path, errors);
}

pub(crate) const SHAPE: Shape = Object(&[
    METADATA,
    (
        "spec",
        Object(&[
            ("replicas", Int32),
            SELECTOR,
            POD_TEMPLATE,
            ("serviceName", Text),
            ("podManagementPolicy", Text),
            (
                "updateStrategy",
                Object(&[
                    ("type", Text),
                    ("rollingUpdate", Object(&[("partition", Int32), ("maxUnavailable", IntOrString)])),
                ]),
            ),
            ("revisionHistoryLimit", Int32),
            ("minReadySeconds", Int32),
            ("persistentVolumeClaimRetentionPolicy", Object(&[("whenDeleted", Text), ("whenScaled", Text)])),
            ("ordinals", Object(&[("start", Int32)])),
        ]),
    ),
    STATUS,
]);
