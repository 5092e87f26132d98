use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{Time, Unknown, is_zero};

/// Labels or annotations, shared until written to.
pub type StringMap = Rc<BTreeMap<String, String>>;

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go ObjectMeta`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    /// Unique in the namespace for its kind.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: Rc<str>,
    /// What a name made by the API server begins with.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub generate_name: Rc<str>,
    /// `default` where it is not given.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub namespace: Rc<str>,
    /// Given by the API server on creation.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub uid: Rc<str>,
    /// Rises with each change of the spec.
    #[serde(skip_serializing_if = "is_zero")]
    pub generation: i64,
    /// Rises with each write.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub resource_version: Rc<str>,
    /// When the API server took it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Time>,
    /// When a graceful deletion is over; present as soon as it has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Time>,
    /// Seconds which that deletion may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_grace_period_seconds: Option<i64>,
    /// Labels.
    #[serde(skip_serializing_if = "map_is_empty")]
    pub labels: StringMap,
    /// Annotations.
    #[serde(skip_serializing_if = "map_is_empty")]
    pub annotations: StringMap,
    /// Owners; at most one of them is the controller.
    #[serde(skip_serializing_if = "owners_are_empty")]
    pub owner_references: Rc<Vec<OwnerReference>>,
    /// What keeps a deleted object until somebody has finished with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl ObjectMeta {
    /// The annotation's value.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.get(key).map(String::as_str)
    }

    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOf`
    pub fn controller(&self) -> Option<&OwnerReference> {
        self.owner_references.iter().find(|owner| owner.controller == Some(true))
    }

    /// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go IsControlledBy`
    pub fn is_controlled_by(&self, owner: &Self) -> bool {
        self.controller().is_some_and(|reference| reference.uid == owner.uid)
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go OwnerReference`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
    /// Whether a foreground deletion of the owner waits for this object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

pub(super) fn map_is_empty(map: &StringMap) -> bool {
    map.is_empty()
}

fn owners_are_empty(owners: &Rc<Vec<OwnerReference>>) -> bool {
    owners.is_empty()
}
