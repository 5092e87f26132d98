//! A scenario from the objects of a running cluster.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use super::{
    Action, Duration, HoldUp, Limits, Node, NodeName, Scenario, TimedAction, Timing, held_up_pods, held_up_timings,
};
use crate::Problem;
use crate::object::Time;
use crate::object::unstructured::{at, map_at, string};

/// The kinds that a scenario takes.
const SIMULATED: [&str; 7] =
    ["Deployment", "Job", "ReplicaSet", "Pod", "ResourceQuota", "PodDisruptionBudget", "PersistentVolumeClaim"];

/// The metadata that only a stored object has and that nothing here reads.
const STORED: [&str; 3] = ["managedFields", "resourceVersion", "selfLink"];

/// Whether a scenario takes objects of the kind that a manifest has.
pub fn is_simulated(manifest: &Value) -> bool {
    SIMULATED.contains(&string(manifest, "kind"))
}

/// The scenario of a cluster that runs: what happens next if nobody does anything. It takes the objects as
/// `kubectl get -o json` prints them. A Node gives its name, what its pods may take, and whether it is cordoned; objects of
/// other kinds than a scenario takes are left out.
///
/// Pods of Deployments that can't start, as in ImagePullBackOff, and new pods like them, never become ready. Without nodes,
/// the same is true for those that no node has room for.
///
/// The scenario starts at `now`, or later if an object is younger: clocks differ.
///
/// # Errors
/// A Node whose amounts can't be read.
pub fn live(objects: Vec<Value>, now: Time) -> Result<Scenario, Problem> {
    let mut scenario = Scenario { start: now, ..Scenario::default() };
    let mut held_up = held_up_pods(&objects);
    let mut manifests = Vec::new();
    for (index, mut object) in objects.into_iter().enumerate() {
        if string(&object, "kind") == "Node" {
            let node = node_of(&object).map_err(|problem| problem.map_paths(&|path| format!("[{index}].{path}")))?;
            if at(&object, &["spec", "unschedulable"]) == Some(&Value::Bool(true)) {
                let cordon = Action::Cordon(NodeName { name: node.name.clone() });
                scenario.actions.push(TimedAction { at: Duration(0), action: cordon });
            }
            scenario.nodes.push(node);
        } else if is_simulated(&object) {
            if let Some(metadata) = map_at(&mut object, &["metadata"]) {
                let created = metadata.get("creationTimestamp").and_then(Value::as_str).and_then(Time::parse);
                scenario.start = scenario.start.max(created.unwrap_or(now));
                metadata.retain(|key, _| !STORED.contains(&key.as_str()));
            }
            manifests.push(object);
        }
    }
    // With nodes, the simulated scheduler knows when there is room.
    held_up.retain(|pod| scenario.nodes.is_empty() || !matches!(pod.cause, HoldUp::NoNode { .. }));
    if !held_up.is_empty() {
        scenario.kubelet = held_up_timings(&held_up, Timing::default());
    }
    let has_policy = |object: &Value| at(object, &["spec", "podReplacementPolicy"]).is_some();
    if manifests.iter().any(|object| string(object, "kind") == "Deployment" && has_policy(object)) {
        scenario.feature_gates = json!({ "DeploymentPodReplacementPolicy": true });
    }
    let pods = manifests.iter().filter(|object| string(object, "kind") == "Pod").count();
    let most = Limits::default().pods.max(u32::try_from(pods.saturating_mul(2)).unwrap_or(u32::MAX));
    scenario.limits = Limits { pods: most, ..Limits::default() };
    scenario.objects = manifests.into_iter().collect();
    Ok(scenario)
}

/// A node of the scenario from a Node object.
pub(crate) fn node_of(object: &Value) -> Result<Node, Problem> {
    let none = Map::new();
    let allocatable = at(object, &["status", "allocatable"]).and_then(Value::as_object).unwrap_or(&none);
    let pods = match allocatable.get("pods") {
        None => None,
        Some(given) => {
            let pods =
                given.as_u64().or_else(|| given.as_str()?.parse().ok()).and_then(|pods| u32::try_from(pods).ok());
            let wrong = || Problem::new("status.allocatable.pods", "Invalid value: must be a number of pods");
            Some(pods.ok_or_else(wrong)?)
        }
    };
    Ok(Node {
        name: String::from(at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default()),
        pods,
        cpu: allocatable.get("cpu").cloned(),
        memory: allocatable.get("memory").cloned(),
    })
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::scenario::Manifests;
    use crate::timeline::Timeline;

    fn pod(name: &str, more: &Value) -> Value {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "uid": name, "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": "a", "containers": [{"name": "a", "image": "a:1"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        });
        for (key, value) in more.as_object().unwrap() {
            pod["metadata"][key] = value.clone();
        }
        pod
    }

    fn simulated(objects: Vec<Value>) -> Timeline {
        let now = Time::parse("2026-01-01T01:00:00Z").unwrap();
        Timeline::run(live(objects, now).unwrap()).unwrap()
    }

    #[test]
    fn a_terminating_pod_has_the_time_that_it_has_left() {
        let more = json!({"deletionTimestamp": "2026-01-01T01:00:20Z", "deletionGracePeriodSeconds": 600});
        let timeline = simulated(vec![pod("web", &more)]);
        assert_eq!(timeline.len(), 1);
        assert_eq!(timeline.time_at(1).since(timeline.scenario.start), 20 * Time::SECOND);
        let overdue = json!({"deletionTimestamp": "2026-01-01T00:30:00Z", "deletionGracePeriodSeconds": 30});
        let timeline = simulated(vec![pod("web", &overdue)]);
        assert_eq!(timeline.time_at(1).since(timeline.scenario.start), 2 * Time::SECOND);
    }

    #[test]
    fn nodes_have_what_they_allocate() {
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {"unschedulable": true},
            "status": {"allocatable": {"pods": "110", "cpu": "3920m", "memory": "16Gi", "ephemeral-storage": "1"}},
        });
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}});
        let scenario = live(vec![node, service], Time(0)).unwrap();
        let a = Node { name: "a".into(), pods: Some(110), cpu: Some("3920m".into()), memory: Some("16Gi".into()) };
        assert_eq!((scenario.nodes, scenario.actions.len(), scenario.objects), (vec![a], 1, Manifests::default()));
    }

    #[test]
    fn a_younger_object_moves_the_start() {
        let young = json!({"creationTimestamp": "2026-01-01T01:00:07Z"});
        assert_eq!(simulated(vec![pod("web", &young)]).scenario.start, Time::parse("2026-01-01T01:00:07Z").unwrap());
    }
}
