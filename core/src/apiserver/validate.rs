//! Validation of whole objects.

use alloc::vec::Vec;

use serde_json::{Value, json};

use super::conversion::decoded;
use super::full_pod_spec::{self, Allowed};
use super::internal_version::Printer;
use super::meta::{NameRule, selector, validate_object_meta};
use super::operation::Operation;
use super::pod_spec::{PodValidationOptions, pod_holder};
use super::strategy::{StatusWrite, Strategy, Write};
use super::validation::FieldError;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{at, field, list, name, string};
use crate::path::Path;

/// What the API server refuses about an object as it stands (defaulted and prepared), in upstream's words.
///
/// Upstream: `pkg/registry/apps/deployment/strategy.go Validate` and `ValidateUpdate`, and those of the other kinds
pub fn validate(
    object: &Value,
    strategy: &dyn Strategy,
    operation: Operation<'_>,
    gates: &FeatureGates,
) -> Vec<FieldError> {
    let object = &decoded(object, strategy);
    match operation {
        Operation::Create => {
            let mut errors = validate_write(object, strategy, None, *gates, Printer::Full);
            errors.extend(full_pod_spec_errors(object, strategy, None, *gates));
            each_once(errors)
        }
        Operation::Update(old) => {
            let old = &decoded(old, strategy);
            let mut errors = validate_write(object, strategy, Some(old), *gates, Printer::Full);
            errors.extend(full_pod_spec_errors(object, strategy, Some(old), *gates));
            each_once(errors)
        }
        Operation::UpdateStatus(old) => {
            let mut errors = Vec::new();
            let options = options(Some(old), strategy, *gates, Printer::Full);
            strategy.validate_status(&StatusWrite { object, old, options, gates: *gates }, &mut errors);
            each_once(errors)
        }
    }
}

/// What only a dry run looks at, in the pod spec of a new or a changed object.
pub(super) fn full_pod_spec_errors(
    object: &Value,
    strategy: &dyn Strategy,
    old: Option<&Value>,
    gates: FeatureGates,
) -> Vec<FieldError> {
    let kind = strategy.kind();
    let template = kind.pod_template().unwrap_or_default().join(".");
    let root = Path::Root(&template);
    let path = if template.is_empty() { Path::Root("spec") } else { root.child("spec") };
    let pod_name = (kind == Kind::Pod).then(|| name(object));
    let errors_of = |object: &Value, allowed: Allowed| {
        let mut errors = Vec::new();
        if let Some(spec) = validated_pod_spec(object, strategy) {
            full_pod_spec::validate(&spec, pod_name, &path, allowed, &mut errors);
        }
        errors
    };
    // Upstream: `pkg/apis/apps/validation/validation.go ValidateStatefulSetUpdate`, SkipValidatePodTemplateSpec
    let write = Write { object, old, options: options(old, strategy, gates, Printer::Short), gates };
    let is_old_invalid = || old.is_some_and(|old| !errors_of(old, Allowed::default()).is_empty());
    if strategy.skips_pod_template(&write) || (strategy.has_claim_templates() && is_old_invalid()) {
        return Vec::new();
    }
    let old_spec = old.and_then(|old| pod_holder(old, kind)).and_then(|holder| field(holder, "spec"));
    let mut errors = errors_of(object, Allowed::of(old_spec));
    if old.is_none()
        && let Some(spec) = field(object, "spec").filter(|_| strategy.has_claim_templates())
    {
        full_pod_spec::validate_claim_templates(spec, &Path::Root("spec"), &mut errors);
    }
    errors
}

/// The pod spec as it is validated: none if the selector can't be read. The claims of a StatefulSet are volumes of its pods, before
/// the others.
///
/// Upstream: `pkg/apis/apps/validation/validation.go ValidateStatefulSetSpec`, and those of the other kinds
fn validated_pod_spec(object: &Value, strategy: &dyn Strategy) -> Option<Value> {
    let kind = strategy.kind();
    let selector = at(object, &["spec", "selector"]);
    if strategy.skips_pod_template_without_selector() && selector::matches(selector, None).is_none() {
        return None;
    }
    let mut spec = field(pod_holder(object, kind)?, "spec")?.clone();
    let claims = at(object, &["spec", "volumeClaimTemplates"]).filter(|_| strategy.has_claim_templates());
    let mut volumes: Vec<Value> = Vec::new();
    for claim in claims.and_then(Value::as_array).into_iter().flatten() {
        let name = name(claim);
        if volumes.iter().all(|volume| string(volume, "name") != name) {
            volumes.push(json!({ "name": name, "persistentVolumeClaim": { "claimName": name } }));
        }
    }
    if !volumes.is_empty() {
        let own = list(&spec, "volumes").iter();
        let own: Vec<Value> = own
            .filter(|own| volumes.iter().all(|volume| string(volume, "name") != string(own, "name")))
            .cloned()
            .collect();
        volumes.extend(own);
        spec.as_object_mut()?.insert("volumes".into(), volumes.into());
    }
    Some(spec)
}

fn validate_write(
    object: &Value,
    strategy: &dyn Strategy,
    old: Option<&Value>,
    gates: FeatureGates,
    printer: Printer,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let options = options(old, strategy, gates, printer);
    strategy.validate(&Write { object, old, options, gates }, &mut errors);
    each_once(errors)
}

/// Where the tags of the Go types are validated too, the two lists are brought together, and none says anything twice.
///
/// Upstream: `k8s.io/apiserver/pkg/registry/rest/validate.go ValidateDeclarativelyWithMigrationChecks`
fn each_once(all: Vec<FieldError>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = Vec::new();
    for error in all {
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    errors
}

fn options(
    old: Option<&Value>,
    strategy: &dyn Strategy,
    gates: FeatureGates,
    printer: Printer,
) -> PodValidationOptions {
    let old = old.and_then(|old| pod_holder(old, strategy.kind()));
    PodValidationOptions::new(old, gates, printer).with_host_network(old)
}

/// The errors for which a request is refused, each once: those of the kind's validation, and those of every kind, with those that were found already. A store
/// without resource versions takes every update for one of the newest object.
pub(super) fn refusals(
    object: &Value,
    strategy: &dyn Strategy,
    old: Option<&Value>,
    gates: FeatureGates,
    printer: Printer,
    more: Vec<FieldError>,
) -> Vec<FieldError> {
    let mut all = more;
    // Upstream: `k8s.io/apiserver/pkg/registry/rest/update.go validateCommonFields`
    if old.is_some() {
        validate_object_meta(object, NameRule::PathSegment, &mut all);
    }
    all.extend(validate_write(object, strategy, old, gates, printer));
    // Upstream: `k8s.io/apiserver/pkg/registry/rest/create.go BeforeCreate`
    if all.is_empty() {
        validate_object_meta(object, NameRule::PathSegment, &mut all);
    }
    all.retain(|error| old.is_none() || error.path != "metadata.resourceVersion");
    each_once(all)
}
