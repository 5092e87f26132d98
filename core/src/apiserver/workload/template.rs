//! The selector of a workload and its pod template.

use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::meta::selector;
use crate::apiserver::pod_spec::{PodValidationOptions, template_labels, validate_pod_template_spec};
use crate::apiserver::validation::{FieldError, validate_nonnegative_field};
use crate::go;
use crate::object::unstructured::{at, field, string};
use crate::path::Path;

/// The numbers of a ReplicaSet, a ReplicationController or a StatefulSet.
pub(crate) fn validate_replicas(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_nonnegative_field(spec, "replicas", path, errors);
    validate_nonnegative_field(spec, "minReadySeconds", path, errors);
}

/// The selector and the template, which Deployments and ReplicaSets share word by word.
pub(crate) fn validate_selector_and_template(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    let selector = field(spec, "selector");
    let selector_path = path.child("selector");
    selector::validate_required(selector, "deployment", &selector_path, errors);
    let template = field(spec, "template").unwrap_or(&Value::Null);
    match selector::matches(selector, template_labels(template)) {
        Some(matches) => {
            let selected = matches || selector.is_some_and(selector::is_empty);
            validate_pod_template_spec_for_replica_set(template, selected, &path.child("template"), options, errors);
        }
        None => {
            let value = selector::printed(selector);
            errors.push(FieldError::invalid(&selector_path, value, "invalid label selector"));
        }
    }
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidatePodTemplateSpecForReplicaSet`
fn validate_pod_template_spec_for_replica_set(
    template: &Value,
    selected: bool,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    if !selected {
        push_mismatch(template, path, errors);
    }
    validate_pod_template_spec(template, path, options, errors);
    validate_always_restarted(template, path, "ReplicaSet", errors);
}

/// What a kind requires of its template whose pods run forever.
pub(crate) fn validate_always_restarted(template: &Value, path: &Path<'_>, kind: &str, errors: &mut Vec<FieldError>) {
    let spec = field(template, "spec").unwrap_or(&Value::Null);
    let path = path.child("spec");
    let restart_policy = string(spec, "restartPolicy");
    if restart_policy != "Always" {
        let value = go::json_string(restart_policy);
        errors.push(FieldError::not_supported(&path.child("restartPolicy"), value, &["Always"]));
    }
    if field(spec, "activeDeadlineSeconds").is_some() {
        let detail = alloc::format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.push(FieldError::forbidden(&path.child("activeDeadlineSeconds"), detail));
    }
}

/// Says that a template's labels are not those which the selector selects.
pub(crate) fn push_mismatch(template: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let labels = at(template, &["metadata", "labels"]);
    let value = go::json(labels.unwrap_or(&Value::Null));
    let metadata = path.child("metadata");
    let detail = "`selector` does not match template `labels`";
    errors.push(FieldError::invalid(&metadata.child("labels"), value, detail));
}
