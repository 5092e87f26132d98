//! The part of validation that the admission policy repeats: what bears on the replacement of pods.

use alloc::vec::Vec;

use serde_json::Value;

use super::internal_version::Printer;
use super::pod_spec::{PodValidationOptions, pod_holder, validate_pod_specific_annotations};
use super::registry::reviewed;
use super::validation::FieldError;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{field, map};
use crate::path::Path;

/// What the API server refuses about replacement, deletion cost and the numbers of a rollout, whether the object was
/// defaulted or not. Everything else the policy leaves to the API server.
pub(crate) fn validate_replacement(
    object: &Value,
    kind: Kind,
    old: Option<&Value>,
    gates: &FeatureGates,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(reviewed) = reviewed(kind) {
        (reviewed.validate)(field(object, "spec").unwrap_or(&Value::Null), &mut errors);
    }
    let annotations = pod_holder(object, kind).and_then(|holder| map(field(holder, "metadata")?, "annotations"));
    let options = PodValidationOptions::new(old.and_then(|old| pod_holder(old, kind)), *gates, Printer::Short);
    // Upstream leaves `metadata` out of a template's path.
    let parent = kind.pod_template().map(|field_path| field_path.join("."));
    let path = Path::Root(parent.as_deref().unwrap_or("metadata"));
    validate_pod_specific_annotations(annotations, &path.child("annotations"), options, &mut errors);
    errors
}
