//! What pods ask for: cpu, memory and the like.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::resource::{Resources, milli, whole};

use crate::apiserver::{is_huge_pages, is_pod_level_resources_set, is_supported_pod_level_resource};
use crate::object::quantity::{ONE, nanos};
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
pub(crate) fn of_container<'a>(container: &'a Container, list: List, resource: &str) -> Option<&'a Value> {
    written(&container.unknown, list, resource)
}

/// What a pod asks for: its containers together, or the neediest init container, and its overhead.
///
/// Upstream: `k8s.io/component-helpers/resource/helpers.go PodRequests` and `PodLimits`
pub(crate) fn of_pod(pod: &Pod, list: List, resource: &str) -> i128 {
    of_fields(&pod.spec.fields, list, resource, 0)
}

/// The same, where each container that does not say how much it asks for asks for `missing`.
fn of_fields(fields: &PodSpecFields, list: List, resource: &str, missing: i128) -> i128 {
    let mut sum = of_containers(fields, list, resource, missing);
    if is_supported_pod_level_resource(resource)
        && let Some(whole) = of_whole(fields, list, resource).and_then(stored_nanos)
    {
        sum = whole;
    }
    with_overhead(fields, list, resource, sum)
}

/// An amount in billionths as it is stored: thousandths are rounded up.
///
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_ResourceList`
fn stored_nanos(amount: &Value) -> Option<i128> {
    const MILLI: i128 = 1_000_000;
    let nanos = nanos(amount)?;
    let rest = nanos.checked_rem_euclid(MILLI)?;
    Some(if rest == 0 { nanos } else { nanos.saturating_sub(rest).saturating_add(MILLI) })
}

fn with_overhead(fields: &PodSpecFields, list: List, resource: &str, sum: i128) -> i128 {
    let overhead = fields.unknown.get("overhead").and_then(|overhead| field(overhead, resource)).and_then(stored_nanos);
    if list == List::Limits && sum == 0 { 0 } else { sum.saturating_add(overhead.unwrap_or(0)) }
}

/// What the containers of a pod ask for, if each that does not say how much asks for `missing`.
///
/// Upstream: `k8s.io/component-helpers/resource/helpers.go AggregateContainerRequests` and `AggregateContainerLimits`
fn of_containers(fields: &PodSpecFields, list: List, resource: &str, missing: i128) -> i128 {
    let amount = |container| of_container(container, list, resource).and_then(stored_nanos).unwrap_or(missing);
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
    sum.max(most)
}

/// What a pod requests, in the scheduler's units.
pub(super) fn requests(fields: &PodSpecFields) -> Resources {
    let mut requests = Resources::default();
    for name in requested_names(fields) {
        requests.put(name, of_fields(fields, List::Requests, name, 0));
    }
    requests
}

/// The resources that a pod names.
fn requested_names(fields: &PodSpecFields) -> Vec<&str> {
    let containers = fields.containers.iter().chain(&fields.init_containers).map(|container| &container.unknown);
    let lists = containers
        .chain([&fields.unknown])
        .filter_map(|unknown| unknown.get("resources"))
        .flat_map(|given| [List::Requests, List::Limits].into_iter().filter_map(|list| map(given, list.name())));
    let overhead = fields.unknown.get("overhead").and_then(Value::as_object);
    let mut names: Vec<&str> = lists.chain(overhead).flat_map(|list| list.keys().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What a container that does not say so is taken to ask for where nodes are compared: cpu in billionths, and bytes.
///
/// Upstream: `pkg/scheduler/util/pod_resources.go`
const DEFAULT_CPU: i128 = 100_000_000;
const DEFAULT_MEMORY: i128 = 200 * 1024 * 1024 * ONE;

/// CPU in thousandths and memory in bytes where each container asks for something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonZero {
    /// CPU, in thousandths.
    pub milli_cpu: i64,
    /// Memory, in bytes.
    pub memory: i64,
}

/// What a pod that is on a node counts for where nodes are compared.
///
/// Upstream: `pkg/scheduler/framework/types.go PodInfo.CalculateResource`, `getNonMissingContainerRequests`
pub(super) fn non_zero_requests(fields: &PodSpecFields) -> NonZero {
    let is_whole = fields.unknown.get("resources").is_some_and(is_pod_level_resources_set);
    // Where the pod as a whole asks for something, a container gets a default only if nobody names the resource.
    let names = if is_whole { requested_names(fields) } else { Vec::new() };
    let amount = |name: &str, default: i128| {
        of_fields(fields, List::Requests, name, if names.contains(&name) { 0 } else { default })
    };
    NonZero { milli_cpu: milli(amount("cpu", DEFAULT_CPU)), memory: whole(amount("memory", DEFAULT_MEMORY)) }
}

/// What a pod that looks for a node counts for where nodes are compared: its pod-level requests don't.
///
/// Upstream: `pkg/scheduler/framework/plugins/noderesources/resource_allocation.go resourceAllocationScorer.calculatePodResourceRequest`
pub(super) fn scored_requests(fields: &PodSpecFields) -> NonZero {
    let amount = |name: &str, default: i128| {
        with_overhead(fields, List::Requests, name, of_containers(fields, List::Requests, name, default))
    };
    NonZero { milli_cpu: milli(amount("cpu", DEFAULT_CPU)), memory: whole(amount("memory", DEFAULT_MEMORY)) }
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
