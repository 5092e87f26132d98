//! Nodes of a scenario from Node objects.

use alloc::format;
use alloc::string::String;

use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::{Duration, Node, validate_taint};
use crate::Problem;
use crate::collect_tree::CollectTree;
use crate::go::quoted;
use crate::json::{FromJson, ToJson, decode};
use crate::object::unstructured::{at, string};
use crate::object::{Kind, Taint, Time, Unknown};

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

/// The conditions for which the node controller taints a node, the status that each has then, and the taint's key. That of a node that
/// does not report follows from `lost`.
///
/// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go nodeConditionToTaintKeyStatusMap`
const TAINTS_OF_CONDITIONS: [(&str, &str, &str); 5] = [
    ("Ready", "False", "node.kubernetes.io/not-ready"),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// Upstream: `k8s.io/api/core/v1/types.go NodeCondition`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
struct NodeCondition {
    #[serde(rename = "type")]
    type_: String,
    status: String,
}

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
            (_, _) if field.starts_with(".taints") => format!(".spec{field}"),
            (_, _) if field.starts_with(".labels") => format!(".metadata{field}"),
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
    let room = NodeForm::of(given).room();
    let allocatable: Unknown = decode_at(given, &["status", room], path)?;
    let _: Option<bool> = decode_at(given, &["spec", "unschedulable"], path)?;
    let conditions: Vec<NodeCondition> = decode_at(given, &["status", "conditions"], path)?;
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
        labels: decode_at(given, &["metadata", "labels"], path)?,
        taints: read_taints(given, &conditions, path)?,
        cordoned: is_cordoned(given),
        lost,
        tainted_for: read_at.filter(|_| lost).and_then(|read_at| tainted_for(given, read_at)),
    })
}

/// Reads a field of a Node object; empty if there is none.
fn decode_at<T: FromJson>(given: &Value, fields: &[&str], path: &str) -> Result<T, Problem> {
    let value = at(given, fields);
    value.map_or_else(|| Ok(T::empty()), |value| decode(value, &format!("{path}.{}", fields.join("."))))
}

/// The taints of a Node object that do not follow from other fields of a scenario's node, and those that the node controller gives it for
/// its conditions.
///
/// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go Controller.doNoScheduleTaintingPass`
fn read_taints(given: &Value, conditions: &[NodeCondition], path: &str) -> Result<Vec<Taint>, Problem> {
    let mut taints: Vec<Taint> = decode_at(given, &["spec", "taints"], path)?;
    for (index, taint) in taints.iter().enumerate() {
        validate_taint(taint, &format!("{path}.spec.taints[{index}]"))?;
    }
    // The node controller gives and takes the second one as the node's condition says, if there is one.
    let follows = |key: &str| key == UNSCHEDULABLE || key == UNREACHABLE && ready_condition(given).is_some();
    taints.retain(|taint| !follows(&taint.key));
    for NodeCondition { type_, status } in conditions {
        let is_it = |(of_type, of_status, _): &&(&str, &str, &str)| of_type == type_ && of_status == status;
        let key = TAINTS_OF_CONDITIONS.iter().find(is_it).map(|(_, _, key)| *key);
        let has = |key: &str| taints.iter().any(|taint| taint.key == key && taint.effect == "NoSchedule");
        taints.extend(key.filter(|key| !has(key)).map(|key| Taint::new(key, "NoSchedule")));
    }
    Ok(taints)
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
    fn a_field_of_a_wrong_type_is_refused_with_its_own_path() {
        let taint = |taint: Value| json!({ "spec": { "taints": [{ "key": "a", "effect": "NoSchedule" }, taint] } });
        for (more, expected) in [
            (
                taint(json!({ "key": "b", "value": true, "effect": "NoSchedule" })),
                "spec.taints[1].value: Invalid value: true: must be a string",
            ),
            (json!({ "spec": { "taints": { "key": "b" } } }), "spec.taints: Invalid value: a map: must be a list"),
            (
                taint(json!({ "key": "b", "effect": "noschedule" })),
                "spec.taints[1].effect: Unsupported value: \"noschedule\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
            ),
            (taint(json!({ "effect": "NoSchedule" })), "spec.taints[1].key: Required value: must be the taint's key"),
            (
                json!({ "spec": { "unschedulable": "true" } }),
                "spec.unschedulable: Invalid value: \"true\": must be true or false",
            ),
            (json!({ "status": { "allocatable": [] } }), "status.allocatable: Invalid value: a list: must be a map"),
            (
                json!({ "status": { "conditions": { "type": "Ready" } } }),
                "status.conditions: Invalid value: a map: must be a list",
            ),
        ] {
            let mut node = json!({ "kind": "Node", "metadata": { "name": "a" } });
            node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let problem = read_node(&node, "nodes[0]", None).unwrap_err();
            assert_eq!(problem.to_string(), format!("nodes[0].{expected}"));
        }
    }

    #[test]
    fn the_node_controller_taints_a_node_for_its_conditions() {
        let taints = |conditions: Value| {
            let node = json!({ "kind": "Node", "metadata": { "name": "a" }, "status": { "conditions": conditions } });
            let taints = read_node(&node, "", None).unwrap().taints;
            taints.into_iter().map(|taint| format!("{}:{}", taint.key, taint.effect)).collect::<Vec<_>>()
        };
        let condition = |of_type: &str, status: &str| json!({ "type": of_type, "status": status });
        for (of_type, status, expected) in [
            ("Ready", "False", Some("not-ready")),
            ("Ready", "True", None),
            ("Ready", "Unknown", None),
            ("DiskPressure", "True", Some("disk-pressure")),
            ("DiskPressure", "Unknown", None),
            ("PIDPressure", "True", Some("pid-pressure")),
        ] {
            let expected: Vec<String> =
                expected.into_iter().map(|key| format!("node.kubernetes.io/{key}:NoSchedule")).collect();
            assert_eq!(taints(json!([condition(of_type, status)])), expected, "{of_type} {status}");
        }
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
