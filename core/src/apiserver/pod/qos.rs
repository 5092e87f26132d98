//! The quality-of-service class of a Pod.

use alloc::string::String;

use serde_json::Value;

use crate::apiserver::pod_spec::resources::is_huge_pages;
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

/// Whether a pod has pod-level resources, whatever its containers have.
///
/// Upstream: `pkg/apis/core/helper/helpers.go IsPodLevelResourcesSet`
pub(crate) fn is_pod_level_resources_set(resources: &Value) -> bool {
    let names = ["requests", "limits"].into_iter().filter_map(|key| map(resources, key)).flat_map(|list| list.keys());
    names.map(String::as_str).any(is_supported_pod_level_resource)
}

/// Upstream: `k8s.io/component-helpers/resource/helpers.go IsSupportedPodLevelResource`
pub(crate) fn is_supported_pod_level_resource(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || is_huge_pages(name)
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
