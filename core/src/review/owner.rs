//! The controller that owns an object.

use serde_json::Value;

use crate::object::Kind;
use crate::object::unstructured::{field, list};

/// The controller that an object names as its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controller {
    None,
    /// A controller that creates objects of this kind from a template.
    Of(Kind),
    /// Any other controller, or it is not known which.
    Unknown,
}

impl Controller {
    /// The controller of an object.
    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOf`
    pub(super) fn of(object: &Value, kind: Kind) -> Self {
        let Some(reference) = controller_reference(object) else { return Self::None };
        let creates_it = |owner: &Kind| owner.workload().is_some_and(|workload| workload.creates == kind.name());
        Kind::of(reference).filter(creates_it).map_or(Self::Unknown, Self::Of)
    }

    /// Whether it is known to rank its pods by their deletion costs.
    pub(super) fn ranks_pods(self) -> bool {
        match self {
            Self::Of(kind) => kind.workload().is_some_and(|workload| workload.ranks_pods),
            Self::None | Self::Unknown => false,
        }
    }
}

/// The reference to the controller.
/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOfNoCopy`
pub(super) fn controller_reference(object: &Value) -> Option<&Value> {
    let references = field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "ownerReferences"));
    references.iter().find(|reference| field(reference, "controller").and_then(Value::as_bool) == Some(true))
}
