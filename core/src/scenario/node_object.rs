//! Nodes of a scenario from Node objects.

use alloc::format;
use alloc::string::String;

use serde_json::{Map, Value};

use super::{Duration, Node};
use crate::Problem;
use crate::collect_tree::CollectTree;
use crate::go::quoted;
use crate::json::decode;
use crate::object::unstructured::{at, string};
use crate::object::{Kind, StringMap, Time};

/// The effects of taints that keep pods away.
#[cfg(feature = "explain")]
const REPELLING: [&str; 2] = ["NoSchedule", "NoExecute"];

/// The taint of a cordoned node.
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// The taint of a node whose kubelet does not report any more.
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// The taints with which the node controller evicts the pods of a node that is not ready. When such a node falls silent, the
/// second one replaces the first, and an eviction that is planned by then keeps its time.
///
/// Upstream: `pkg/controller/tainteviction/taint_eviction.go processPodOnNode`
const EVICTING_TAINTS: [&str; 2] = ["node.kubernetes.io/not-ready", UNREACHABLE];

/// How a node is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeForm {
    /// As a scenario has it: without a kind and without metadata.
    Scenario,
    /// As a Node object.
    Object,
    /// As a Node object that names only its capacity.
    Capacity,
}

impl NodeForm {
    pub(crate) fn of(given: &Value) -> Self {
        let status = |key: &str| at(given, &["status", key]);
        if string(given, "kind").is_empty() && given.get("metadata").is_none() {
            Self::Scenario
        } else if status("allocatable").is_none() && status("capacity").is_some() {
            Self::Capacity
        } else {
            Self::Object
        }
    }

    /// The field of a Node object's status that says how much room there is.
    ///
    /// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_NodeStatus`
    pub(crate) const fn room(self) -> &'static str {
        match self {
            Self::Scenario | Self::Object => "allocatable",
            Self::Capacity => "capacity",
        }
    }

    /// Where its taints are.
    pub(crate) const fn taints(self) -> &'static [&'static str] {
        match self {
            Self::Scenario => &["taints"],
            Self::Object | Self::Capacity => &["spec", "taints"],
        }
    }

    /// The path of a field of a scenario's node, like `.cpu`, in this form.
    pub(crate) fn path_of(self, field: &str) -> String {
        match (self, field) {
            (Self::Scenario, _) | (_, "") => String::from(field),
            (_, ".name") => String::from(".metadata.name"),
            (_, _) if field.starts_with(".resources[") => {
                field.replacen(".resources", &format!(".status.{}", self.room()), 1)
            }
            (_, _) => format!(".status.{}{field}", self.room()),
        }
    }
}

/// A node, from a Node object or as a scenario has it. `read_at` is when a running cluster's Node was read: without it, the times
/// in the Node say nothing.
///
/// # Errors
/// Another kind, an unknown key of a scenario's node, one without effect, and a number of pods that can't be read, with a path
/// below `path`.
pub(crate) fn read_node(given: &Value, path: &str, read_at: Option<Time>) -> Result<Node, Problem> {
    if NodeForm::of(given) == NodeForm::Scenario {
        let node: Node = decode(given, path)?;
        node.validate(path)?;
        return Ok(node);
    }
    let kind = string(given, "kind");
    if !kind.is_empty() && kind != Kind::Node.name() {
        let message = format!("Unsupported value: {}: supported values: \"Node\"", quoted(kind));
        return Err(Problem::new(format!("{path}.kind"), message));
    }
    let none = Map::new();
    let room = NodeForm::of(given).room();
    let allocatable = at(given, &["status", room]).and_then(Value::as_object).unwrap_or(&none);
    let pods = match allocatable.get("pods") {
        None => None,
        Some(given) => {
            let pods =
                given.as_u64().or_else(|| given.as_str()?.parse().ok()).and_then(|pods| u32::try_from(pods).ok());
            let wrong =
                || Problem::new(format!("{path}.status.{room}.pods"), "Invalid value: must be a number of pods");
            Some(pods.ok_or_else(wrong)?)
        }
    };
    let others = allocatable.iter().filter(|(name, _)| !["pods", "cpu", "memory"].contains(&name.as_str()));
    let others = others.map(|(name, amount)| (name.clone(), amount.clone()));
    let lost = is_lost(given);
    Ok(Node {
        name: String::from(node_name(given)),
        pods,
        cpu: allocatable.get("cpu").cloned(),
        memory: allocatable.get("memory").cloned(),
        resources: others.collect_tree::<Map<_, _>>().into(),
        labels: at(given, &["metadata", "labels"])
            .map_or_else(|| Ok(StringMap::default()), |labels| decode(labels, &format!("{path}.metadata.labels")))?,
        taints: own_taints(given).filter_map(|taint| decode(taint, "").ok()).collect(),
        cordoned: is_cordoned(given),
        lost,
        tainted_for: read_at.filter(|_| lost).and_then(|read_at| tainted_for(given, read_at)),
    })
}

/// For how long the node controller has been about to evict the pods of a Node object that was read at that time.
fn tainted_for(node: &Value, read_at: Time) -> Option<Duration> {
    let evicts =
        |taint: &&Value| string(taint, "effect") == "NoExecute" && EVICTING_TAINTS.contains(&string(taint, "key"));
    let since = taints(node).filter(evicts).filter_map(time_added).min()?;
    // Clocks differ.
    Some(Duration(read_at.since(since).max(0)))
}

/// When the taints of a Node object were added.
pub(super) fn taint_times(node: &Value) -> impl Iterator<Item = Time> {
    taints(node).filter_map(time_added)
}

/// When a taint was added, if the node controller did it: kubectl writes no time.
fn time_added(taint: &Value) -> Option<Time> {
    Time::parse(string(taint, "timeAdded"))
}

/// Whether a Node object is cordoned.
pub(crate) fn is_cordoned(node: &Value) -> bool {
    at(node, &["spec", "unschedulable"]) == Some(&Value::Bool(true))
}

/// Whether the kubelet of a Node object does not report any more: the node controller does not know whether it is ready.
pub(crate) fn is_lost(node: &Value) -> bool {
    ready_condition(node).is_some_and(|ready| string(ready, "status") == "Unknown")
}

fn ready_condition(node: &Value) -> Option<&Value> {
    let conditions = at(node, &["status", "conditions"]).and_then(Value::as_array);
    conditions.into_iter().flatten().find(|condition| string(condition, "type") == "Ready")
}

/// The taints of a Node object that do not follow from its other fields.
fn own_taints(node: &Value) -> impl Iterator<Item = &Value> {
    // The node controller gives and takes the second one as the node's condition says, if there is one.
    let follows = |key: &str| key == UNSCHEDULABLE || key == UNREACHABLE && ready_condition(node).is_some();
    taints(node).filter(move |taint| !follows(string(taint, "key")))
}

/// The taints of a Node object that keep pods away.
#[cfg(feature = "explain")]
pub(crate) fn repelling_taints(node: &Value) -> impl Iterator<Item = &Value> {
    taints(node).filter(|taint| REPELLING.contains(&string(taint, "effect")))
}

fn taints(node: &Value) -> impl Iterator<Item = &Value> {
    at(node, &["spec", "taints"]).and_then(Value::as_array).into_iter().flatten()
}

fn node_name(object: &Value) -> &str {
    at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_is_read_from_both_forms() {
        let own = json!({ "name": "a", "pods": 4, "resources": { "nvidia.com/gpu": "2" } });
        let allocatable = json!({ "pods": "4", "nvidia.com/gpu": "2" });
        let object = json!({ "metadata": { "name": "a" }, "status": { "allocatable": allocatable } });
        let list = json!({ "kind": "NodeList" });
        let resources = Map::from_iter([(String::from("nvidia.com/gpu"), json!("2"))]).into();
        let node = Node { name: "a".into(), pods: Some(4), resources, ..Node::default() };
        assert_eq!(read_node(&own, "nodes[0]", None), Ok(node.clone()));
        assert_eq!(read_node(&object, "nodes[0]", None), Ok(node));
        let hurt = json!({
            "metadata": { "name": "a" }, "spec": { "unschedulable": true },
            "status": { "conditions": [{ "type": "Ready", "status": "Unknown" }] },
        });
        let expected = Node { name: "a".into(), cordoned: true, lost: true, ..Node::default() };
        assert_eq!(read_node(&hurt, "nodes[0]", Some(Time(0))), Ok(expected));
        assert_eq!(read_node(&list, "nodes[0]", None).unwrap_err().path, "nodes[0].kind");
        let paths = |given| [".name", ".cpu", ""].map(|field| NodeForm::of(given).path_of(field));
        assert_eq!(paths(&own), [".name", ".cpu", ""]);
        assert_eq!(paths(&object), [".metadata.name", ".status.allocatable.cpu", ""]);
    }

    #[test]
    fn a_lost_node_has_been_tainted_since_the_time_of_its_taint() {
        let read_at = Time::parse("2026-01-01T00:05:00Z");
        let taint = |key: &str, effect: &str, added: &str| {
            let key = format!("node.kubernetes.io/{key}");
            json!({ "key": key, "effect": effect, "timeAdded": added })
        };
        let node = |ready: &str, taints: Value| {
            json!({
                "kind": "Node", "metadata": { "name": "a" }, "spec": { "taints": taints },
                "status": { "conditions": [{ "type": "Ready", "status": ready }] },
            })
        };
        let tainted_for = |ready: &str, taints: Value, read_at: Option<Time>| {
            read_node(&node(ready, taints), "", read_at).unwrap().tainted_for
        };
        let unreachable = |added: &str| taint("unreachable", "NoExecute", added);
        let [early, late] = ["2026-01-01T00:03:05Z", "2026-01-01T00:04:00Z"];
        for (taints, expected) in [
            (json!([unreachable(early)]), Some(115)),
            // The other effect keeps new pods away, and evicts none.
            (json!([taint("unreachable", "NoSchedule", early), unreachable(late)]), Some(60)),
            (json!([taint("not-ready", "NoExecute", early), unreachable(late)]), Some(115)),
            (json!([taint("out-of-service", "NoExecute", early)]), None),
            (json!([{ "key": "node.kubernetes.io/unreachable", "effect": "NoExecute" }]), None),
            (json!([unreachable("2026-01-01T00:05:02Z")]), Some(0)),
            (json!([]), None),
        ] {
            assert_eq!(tainted_for("Unknown", taints.clone(), read_at), expected.map(Duration::seconds), "{taints}");
            assert_eq!(tainted_for("Unknown", taints.clone(), None), None, "{taints}");
            assert_eq!(tainted_for("True", taints.clone(), read_at), None, "{taints}");
        }
    }

    #[test]
    fn a_node_that_reports_can_not_have_been_tainted() {
        let given = |lost: bool| json!({ "name": "a", "lost": lost, "taintedFor": "5s" });
        let tainted = read_node(&given(true), "nodes[0]", None).unwrap();
        assert_eq!(tainted.tainted_for, Some(Duration::seconds(5)));
        assert_eq!(tainted.healthy(), Node { name: "a".into(), ..Node::default() });
        assert_eq!(
            read_node(&given(false), "nodes[0]", None).unwrap_err().to_string(),
            "nodes[0].taintedFor: Forbidden: may only be given with `lost`: a node that reports does not have the taint"
        );
    }

    #[test]
    fn a_node_has_the_taints_that_nothing_else_says() {
        let with_conditions = |key: &str, effect: &str, conditions: Value| {
            let taints = json!([{ "key": key, "effect": effect }]);
            let given = json!({ "metadata": {}, "spec": { "taints": taints }, "status": { "conditions": conditions } });
            read_node(&given, "", None).unwrap().taints.len()
        };
        let taints = |key: &str, effect: &str| with_conditions(key, effect, json!([]));
        assert_eq!(taints("dedicated", "NoSchedule"), 1);
        assert_eq!(taints("dedicated", "PreferNoSchedule"), 1);
        assert_eq!(taints("node.kubernetes.io/not-ready", "NoExecute"), 1);
        assert_eq!(taints("node.kubernetes.io/unschedulable", "NoSchedule"), 0);
        assert_eq!(taints("node.kubernetes.io/unreachable", "NoExecute"), 1);
        let ready = json!([{ "type": "Ready", "status": "True" }]);
        assert_eq!(with_conditions("node.kubernetes.io/unreachable", "NoExecute", ready), 0);
    }
}
