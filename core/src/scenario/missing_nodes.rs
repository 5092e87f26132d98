//! Nodes that run pods of a cluster and that its user did not give.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::Node;
use crate::collect_tree::CollectTree;
use crate::go::quoted;
use crate::object::Kind;
use crate::object::unstructured::{at, is_stored, string};

/// A node that is not one of the given nodes, although a pod of a running cluster is on it: it was deleted, or was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingNode {
    /// The node's name.
    pub name: String,
    /// The position of the first pod on it among the objects.
    pub pod: usize,
}

impl MissingNode {
    /// The field of the pod that names the node.
    pub const FIELD: &'static str = "spec.nodeName";

    /// What is assumed of it, as a warning about the field.
    #[must_use]
    pub fn message(&self) -> String {
        let name = quoted(&self.name);
        format!("Not found: {name}: it is not one of the given Nodes, so it keeps its pods and gets no new ones")
    }

    /// The node in a scenario: its pods stay, and it takes no others.
    pub(crate) fn node(&self) -> Node {
        Node { name: self.name.clone(), cordoned: true, ..Node::default() }
    }
}

/// The nodes of a running cluster's pods that are not among the given ones, by name. Without given nodes, none is missing.
///
/// A manifest must name a given node. So only pods with a uid count, as the API server gives them, and of these, those that have
/// not ended.
#[must_use]
pub fn missing_nodes<'a, 'b>(
    objects: impl IntoIterator<Item = &'a Value>,
    given: impl IntoIterator<Item = &'b str>,
) -> Vec<MissingNode> {
    let given: BTreeSet<&str> = given.into_iter().collect_tree();
    if given.is_empty() {
        return Vec::new();
    }
    let mut first_pods: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, object) in objects.into_iter().enumerate() {
        if let Some(node) = node_of_live_pod(object).filter(|node| !given.contains(*node)) {
            first_pods.entry(node).or_insert(index);
        }
    }
    first_pods.into_iter().map(|(name, pod)| MissingNode { name: String::from(name), pod }).collect()
}

/// The node of a pod that a running cluster gave and that has not ended.
fn node_of_live_pod(object: &Value) -> Option<&str> {
    let is_pod = string(object, "kind") == Kind::Pod.name() && is_stored(object);
    let has_ended = || at(object, &["status"]).is_some_and(|it| matches!(string(it, "phase"), "Succeeded" | "Failed"));
    if !is_pod || has_ended() {
        return None;
    }
    at(object, &["spec", "nodeName"])?.as_str().filter(|node| !node.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(node: &Value, more: &Value) -> Value {
        let mut pod = json!({
            "kind": "Pod", "metadata": { "name": "web", "uid": "web" }, "spec": { "nodeName": node },
            "status": { "phase": "Running" },
        });
        for (key, value) in more.as_object().unwrap() {
            pod[key] = value.clone();
        }
        pod
    }

    #[test]
    fn each_missing_node_is_found_once_with_its_first_pod() {
        let none = json!({});
        let on = |node: &str| pod(&json!(node), &none);
        let objects = [on("a"), json!({ "kind": "Deployment" }), on("z"), on("b"), on("z"), on("b")];
        let missing = |name: &str, pod: usize| MissingNode { name: String::from(name), pod };
        assert_eq!(missing_nodes(&objects, ["a"]), [missing("b", 3), missing("z", 2)]);
        assert_eq!(missing_nodes(&objects, ["z", "b", "a", "c"]), []);
        // Nobody gave nodes.
        assert_eq!(missing_nodes(&objects, []), []);
    }

    #[test]
    fn only_pods_that_run_in_a_cluster_have_a_missing_node() {
        let gone = json!("gone");
        for (pod, is_missing) in [
            (pod(&gone, &json!({})), true),
            (pod(&gone, &json!({ "status": { "phase": "Pending" } })), true),
            (pod(&gone, &json!({ "status": null })), true),
            (pod(&gone, &json!({ "status": { "phase": "Succeeded" } })), false),
            (pod(&gone, &json!({ "status": { "phase": "Failed" } })), false),
            (pod(&gone, &json!({ "metadata": { "name": "web" } })), false),
            (pod(&gone, &json!({ "kind": "ReplicaSet" })), false),
            (pod(&json!(""), &json!({})), false),
            (pod(&Value::Null, &json!({})), false),
            (pod(&json!(5), &json!({})), false),
        ] {
            assert_eq!(!missing_nodes([&pod], ["a"]).is_empty(), is_missing, "{pod}");
        }
    }

    #[test]
    fn a_missing_node_keeps_its_pods_and_gets_no_others() {
        let missing = MissingNode { name: String::from("gone"), pod: 0 };
        assert_eq!(missing.node(), Node { name: String::from("gone"), cordoned: true, ..Node::default() });
        let message =
            r#"Not found: "gone": it is not one of the given Nodes, so it keeps its pods and gets no new ones"#;
        assert_eq!(missing.message(), message);
    }
}
