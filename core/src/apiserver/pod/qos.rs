//! The quality-of-service class of a Pod.

use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::quantity;
use crate::object::unstructured::{at, field, list, map};

/// Upstream: `pkg/apis/core/helper/qos/qos.go ComputePodQOS`
pub(super) fn compute_pod_qos(spec: &Value) -> &'static str {
    let (mut requests, mut limits) = ([0_i128; 2], [0_i128; 2]);
    let mut guaranteed = true;
    let whole_pod = field(spec, "resources");
    let holders = list(spec, "containers").iter().chain(list(spec, "initContainers"));
    let of_containers = holders.map(|container| field(container, "resources").unwrap_or(&Value::Null));
    let resources: Vec<&Value> = match whole_pod {
        Some(resources) => Vec::from([resources]),
        None => of_containers.collect(),
    };
    for resources in resources {
        let (requested, limited) = (amounts(resources, "requests"), amounts(resources, "limits"));
        // Limits on the whole pod may be missing altogether, those of a container may not.
        let unlimited = limited.contains(&0);
        let asked = whole_pod.is_none() || map(resources, "limits").is_some_and(|limits| !limits.is_empty());
        guaranteed &= !(unlimited && asked);
        for (sum, amount) in requests.iter_mut().zip(requested).chain(limits.iter_mut().zip(limited)) {
            *sum = sum.saturating_add(amount);
        }
    }
    if requests == [0; 2] && limits == [0; 2] {
        "BestEffort"
    } else if guaranteed && requests == limits {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// The processor and memory in a list of resources, in billionths; amounts that are not above 0 do not count.
fn amounts(resources: &Value, key: &str) -> [i128; 2] {
    ["cpu", "memory"].map(|name| at(resources, &[key, name]).and_then(quantity::nanos).unwrap_or_default().max(0))
}
