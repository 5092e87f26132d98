//! What the scheduler reads of a Node object.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::resource::{Resources, UNLIMITED};
use crate::json::decode;
use crate::object::quantity::nanos;
use crate::object::unstructured::{at, integer, list, name};
use crate::object::{StringMap, Taint};

/// The label with the name of a node's host.
pub(crate) const HOSTNAME: &str = "kubernetes.io/hostname";

/// The label with a node's operating system.
pub(crate) const OS: &str = "kubernetes.io/os";

/// The label with a node's architecture.
pub(crate) const ARCHITECTURE: &str = "kubernetes.io/arch";

/// The label with a node's zone.
pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";

/// The label with a node's region.
pub(crate) const REGION: &str = "topology.kubernetes.io/region";

/// Upstream: `k8s.io/api/core/v1/types.go Node`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The name.
    pub name: Rc<str>,
    /// The labels.
    pub labels: StringMap,
    /// The taints.
    pub taints: Vec<Taint>,
    /// Whether the node is cordoned.
    pub unschedulable: bool,
    /// What its pods may request together.
    pub allocatable: Resources,
    /// Whether it has any amount of the resources that `allocatable` does not name.
    pub has_anything: bool,
    /// The images that it has, each with its size in bytes.
    pub images: Vec<(String, i64)>,
}

impl Node {
    /// Reads a Node object as the API server stores it: what it does not name, it has none of.
    pub fn of(object: &Value) -> Self {
        let status = |key: &str| at(object, &["status", key]);
        let mut allocatable = Resources::default();
        // The API server copies what there is into what may be used.
        let amounts = status("allocatable").or_else(|| status("capacity")).and_then(Value::as_object);
        for (name, amount) in amounts.into_iter().flatten() {
            allocatable.put(name, nanos(amount).unwrap_or(0));
        }
        let labels = at(object, &["metadata", "labels"]).and_then(|labels| decode(labels, "").ok());
        Self {
            name: name(object).into(),
            labels: labels.unwrap_or_default(),
            taints: at(object, &["spec", "taints"]).and_then(|taints| decode(taints, "").ok()).unwrap_or_default(),
            unschedulable: at(object, &["spec", "unschedulable"]) == Some(&Value::Bool(true)),
            allocatable,
            has_anything: false,
            images: images(object),
        }
    }

    /// How much there is of a resource that is not cpu, memory or ephemeral storage.
    pub(super) fn scalar(&self, name: &str) -> i64 {
        self.allocatable.scalar(name).unwrap_or(if self.has_anything { UNLIMITED } else { 0 })
    }

    /// The value of a label.
    pub(super) fn label(&self, key: &str) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// Region and zone, which order the nodes.
    ///
    /// Upstream: `k8s.io/component-helpers/node/topology/helpers.go GetZoneKey`
    pub(super) fn zone_key(&self) -> (&str, &str) {
        let either = |beta: &str, stable: &str| self.label(beta).or_else(|| self.label(stable)).unwrap_or_default();
        (
            either("failure-domain.beta.kubernetes.io/region", REGION),
            either("failure-domain.beta.kubernetes.io/zone", ZONE),
        )
    }
}

/// The images that a Node object lists, each name with the size that comes first.
///
/// Upstream: `pkg/scheduler/backend/cache/cache.go cacheImpl.addNodeImageStates`
fn images(object: &Value) -> Vec<(String, i64)> {
    let mut images: Vec<(String, i64)> = Vec::new();
    let status = object.get("status").unwrap_or(&Value::Null);
    for image in list(status, "images") {
        let size = integer(image, "sizeBytes").unwrap_or(0);
        for name in list(image, "names").iter().filter_map(Value::as_str) {
            if !images.iter().any(|(known, _)| known == name) {
                images.push((name.into(), size));
            }
        }
    }
    images
}
