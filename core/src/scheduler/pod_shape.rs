//! What the scheduler reads of a pod. The pods of a template share it.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::affinity_term::{AffinityTerm, PodAffinity, WeightedTerm};
use super::image_names::normalized_image_name;
use super::node_affinity::{NodeSelector, PreferredTerm, RequiredNodeAffinity};
use super::node_ports::{HostPort, host_ports};
use super::pod_resources::{NonZero, non_zero_requests, requests, scored_requests};
use super::resource::Resources;
use super::spread_constraint::SpreadConstraint;
use super::taint_toleration::Toleration;
use super::volume::PodVolume;
use crate::json::{FromJson, decode};
use crate::object::unstructured::at;
use crate::object::{OwnerReference, Pod, PodSpecFields, StringMap, Strings};

/// What the scheduler reads of a pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodShape {
    /// The namespace.
    pub namespace: Rc<str>,
    /// The labels.
    pub labels: StringMap,
    /// The pod's name, if it alone has the shape: an ephemeral volume's claim is called after its pod.
    own_name: Option<Rc<str>>,
    /// The spec, by which pods of a template are recognized.
    pub(super) fields: Rc<PodSpecFields>,
    /// The controller.
    pub(super) owner: Option<OwnerReference>,
    /// What the pod requests.
    pub requests: Resources,
    /// What it counts for where nodes are compared, once it is on one.
    pub non_zero: NonZero,
    /// And while it looks for one.
    pub(super) scored: NonZero,
    /// The ports of its node that it asks for.
    pub ports: Vec<HostPort>,
    pub(super) tolerations: Vec<Toleration>,
    pub(super) node_affinity: RequiredNodeAffinity,
    pub(super) preferred_nodes: Option<Vec<PreferredTerm>>,
    pub(super) affinity: Vec<AffinityTerm>,
    pub(super) anti_affinity: Vec<AffinityTerm>,
    pub(super) preferred_affinity: Vec<WeightedTerm>,
    pub(super) preferred_anti_affinity: Vec<WeightedTerm>,
    pub(super) spread: Vec<SpreadConstraint>,
    /// Of several pods, those with a higher priority come first.
    pub priority: i64,
    /// Whether it never takes the place of others.
    pub never_preempts: bool,
    /// The volumes that decide about nodes.
    pub(super) volumes: Vec<PodVolume>,
    /// The images of its containers and volumes.
    pub(super) images: Vec<String>,
}

impl PodShape {
    /// Reads a pod. What has a wrong type counts as absent: the API server refuses it.
    pub fn of(pod: &Pod) -> Self {
        let fields = &pod.spec.fields;
        let spec = |path: &[&str]| at(fields.unknown.get(path.first().copied()?)?, path.get(1..)?);
        let affinity = |key: &str| {
            let mut read = read::<PodAffinity>(spec(&["affinity", key]));
            let preferred = read.preferred.iter_mut().map(|its| &mut its.pod_affinity_term);
            read.required.iter_mut().chain(preferred).for_each(|term| term.merge_keys(&pod.metadata.labels));
            read
        };
        let (pod_affinity, pod_anti_affinity) = (affinity("podAffinity"), affinity("podAntiAffinity"));
        let preferred = spec(&["affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"]);
        let mut spread: Vec<SpreadConstraint> = read(spec(&["topologySpreadConstraints"]));
        spread.iter_mut().for_each(|constraint| constraint.merge_keys(&pod.metadata.labels));
        let volumes: &[Value] = fields.unknown.get("volumes").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let of_volumes = volumes.iter().filter_map(|volume| at(volume, &["image", "reference"])?.as_str());
        let containers = fields.init_containers.iter().chain(&fields.containers);
        let images = containers.map(|container| container.image.as_str()).chain(of_volumes);
        let volumes: Vec<PodVolume> =
            volumes.iter().filter_map(|volume| PodVolume::of(volume, &pod.metadata.name)).collect();
        let is_shared = volumes.iter().all(PodVolume::is_shared);
        Self {
            namespace: pod.metadata.namespace.clone(),
            labels: pod.metadata.labels.clone(),
            fields: fields.clone(),
            owner: pod.metadata.controller().cloned(),
            requests: requests(fields),
            non_zero: non_zero_requests(fields),
            scored: scored_requests(fields),
            ports: host_ports(fields),
            tolerations: tolerations(fields),
            node_affinity: required_node_affinity(fields),
            preferred_nodes: preferred.map(|terms| read(Some(terms))),
            affinity: pod_affinity.required,
            anti_affinity: pod_anti_affinity.required,
            preferred_affinity: pod_affinity.preferred,
            preferred_anti_affinity: pod_anti_affinity.preferred,
            spread,
            priority: spec(&["priority"]).and_then(Value::as_i64).unwrap_or(0),
            never_preempts: spec(&["preemptionPolicy"]).and_then(Value::as_str) == Some("Never"),
            volumes,
            own_name: (!is_shared).then(|| pod.metadata.name.clone()),
            images: images.map(normalized_image_name).collect(),
        }
    }

    /// Whether a pod with the same spec has this shape.
    pub(super) fn shares_metadata(&self, pod: &Pod) -> bool {
        let same_owner = || match (&self.owner, pod.metadata.controller()) {
            (Some(own), Some(other)) => own.uid == other.uid,
            (None, None) => true,
            _ => false,
        };
        self.namespace == pod.metadata.namespace
            && (Rc::ptr_eq(&self.labels, &pod.metadata.labels) || self.labels == pod.metadata.labels)
            && same_owner()
            && self.own_name.as_ref().is_none_or(|name| *name == pod.metadata.name)
    }

    /// Whether a pod has this shape.
    pub(super) fn equals(&self, pod: &Pod) -> bool {
        self.shares_metadata(pod) && self.fields == pod.spec.fields
    }

    /// Whether the pod has terms about other pods that keep pods away from each other.
    pub(super) fn has_required_anti_affinity(&self) -> bool {
        !self.anti_affinity.is_empty()
    }
}

pub(super) fn tolerations(fields: &PodSpecFields) -> Vec<Toleration> {
    read(fields.unknown.get("tolerations"))
}

/// Upstream: `k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go NewRequiredNodeAffinity`
pub(super) fn required_node_affinity(fields: &PodSpecFields) -> RequiredNodeAffinity {
    const TERMS: [&str; 2] = ["nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let terms = fields.unknown.get("affinity").and_then(|affinity| at(affinity, &TERMS));
    RequiredNodeAffinity {
        selector: read::<Strings>(fields.unknown.get("nodeSelector")),
        terms: terms.map(|terms| read::<NodeSelector>(Some(terms))),
    }
}

fn read<T: FromJson + Default>(value: Option<&Value>) -> T {
    value.and_then(|value| decode(value, "").ok()).unwrap_or_default()
}
