//! A container's environment.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::{require, validate_dns1123_label, validate_dns1123_subdomain, validate_no_backsteps};
use crate::apiserver::validation::{FieldError, names};
use crate::go;
use crate::object::quantity;
use crate::object::unstructured::{field, list, string};
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go validEnvDownwardAPIFieldPathExpressions`
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Upstream: `pkg/apis/core/validation/validation.go validContainerResourceFieldPathExpressions`
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// Upstream: `pkg/apis/core/pods/helpers.go ConvertDownwardAPIFieldLabel`
const LABELS: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

pub(super) fn validate(container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_env(container, &path.child("env"), errors);
    validate_env_from(container, &path.child("envFrom"), errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateEnv`
fn validate_env(container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (index, variable) in list(container, "env").iter().enumerate() {
        let path = path.index(index);
        require(variable, "name", &path, errors);
        if !string(variable, "name").is_empty() {
            validate_relaxed_name(variable, "name", &path, errors);
        }
        if let Some(source) = field(variable, "valueFrom") {
            validate_source(source, string(variable, "value"), &path.child("valueFrom"), errors);
        }
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsRelaxedEnvVarName`
fn validate_relaxed_name(value: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let name = string(value, key);
    if !name.chars().all(|c| (c == ' ' || c.is_ascii_graphic()) && c != '=') {
        let detail = "a valid environment variable name must consist only of printable ASCII characters other than '='";
        errors.push(FieldError::invalid_string(&path.child(key), name, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateEnvVarValueFrom`
fn validate_source(source: &Value, value: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut sources: usize = 0;
    if let Some(reference) = field(source, "fieldRef") {
        sources = sources.saturating_add(1);
        validate_object_field_selector(reference, &FIELDS, &path.child("fieldRef"), errors);
    }
    if let Some(reference) = field(source, "resourceFieldRef") {
        sources = sources.saturating_add(1);
        validate_resource_field_selector(reference, false, &path.child("resourceFieldRef"), errors);
    }
    for key in ["configMapKeyRef", "secretKeyRef"] {
        if let Some(reference) = field(source, key) {
            sources = sources.saturating_add(1);
            validate_key_selector(reference, &path.child(key), errors);
        }
    }
    if let Some(reference) = field(source, "fileKeyRef") {
        sources = sources.saturating_add(1);
        validate_file_key_selector(reference, &path.child("fileKeyRef"), errors);
    }
    let detail = match sources {
        0 => "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        _ if !value.is_empty() => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(FieldError::invalid_string(path, "", detail));
}

/// Upstream: `pkg/apis/core/validation/validation.go validateObjectFieldSelector`
pub(super) fn validate_object_field_selector(
    reference: &Value,
    supported: &[&str],
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let (version, label) = (string(reference, "apiVersion"), string(reference, "fieldPath"));
    if version.is_empty() {
        errors.push(FieldError::required(&path.child("apiVersion"), ""));
        return;
    }
    if label.is_empty() {
        errors.push(FieldError::required(&path.child("fieldPath"), ""));
        return;
    }
    let subscripted = split_subscript(label);
    let problem = match subscripted {
        _ if version != "v1" => Some(format!("unsupported pod version: {version}")),
        Some(("metadata.annotations" | "metadata.labels", _)) => None,
        Some(_) => Some(format!("field label does not support subscript: {label}")),
        None if LABELS.contains(&label) || label == "spec.host" => None,
        None => Some(format!("field label not supported: {label}")),
    };
    if let Some(problem) = problem {
        let detail = format!("error converting fieldPath: {problem}");
        errors.push(FieldError::invalid_string(&path.child("fieldPath"), label, detail));
        return;
    }
    match subscripted {
        Some(("metadata.annotations", key)) => validate_qualified_name(&go::to_lower(key), path, errors),
        Some((_, key)) => validate_qualified_name(key, path, errors),
        None => {
            // An old name.
            let label = if label == "spec.host" { "spec.nodeName" } else { label };
            if !supported.contains(&label) {
                errors.push(FieldError::not_supported(&path.child("fieldPath"), go::quoted(label), supported));
            }
        }
    }
}

/// Upstream: `pkg/fieldpath/fieldpath.go SplitMaybeSubscriptedPath`
fn split_subscript(path: &str) -> Option<(&str, &str)> {
    path.strip_suffix("']")?.split_once("['").filter(|(field, _)| !field.is_empty())
}

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsQualifiedName`
fn validate_qualified_name(name: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    errors.extend(names::is_label_key(name).into_iter().map(|text| FieldError::invalid_string(path, name, text)));
}

/// Upstream: `pkg/apis/core/validation/validation.go validateContainerResourceFieldSelector`
pub(super) fn validate_resource_field_selector(
    reference: &Value,
    in_volume: bool,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let resource = string(reference, "resource");
    let is_huge_pages = ["requests.hugepages-", "limits.hugepages-"].iter().any(|start| resource.starts_with(start));
    if in_volume && string(reference, "containerName").is_empty() {
        errors.push(FieldError::required(&path.child("containerName"), ""));
    } else if resource.is_empty() {
        errors.push(FieldError::required(&path.child("resource"), ""));
    } else if !RESOURCES.contains(&resource) && !is_huge_pages {
        errors.push(FieldError::not_supported(&path.child("resource"), go::quoted(resource), &RESOURCES));
    }
    validate_divisor(reference, resource, is_huge_pages, path, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateContainerResourceDivisor`
fn validate_divisor(
    reference: &Value,
    resource: &str,
    is_huge_pages: bool,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    const CPU: [&str; 2] = ["1m", "1"];
    const BYTES: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
    let Some(divisor) = field(reference, "divisor").filter(|divisor| quantity::nanos(divisor) != Some(0)) else {
        return;
    };
    let (supported, name): (&[&str], &str) = match resource {
        "limits.cpu" | "requests.cpu" => (&CPU, "cpu"),
        "limits.memory" | "requests.memory" => (&BYTES, "memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => (&BYTES, "local ephemeral storage"),
        _ if is_huge_pages => (&BYTES, "hugepages"),
        _ => return,
    };
    let written = quantity::canonical(divisor).unwrap_or_default();
    if !supported.contains(&written.as_str()) {
        let values = if name == "cpu" { "1m and 1".to_string() } else { BYTES.join(", ") };
        let detail = format!("only divisor's values {values} are supported with the {name} resource");
        errors.push(FieldError::invalid_string(&path.child("divisor"), resource, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateConfigMapKeySelector` and `validateSecretKeySelector`
fn validate_key_selector(reference: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_dns1123_subdomain(string(reference, "name"), &path.child("name"), errors);
    let key = string(reference, "key");
    if key.is_empty() {
        errors.push(FieldError::required(&path.child("key"), ""));
    }
    for text in config_map_key_problems(key).into_iter().filter(|_| !key.is_empty()) {
        errors.push(FieldError::invalid_string(&path.child("key"), key, text));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsConfigMapKey`
fn config_map_key_problems(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if key.len() > 253 {
        problems.push("must be no more than 253 characters".to_string());
    }
    if !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)) {
        let text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        problems.push(names::regex_error(text, "[-._a-zA-Z0-9]+", &["key.name", "KEY_NAME", "key-name"]));
    }
    match key {
        "." => problems.push("must not be '.'".to_string()),
        ".." => problems.push("must not be '..'".to_string()),
        _ if key.starts_with("..") => problems.push("must not start with '..'".to_string()),
        _ => {}
    }
    problems
}

/// Upstream: `pkg/apis/core/validation/validation.go validateFileKeySelector`
fn validate_file_key_selector(reference: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    require(reference, "key", path, errors);
    validate_relaxed_name(reference, "key", path, errors);
    require(reference, "volumeName", path, errors);
    let volume = string(reference, "volumeName");
    if !volume.is_empty() {
        validate_dns1123_label(volume, &path.child("volumeName"), errors);
    }
    require(reference, "path", path, errors);
    validate_no_backsteps(string(reference, "path"), &path.child("path"), errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateEnvFrom`
fn validate_env_from(container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (index, source) in list(container, "envFrom").iter().enumerate() {
        let item = path.index(index);
        validate_relaxed_name(source, "prefix", &item, errors);
        let mut sources: usize = 0;
        for key in ["configMapRef", "secretRef"] {
            let Some(reference) = field(source, key) else { continue };
            sources = sources.saturating_add(1);
            let reference_path = item.child(key);
            require(reference, "name", &reference_path, errors);
            let name = string(reference, "name");
            if !name.is_empty() {
                // Checked as a prefix: a name may end with a dash.
                let masked = masked_trailing_dash(name);
                for text in names::is_dns1123_subdomain(&masked) {
                    errors.push(FieldError::invalid_string(&reference_path.child("name"), name, text));
                }
            }
        }
        let detail = match sources {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        errors.push(FieldError::invalid_string(path, "", detail));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go maskTrailingDash`
fn masked_trailing_dash(name: &str) -> String {
    match name.strip_suffix('-') {
        Some(start) if !start.is_empty() => {
            let mut chars = start.chars();
            chars.next_back();
            format!("{}a", chars.as_str())
        }
        _ => name.into(),
    }
}
