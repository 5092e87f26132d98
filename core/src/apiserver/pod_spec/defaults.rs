//! The defaults of a pod spec and of the containers in it.

use alloc::string::String;

use serde_json::{Map, Value};

use super::{image, volumes};
use crate::object::unstructured::{map_in, set_default, set_default_string};

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_PodSpec`, and what the generated defaults call beside it
pub(crate) fn set_defaults(spec: &mut Map<String, Value>) {
    share_service_account(spec);
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

/// `serviceAccount` is an old name of `serviceAccountName`: both are written, and the new one wins.
fn share_service_account(spec: &mut Map<String, Value>) {
    let name = |key: &str| {
        let name = spec.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
        name.map(String::from)
    };
    if let Some(name) = name("serviceAccountName").or_else(|| name("serviceAccount")) {
        spec.insert("serviceAccountName".into(), name.as_str().into());
        spec.insert("serviceAccount".into(), name.into());
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Container`, with ports, probes and hooks
fn set_defaults_container(container: &mut Map<String, Value>) {
    // No pointers: an absent field is written as an empty string.
    set_default(container, "name", "");
    let image = container.get("image").and_then(Value::as_str).unwrap_or_default();
    let pull_policy = image::default_pull_policy(image);
    set_default_string(container, "imagePullPolicy", pull_policy);
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

/// Sets the defaults of a workload's pod template.
pub(crate) fn set_template_defaults(spec: &mut Map<String, Value>) {
    if let Some(pod_spec) = map_in(spec, "template").and_then(|template| map_in(template, "spec")) {
        set_defaults(pod_spec);
    }
}

/// Fills in the spec of a workload, and then its pod template.
pub(crate) fn set_spec_defaults(object: &mut Map<String, Value>, set_defaults: impl FnOnce(&mut Map<String, Value>)) {
    let Some(spec) = map_in(object, "spec") else { return };
    set_defaults(spec);
    set_template_defaults(spec);
}
