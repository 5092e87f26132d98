//! Nodes of a scenario from Node objects.

use alloc::format;
use alloc::string::String;

use serde_json::{Map, Value};

use super::Node;
use crate::Problem;
use crate::go::quoted;
use crate::json::decode;
use crate::object::Kind;
use crate::object::unstructured::{at, string};

/// The effects of taints that keep pods away.
const REPELLING: [&str; 2] = ["NoSchedule", "NoExecute"];

/// The taints of cordoned nodes and of those whose kubelet does not report any more.
const SIMULATED_TAINTS: [&str; 2] = ["node.kubernetes.io/unschedulable", "node.kubernetes.io/unreachable"];

/// How a node is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeForm {
    /// As a scenario has it: without a kind and without metadata.
    Scenario,
    /// As a Node object.
    Object,
}

impl NodeForm {
    pub(crate) fn of(given: &Value) -> Self {
        if string(given, "kind").is_empty() && given.get("metadata").is_none() { Self::Scenario } else { Self::Object }
    }

    /// The path of a field of a scenario's node, like `.cpu`, in this form.
    pub(crate) fn path_of(self, field: &str) -> String {
        match (self, field) {
            (Self::Scenario, _) | (Self::Object, "") => String::from(field),
            (Self::Object, ".name") => String::from(".metadata.name"),
            (Self::Object, _) => format!(".status.allocatable{field}"),
        }
    }
}

/// A node, from a Node object or as a scenario has it.
///
/// # Errors
/// Another kind, an unknown key of a scenario's node, and a number of pods that can't be read, with a path below `path`.
pub(crate) fn read_node(given: &Value, path: &str) -> Result<Node, Problem> {
    if NodeForm::of(given) == NodeForm::Scenario {
        return decode(given, path);
    }
    let kind = string(given, "kind");
    if !kind.is_empty() && kind != Kind::Node.name() {
        let message = format!("Unsupported value: {}: supported values: \"Node\"", quoted(kind));
        return Err(Problem::new(format!("{path}.kind"), message));
    }
    let none = Map::new();
    let allocatable = at(given, &["status", "allocatable"]).and_then(Value::as_object).unwrap_or(&none);
    let pods = match allocatable.get("pods") {
        None => None,
        Some(given) => {
            let pods =
                given.as_u64().or_else(|| given.as_str()?.parse().ok()).and_then(|pods| u32::try_from(pods).ok());
            let wrong =
                || Problem::new(format!("{path}.status.allocatable.pods"), "Invalid value: must be a number of pods");
            Some(pods.ok_or_else(wrong)?)
        }
    };
    Ok(Node {
        name: String::from(node_name(given)),
        pods,
        cpu: allocatable.get("cpu").cloned(),
        memory: allocatable.get("memory").cloned(),
        cordoned: is_cordoned(given),
        lost: is_lost(given),
    })
}

/// Whether a Node object is cordoned.
pub(crate) fn is_cordoned(node: &Value) -> bool {
    at(node, &["spec", "unschedulable"]) == Some(&Value::Bool(true))
}

/// Whether the kubelet of a Node object does not report any more: the node controller does not know whether it is ready.
pub(crate) fn is_lost(node: &Value) -> bool {
    let conditions = at(node, &["status", "conditions"]).and_then(Value::as_array);
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|condition| string(condition, "type") == "Ready" && string(condition, "status") == "Unknown")
}

/// Whether a Node object has a taint that keeps pods away and that is not simulated.
pub(crate) fn has_other_taint(node: &Value) -> bool {
    repelling_taints(node).any(|taint| !SIMULATED_TAINTS.contains(&string(taint, "key")))
}

/// The taints of a Node object that keep pods away.
pub(crate) fn repelling_taints(node: &Value) -> impl Iterator<Item = &Value> {
    let taints = at(node, &["spec", "taints"]).and_then(Value::as_array);
    taints.into_iter().flatten().filter(|taint| REPELLING.contains(&string(taint, "effect")))
}

fn node_name(object: &Value) -> &str {
    at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_is_read_from_both_forms() {
        let own = json!({ "name": "a", "pods": 4 });
        let object = json!({ "metadata": { "name": "a" }, "status": { "allocatable": { "pods": "4" } } });
        let list = json!({ "kind": "NodeList" });
        let node = Node { name: "a".into(), pods: Some(4), ..Node::default() };
        assert_eq!(read_node(&own, "nodes[0]"), Ok(node.clone()));
        assert_eq!(read_node(&object, "nodes[0]"), Ok(node));
        let hurt = json!({
            "metadata": { "name": "a" }, "spec": { "unschedulable": true },
            "status": { "conditions": [{ "type": "Ready", "status": "Unknown" }] },
        });
        let expected = Node { name: "a".into(), cordoned: true, lost: true, ..Node::default() };
        assert_eq!(read_node(&hurt, "nodes[0]"), Ok(expected));
        assert_eq!(read_node(&list, "nodes[0]").unwrap_err().path, "nodes[0].kind");
        let paths = |given| [".name", ".cpu", ""].map(|field| NodeForm::of(given).path_of(field));
        assert_eq!(paths(&own), [".name", ".cpu", ""]);
        assert_eq!(paths(&object), [".metadata.name", ".status.allocatable.cpu", ""]);
    }

    #[test]
    fn only_taints_that_nothing_else_says_are_other_ones() {
        let is_other = |key: &str, effect: &str| {
            has_other_taint(&json!({ "spec": { "taints": [{ "key": key, "effect": effect }] } }))
        };
        assert!(is_other("dedicated", "NoSchedule"));
        assert!(is_other("node.kubernetes.io/not-ready", "NoExecute"));
        // The scheduler only avoids such a node.
        assert!(!is_other("dedicated", "PreferNoSchedule"));
        assert!(!is_other("node.kubernetes.io/unschedulable", "NoSchedule"));
        assert!(!is_other("node.kubernetes.io/unreachable", "NoExecute"));
        assert!(!has_other_taint(&json!({ "name": "a" })));
    }
}
