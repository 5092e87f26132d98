//! What pods ask for: cpu, memory and the like, in billionths.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::{is_huge_pages, is_supported_pod_level_resource};
use crate::object::quantity::nanos;
use crate::object::unstructured::{at, field, map};
use crate::object::{Container, Pod, PodSpecFields, Unknown};

/// Which of the two lists of a container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Requests,
    Limits,
}

impl List {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Limits => "limits",
        }
    }
}

/// The amount as it is written. Without a request the limit counts, as the API server defaults it.
///
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Pod`
fn written<'a>(unknown: &'a Unknown, list: List, resource: &str) -> Option<&'a Value> {
    let resources = unknown.get("resources")?;
    let limit = || at(resources, &[List::Limits.name(), resource]);
    match list {
        List::Requests => at(resources, &[list.name(), resource]).or_else(limit),
        List::Limits => limit(),
    }
}

/// How a container writes the amount.
pub(super) fn of_container<'a>(container: &'a Container, list: List, resource: &str) -> Option<&'a Value> {
    written(&container.unknown, list, resource)
}

/// What a pod asks for: its containers together, or the neediest init container, and its overhead.
///
/// Upstream: `k8s.io/component-helpers/resource/helpers.go PodRequests` and `PodLimits`
pub(crate) fn of_pod(pod: &Pod, list: List, resource: &str) -> i128 {
    let fields = &pod.spec.fields;
    let amount = |container| of_container(container, list, resource).and_then(nanos).unwrap_or(0);
    let mut sum: i128 = fields.containers.iter().map(amount).fold(0, i128::saturating_add);
    let (mut sidecars, mut most) = (0_i128, 0_i128);
    for container in &fields.init_containers {
        let amount = amount(container);
        let at_once = sidecars.saturating_add(amount);
        if container.restart_policy.as_deref() == Some("Always") {
            sidecars = at_once;
            sum = sum.saturating_add(amount);
        }
        most = most.max(at_once);
    }
    sum = sum.max(most);
    if is_supported_pod_level_resource(resource)
        && let Some(whole) = of_whole(fields, list, resource).and_then(nanos)
    {
        sum = whole;
    }
    let overhead = fields.unknown.get("overhead").and_then(|overhead| field(overhead, resource)).and_then(nanos);
    if list == List::Limits && sum == 0 { 0 } else { sum.saturating_add(overhead.unwrap_or(0)) }
}

/// What a pod requests of each resource that it names.
pub(super) fn requests_of_pod(pod: &Pod) -> Vec<(&str, i128)> {
    let fields = &pod.spec.fields;
    let containers = fields.containers.iter().chain(&fields.init_containers).map(|container| &container.unknown);
    let lists = containers
        .chain([&fields.unknown])
        .filter_map(|unknown| unknown.get("resources"))
        .flat_map(|given| [List::Requests, List::Limits].into_iter().filter_map(|list| map(given, list.name())));
    let overhead = fields.unknown.get("overhead").and_then(Value::as_object);
    let mut names: Vec<&str> = lists.chain(overhead).flat_map(|list| list.keys().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| (name, of_pod(pod, List::Requests, name))).collect()
}

/// A pod's pod-level amount; `None` if its containers determine the amount. The containers' requests take precedence over the pod's
/// limit, except for huge pages, which can't be overcommitted.
///
/// Upstream: `pkg/api/pod/util.go DefaultPodLevelResources`
fn of_whole<'a>(fields: &'a PodSpecFields, list: List, resource: &str) -> Option<&'a Value> {
    let is_set = |container| of_container(container, list, resource).is_some();
    let of_containers = || fields.containers.iter().chain(&fields.init_containers).any(is_set);
    let limit = written(&fields.unknown, List::Limits, resource);
    if list == List::Limits {
        return limit;
    }
    let request = at(fields.unknown.get("resources")?, &[list.name(), resource]);
    request.or_else(|| limit.filter(|_| is_huge_pages(resource) || !of_containers()))
}

/// Whether a resource is an extended one: of a vendor, or of a device class.
///
/// Upstream: `pkg/scheduler/util/utils.go IsDRAExtendedResourceName`
pub(crate) fn is_extended(name: &str) -> bool {
    name.contains('/') && (!name.contains("kubernetes.io/") || name.starts_with("deviceclass.resource.kubernetes.io/"))
}
