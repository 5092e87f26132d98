//! Validation of a pod spec.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::container;
use super::options::PodValidationOptions;
use crate::apiserver::meta::validate_labels;
use crate::apiserver::validation::{FieldError, names, validate_enum};
use crate::go;
use crate::object::unstructured::{field, integer, list, map, string};
use crate::path::Path;

/// What dnsPolicy None needs.
/// Upstream: `pkg/apis/core/validation/validation.go validatePodDNSConfig`, the rest of which is not looked at
fn validate_nameservers(config: Option<&Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match config {
        None => errors.push(FieldError::required(path, "must provide `dnsConfig` when `dnsPolicy` is None")),
        Some(config) if list(config, "nameservers").is_empty() => {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            errors.push(FieldError::required(&path.child("nameservers"), detail));
        }
        Some(_) => {}
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpec`, as far as it bears on restarts and termination.
/// Volumes, security, scheduling and the insides of containers are not looked at.
pub(crate) fn validate_pod_spec(
    spec: &Value,
    skipped: &[&str],
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    if field(spec, "terminationGracePeriodSeconds").is_none() {
        errors.push(FieldError::required(&path.child("terminationGracePeriodSeconds"), ""));
    }
    container::validate_containers(spec, path, options, errors);
    container::validate_init_containers(spec, path, options, errors);
    validate_enum(spec, "restartPolicy", &["Always", "OnFailure", "Never"], path, errors);
    let dns_policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    validate_enum(spec, "dnsPolicy", &dns_policies, path, errors);
    if string(spec, "dnsPolicy") == "None" {
        validate_nameservers(field(spec, "dnsConfig"), &path.child("dnsConfig"), errors);
    }
    validate_labels(map(spec, "nodeSelector"), &path.child("nodeSelector"), errors);
    for (key, list_key) in [("readinessGates", "conditionType"), ("schedulingGates", "name")] {
        validate_gates(list(spec, key), list_key, &path.child(key), errors);
    }
    for key in ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"] {
        // Go can tell an empty one of the last from none.
        if !string(spec, key).is_empty() || (key == "runtimeClassName" && field(spec, key).is_some()) {
            validate_name(spec, key, names::is_dns1123_subdomain, path, errors);
        }
    }
    let (name, alias) = (string(spec, "serviceAccountName"), string(spec, "serviceAccount"));
    if alias != name {
        let detail = format!("must be the same as serviceAccountName: {}", go::quoted(name));
        errors.push(FieldError::invalid_string(&path.child("deprecatedServiceAccount"), alias, detail));
    }
    for key in ["hostname", "subdomain"] {
        if !skipped.contains(&key) && !string(spec, key).is_empty() {
            validate_name(spec, key, names::is_dns1123_label, path, errors);
        }
    }
    if let Some(seconds) = integer(spec, "activeDeadlineSeconds")
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let detail = "must be between 1 and 2147483647, inclusive";
        errors.push(FieldError::invalid_number(&path.child("activeDeadlineSeconds"), seconds, detail));
    }
    if field(spec, "preemptionPolicy").is_some() {
        validate_enum(spec, "preemptionPolicy", &["PreemptLowerPriority", "Never"], path, errors);
    }
}

fn validate_name(
    spec: &Value,
    key: &str,
    check: fn(&str) -> Vec<String>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let name = string(spec, key);
    for text in check(name) {
        errors.push(FieldError::invalid_string(&path.child(key), name, text));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateReadinessGates` and `validateSchedulingGates`
fn validate_gates(gates: &[Value], key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, gate) in gates.iter().enumerate() {
        let name = string(gate, key);
        let path = path.index(index);
        let is_scheduling_gate = key == "name";
        for text in names::is_label_key(name) {
            let path = if is_scheduling_gate { path } else { path.child(key) };
            errors.push(FieldError::invalid_string(&path, name, text));
        }
        if is_scheduling_gate && seen.contains(&name) {
            errors.push(FieldError::duplicate(&path, go::quoted(name)));
        }
        seen.push(name);
    }
}
