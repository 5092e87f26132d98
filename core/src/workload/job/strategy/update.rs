//! What a Job must be as a whole, and what may not change.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::completions::is_indexed;
use super::spec::validate_job_spec;
use super::status::is_condition_true;
use super::{pod_failure_policy, success_policy};
use crate::apiserver::equality::semantic_equal;
use crate::apiserver::meta::{NameRule, selector, validate_object_meta, validate_object_meta_update};
use crate::apiserver::pod_spec::PodValidationOptions;
use crate::apiserver::validation::{FieldError, names, validate_immutable, validate_immutable_field};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::path::Path;

/// The labels that the API server gives to the template of a new Job, and the field of the metadata that each holds.
const LABELS: [(&str, &str); 4] = [
    ("controller-uid", "uid"),
    ("job-name", "name"),
    ("batch.kubernetes.io/controller-uid", "uid"),
    ("batch.kubernetes.io/job-name", "name"),
];

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateJobCreate`
pub(super) fn validate_job_create(object: &Value, options: PodValidationOptions, errors: &mut Vec<FieldError>) {
    validate_object_meta(object, NameRule::DnsSubdomain, errors);
    validate_generated_selector(object, errors);
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    validate_job_spec(spec, &Path::Root("spec"), options, errors);
    validate_name_allows_completions(object, errors);
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateNameAllowsCompletions`
fn validate_name_allows_completions(object: &Value, errors: &mut Vec<FieldError>) {
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let completions = integer(spec, "completions").unwrap_or_default();
    if is_indexed(spec) && completions > 0 {
        // The controller appends the index to the name of the pod's host.
        let name = at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
        let hostname = format!("{name}-{}", completions.saturating_sub(1));
        if !names::is_dns1123_label(&hostname).is_empty() {
            let metadata = Path::Root("metadata");
            let detail = format!("will not able to create pod with invalid DNS label: {hostname}");
            errors.push(FieldError::invalid_string(&metadata.child("name"), name, detail));
        }
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateGeneratedSelector`
fn validate_generated_selector(object: &Value, errors: &mut Vec<FieldError>) {
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let Some(selector) = field(spec, "selector") else { return };
    if field(spec, "manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    let metadata = field(object, "metadata").unwrap_or(&Value::Null);
    if string(metadata, "uid").is_empty() {
        let path = Path::Root("metadata");
        errors.push(FieldError::required(&path.child("uid"), ""));
    }
    let labels = at(spec, &["template", "metadata", "labels"]);
    let root = Path::Root("spec");
    let template = root.child("template");
    let template_metadata = template.child("metadata");
    let path = template_metadata.child("labels");
    let mut expected = serde_json::Map::new();
    for (label, key) in LABELS {
        let value = string(metadata, key);
        expected.insert(label.into(), value.into());
        // Upstream: `pkg/apis/core/validation/validation.go ValidateHasLabel`
        let detail = format!("must be '{value}'");
        match labels.and_then(|labels| field(labels, label)).and_then(Value::as_str) {
            None => errors.push(FieldError::required(&path.key(label), detail)),
            Some(actual) if actual != value => {
                let shown = go::json(labels.unwrap_or(&Value::Null));
                errors.push(FieldError::invalid(&path.key(label), shown, detail));
            }
            Some(_) => {}
        }
    }
    if selector::matches(Some(selector), Some(&expected)) == Some(false) {
        let value = selector::printed(Some(selector));
        errors.push(FieldError::invalid(&root.child("selector"), value, "`selector` not auto-generated"));
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateJobUpdate`
pub(super) fn validate_job_update(
    object: &Value,
    old: &Value,
    options: PodValidationOptions,
    gates: FeatureGates,
    errors: &mut Vec<FieldError>,
) {
    validate_object_meta_update(object, old, errors);
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let old_spec = field(old, "spec").unwrap_or(&Value::Null);
    let path = Path::Root("spec");
    validate_job_spec(spec, &path, options, errors);
    validate_completions(spec, old_spec, &path, errors);
    validate_immutable(spec, old_spec, "selector", &path, selector::printed, errors);
    validate_pod_template_update(spec, old, options, gates, &path, errors);
    validate_immutable_field(spec, old_spec, "completionMode", &path, errors);
    validate_immutable(spec, old_spec, "podFailurePolicy", &path, pod_failure_policy::printed, errors);
    validate_immutable_field(spec, old_spec, "backoffLimitPerIndex", &path, errors);
    validate_immutable_field(spec, old_spec, "managedBy", &path, errors);
    validate_immutable(spec, old_spec, "successPolicy", &path, success_policy::printed, errors);
    validate_name_allows_completions(object, errors);
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateCompletions`
fn validate_completions(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "completions";
    if !is_indexed(spec) {
        validate_immutable_field(spec, old, key, path, errors);
        return;
    }
    let (new, parallelism) = (integer(spec, key), integer(spec, "parallelism"));
    if let Some(new) = new
        && integer(old, key) != Some(new)
        && parallelism != Some(new)
    {
        let detail = "can only be modified in tandem with spec.parallelism";
        errors.push(FieldError::invalid_number(&path.child(key), new, detail));
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodTemplateUpdate`
fn validate_pod_template_update(
    spec: &Value,
    old: &Value,
    options: PodValidationOptions,
    gates: FeatureGates,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let old_spec = field(old, "spec").unwrap_or(&Value::Null);
    let suspended = field(old_spec, "suspend") == Some(&Value::Bool(true));
    let not_started = at(old, &["status", "startTime"]).is_none();
    let mutable = should_allow_mutable_pod_template(old, suspended, not_started);
    let scheduling = if gates.enabled(Feature::MutableSchedulingDirectivesForSuspendedJobs) {
        mutable
    } else {
        suspended && not_started
    };
    let mut template = field(spec, "template").cloned().unwrap_or_default();
    let mut old_template = field(old_spec, "template").cloned().unwrap_or_default();
    if scheduling {
        remove_scheduling_directives(&mut template);
        remove_scheduling_directives(&mut old_template);
    }
    let template_path = path.child("template");
    if suspended && mutable && gates.enabled(Feature::MutablePodResourcesForSuspendedJobs) {
        // Here labels and annotations are not compared at all.
        let mut pod_spec = field(&template, "spec").cloned().unwrap_or_default();
        let mut old_pod_spec = field(&old_template, "spec").cloned().unwrap_or_default();
        for key in ["containers", "initContainers"] {
            remove_resources_of_same(key, &mut pod_spec, &mut old_pod_spec);
        }
        if !semantic_equal(Some(&pod_spec), Some(&old_pod_spec)) {
            let value = at(spec, &["template", "spec"]).map(|spec| options.printer.pod_spec(spec)).unwrap_or_default();
            errors.push(FieldError::invalid(&template_path.child("spec"), value, "field is immutable"));
        }
    } else if !semantic_equal(Some(&template), Some(&old_template)) {
        let value = options.printer.template(field(spec, "template").unwrap_or(&Value::Null));
        errors.push(FieldError::invalid(&template_path, value, "field is immutable"));
    }
}

/// Upstream: `pkg/registry/batch/job/strategy.go shouldAllowMutablePodTemplate`
fn should_allow_mutable_pod_template(old: &Value, suspended: bool, not_started: bool) -> bool {
    let status = field(old, "status").unwrap_or(&Value::Null);
    let active = integer(status, "active").unwrap_or_default();
    suspended && (not_started || is_condition_true(status, "Suspended")) && active == 0
}

/// What the scheduler goes by: labels and annotations, the node affinity and selector, tolerations and gates.
fn remove_scheduling_directives(template: &mut Value) {
    if let Some(metadata) = template.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("labels");
        metadata.remove("annotations");
    }
    let Some(spec) = template.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for key in ["nodeSelector", "tolerations", "schedulingGates"] {
        spec.remove(key);
    }
    if let Some(affinity) = spec.get_mut("affinity").and_then(Value::as_object_mut) {
        affinity.remove("nodeAffinity");
        if affinity.is_empty() {
            spec.remove("affinity");
        }
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodResourceUpdatesOnly`
fn remove_resources_of_same(key: &str, spec: &mut Value, old: &mut Value) {
    if list(spec, key).len() != list(old, key).len() {
        return;
    }
    let containers = spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten();
    let old_containers = old.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten();
    for (container, old) in containers.zip(old_containers) {
        if string(container, "name") == string(old, "name") {
            for container in [container, old] {
                if let Some(container) = container.as_object_mut() {
                    container.remove("resources");
                }
            }
        }
    }
}
