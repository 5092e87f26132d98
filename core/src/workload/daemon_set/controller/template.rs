//! The template of a DaemonSet's pods, and which template a pod has.

use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::object::unstructured::{at, list, map_in, string};
use crate::object::{Pod, PodSpecFields, PodTemplateSpec};
use crate::workload::daemon_set::{DAEMON_SET_UNIQUE_LABEL, DaemonSet, TEMPLATE_GENERATION, TEMPLATE_GENERATION_LABEL};

/// The taints that all pods of DaemonSets tolerate, with their effects.
///
/// Upstream: `k8s.io/api/core/v1/well_known_taints.go`
const TOLERATED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// That of pods in the network of their host.
const NETWORK_UNAVAILABLE: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

const AFFINITY: &str = "affinity";
const NODE_AFFINITY: &str = "nodeAffinity";
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const NAME: &str = "metadata.name";

/// The number of the pod template; none if it is missing or not a number.
///
/// Upstream: `pkg/controller/daemon/util/daemonset_util.go GetTemplateGeneration`
pub(crate) fn get_template_generation(set: &DaemonSet) -> Option<i64> {
    set.metadata.annotation(TEMPLATE_GENERATION)?.parse().ok()
}

/// The spec with the tolerations that every pod of a DaemonSet has.
///
/// Upstream: `pkg/controller/daemon/util/daemonset_util.go AddOrUpdateDaemonPodTolerations`
pub(super) fn add_or_update_daemon_pod_tolerations(fields: &PodSpecFields) -> PodSpecFields {
    let given = fields.unknown.get("tolerations").and_then(Value::as_array);
    let mut tolerations: Vec<Value> = given.cloned().unwrap_or_default();
    let host_network = fields.unknown.get("hostNetwork") == Some(&Value::Bool(true));
    for (key, effect) in TOLERATED.into_iter().chain(host_network.then_some(NETWORK_UNAVAILABLE)) {
        add_or_update_toleration(&mut tolerations, key, effect);
    }
    PodSpecFields { unknown: fields.unknown.with("tolerations", tolerations), ..fields.clone() }
}

/// A toleration of the same taint is replaced, which takes its `tolerationSeconds` away.
///
/// Upstream: `pkg/apis/core/v1/helper/helpers.go AddOrUpdateTolerationInPodSpec`
fn add_or_update_toleration(tolerations: &mut Vec<Value>, key: &str, effect: &str) {
    let toleration = json!({ "key": key, "operator": "Exists", "effect": effect });
    let is_same = |other: &Value| {
        ["key", "operator", "effect", "value"].iter().all(|field| string(other, field) == string(&toleration, field))
    };
    let mut is_updated = false;
    for other in tolerations.iter_mut().filter(|other| is_same(other)) {
        other.clone_from(&toleration);
        is_updated = true;
    }
    if !is_updated {
        tolerations.push(toleration);
    }
}

/// Upstream: `pkg/controller/daemon/util/daemonset_util.go CreatePodTemplate`
pub(super) fn create_pod_template(template: &PodTemplateSpec, generation: Option<i64>, hash: &str) -> PodTemplateSpec {
    let mut template = template.clone();
    template.spec.fields = Rc::new(add_or_update_daemon_pod_tolerations(&template.spec.fields));
    let labels = Rc::make_mut(&mut template.metadata.labels);
    if let Some(generation) = generation {
        labels.insert(TEMPLATE_GENERATION_LABEL.into(), generation.to_string());
    }
    if !hash.is_empty() {
        labels.insert(DAEMON_SET_UNIQUE_LABEL.into(), hash.into());
    }
    template
}

/// The spec for a node: only that one may take the pod.
///
/// Upstream: `pkg/controller/daemon/util/daemonset_util.go ReplaceDaemonSetPodNodeNameNodeAffinity`
pub(super) fn replace_node_name_node_affinity(fields: &PodSpecFields, node: &str) -> PodSpecFields {
    let terms = json!([{ "matchFields": [{ "key": NAME, "operator": "In", "values": [node] }] }]);
    let mut affinity: Map<_, _> = fields.unknown.get(AFFINITY).and_then(Value::as_object).cloned().unwrap_or_default();
    if let Some(required) = map_in(&mut affinity, NODE_AFFINITY).and_then(|affinity| map_in(affinity, REQUIRED)) {
        required.insert("nodeSelectorTerms".into(), terms);
    }
    PodSpecFields { unknown: fields.unknown.with(AFFINITY, affinity), ..fields.clone() }
}

/// The node that a pod is on, or for which it was made.
///
/// Upstream: `pkg/controller/daemon/util/daemonset_util.go GetTargetNodeName`
pub fn get_target_node_name(pod: &Pod) -> Option<Rc<str>> {
    if let Some(node) = &pod.spec.node_name {
        return Some(node.clone());
    }
    let required = at(pod.spec.fields.unknown.get(AFFINITY)?, &[NODE_AFFINITY, REQUIRED])?;
    let fields = list(required, "nodeSelectorTerms").iter().flat_map(|term| list(term, "matchFields"));
    let named = fields.into_iter().find(|field| string(field, "key") == NAME && string(field, "operator") == "In")?;
    match list(named, "values") {
        [node] => node.as_str().map(Rc::from),
        _ => None,
    }
}

/// Whether a pod has the present template.
///
/// Upstream: `pkg/controller/daemon/util/daemonset_util.go IsPodUpdated`
pub(crate) fn is_pod_updated(pod: &Pod, hash: &str, generation: Option<i64>) -> bool {
    let label = |key| pod.metadata.labels.get(key).map_or("", |label| label.as_str());
    let same_template =
        || generation.is_some_and(|generation| *label(TEMPLATE_GENERATION_LABEL) == *generation.to_string());
    let same_hash = !hash.is_empty() && label(DAEMON_SET_UNIQUE_LABEL) == hash;
    same_hash || same_template()
}
