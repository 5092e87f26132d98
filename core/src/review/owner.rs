//! The controller that owns an object.

use serde_json::Value;

use super::cluster_reader::{Cluster, Freshness, Lookup};
use crate::object::Kind;
use crate::object::unstructured::{field, list, string};

/// The controller that an object names as its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controller {
    None,
    /// A controller that creates objects of this kind from a template, which the policy has already checked.
    Of(Kind),
    /// Any other controller: the policy has not checked what it wrote.
    Unknown,
}

impl Controller {
    /// The controller of an object.
    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOf`
    pub(super) fn of(object: &Value, kind: Kind) -> Self {
        let Some(reference) = controller_reference(object) else { return Self::None };
        Kind::of(reference).filter(|owner| owner_kinds(kind).contains(owner)).map_or(Self::Unknown, Self::Of)
    }
}

/// The reference to the controller.
/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOfNoCopy`
pub(super) fn controller_reference(object: &Value) -> Option<&Value> {
    let references = field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "ownerReferences"));
    references.iter().find(|reference| field(reference, "controller").and_then(Value::as_bool) == Some(true))
}

/// Whether the cluster has no controller of that name and uid: the reference was made up, or the owner has just been
/// deleted. Where the cluster can't tell, the reference is believed, as without a cluster.
pub(super) fn is_made_up(object: &Value, namespace: &str, cluster: &mut Cluster<'_>) -> bool {
    let Some((reference, kind)) = controller_reference(object).and_then(|found| Some((found, Kind::of(found)?))) else {
        return false;
    };
    let name = string(reference, "name");
    let lookup = Lookup { kind, namespace, name, fields: &["metadata"], freshness: Freshness::Cached };
    let Ok(found) = cluster.get(&lookup, "the owner is believed") else { return false };
    let uid = found.as_ref().and_then(|owner| field(owner, "metadata")).map(|metadata| string(metadata, "uid"));
    uid != Some(string(reference, "uid"))
}

/// The kinds whose controllers create this one.
const fn owner_kinds(kind: Kind) -> &'static [Kind] {
    match kind {
        Kind::Pod => &[Kind::DaemonSet, Kind::Job, Kind::ReplicaSet, Kind::ReplicationController, Kind::StatefulSet],
        Kind::Job => &[Kind::CronJob],
        Kind::ReplicaSet => &[Kind::Deployment],
        _ => &[],
    }
}
