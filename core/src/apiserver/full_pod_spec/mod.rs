//! What a pod's containers, volumes and scheduling constraints and a StatefulSet's claims must be, beyond what bears on replacement:
//! only a dry run looks at it, not the simulated cluster.

mod claims;
mod environment;
mod handlers;
mod mounts;
pub(super) mod resources;
mod scheduling;
mod security;
mod volumes;

use alloc::vec::Vec;

use serde_json::Value;

use super::validation::{FieldError, names};
use crate::go;
use crate::object::unstructured::{at, field, list, string};
use crate::path::Path;
pub(super) use claims::validate_claim_templates;

/// What an update still allows because the old pod spec has it.
///
/// Upstream: `pkg/api/pod/util.go GetValidationOptionsFromPodSpecAndMeta`
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allowed {
    invalid_selector_in_affinity: bool,
    invalid_value_in_node_affinity: bool,
    invalid_selector_in_spread: bool,
    keys_in_spread_selector: bool,
    non_local_token_path: bool,
    comparison_operators: bool,
    empty_image_reference: bool,
    indivisible_huge_pages: bool,
    sys_admin_without_escalation: bool,
    devices_without_host_users: bool,
    host_sysctls: bool,
}

impl Allowed {
    pub(super) fn of(old: Option<&Value>) -> Self {
        old.map_or_else(Self::default, |old| Self {
            invalid_selector_in_affinity: scheduling::has_invalid_selector_in_affinity(old),
            invalid_value_in_node_affinity: scheduling::has_invalid_value_in_node_affinity(old),
            invalid_selector_in_spread: scheduling::has_invalid_selector_in_spread(old),
            keys_in_spread_selector: scheduling::has_invalid_keys_in_spread(old),
            non_local_token_path: volumes::has_non_local_token_path(old),
            comparison_operators: scheduling::has_comparison_operator(old),
            empty_image_reference: volumes::has_empty_image_reference(old),
            indivisible_huge_pages: all_containers(old).any(resources::has_indivisible),
            sys_admin_without_escalation: all_containers(old).any(security::adds_sys_admin_without_escalation),
            host_sysctls: security::has_host_sysctls(old),
            devices_without_host_users: field(old, "hostUsers") == Some(&Value::Bool(false))
                && all_containers(old).any(|container| !list(container, "volumeDevices").is_empty()),
        })
    }
}

/// The fields with containers.
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

fn all_containers(spec: &Value) -> impl Iterator<Item = &Value> {
    CONTAINERS.into_iter().flat_map(|key| list(spec, key))
}

/// What `pod_spec` leaves out. `pod_name` is that of a Pod.
///
/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpec`
pub(super) fn validate(
    spec: &Value,
    pod_name: Option<&str>,
    path: &Path<'_>,
    allowed: Allowed,
    errors: &mut Vec<FieldError>,
) {
    let mounted = volumes::validate(spec, pod_name, &path.child("volumes"), allowed, errors);
    for key in ["containers", "initContainers"] {
        let list_path = path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            let path = list_path.index(index);
            environment::validate(container, &path, errors);
            mounts::validate(container, &mounted, &path, errors);
            resources::validate(spec, container, &path, allowed, errors);
            security::validate(spec, container, &path, allowed, errors);
            if key == "containers" || string(container, "restartPolicy") == "Always" {
                handlers::validate(container, &path, errors);
            }
        }
    }
    validate_file_key_ref_volumes(spec, path, errors);
    if field(spec, "shareProcessNamespace") == Some(&Value::Bool(true)) && is_true(spec, "hostPID") {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.push(FieldError::invalid(&path.child("shareProcessNamespace"), "true".into(), detail));
    }
    security::validate_pod(spec, path, allowed, errors);
    security::validate_host_users(spec, path, allowed, errors);
    scheduling::validate(spec, path, allowed, errors);
}

fn is_true(value: &Value, key: &str) -> bool {
    field(value, key) == Some(&Value::Bool(true))
}

/// Upstream: `pkg/apis/core/validation/validation.go validateFileKeyRefVolumes`
fn validate_file_key_ref_volumes(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in CONTAINERS {
        let list_path = path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            let path = list_path.index(index);
            let path = path.child("env");
            for (index, variable) in list(container, "env").iter().enumerate() {
                let Some(reference) = at(variable, &["valueFrom", "fileKeyRef"]) else { continue };
                let name = string(reference, "volumeName");
                let path = path.index(index);
                let path = path.child("valueFrom");
                let path = path.child("fileKeyRef");
                let path = path.child("volumeName");
                // The last volume of a name counts.
                match list(spec, "volumes").iter().rev().find(|volume| string(volume, "name") == name) {
                    None => errors.push(FieldError::not_found(&path, go::quoted(name), "")),
                    Some(volume) if field(volume, "emptyDir").is_none() => {
                        errors.push(FieldError::invalid_string(
                            &path,
                            name,
                            "referenced volume must be of type emptyDir",
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

fn validate_dns1123_label(value: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    errors.extend(names::is_dns1123_label(value).into_iter().map(|text| FieldError::invalid_string(path, value, text)));
}

fn validate_dns1123_subdomain(value: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    errors.extend(
        names::is_dns1123_subdomain(value).into_iter().map(|text| FieldError::invalid_string(path, value, text)),
    );
}

/// A string that must be there.
fn require(value: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if string(value, key).is_empty() {
        errors.push(FieldError::required(&path.child(key), ""));
    }
}

/// One of a list of values, if it is there.
fn validate_choice(value: &Value, key: &str, supported: &[&str], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(choice) = field(value, key).and_then(Value::as_str).filter(|choice| !supported.contains(choice)) {
        errors.push(FieldError::not_supported(&path.child(key), go::json_string(choice), supported));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validatePathNoBacksteps`
fn validate_no_backsteps(target: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if target.split('/').any(|part| part == "..") {
        errors.push(FieldError::invalid_string(path, target, "must not contain '..'"));
    }
}

/// A user or a group.
/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsValidUserID` and `IsValidGroupID`
fn validate_id(value: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(id) = field(value, key).and_then(Value::as_i64).filter(|id| !(0..=2_147_483_647).contains(id)) {
        let detail = "must be between 0 and 2147483647, inclusive";
        errors.push(FieldError::invalid_number(&path.child(key), id, detail));
    }
}
