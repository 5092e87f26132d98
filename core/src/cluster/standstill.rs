//! A simulated cluster once nothing more happens, as kubectl would read it.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use super::node_state::NodeState;
use super::state::Cluster;
use crate::collect_tree::CollectTree;
use crate::json::ToJson;
use crate::object::{Object, Strings, Time};
use crate::scenario::{Node, Scenario};

/// A cluster in which nothing more happens, or only the same over and over.
pub(crate) struct Standstill {
    /// Its objects, with those that only the user writes and the Nodes, as `kubectl get -o json` prints them.
    pub(crate) objects: Vec<Value>,
    /// When that is.
    pub(crate) time: Time,
}

impl Standstill {
    pub(super) fn of(cluster: &Cluster) -> Self {
        let mut objects: Vec<Value> = cluster.store.borrow().objects().map(Object::to_value).collect();
        objects.extend(cluster.aux_objects.iter().map(|object| object.manifest.clone()));
        // Without given nodes, every pod finds one, unless something has happened to it.
        let is_hurt = |node: &NodeState| node.is_lost() || node.cordoned;
        if !cluster.scenario.nodes.is_empty() || cluster.nodes.iter().any(is_hurt) {
            let nodes = cluster.nodes.iter().filter(|node| node.exists());
            objects.extend(nodes.map(|node| node_object(node, &cluster.scenario)));
        }
        Self { objects, time: cluster.now }
    }
}

/// A Node object. One that the autoscaler has added has what the autoscaler's nodes have.
fn node_object(node: &NodeState, scenario: &Scenario) -> Value {
    let given = scenario.nodes.iter().find(|given| *given.name == *node.name);
    let autoscaled = scenario.autoscaler.as_ref().map(|autoscaler| &autoscaler.node);
    let added = node.added.as_deref().or(autoscaled);
    let amounts = given.or(added).map_or_else(Vec::new, |Node { pods, cpu, memory, .. }| {
        Vec::from([("pods", pods.map(Value::from)), ("cpu", cpu.clone()), ("memory", memory.clone())])
    });
    let named = amounts.into_iter().filter_map(|(resource, amount)| Some((String::from(resource), amount?)));
    let others = given.or(added).into_iter().flat_map(|node| node.resources.iter());
    let others = others.map(|(resource, amount)| (resource.clone(), amount.clone()));
    let allocatable: Map<String, Value> = named.chain(others).collect_tree();
    let labels: &Strings = node.labels();
    let ready = if node.is_lost() { "Unknown" } else { "True" };
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": { "name": &*node.name, "labels": labels.to_json() },
        "spec": { "unschedulable": node.cordoned, "taints": node.taints().iter().map(ToJson::to_json).collect::<Vec<_>>() },
        "status": { "allocatable": allocatable, "conditions": [{ "type": "Ready", "status": ready }] },
    })
}
