//! Validation of a pod template.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::annotations::{validate_mirror, validate_pod_specific_annotations};
use super::options::PodValidationOptions;
use super::ports;
use super::spec::validate_pod_spec;
use crate::apiserver::meta::{validate_annotations, validate_labels};
use crate::apiserver::validation::FieldError;
use crate::object::Kind;
use crate::object::unstructured::{at, field, list, map};
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodTemplateSpec`
pub(crate) fn validate_pod_template_spec(
    template: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_template_without(template, &[], path, options, errors);
}

/// The same, as if these fields of the pod spec were empty.
pub(crate) fn validate_template_without(
    template: &Value,
    skipped: &[&str],
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_template_metadata(template, path, options, errors);
    let spec = field(template, "spec").unwrap_or(&Value::Null);
    let path = path.child("spec");
    validate_pod_spec(spec, skipped, &path, options, errors);
    ports::validate_host_network(spec, false, &path, options, errors);
    if !list(spec, "ephemeralContainers").is_empty() {
        let detail = "ephemeral containers not allowed in pod template";
        errors.push(FieldError::forbidden(&path.child("ephemeralContainers"), detail));
    }
}

/// The labels and annotations of a template. (Upstream's paths leave `metadata` out.)
pub(crate) fn validate_template_metadata(
    template: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    let metadata = field(template, "metadata").unwrap_or(&Value::Null);
    let annotations = map(metadata, "annotations");
    validate_labels(map(metadata, "labels"), &path.child("labels"), errors);
    validate_annotations(annotations, &path.child("annotations"), errors);
    validate_pod_specific_annotations(annotations, &path.child("annotations"), options, errors);
    let spec = field(template, "spec").unwrap_or(&Value::Null);
    validate_mirror(annotations, spec, &path.child("annotations"), errors);
}

/// What has the metadata and the spec of the pods: the pod template, or the Pod itself.
pub(crate) fn pod_holder(object: &Value, kind: Kind) -> Option<&Value> {
    at(object, kind.pod_template().unwrap_or_default())
}

/// The same, to write to.
pub(crate) fn pod_holder_mut(object: &mut Value, kind: Kind) -> Option<&mut Value> {
    let field_path = kind.pod_template().unwrap_or_default();
    field_path.iter().try_fold(object, |value, key| value.get_mut(*key))
}

/// The labels in a template.
pub(crate) fn template_labels(template: &Value) -> Option<&Map<String, Value>> {
    map(field(template, "metadata")?, "labels")
}
