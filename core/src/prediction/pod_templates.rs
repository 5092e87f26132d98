//! The pod templates of workloads of any kind, and how many pods they have.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, field, list, string};
use crate::object::{IntOrString, Kind, Rounding, Runs, WorkloadFacts};

/// The fields of custom resources with a number of pods.
pub(super) const NUMBERS: [&str; 10] = [
    "replicas",
    "parallelism",
    "instances",
    "count",
    "numberOfInstances",
    "members",
    "workers",
    "size",
    "servers",
    "clusterSize",
];

/// Those that also count groups of pods further below. The others may be about something else, like the size of a disk.
const OF_GROUPS: usize = 4;

/// A pod template, or a Pod, which is its own.
#[derive(Clone, Debug)]
pub(super) struct PodTemplate<'a> {
    /// The template.
    pub(super) value: &'a Value,
    /// Where it is in the object, with a dot behind it; empty for a Pod.
    pub(super) path: String,
    /// The same, with the names of the groups that it is in instead of their numbers: a new group may come first.
    pub(super) id: String,
}

impl<'a> PodTemplate<'a> {
    /// The spec of its pods.
    pub(super) fn spec(&self) -> &'a Value {
        field(self.value, "spec").unwrap_or(&Value::Null)
    }
}

/// How many pods a workload has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PodCount {
    /// That many.
    Pods(i64),
    /// One on each node.
    OnEachNode,
}

/// The pod template of an object; none where it runs no pods of its own.
pub(super) fn pod_template(object: &Value) -> Option<PodTemplate<'_>> {
    if is_custom(object) {
        return pod_templates(object).into_iter().next().map(|(template, _)| template);
    }
    let kind = Kind::from_name(string(object, "kind"))?;
    if kind == Kind::Pod {
        return Some(PodTemplate { value: object, path: String::new(), id: String::new() });
    }
    let path = kind.pod_template().filter(|_| kind.workload().is_some())?;
    let value = at(object, path)?;
    let path = format!("{}.", path.join("."));
    Some(PodTemplate { value, id: path.clone(), path })
}

/// Whether an object is of a group with a domain: no workload of Kubernetes itself is.
pub(super) fn is_custom(object: &Value) -> bool {
    string(object, "apiVersion").split_once('/').is_some_and(|(group, _)| group.contains('.'))
}

/// The pod templates of an object, each with how many pods it has: a custom resource may have several, like a RayCluster.
pub(super) fn pod_templates(object: &Value) -> Vec<(PodTemplate<'_>, PodCount)> {
    let mut templates = Vec::new();
    if !is_custom(object) {
        templates.extend(pod_template(object).map(|template| (template, pod_count(object))));
    } else if let Some(spec) = field(object, "spec") {
        templates_below(spec, Place { path: "spec.", id: "spec." }, 1, &mut templates);
    }
    templates
}

/// Where a value is in a custom resource: its path, and the same with names instead of numbers, each with a dot behind it.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    id: &'a str,
}

/// The name of a group of pods, like a worker group of a RayCluster.
fn group_name(group: &Value) -> Option<&str> {
    ["name", "groupName"].into_iter().map(|key| string(group, key)).find(|name| !name.is_empty())
}

/// The pod templates in a custom resource. The numbers above a template are multiplied: 2 groups of 4 workers are 8 pods.
fn templates_below<'a>(
    value: &'a Value,
    place: Place<'_>,
    groups: i64,
    templates: &mut Vec<(PodTemplate<'a>, PodCount)>,
) {
    let Place { path, id } = place;
    match value {
        Value::Object(map) => {
            let number = |key: &str| map.get(key).and_then(Value::as_i64).filter(|number| *number >= 0);
            let has_leader = map.contains_key(LEADER_TEMPLATE);
            let is_leader_worker = has_leader || map.contains_key(WORKER_TEMPLATE);
            let has_template = map.iter().any(|(key, value)| is_template(key, value)) && !is_leader_worker;
            let numbers = NUMBERS.into_iter().take(if has_template { NUMBERS.len() } else { OF_GROUPS });
            let replicas = numbers.into_iter().find_map(number).unwrap_or(1);
            // The hosts of a RayCluster's workers, and the pods of a LeaderWorkerSet's groups, of which one is the leader. Elsewhere,
            // a size may be that of a disk.
            let of_group = number("size").filter(|_| is_leader_worker);
            let size = number("numOfHosts").or(of_group).unwrap_or(1);
            let followers = if has_leader { size.saturating_sub(1) } else { size };
            let groups = groups.saturating_mul(replicas);
            for (key, value) in map {
                let pods = if key == LEADER_TEMPLATE { groups } else { groups.saturating_mul(followers) };
                let (path, id) = (format!("{path}{key}."), format!("{id}{key}."));
                if is_template(key, value) {
                    templates.push((PodTemplate { value, path, id }, PodCount::Pods(pods)));
                } else {
                    templates_below(value, Place { path: &path, id: &id }, pods, templates);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let below = |place: &str, item: &str| format!("{}[{item}].", place.trim_end_matches('.'));
                let number = format!("{index}");
                let (path, id) = (below(path, &number), below(id, group_name(item).unwrap_or(&number)));
                templates_below(item, Place { path: &path, id: &id }, groups, templates);
            }
        }
        _ => {}
    }
}

/// The template of the first pod of each group of a LeaderWorkerSet.
const LEADER_TEMPLATE: &str = "leaderTemplate";

/// The template of its other pods.
const WORKER_TEMPLATE: &str = "workerTemplate";

/// Whether a field has a pod template.
fn is_template(key: &str, value: &Value) -> bool {
    key.to_lowercase().ends_with("template") && is_pod_template(value)
}

/// Whether a value could be a pod template: patterns of a policy engine look like one, but their containers have no real names.
fn is_pod_template(value: &Value) -> bool {
    let containers = at(value, &["spec", "containers"]).and_then(Value::as_array);
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    containers.is_some_and(|containers| {
        !containers.is_empty() && containers.iter().all(|container| is_name(string(container, "name")))
    })
}

/// What is known of the kind of a workload of Kubernetes itself.
fn workload(object: &Value) -> Option<&'static WorkloadFacts> {
    Kind::from_name(string(object, "kind")).filter(|_| !is_custom(object))?.workload()
}

/// How many pods a workload of Kubernetes itself has that is not simulated: its replicas, or those that it runs at the same time.
pub(super) fn pod_count(object: &Value) -> PodCount {
    let number = |path: &[&str]| at(object, path).and_then(Value::as_i64);
    let pods = match workload(object) {
        Some(WorkloadFacts { runs: Runs::OnEachNode, .. }) => return PodCount::OnEachNode,
        Some(WorkloadFacts { suspend: Some(path), .. }) if at(object, path) == Some(&Value::Bool(true)) => Some(0),
        Some(WorkloadFacts { runs: Runs::Field(path), .. }) => number(path),
        None => None,
    };
    PodCount::Pods(pods.unwrap_or(1).max(0))
}

/// How many pods more than those an update of the workload runs at once, where that is known; `on_each_node` is how many there are.
///
/// Upstream: `pkg/controller/daemon/util/daemonset_util.go SurgeCount`
pub(super) fn surge(object: &Value, on_each_node: i64) -> i64 {
    let is_on_each_node = matches!(workload(object), Some(WorkloadFacts { runs: Runs::OnEachNode, .. }));
    let given = at(object, &["spec", "updateStrategy", "rollingUpdate", "maxSurge"]).filter(|_| is_on_each_node);
    let surge = given.and_then(|given| match given {
        Value::Number(number) => Some(IntOrString::Int(i32::try_from(number.as_i64()?).ok()?)),
        Value::String(text) => Some(IntOrString::String(text.as_str().into())),
        _ => None,
    });
    let nodes = i32::try_from(on_each_node).unwrap_or(i32::MAX);
    surge.and_then(|surge| surge.scaled(nodes, Rounding::Up).ok()).unwrap_or(0).clamp(0, on_each_node)
}

/// A Pod of a template, with nothing but what takes room and what decides where it runs.
pub(super) fn pod_of(template: &PodTemplate<'_>, namespace: &str, name: &str, node: Option<&str>) -> Value {
    const KEPT: [&str; 5] = ["name", "image", "resources", "ports", "restartPolicy"];
    const SPEC: [&str; 11] = [
        "affinity",
        "hostNetwork",
        "nodeSelector",
        "overhead",
        "preemptionPolicy",
        "priority",
        "priorityClassName",
        "resources",
        "terminationGracePeriodSeconds",
        "tolerations",
        "topologySpreadConstraints",
    ];
    let spec = template.spec();
    let container = |(index, given): (usize, &Value)| {
        let kept = KEPT.into_iter().filter_map(|key| Some((String::from(key), field(given, key)?.clone())));
        let mut container: Map<String, Value> = kept.collect_tree();
        container.entry("name").or_insert_with(|| format!("container-{index}").into());
        container.entry("image").or_insert_with(|| "image".into());
        Value::Object(container)
    };
    let containers = |key: &str| list(spec, key).iter().enumerate().map(container).collect::<Vec<_>>();
    let mut pod_spec = Map::new();
    for key in SPEC {
        pod_spec.extend(field(spec, key).map(|value| (String::from(key), value.clone())));
    }
    pod_spec.insert("containers".into(), containers("containers").into());
    pod_spec.insert("initContainers".into(), containers("initContainers").into());
    pod_spec.extend(node.map(|node| (String::from("nodeName"), node.into())));
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": namespace },
        "spec": pod_spec,
    })
}

/// An image without its version.
pub(super) fn repository(image: &str) -> &str {
    let image = image.split_once('@').map_or(image, |(image, _)| image);
    let name = image.rfind('/').map_or(0, |slash| slash.saturating_add(1));
    let end = image.get(name..).and_then(|name_and_tag| name_and_tag.find(':'));
    end.and_then(|end| image.get(..name.saturating_add(end))).unwrap_or(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_template_of_a_custom_resource_has_its_own_number_of_pods() {
        let template = json!({ "spec": { "containers": [{ "name": "app", "image": "app:1" }] } });
        for (spec, expected) in [
            (json!({ "replicas": 4, "template": template }), Vec::from([4])),
            (json!({ "parallelism": 0, "template": template }), Vec::from([0])),
            (json!({ "size": 3, "template": template }), Vec::from([3])),
            (json!({ "size": 3, "worker": { "template": template } }), Vec::from([1])),
            (
                json!({
                    "headGroupSpec": { "template": template },
                    "workerGroupSpecs": [{ "replicas": 4, "numOfHosts": 2, "template": template }],
                }),
                Vec::from([1, 8]),
            ),
            (
                json!({ "replicatedJobs": [{ "replicas": 2, "template": { "spec": { "parallelism": 3, "template": template } } }] }),
                Vec::from([6]),
            ),
            (
                json!({
                    "replicas": 2,
                    "leaderWorkerTemplate": { "size": 4, "leaderTemplate": template, "workerTemplate": template },
                }),
                Vec::from([2, 6]),
            ),
        ] {
            let object = json!({ "apiVersion": "example.com/v1", "kind": "Group", "spec": spec });
            let counts: Vec<PodCount> = pod_templates(&object).into_iter().map(|(_, count)| count).collect();
            assert_eq!(counts, expected.into_iter().map(PodCount::Pods).collect::<Vec<_>>(), "{object}");
        }
    }
}
