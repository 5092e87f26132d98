//! The defaults of a Pod.

use alloc::string::String;

use serde_json::{Map, Value, json};

use crate::apiserver::pod_spec;
use crate::object::unstructured::{map_in, set_default, string};

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Pod`
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
    replace_negative_grace_period(spec);
    let host_network = spec.get("hostNetwork").and_then(Value::as_bool).unwrap_or_default();
    for key in ["containers", "initContainers"] {
        let containers = spec.get_mut(key).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter_map(Value::as_object_mut) {
            requests_from_limits(container);
            if host_network {
                host_ports(container);
            }
        }
    }
    set_default(spec, "enableServiceLinks", true);
    pod_spec::set_defaults(spec);
}

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Pod`, the first part
pub(super) fn replace_negative_grace_period(spec: &mut Map<String, Value>) {
    let key = "terminationGracePeriodSeconds";
    if spec.get(key).and_then(Value::as_i64).is_some_and(|seconds| seconds < 0) {
        spec.insert(key.into(), 1.into());
    }
}

fn requests_from_limits(container: &mut Map<String, Value>) {
    let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut) else { return };
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else { return };
    if let Some(requests) = map_in(resources, "requests") {
        for (name, quantity) in limits {
            requests.entry(name).or_insert(quantity);
        }
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go defaultHostNetworkPorts`
fn host_ports(container: &mut Map<String, Value>) {
    let ports = container.get_mut("ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
        if port.get("hostPort").is_none_or(|port| port.is_null() || port.as_i64() == Some(0))
            && let Some(number) = port.get("containerPort").filter(|number| number.as_i64() != Some(0)).cloned()
        {
            port.insert("hostPort".into(), number);
        }
    }
}

/// `podIP` is the first of `podIPs`, and wins where it is another one.
///
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_PodStatus`
pub(super) fn set_status_defaults(status: &mut Map<String, Value>) {
    let first = status.get("podIPs").and_then(|list| list.get(0)).map(|item| String::from(string(item, "ip")));
    match status.get("podIP").and_then(Value::as_str).filter(|ip| !ip.is_empty()) {
        Some(ip) if first.as_deref() == Some(ip) => {}
        Some(ip) => {
            let only = json!([{ "ip": ip }]);
            status.insert("podIPs".into(), only);
        }
        None => {
            if let Some(first) = first.filter(|first| !first.is_empty()) {
                status.insert("podIP".into(), first.into());
            }
        }
    }
}
