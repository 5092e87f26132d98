//! The pod templates of workloads of any kind, and how many pods they have.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::object::unstructured::{at, field, list, string};
use crate::object::{IntOrString, Kind, Rounding, Runs, WorkloadFacts};

/// A pod template, or a Pod, which is its own.
#[derive(Clone, Debug)]
pub(super) struct PodTemplate<'a> {
    /// The template.
    pub(super) value: &'a Value,
    /// Where it is in the object, with a dot behind it; empty for a Pod.
    pub(super) path: String,
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
        return template_below(field(object, "spec")?, "spec.");
    }
    let kind = Kind::from_name(string(object, "kind"))?;
    if kind == Kind::Pod {
        return Some(PodTemplate { value: object, path: String::new() });
    }
    let path = kind.pod_template().filter(|_| kind.workload().is_some())?;
    Some(PodTemplate { value: at(object, path)?, path: format!("{}.", path.join(".")) })
}

/// Whether an object is of a group with a domain: no workload of Kubernetes itself is.
pub(super) fn is_custom(object: &Value) -> bool {
    string(object, "apiVersion").split_once('/').is_some_and(|(group, _)| group.contains('.'))
}

/// The first pod template in a custom resource.
fn template_below<'a>(value: &'a Value, path: &str) -> Option<PodTemplate<'a>> {
    match value {
        Value::Object(map) => map.iter().find_map(|(key, value)| {
            let path = format!("{path}{key}.");
            let is_template = key.to_lowercase().ends_with("template") && is_pod_template(value);
            if is_template { Some(PodTemplate { value, path }) } else { template_below(value, &path) }
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let path = format!("{}[{index}].", path.trim_end_matches('.'));
            template_below(item, &path)
        }),
        _ => None,
    }
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

/// How many pods a workload that is not simulated has: its replicas, or those that it runs at the same time.
pub(super) fn pod_count(object: &Value) -> PodCount {
    let number = |path: &[&str]| at(object, path).and_then(Value::as_i64);
    let pods = match workload(object) {
        Some(WorkloadFacts { runs: Runs::OnEachNode, .. }) => return PodCount::OnEachNode,
        Some(WorkloadFacts { suspend: Some(path), .. }) if at(object, path) == Some(&Value::Bool(true)) => Some(0),
        Some(WorkloadFacts { runs: Runs::Field(path), .. }) => number(path),
        None => number(&["spec", "replicas"]).or_else(|| number(&["spec", "parallelism"])),
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

/// A Pod of a template, with nothing but what takes room.
pub(super) fn pod_of(template: &PodTemplate<'_>, namespace: &str, name: &str, node: Option<&str>) -> Value {
    const KEPT: [&str; 5] = ["name", "image", "resources", "ports", "restartPolicy"];
    let spec = template.spec();
    let container = |(index, given): (usize, &Value)| {
        let kept = KEPT.into_iter().filter_map(|key| Some((String::from(key), field(given, key)?.clone())));
        let mut container: Map<String, Value> = kept.collect();
        container.entry("name").or_insert_with(|| format!("container-{index}").into());
        container.entry("image").or_insert_with(|| "image".into());
        Value::Object(container)
    };
    let containers = |key: &str| list(spec, key).iter().enumerate().map(container).collect::<Vec<_>>();
    let mut pod_spec = Map::new();
    for key in ["hostNetwork", "overhead", "resources", "terminationGracePeriodSeconds"] {
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
