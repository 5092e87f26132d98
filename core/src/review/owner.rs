//! The controller that owns an object.

use serde_json::Value;

use crate::object::Kind;
use crate::object::unstructured::{field, list};

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
        let references = field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "ownerReferences"));
        let is_controller = |reference: &&Value| field(reference, "controller").and_then(Value::as_bool) == Some(true);
        let Some(reference) = references.iter().find(is_controller) else { return Self::None };
        Kind::of(reference).filter(|owner| owner_kinds(kind).contains(owner)).map_or(Self::Unknown, Self::Of)
    }
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
