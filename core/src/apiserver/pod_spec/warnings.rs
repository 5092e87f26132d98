//! What a client is warned of in a pod spec. Volumes, affinity, spreading and addresses are not looked at.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::validation::names;
use crate::go;
use crate::object::quantity;
use crate::object::unstructured::{at, field, integer, list, map, string};
use crate::path::Path;

/// Upstream: `pkg/api/node/util.go deprecatedNodeLabels`
const DEPRECATED_NODE_LABELS: [(&str, &str); 8] = [
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    ("failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"),
    ("beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    ("scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];

/// Upstream: `pkg/api/pod/warnings.go deprecatedAnnotations`
const DEPRECATED_ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
];

/// The problems of a name that becomes a part of other names, which are used in `used_in`.
pub(crate) fn warn_of_name(object: &Value, used_in: &str, warnings: &mut Vec<String>) {
    let name = at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
    let texts = names::is_dns1123_label(name);
    if !texts.is_empty() {
        let texts = texts.join(" ");
        warnings.push(format!(
            "metadata.name: this is used in {used_in}, which can result in surprising behavior; a DNS label is recommended: [{texts}]"
        ));
    }
}

/// Upstream: `pkg/api/pod/warnings.go GetWarningsForPodTemplate`, for the template at a path of names
pub(crate) fn warn_of_template(object: &Value, field_path: &[&str], warnings: &mut Vec<String>) {
    let Some(template) = at(object, field_path) else { return };
    let text = field_path.join(".");
    let path = Path::Root(&text);
    warn_of_pod(template, &path, warnings);
}

/// Upstream: `pkg/api/pod/warnings.go warningsForPodSpecAndMeta`
pub(crate) fn warn_of_pod(holder: &Value, path: &Path<'_>, warnings: &mut Vec<String>) {
    let spec = field(holder, "spec").unwrap_or(&Value::Null);
    let spec_path = path.child("spec");
    let selector_path = spec_path.child("nodeSelector");
    for key in map(spec, "nodeSelector").into_iter().flat_map(|labels| labels.keys()) {
        if let Some((_, text)) = DEPRECATED_NODE_LABELS.iter().find(|(label, _)| label == key) {
            warnings.push(format!("{}: {text}", selector_path.key(key)));
        }
    }
    let metadata_path = path.child("metadata");
    let annotations_path = metadata_path.child("annotations");
    for (key, text) in DEPRECATED_ANNOTATIONS {
        if at(holder, &["metadata", "annotations", key]).is_some() {
            warnings.push(format!("{}: {text}", annotations_path.key(key)));
        }
    }
    warn_of_duplicates(list(spec, "hostAliases"), "ip", &spec_path.child("hostAliases"), warnings);
    let secrets = list(spec, "imagePullSecrets");
    let secrets_path = spec_path.child("imagePullSecrets");
    warn_of_duplicates(secrets, "name", &secrets_path, warnings);
    for (index, secret) in secrets.iter().enumerate() {
        if string(secret, "name").is_empty() {
            let path = secrets_path.index(index);
            warnings.push(format!("{}: invalid empty name \"\"", path.child("name")));
        }
    }
    warn_of_fractions(spec, "overhead", &spec_path, &["memory", "ephemeral-storage"], warnings);
    for key in ["initContainers", "containers"] {
        let path = spec_path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            let path = path.index(index);
            let resources = field(container, "resources").unwrap_or(&Value::Null);
            for name in ["memory", "ephemeral-storage"] {
                for key in ["limits", "requests"] {
                    warn_of_fractions(resources, key, &path.child("resources"), &[name], warnings);
                }
            }
            warn_of_environment(container, &path.child("env"), warnings);
        }
    }
    warn_of_ports(spec, &spec_path, warnings);
    warn_of_port_names(spec, &spec_path, warnings);
    let key = "terminationGracePeriodSeconds";
    if field(spec, key).and_then(Value::as_i64).is_some_and(|seconds| seconds < 0) {
        let path = spec_path.child(key);
        warnings.push(format!("{path}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
}

fn warn_of_duplicates(items: &[Value], key: &str, path: &Path<'_>, warnings: &mut Vec<String>) {
    for (index, item) in items.iter().enumerate() {
        let name = string(item, key);
        if items.iter().take(index).any(|earlier| string(earlier, key) == name) {
            let path = path.index(index);
            warnings.push(format!("{}: duplicate {key} {}", path.child(key), go::quoted(name)));
        }
    }
}

fn warn_of_fractions(holder: &Value, key: &str, path: &Path<'_>, names: &[&str], warnings: &mut Vec<String>) {
    for name in names {
        let Some(amount) = at(holder, &[key, name]) else { continue };
        let fraction = quantity::nanos(amount).and_then(|nanos| nanos.checked_rem(1_000_000_000)).unwrap_or_default();
        if fraction != 0 {
            let shown = amount.as_str().map_or_else(|| amount.to_string(), String::from);
            let path = path.child(key);
            let value = go::quoted(&shown);
            warnings.push(format!("{}: fractional byte value {value} is invalid, must be an integer", path.key(name)));
        }
    }
}

/// A variable that hides an earlier one without referring to it.
fn warn_of_environment(container: &Value, path: &Path<'_>, warnings: &mut Vec<String>) {
    let variables = list(container, "env");
    for (index, variable) in variables.iter().enumerate() {
        let name = string(variable, "name");
        if !variables.iter().take(index).any(|earlier| string(earlier, "name") == name) {
            continue;
        }
        let reference = format!("$({name})");
        let value = string(variable, "value");
        if field(variable, "valueFrom").is_some() || value == reference || !value.contains(&reference) {
            let (path, name) = (path.index(index), go::quoted(name));
            warnings
                .push(format!("{path}: hides previous definition of {name}, which may be dropped when using apply"));
        }
    }
}

/// Every port with its path, init containers first.
fn ports<'a>(spec: &'a Value, path: &Path<'_>) -> Vec<(String, &'a Value)> {
    let mut ports = Vec::new();
    for key in ["initContainers", "containers"] {
        let path = path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            let path = path.index(index);
            let path = path.child("ports");
            for (index, port) in list(container, "ports").iter().enumerate() {
                ports.push((path.index(index).to_string(), port));
            }
        }
    }
    ports
}

fn warn_of_ports(spec: &Value, path: &Path<'_>, warnings: &mut Vec<String>) {
    let ports = ports(spec, path);
    let number = |port: &Value, key: &str| integer(port, key).unwrap_or_default();
    for (index, (path, port)) in ports.iter().enumerate() {
        let (host_ip, host_port) = (string(port, "hostIP"), number(port, "hostPort"));
        if !host_ip.is_empty() && host_port == 0 {
            let (name, container, protocol) =
                (string(port, "name"), number(port, "containerPort"), string(port, "protocol"));
            warnings.push(format!(
                "{path}: hostIP set without hostPort: {{Name:{name} HostPort:0 ContainerPort:{container} Protocol:{protocol} HostIP:{host_ip}}}"
            ));
        }
        for (other_path, other) in ports.iter().take(index) {
            let same = number(port, "containerPort") == number(other, "containerPort")
                && string(port, "protocol") == string(other, "protocol");
            if !same {
                continue;
            }
            let (other_ip, other_port) = (string(other, "hostIP"), number(other, "hostPort"));
            let what = if host_ip == other_ip && host_port == other_port {
                "duplicate"
            } else if host_port == 0 || other_port == 0 {
                "overlapping"
            } else if host_port == other_port && (host_ip.is_empty() != other_ip.is_empty()) {
                "dangerously ambiguous"
            } else {
                continue;
            };
            warnings.push(format!("{path}: {what} port definition with {other_path}"));
        }
    }
}

fn warn_of_port_names(spec: &Value, path: &Path<'_>, warnings: &mut Vec<String>) {
    let ports = ports(spec, path);
    for (index, (path, port)) in ports.iter().enumerate() {
        let name = string(port, "name");
        let first = ports.iter().take(index).find(|(_, other)| string(other, "name") == name);
        if let Some((other, _)) = first
            && !name.is_empty()
        {
            let name = go::quoted(name);
            warnings.push(format!(
                "{path}: duplicate port name {name} with {other}, services and probes that select ports by name will use {other}"
            ));
        }
    }
}
