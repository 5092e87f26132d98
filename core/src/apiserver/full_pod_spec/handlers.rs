//! What probes and hooks do.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde_json::Value;

use super::require;
use crate::apiserver::pod_spec::is_valid_port_name;
use crate::apiserver::validation::{FieldError, names};
use crate::go;
use crate::object::unstructured::{field, list, string};
use crate::path::Path;

/// Probes and hooks of a container that may have them.
pub(super) fn validate(container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = field(container, key) {
            validate_handler(probe, &["exec", "httpGet", "tcpSocket", "grpc"], &path.child(key), errors);
        }
    }
    let Some(lifecycle) = field(container, "lifecycle") else { return };
    let path = path.child("lifecycle");
    for key in ["postStart", "preStop"] {
        if let Some(hook) = field(lifecycle, key) {
            let path = path.child(key);
            let actions = ["exec", "httpGet", "tcpSocket", "sleep"];
            let given: Vec<&str> = actions.into_iter().filter(|action| field(hook, action).is_some()).collect();
            for action in given.iter().skip(1) {
                errors.push(FieldError::forbidden(&path.child(action), "may not specify more than 1 handler type"));
            }
            if given.is_empty() {
                errors.push(FieldError::required(&path, "must specify a handler type"));
            }
            validate_handler(hook, &actions, &path, errors);
        }
    }
}

/// The first action counts; `pod_spec` says if there are none or several.
/// Upstream: `pkg/apis/core/validation/validation.go validateHandler`
fn validate_handler(handler: &Value, actions: &[&str], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some((key, action)) = actions.iter().find_map(|key| Some((*key, field(handler, key)?))) else { return };
    let path = path.child(key);
    match key {
        "exec" if list(action, "command").is_empty() => {
            errors.push(FieldError::required(&path.child("command"), ""));
        }
        "httpGet" => validate_http_get_action(action, &path, errors),
        "tcpSocket" | "grpc" => validate_port(field(action, "port"), &path.child("port"), errors),
        // `pod_spec` looks at a sleep.
        _ => {}
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateHTTPGetAction`, without the protocol
fn validate_http_get_action(action: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    require(action, "path", path, errors);
    validate_port(field(action, "port"), &path.child("port"), errors);
    let scheme = string(action, "scheme");
    if !["HTTP", "HTTPS"].contains(&scheme) {
        let path = path.child("scheme");
        errors.push(FieldError::not_supported(&path, go::json_string(scheme), &["HTTP", "HTTPS"]));
    }
    for header in list(action, "httpHeaders") {
        let name = string(header, "name");
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            let text = "a valid HTTP header must consist of alphanumeric characters or '-'";
            let detail = names::regex_error(text, "[-A-Za-z0-9]+", &["X-Header-Name"]);
            errors.push(FieldError::invalid_string(&path.child("httpHeaders"), name, detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePortNumOrName`
fn validate_port(port: Option<&Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(Value::String(name)) = port {
        for text in port_name_problems(name) {
            errors.push(FieldError::invalid_string(path, name, text));
        }
        return;
    }
    let number = port.and_then(Value::as_i64).unwrap_or_default();
    if !(1..=65535).contains(&number) {
        errors.push(FieldError::invalid_number(path, number, "must be between 1 and 65535, inclusive"));
    }
}

fn port_name_problems(name: &str) -> Vec<String> {
    if name.is_empty() {
        // Only the name of a container's port may be empty.
        return vec![
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_string(),
            "must contain at least one letter (a-z)".to_string(),
        ];
    }
    is_valid_port_name(name).into_iter().map(ToString::to_string).collect()
}
