//! The pod spec and the pod template, as every workload has them: what bears on restarts, readiness and termination.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::FieldError;
use super::go_print::Printer;
use super::meta::{validate_annotations, validate_labels};
use super::value::{at, field, integer, list, map, map_in, set_default, set_default_string, string};
use super::{container, deletion_cost, image, names, ports, selector, volumes};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::path::Path;

/// What an update still allows because the old object had it.
/// Upstream: `pkg/apis/core/validation/validation.go PodValidationOptions`
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) allow_container_restart_policy_rules: bool,
    pub(super) allow_invalid_pod_deletion_cost: bool,
    /// The node's network beside users of the pod's own.
    pub(super) allow_host_network_with_host_users: bool,
    /// In the selectors of DaemonSets and Jobs.
    pub(super) allow_invalid_label_value_in_selector: bool,
    /// How whole templates are shown.
    pub(super) printer: Printer,
}

impl Options {
    /// From the holder of the annotations (a Pod or a pod template) of before, if this is an update.
    /// Upstream: `pkg/api/pod/util.go GetValidationOptionsFromPodSpecAndMeta`
    pub(super) fn new(old: Option<&Value>, gates: FeatureGates, printer: Printer) -> Self {
        let was_invalid = old.is_some_and(|old| {
            let annotations = field(old, "metadata").and_then(|metadata| map(metadata, "annotations"));
            let value = deletion_cost::annotation(annotations);
            deletion_cost::get_deletion_cost_from_pod_annotations(value).is_err()
        });
        Self {
            allow_container_restart_policy_rules: gates.enabled(Feature::ContainerRestartRules)
                || old.and_then(|old| field(old, "spec")).is_some_and(container_restart_rules_in_use),
            allow_invalid_pod_deletion_cost: was_invalid || !gates.enabled(Feature::PodDeletionCost),
            allow_host_network_with_host_users: gates.enabled(Feature::UserNamespacesHostNetworkSupport),
            allow_invalid_label_value_in_selector: false,
            printer,
        }
    }

    /// With what the pod of before allows.
    /// Upstream: `pkg/api/pod/util.go useAllowUserNamespacesHostNetworkSupport`
    pub(super) fn with_host_network(self, old: Option<&Value>) -> Self {
        let spec = old.and_then(|old| field(old, "spec"));
        let allowed = spec.is_some_and(ports::has_host_network_with_host_users);
        Self { allow_host_network_with_host_users: self.allow_host_network_with_host_users || allowed, ..self }
    }

    /// With what the selectors of before allow, the template's among them.
    /// Upstream: `pkg/registry/apps/daemonset/strategy.go ValidateUpdate`, `pkg/registry/batch/job/strategy.go
    /// validationOptionsForJob`
    pub(super) fn with_selector(self, old: Option<&Value>) -> Self {
        let spec = old.and_then(|old| field(old, "spec")).unwrap_or(&Value::Null);
        let allowed = field(spec, "selector").is_some_and(selector::has_invalid_label_value)
            || at(spec, &["template", "spec", "affinity"]).is_some_and(selector::is_invalid_in_affinity);
        Self { allow_invalid_label_value_in_selector: allowed, ..self }
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_PodSpec`, and what the generated defaults call beside it
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
    set_default_string(spec, "dnsPolicy", "ClusterFirst");
    set_default_string(spec, "restartPolicy", "Always");
    set_default(spec, "securityContext", Map::new());
    set_default(spec, "terminationGracePeriodSeconds", 30);
    set_default_string(spec, "schedulerName", "default-scheduler");
    volumes::set_defaults_resource_list(spec, "overhead");
    volumes::set_defaults_resources(spec);
    for volume in spec.get_mut("volumes").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(volume) = volume.as_object_mut() {
            volumes::set_defaults(volume);
        }
    }
    for key in ["initContainers", "containers", "ephemeralContainers"] {
        for container in spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(container) = container.as_object_mut() {
                set_defaults_container(container);
            }
        }
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Container`, with ports, probes and hooks
fn set_defaults_container(container: &mut Map<String, Value>) {
    // No pointers: what is not there is written as nothing.
    set_default(container, "name", "");
    let latest = image::is_latest(container.get("image").and_then(Value::as_str).unwrap_or_default());
    set_default_string(container, "imagePullPolicy", if latest { "Always" } else { "IfNotPresent" });
    set_default_string(container, "terminationMessagePath", "/dev/termination-log");
    set_default_string(container, "terminationMessagePolicy", "File");
    for port in container.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(port) = port.as_object_mut() {
            set_default_string(port, "protocol", "TCP");
            set_default(port, "containerPort", 0);
        }
    }
    for variable in container.get_mut("env").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(source) = variable.get_mut("valueFrom").and_then(Value::as_object_mut) {
            volumes::set_defaults_field_ref(source);
            if let Some(file) = source.get_mut("fileKeyRef").and_then(Value::as_object_mut) {
                set_default(file, "optional", false);
            }
        }
    }
    volumes::set_defaults_resources(container);
    for key in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(key).and_then(Value::as_object_mut) {
            set_defaults_probe(probe);
        }
    }
    if let Some(lifecycle) = container.get_mut("lifecycle").and_then(Value::as_object_mut) {
        for key in ["postStart", "preStop"] {
            if let Some(handler) = lifecycle.get_mut(key).and_then(Value::as_object_mut) {
                set_defaults_http_get(handler);
            }
        }
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Probe`
fn set_defaults_probe(probe: &mut Map<String, Value>) {
    for (key, default) in
        [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
    {
        let slot = probe.entry(key).or_insert(Value::Null);
        // Go can't tell 0 from absent here.
        if slot.is_null() || slot.as_i64() == Some(0) {
            *slot = default.into();
        }
    }
    set_defaults_http_get(probe);
    if let Some(grpc) = probe.get_mut("grpc").and_then(Value::as_object_mut) {
        set_default(grpc, "service", "");
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_HTTPGetAction`
fn set_defaults_http_get(handler: &mut Map<String, Value>) {
    if let Some(action) = handler.get_mut("httpGet").and_then(Value::as_object_mut) {
        set_default_string(action, "path", "/");
        set_default_string(action, "scheme", "HTTP");
    }
}

/// Drops what bears on restarts while its gate is off, unless the old pod spec uses it.
/// Upstream: `pkg/api/pod/util.go dropDisabledFields`, the part about ContainerRestartRules
pub(super) fn drop_disabled_fields(spec: &mut Value, old: Option<&Value>, gates: FeatureGates) {
    if gates.enabled(Feature::ContainerRestartRules) || old.is_some_and(container_restart_rules_in_use) {
        return;
    }
    for key in ["initContainers", "containers", "ephemeralContainers"] {
        for container in spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            let is_sidecar = key == "initContainers" && string(container, "restartPolicy") == "Always";
            if let Some(container) = container.as_object_mut() {
                container.remove("restartPolicyRules");
                if !is_sidecar {
                    container.remove("restartPolicy");
                }
            }
        }
    }
}

/// Upstream: `pkg/api/pod/util.go containerRestartRulesInUse`
fn container_restart_rules_in_use(spec: &Value) -> bool {
    let states = |container: &Value| field(container, "restartPolicy").is_some();
    let uses = |container: &Value| {
        let is_sidecar = string(container, "restartPolicy") == "Always";
        (states(container) && !is_sidecar) || !list(container, "restartPolicyRules").is_empty()
    };
    list(spec, "initContainers").iter().any(uses) || list(spec, "containers").iter().any(states)
}

/// Fills in the pod template that a workload's spec holds.
pub(super) fn set_defaults_template(spec: &mut Map<String, Value>) {
    if let Some(pod_spec) = map_in(spec, "template").and_then(|template| map_in(template, "spec")) {
        set_defaults(pod_spec);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodTemplateSpec`
pub(super) fn validate_pod_template_spec(
    template: &Value,
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    validate_template_without(template, &[], path, options, errors);
}

/// The same, as if these fields of the pod spec were empty.
pub(super) fn validate_template_without(
    template: &Value,
    skipped: &[&str],
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    validate_template_metadata(template, path, options, errors);
    let spec = field(template, "spec").unwrap_or(&Value::Null);
    let path = path.child("spec");
    validate(spec, skipped, &path, options, errors);
    ports::validate_host_network(spec, false, &path, options, errors);
    if !list(spec, "ephemeralContainers").is_empty() {
        let detail = "ephemeral containers not allowed in pod template";
        errors.push(FieldError::forbidden(&path.child("ephemeralContainers"), detail));
    }
}

/// The labels and annotations of a template. (Upstream's paths leave `metadata` out.)
pub(super) fn validate_template_metadata(
    template: &Value,
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    let metadata = field(template, "metadata").unwrap_or(&Value::Null);
    let annotations = map(metadata, "annotations");
    validate_labels(map(metadata, "labels"), &path.child("labels"), errors);
    validate_annotations(annotations, &path.child("annotations"), errors);
    validate_pod_specific_annotations(annotations, &path.child("annotations"), options, errors);
    let spec = field(template, "spec").unwrap_or(&Value::Null);
    validate_mirror(annotations, spec, &path.child("annotations"), errors);
}

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

/// Marks the API server's image of a Pod that a kubelet was given on its node.
/// Upstream: `k8s.io/api/core/v1/annotation_key_constants.go MirrorPodAnnotationKey`
pub(super) const MIRROR_POD: &str = "kubernetes.io/config.mirror";

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations`, this part alone
pub(super) fn validate_mirror(
    annotations: Option<&Map<String, Value>>,
    spec: &Value,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(value) = annotations.and_then(|annotations| annotations.get(MIRROR_POD))
        && string(spec, "nodeName").is_empty()
    {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        let value = value.as_str().unwrap_or_default();
        errors.push(FieldError::invalid_string(&path.key(MIRROR_POD), value, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations`, the deletion cost alone
pub(super) fn validate_pod_specific_annotations(
    annotations: Option<&Map<String, Value>>,
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    if !options.allow_invalid_pod_deletion_cost {
        deletion_cost::validate(annotations, path, errors);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpec`, as far as it bears on restarts and termination.
/// Volumes, security, scheduling and the insides of containers are not looked at.
pub(super) fn validate(
    spec: &Value,
    skipped: &[&str],
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    if field(spec, "terminationGracePeriodSeconds").is_none() {
        errors.push(FieldError::required(&path.child("terminationGracePeriodSeconds"), ""));
    }
    container::validate_containers(spec, path, options, errors);
    container::validate_init_containers(spec, path, options, errors);
    container::one_of(spec, "restartPolicy", &["Always", "OnFailure", "Never"], path, errors);
    let dns_policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    container::one_of(spec, "dnsPolicy", &dns_policies, path, errors);
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
        container::one_of(spec, "preemptionPolicy", &["PreemptLowerPriority", "Never"], path, errors);
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

/// A template for pods that are restarted for ever, and the selector that must match it.
/// Upstream: `pkg/apis/apps/validation/validation.go ValidatePodTemplateSpecForReplicaSet`
pub(super) fn validate_for_replica_set(
    template: &Value,
    selected: bool,
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    if !selected {
        selector::push_mismatch(template, path, errors);
    }
    validate_pod_template_spec(template, path, options, errors);
    validate_restarted_for_ever(template, path, "ReplicaSet", errors);
}

/// What every kind but Jobs asks of its template.
pub(super) fn validate_restarted_for_ever(template: &Value, path: &Path<'_>, kind: &str, errors: &mut Vec<FieldError>) {
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

/// The labels in a template.
pub(super) fn template_labels(template: &Value) -> Option<&Map<String, Value>> {
    map(field(template, "metadata")?, "labels")
}
