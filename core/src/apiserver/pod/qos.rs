//! The quality-of-service class of a Pod.

use alloc::string::String;

use serde_json::Value;

use crate::object::quantity;
use crate::object::unstructured::{at, field, list, map};

/// Upstream: `pkg/apis/core/helper/qos/qos.go ComputePodQOS`
pub(super) fn compute_pod_qos(spec: &Value) -> &'static str {
    if let Some(resources) = field(spec, "resources").filter(|resources| is_pod_level_resources_set(resources)) {
        return requirements_qos(resources);
    }
    let containers = list(spec, "initContainers").iter().chain(list(spec, "containers"));
    combined(containers.map(|container| requirements_qos(field(container, "resources").unwrap_or(&Value::Null))))
}

/// Upstream: `pkg/apis/core/helper/helpers.go IsPodLevelResourcesSet`
fn is_pod_level_resources_set(resources: &Value) -> bool {
    let names = ["requests", "limits"].into_iter().filter_map(|key| map(resources, key)).flat_map(|list| list.keys());
    let mut names = names.map(String::as_str);
    names.any(|name| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-"))
}

/// Upstream: `pkg/apis/core/helper/qos/qos.go requirementsQOS`
fn requirements_qos(resources: &Value) -> &'static str {
    combined(["cpu", "memory"].into_iter().map(|name| resource_qos(resources, name)))
}

/// Upstream: `pkg/apis/core/helper/qos/qos.go resourceQOS`
fn resource_qos(resources: &Value, name: &str) -> &'static str {
    let amount = |key: &str| at(resources, &[key, name]).and_then(quantity::nanos).unwrap_or_default();
    match (amount("requests"), amount("limits")) {
        (0, 0) => "BestEffort",
        (request, limit) if request == limit => "Guaranteed",
        _ => "Burstable",
    }
}

/// The class of parts that are all of one class; parts of different classes make the whole burstable.
fn combined(mut classes: impl Iterator<Item = &'static str>) -> &'static str {
    let first = classes.next().unwrap_or("BestEffort");
    if classes.all(|class| class == first) { first } else { "Burstable" }
}
