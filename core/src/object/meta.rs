use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use litemap::LiteMap;
use serde_json::Value;

use super::unstructured::{at, string};
use super::{Kind, ObjectKey, Time, Unknown};
use crate::json::{FromJson, ToJson};

/// Texts by name, sorted: as small as maps of Kubernetes are, a list that is searched by halves.
pub type Strings = LiteMap<String, String>;

/// Labels or annotations, shared until written to.
pub type StringMap = Rc<Strings>;

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go ObjectMeta`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    /// Unique in the namespace for its kind.
    #[json(omitempty)]
    pub name: Rc<str>,
    /// What a name made by the API server begins with.
    #[json(omitempty)]
    pub generate_name: Rc<str>,
    /// `default` where it is not given.
    #[json(omitempty)]
    pub namespace: Rc<str>,
    /// Given by the API server on creation.
    #[json(omitempty)]
    pub uid: Rc<str>,
    /// Rises with each change of the spec.
    #[json(omitempty)]
    pub generation: i64,
    /// Rises with each write.
    #[json(omitempty)]
    pub resource_version: Rc<str>,
    /// When the API server took it in.
    #[json(omitempty)]
    pub creation_timestamp: Option<Time>,
    /// When a graceful deletion is over; present as soon as it has begun.
    #[json(omitempty)]
    pub deletion_timestamp: Option<Time>,
    /// Seconds which that deletion may take.
    #[json(omitempty)]
    pub deletion_grace_period_seconds: Option<i64>,
    /// Labels.
    #[json(omitempty)]
    pub labels: StringMap,
    /// Annotations.
    #[json(omitempty)]
    pub annotations: StringMap,
    /// Owners; at most one of them is the controller.
    #[json(omitempty)]
    pub owner_references: Rc<Vec<OwnerReference>>,
    /// What keeps a deleted object until its controllers have finished with it.
    #[json(omitempty)]
    pub finalizers: Vec<String>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// The reference to the controller of that kind, of an object as `kubectl get -o json` prints it.
pub fn controller_of(object: &Value, kind: Kind) -> Option<&Value> {
    let references = at(object, &["metadata", "ownerReferences"])?.as_array()?;
    references.iter().find(|reference| {
        string(reference, "kind") == kind.name() && reference.get("controller") == Some(&Value::Bool(true))
    })
}

/// The annotations for writing, shared with no other object.
pub(crate) fn annotations_mut(metadata: &mut Rc<ObjectMeta>) -> &mut Strings {
    Rc::make_mut(&mut Rc::make_mut(metadata).annotations)
}

impl ObjectMeta {
    /// The annotation's value.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        // There are few, of different lengths, and most begin alike: a search by order would compare those beginnings.
        self.annotations.iter().find(|(its, _)| *its == key).map(|(_, value)| value.as_str())
    }

    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOf`
    pub fn controller(&self) -> Option<&OwnerReference> {
        self.owner_references.iter().find(|owner| owner.controller == Some(true))
    }

    /// The key of the object's controller, which is of that kind.
    pub fn controller_key(&self, kind: Kind) -> Option<ObjectKey> {
        let owner = self.controller()?;
        Some(ObjectKey::new(kind, self.namespace.clone(), owner.name.clone()))
    }

    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go IsControlledBy`
    pub fn is_controlled_by(&self, owner: &Self) -> bool {
        self.controller().is_some_and(|reference| reference.uid == owner.uid)
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go OwnerReference`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct OwnerReference {
    /// Like `apps/v1`.
    pub api_version: Rc<str>,
    /// Like `ReplicaSet`.
    pub kind: Rc<str>,
    /// The owner's name.
    pub name: Rc<str>,
    /// The owner's uid.
    pub uid: Rc<str>,
    /// Whether this owner is the controller.
    #[serde(default)]
    #[json(omitempty)]
    pub controller: Option<bool>,
    /// Whether a foreground deletion of the owner waits for this object.
    #[serde(default)]
    #[json(omitempty)]
    pub block_owner_deletion: Option<bool>,
}

impl OwnerReference {
    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go NewControllerRef`
    pub fn controller(api_version: &str, kind: &str, owner: &ObjectMeta) -> Self {
        Self {
            api_version: api_version.into(),
            kind: kind.into(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        }
    }
}
