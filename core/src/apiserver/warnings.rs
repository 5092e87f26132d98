//! What the API server says to a client although it lets the object through.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::kind::Kind;
use super::operation::Operation;
use super::value::{at, field, integer, list, map, string};
use super::{job_spec, names, quantity};
use crate::go;
use crate::path::Path;

/// The warnings of the strategies about an object as it stands (defaulted and prepared), in upstream's order and words.
/// Volumes, affinity, spreading and addresses are not looked at.
/// Upstream: `pkg/registry/apps/deployment/strategy.go WarningsOnCreate` and `WarningsOnUpdate`, and those of the other
/// kinds
pub fn warnings(object: &Value, kind: Kind, operation: Operation<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    match operation {
        Operation::UpdateStatus(_) => return warnings,
        Operation::Create => {
            warn_of_name(object, kind, &mut warnings);
            warn_of_template(object, kind, &mut warnings);
        }
        Operation::Update(old) => {
            if changed(object, old, kind) {
                // Upstream has the two the wrong way round here, and looks at the old one.
                let object = if kind == Kind::ReplicationController { old } else { object };
                warn_of_template(object, kind, &mut warnings);
            }
            let schedule = at(object, &["spec", "schedule"]).and_then(Value::as_str);
            if kind == Kind::CronJob && schedule.is_some_and(|schedule| schedule.contains("TZ")) {
                warnings.push("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details".into());
            }
        }
    }
    let history = at(object, &["spec", "revisionHistoryLimit"]).and_then(Value::as_i64);
    if kind == Kind::StatefulSet && history.is_some_and(|history| history < 0) {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .into(),
        );
    }
    warnings
}

/// Whether an update makes the template worth a look. Nobody changes Pods by hand, so these are never looked at.
fn changed(object: &Value, old: &Value, kind: Kind) -> bool {
    let differs = |way: &[&str]| at(object, way) != at(old, way);
    match kind {
        Kind::Pod => false,
        Kind::DaemonSet => differs(&["metadata", "annotations", super::daemon_set::TEMPLATE_GENERATION]),
        _ => differs(&["metadata", "generation"]),
    }
}

fn warn_of_name(object: &Value, kind: Kind, warnings: &mut Vec<String>) {
    let used = match kind {
        Kind::Pod => "this is used in the Pod's hostname",
        Kind::CronJob | Kind::Deployment | Kind::Job | Kind::ReplicaSet | Kind::ReplicationController => {
            "this is used in Pod names and hostnames"
        }
        Kind::DaemonSet | Kind::PodTemplate | Kind::StatefulSet => return,
    };
    let texts = names::is_dns1123_label(at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default());
    if !texts.is_empty() {
        let texts = texts.join(" ");
        warnings.push(format!(
            "metadata.name: {used}, which can result in surprising behavior; a DNS label is recommended: [{texts}]"
        ));
    }
}

fn warn_of_template(object: &Value, kind: Kind, warnings: &mut Vec<String>) {
    let (root, spec) = (Path::Root(""), Path::Root("spec"));
    let job_template = spec.child("jobTemplate");
    let job = job_template.child("spec");
    let (template, cron_template) = (spec.child("template"), job.child("template"));
    let path = match kind {
        Kind::Pod => root,
        Kind::PodTemplate => Path::Root("template"),
        Kind::CronJob => cron_template,
        _ => template,
    };
    match kind {
        Kind::Job => warn_of_job(field(object, "spec"), &spec, warnings),
        Kind::CronJob => warn_of_job(at(object, &["spec", "jobTemplate", "spec"]), &job, warnings),
        _ => {}
    }
    let way: &[&str] = kind.template().unwrap_or_default();
    if let Some(holder) = at(object, way) {
        warn_of_pod(holder, kind, &path, warnings);
    }
}

/// Upstream: `pkg/api/job/warnings.go WarningsForJobSpec`, but for the template
fn warn_of_job(spec: Option<&Value>, path: &Path<'_>, warnings: &mut Vec<String>) {
    let Some(spec) = spec else { return };
    let above = |key: &str, most: i64| integer(spec, key).is_some_and(|number| number > most);
    if job_spec::is_indexed(spec) && above("completions", 100_000) && above("parallelism", 10_000) {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
}

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

/// Upstream: `pkg/api/pod/warnings.go warningsForPodSpecAndMeta`, for a Pod or a template
fn warn_of_pod(holder: &Value, kind: Kind, path: &Path<'_>, warnings: &mut Vec<String>) {
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
    // That of a Pod was replaced when the Pod was read.
    if kind != Kind::Pod && integer(spec, key).is_some_and(|seconds| seconds < 0) {
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
