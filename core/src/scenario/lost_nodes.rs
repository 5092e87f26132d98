//! Nodes that no longer report, according to their pods.

use alloc::collections::BTreeMap;

use serde_json::Value;

use super::stuck_pods::condition;
use crate::object::unstructured::{at, list, string};
use crate::object::{Kind, Time};

/// The reason in the status of a pod whose node did not report when it was deleted. Old releases write it, and kubectl still
/// shows such a pod as Unknown.
///
/// Upstream: `pkg/util/node/node.go NodeUnreachablePodReason`
const NODE_LOST: &str = "NodeLost";

/// The nodes of a running cluster that no longer report, and since when the node controller knows it: it marks a node's pods and
/// taints the node at the same time. Empty if there are Node objects, which are more reliable.
pub(crate) fn nodes_lost_by_pods<'a>(
    objects: impl Iterator<Item = &'a Value> + Clone,
) -> BTreeMap<&'a str, Option<Time>> {
    let is_of = |object: &Value, kind: Kind| string(object, "kind") == kind.name();
    if objects.clone().any(|object| is_of(object, Kind::Node)) {
        return BTreeMap::new();
    }
    let mut nodes = BTreeMap::new();
    for pod in objects.filter(|object| is_of(object, Kind::Pod) && is_on_lost_node(object)) {
        let node = at(pod, &["spec", "nodeName"]).and_then(Value::as_str).unwrap_or_default();
        if !node.is_empty() {
            let since: &mut Option<Time> = nodes.entry(node).or_default();
            *since = [*since, marked_at(pod)].into_iter().flatten().min();
        }
    }
    nodes
}

/// When the node controller has set a pod's condition Ready to False.
fn marked_at(pod: &Value) -> Option<Time> {
    Time::parse(string(marked_condition(pod)?, "lastTransitionTime"))
}

/// The condition Ready of a pod, if the node controller has set it to False. It sets nothing else. A kubelet that reports would
/// write ContainersReady with it, and restores Ready within seconds. Readiness gates are the other reason why the two may differ.
///
/// Upstream: `pkg/controller/util/node/controller_utils.go MarkPodsNotReady`
fn marked_condition(pod: &Value) -> Option<&Value> {
    let with_status =
        |of_type: &str, status: &str| condition(pod, of_type).filter(|condition| string(condition, "status") == status);
    let has_gates = at(pod, &["spec"]).is_some_and(|spec| !list(spec, "readinessGates").is_empty());
    with_status("ContainersReady", "True").filter(|_| !has_gates).and(with_status("Ready", "False"))
}

/// Whether the pod says that its node does not report.
fn is_on_lost_node(pod: &Value) -> bool {
    let Some(status) = at(pod, &["status"]) else { return false };
    if matches!(string(status, "phase"), "Succeeded" | "Failed") {
        return false;
    }
    string(status, "reason") == NODE_LOST || marked_condition(pod).is_some()
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use serde_json::json;

    use super::*;

    fn pod(node: &str, status: &Value) -> Value {
        json!({ "kind": "Pod", "spec": { "nodeName": node, "containers": [] }, "status": status })
    }

    /// The status of a pod with these values of the conditions Ready and ContainersReady.
    fn status(phase: &str, ready: &str, containers_ready: &str) -> Value {
        let condition = |of_type: &str, status: &str| json!({ "type": of_type, "status": status });
        let conditions = [condition("Ready", ready), condition("ContainersReady", containers_ready)];
        json!({ "phase": phase, "conditions": conditions })
    }

    #[test]
    fn a_pod_that_only_its_kubelet_calls_ready_is_on_a_lost_node() {
        for (status, is_lost) in [
            (status("Running", "False", "True"), true),
            (status("Running", "True", "True"), false),
            (status("Running", "False", "False"), false),
            (status("Succeeded", "False", "True"), false),
            (status("Failed", "False", "True"), false),
            (json!({ "phase": "Running", "reason": "NodeLost" }), true),
            (json!({ "phase": "Pending" }), false),
            (Value::Null, false),
        ] {
            let objects = [pod("a", &status), pod("b", &json!({ "phase": "Running" }))];
            let expected = if is_lost { vec!["a"] } else { Vec::new() };
            assert_eq!(nodes_lost_by_pods(objects.iter()).into_keys().collect::<Vec<_>>(), expected, "{status}");
        }
    }

    #[test]
    fn a_node_is_lost_since_its_first_pod_was_marked() {
        let marked = |node: &str, at: Value| {
            let mut pod = pod(node, &status("Running", "False", "True"));
            pod["status"]["conditions"][0]["lastTransitionTime"] = at;
            pod
        };
        let objects = [
            marked("a", json!("2026-01-01T00:00:20Z")),
            marked("a", json!("2026-01-01T00:00:10Z")),
            marked("a", Value::Null),
            marked("b", Value::Null),
        ];
        let since = Time::parse("2026-01-01T00:00:10Z");
        assert_eq!(nodes_lost_by_pods(objects.iter()), BTreeMap::from([("a", since), ("b", None)]));
    }

    #[test]
    fn a_pod_that_was_not_ready_before_does_not_say_since_when_its_node_is_lost() {
        let mut pod = pod("a", &status("Running", "False", "False"));
        pod["status"]["reason"] = json!(NODE_LOST);
        pod["status"]["conditions"][0]["lastTransitionTime"] = json!("2026-01-01T00:00:10Z");
        assert_eq!(nodes_lost_by_pods([pod].iter()), BTreeMap::from([("a", None)]));
    }

    #[test]
    fn readiness_gates_and_nodes_know_better() {
        let marked = || pod("a", &status("Running", "False", "True"));
        let mut gated = marked();
        gated["spec"]["readinessGates"] = json!([{ "conditionType": "example.com/load-balancer" }]);
        assert!(nodes_lost_by_pods([gated].iter()).is_empty());
        let node = json!({ "kind": "Node", "metadata": { "name": "a" } });
        assert!(nodes_lost_by_pods([marked(), node].iter()).is_empty());
        // A pod without a node waits for the scheduler.
        assert!(nodes_lost_by_pods([pod("", &status("Pending", "False", "True"))].iter()).is_empty());
    }
}
