//! Validation of whole objects.

use alloc::vec::Vec;

use serde_json::Value;

use super::conversion::decoded;
use super::internal_version::Printer;
use super::meta::{NameRule, validate_object_meta};
use super::operation::Operation;
use super::pod_spec::{PodValidationOptions, pod_holder};
use super::strategy::{StatusWrite, Strategy, Write};
use super::validation::FieldError;
use crate::feature_gates::FeatureGates;

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
        Operation::Create => validate_write(object, strategy, None, *gates, Printer::Full),
        Operation::Update(old) => {
            validate_write(object, strategy, Some(&decoded(old, strategy)), *gates, Printer::Full)
        }
        Operation::UpdateStatus(old) => {
            let mut errors = Vec::new();
            let options = options(Some(old), strategy, *gates, Printer::Full);
            strategy.validate_status(&StatusWrite { object, old, options, gates: *gates }, &mut errors);
            each_once(errors)
        }
    }
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

/// The errors for which a request is refused, each once: those of the kind's validation, and those of every kind. A store
/// without resource versions takes every update for one of the newest object.
pub(super) fn refusals(
    object: &Value,
    strategy: &dyn Strategy,
    old: Option<&Value>,
    gates: FeatureGates,
    printer: Printer,
) -> Vec<FieldError> {
    let mut all = Vec::new();
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
