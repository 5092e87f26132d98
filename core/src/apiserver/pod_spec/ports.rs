//! The ports of containers, and those of the node that they take.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::options::{PodValidationOptions, has_host_network_with_host_users};
use crate::apiserver::validation::{FieldError, validate_enum};
use crate::go;
use crate::object::unstructured::{field, integer, list, string};
use crate::path::Path;

const LONGEST_NAME: usize = 15;
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

fn number(port: &Value, key: &str) -> i64 {
    integer(port, key).unwrap_or_default()
}

/// Upstream: `pkg/apis/core/validation/validation.go validateContainerPorts`
pub(crate) fn validate(container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let path = path.child("ports");
    let mut seen: Vec<&str> = Vec::new();
    for (index, port) in list(container, "ports").iter().enumerate() {
        let path = path.index(index);
        let name = string(port, "name");
        let (texts, path_of_name) = (is_valid_port_name(name), path.child("name"));
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(&path_of_name, go::quoted(name)));
        } else if texts.is_empty() && !name.is_empty() {
            seen.push(name);
        }
        for text in texts {
            errors.push(FieldError::invalid_string(&path_of_name, name, text));
        }
        if number(port, "containerPort") == 0 {
            errors.push(FieldError::required(&path.child("containerPort"), ""));
        }
        for key in ["containerPort", "hostPort"] {
            let number = number(port, key);
            if number != 0 && !(1..=65535).contains(&number) {
                let detail = "must be between 1 and 65535, inclusive";
                errors.push(FieldError::invalid_number(&path.child(key), number, detail));
            }
        }
        validate_enum(port, "protocol", &PROTOCOLS, &path, errors);
    }
}

/// The problems of a port's name; it may be absent.
/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsValidPortName`
pub(crate) fn is_valid_port_name(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return Vec::new();
    }
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let checks = [
        (name.len() > LONGEST_NAME, "must be no more than 15 characters"),
        (
            !name.chars().all(|c| alphanumeric(c) || c == '-'),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (!name.contains(|c: char| c.is_ascii_lowercase()), "must contain at least one letter (a-z)"),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, text)| text).collect()
}

/// Ports of the node that are taken twice. Containers run beside one another, init containers one after the other; there
/// upstream names every one of them the first.
/// Upstream: `pkg/apis/core/validation/validation.go checkHostPortConflicts`
pub(crate) fn check_host_port_conflicts(containers: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut taken: Vec<String> = Vec::new();
    for (index, container) in containers.iter().enumerate() {
        let path = path.index(index);
        let path = path.child("ports");
        for (index, port) in list(container, "ports").iter().enumerate() {
            let number = number(port, "hostPort");
            if number == 0 {
                continue;
            }
            let whole = format!("{}/{}/{number}", string(port, "protocol"), string(port, "hostIP"));
            if taken.contains(&whole) {
                let path = path.index(index);
                errors.push(FieldError::duplicate(&path.child("hostPort"), go::quoted(&whole)));
            } else {
                taken.push(whole);
            }
        }
    }
}

/// In the node's network a port is the node's; in a template it may still be open.
/// Upstream: `pkg/apis/core/validation/validation.go validatePodHostNetworkDeps`
pub(crate) fn validate_host_network(
    spec: &Value,
    is_pod: bool,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    if field(spec, "hostNetwork") != Some(&Value::Bool(true)) {
        return;
    }
    if has_host_network_with_host_users(spec) && !options.allow_host_network_with_host_users {
        errors.push(FieldError::forbidden(&path.child("hostNetwork"), "when `hostUsers` is false"));
    }
    let path = path.child("containers");
    for (index, container) in list(spec, "containers").iter().enumerate() {
        let path = path.index(index);
        let path = path.child("ports");
        for (index, port) in list(container, "ports").iter().enumerate() {
            let host_port = number(port, "hostPort");
            if (is_pod || host_port != 0) && host_port != number(port, "containerPort") {
                let path = path.index(index);
                let detail = "must match `containerPort` when `hostNetwork` is true";
                errors.push(FieldError::invalid_number(&path.child("hostPort"), host_port, detail));
            }
        }
    }
}
