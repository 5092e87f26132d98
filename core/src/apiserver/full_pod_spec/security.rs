//! Security contexts, and the namespaces of the node.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::{Allowed, is_true, validate_id};
use crate::apiserver::internal_version::Printer;
use crate::apiserver::validation::FieldError;
use crate::go;
use crate::object::unstructured::{at, field, list, string};
use crate::path::Path;

/// Upstream: `k8s.io/component-helpers/node/util/sysctl/namespace.go nameToNamespace`, those of IPC
const IPC: [&str; 10] = [
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.shm",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
    "kernel.msg",
];

/// Upstream: `pkg/apis/core/validation/validation.go ValidateSecurityContext`, without AppArmor's profile and Windows' options
pub(super) fn validate(
    spec: &Value,
    container: &Value,
    path: &Path<'_>,
    allowed: Allowed,
    errors: &mut Vec<FieldError>,
) {
    let Some(context) = field(container, "securityContext") else { return };
    let path = path.child("securityContext");
    for key in ["runAsUser", "runAsGroup"] {
        validate_id(context, key, &path, errors);
    }
    super::validate_choice(context, "procMount", &["Default", "Unmasked"], &path, errors);
    let has_host_users = field(spec, "hostUsers") != Some(&Value::Bool(false));
    if has_host_users && string(context, "procMount") == "Unmasked" {
        let value = go::json_string("Unmasked");
        let detail = "`hostUsers` must be false to use `Unmasked`";
        errors.push(FieldError::invalid(&path.child("procMount"), value, detail));
    }
    validate_seccomp_profile(context, &path, errors);
    if field(context, "allowPrivilegeEscalation") != Some(&Value::Bool(false)) {
        return;
    }
    let mut refuse = |detail: &str| {
        errors.push(FieldError::invalid(&path, Printer::Full.security_context(context), detail));
    };
    if is_true(context, "privileged") {
        refuse("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    if !allowed.sys_admin_without_escalation {
        for _ in added_sys_admin(context) {
            refuse("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
        }
    }
}

fn added_sys_admin(context: &Value) -> impl Iterator<Item = &Value> {
    let added = field(context, "capabilities").map_or(&[][..], |capabilities| list(capabilities, "add"));
    added.iter().filter(|capability| capability.as_str() == Some("CAP_SYS_ADMIN"))
}

/// Upstream: `pkg/api/pod/util.go useAllowSysAdminWhenPrivilegeEscalationFalse`, for one container
pub(super) fn adds_sys_admin_without_escalation(container: &Value) -> bool {
    let is_refused = at(container, &["securityContext", "allowPrivilegeEscalation"]) == Some(&Value::Bool(false));
    is_refused && field(container, "securityContext").is_some_and(|context| added_sys_admin(context).count() > 0)
}

/// Upstream: `pkg/apis/core/validation/validation.go validateSeccompProfileField`, but for a profile that is there
fn validate_seccomp_profile(context: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    const TYPES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
    let Some(profile) = field(context, "seccompProfile") else { return };
    let path = path.child("seccompProfile");
    match string(profile, "type") {
        "" => errors.push(FieldError::required(&path.child("type"), "type is required when seccompProfile is set")),
        "Localhost" if field(profile, "localhostProfile").is_none() => {
            let detail = "must be set when seccomp type is Localhost";
            errors.push(FieldError::required(&path.child("localhostProfile"), detail));
        }
        _ => super::validate_choice(profile, "type", &TYPES, &path, errors),
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validatePodSpecSecurityContext`, without profiles and Windows' options
pub(super) fn validate_pod(spec: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    let Some(context) = field(spec, "securityContext") else { return };
    let path = path.child("securityContext");
    for key in ["fsGroup", "runAsUser", "runAsGroup"] {
        validate_id(context, key, &path, errors);
    }
    let groups_path = path.child("supplementalGroups");
    for (index, group) in list(context, "supplementalGroups").iter().enumerate() {
        let group = group.as_i64().unwrap_or_default();
        if !(0..=2_147_483_647).contains(&group) {
            let detail = "must be between 0 and 2147483647, inclusive";
            errors.push(FieldError::invalid_number(&groups_path.index(index), group, detail));
        }
    }
    super::validate_choice(context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"], &path, errors);
    super::validate_choice(context, "supplementalGroupsPolicy", &["Merge", "Strict"], &path, errors);
    validate_seccomp_profile(context, &path, errors);
    validate_sysctls(spec, list(context, "sysctls"), &path.child("sysctls"), allowed, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateSysctls`
fn validate_sysctls(spec: &Value, sysctls: &[Value], path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    let mut names: Vec<&str> = Vec::new();
    for (index, sysctl) in sysctls.iter().enumerate() {
        let path = path.index(index);
        let (name, path) = (string(sysctl, "name"), path.child("name"));
        if name.is_empty() {
            errors.push(FieldError::required(&path, ""));
        } else if !is_valid_sysctl_name(name) {
            let detail = r"must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
            errors.push(FieldError::invalid_string(&path, name, detail));
        } else if names.contains(&name) {
            errors.push(FieldError::duplicate(&path, go::quoted(name)));
        }
        if let Some(detail) = host_sysctl_problem(name, spec).filter(|_| !allowed.host_sysctls) {
            errors.push(FieldError::invalid_string(&path, name, detail));
        }
        names.push(name);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go IsValidSysctlName`
fn is_valid_sysctl_name(name: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.len() <= 253
        && name.split(['.', '/']).map(str::as_bytes).all(|part| {
            let is_inside = |byte: &u8| is_end(Some(byte)) || b"-_".contains(byte);
            is_end(part.first()) && is_end(part.last()) && part.iter().all(is_inside)
        })
}

/// What is wrong with a setting of a namespace that the pod shares with its node.
///
/// Upstream: `pkg/apis/core/validation/validation.go ValidateHostSysctl`
fn host_sysctl_problem(name: &str, spec: &Value) -> Option<&'static str> {
    // The first separator is a dot, whatever the client writes.
    let normal: String = match name.chars().find(|char| matches!(char, '.' | '/')) {
        Some('/') => name.chars().map(swapped_separator).collect(),
        _ => name.into(),
    };
    let known = normal.split('*').next().unwrap_or_default();
    if is_true(spec, "hostNetwork") && known.starts_with("net.") {
        Some("may not be specified when 'hostNetwork' is true")
    } else if is_true(spec, "hostIPC") && (IPC.contains(&known) || known.starts_with("fs.mqueue.")) {
        Some("may not be specified when 'hostIPC' is true")
    } else {
        None
    }
}

fn swapped_separator(char: char) -> char {
    match char {
        '.' => '/',
        '/' => '.',
        other => other,
    }
}

/// Upstream: `pkg/api/pod/util.go GetValidationOptionsFromPodSpecAndMeta`, AllowNamespacedSysctlsForHostNetAndHostIPC
pub(super) fn has_host_sysctls(spec: &Value) -> bool {
    let sysctls = field(spec, "securityContext").map_or(&[][..], |context| list(context, "sysctls"));
    sysctls.iter().any(|sysctl| host_sysctl_problem(string(sysctl, "name"), spec).is_some())
}

/// Upstream: `pkg/apis/core/validation/validation.go validateHostUsers`, but for the node's network
pub(super) fn validate_host_users(spec: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    const DETAIL: &str = "when `hostUsers` is false";
    if field(spec, "hostUsers") != Some(&Value::Bool(false)) {
        return;
    }
    // Upstream's paths have Go's names.
    for (key, name) in [("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
        if is_true(spec, key) {
            errors.push(FieldError::forbidden(&path.child(name), DETAIL));
        }
    }
    for key in super::CONTAINERS.into_iter().filter(|_| !allowed.devices_without_host_users) {
        let list_path = path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            if !list(container, "volumeDevices").is_empty() {
                let path = list_path.index(index);
                errors.push(FieldError::forbidden(&path.child("volumeDevices"), DETAIL));
            }
        }
    }
}
