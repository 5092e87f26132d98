//! The resource requests of pods.

use serde_json::Value;

use crate::quantity;

/// One of the two lists in a container's resources.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum List {
    Requests,
    Limits,
}

/// A resource in a list of a container or a whole pod. Without requests, the limits are the requests.
fn written(holder: &Value, list: List, resource: &str) -> Option<i128> {
    let resources = &holder["resources"];
    let limit = resources["limits"].get(resource);
    let given = match list {
        List::Requests => resources["requests"].get(resource).or(limit),
        List::Limits => limit,
    };
    given.map(quantity::parse)
}

pub fn is_huge_pages(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

/// A resource of the whole pod. A request of a container comes before the limit of the pod, except for huge pages.
fn of_whole(spec: &Value, list: List, resource: &str) -> Option<i128> {
    let key = if list == List::Requests { "requests" } else { "limits" };
    let given = spec["resources"][key].get(resource).map(quantity::parse);
    let containers = ["containers", "initContainers"].into_iter().filter_map(|key| spec[key].as_array()).flatten();
    let mut of_containers = containers.filter_map(|container| written(container, list, resource));
    let default =
        || written(spec, list, resource).filter(|_| is_huge_pages(resource) || of_containers.next().is_none());
    given.or_else(default)
}

/// The requests of a pod: the maximum that its containers use at one time. Sidecars run alongside all containers that
/// start after them.
pub fn of_pod(spec: &Value, list: List, resource: &str) -> i128 {
    let of = |container: &Value| written(container, list, resource).unwrap_or(0);
    let containers = |name: &str| spec[name].as_array().into_iter().flatten();
    let (mut sidecars, mut most) = (0, 0);
    for container in containers("initContainers") {
        most = most.max(sidecars + of(container));
        if container["restartPolicy"] == "Always" {
            sidecars += of(container);
        }
    }
    most = most.max(sidecars + containers("containers").map(of).sum::<i128>());
    if ["cpu", "memory"].contains(&resource) || is_huge_pages(resource) {
        most = of_whole(spec, list, resource).unwrap_or(most);
    }
    let overhead = spec["overhead"].get(resource).map_or(0, quantity::parse);
    if list == List::Limits && most == 0 { 0 } else { most + overhead }
}
