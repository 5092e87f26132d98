use alloc::rc::Rc;

use super::{ObjectMeta, PersistentVolumeClaimSpec, Resource, Unknown};
use crate::json::{FromJson, ToJson};

/// Upstream: `k8s.io/api/core/v1/types.go PersistentVolumeClaim`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct PersistentVolumeClaim {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What it asks for.
    pub spec: Rc<PersistentVolumeClaimSpec>,
    /// What it has.
    #[json(omitempty)]
    pub status: PersistentVolumeClaimStatus,
}

impl Resource for PersistentVolumeClaim {
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        None
    }
}

/// Upstream: `k8s.io/api/core/v1/types.go PersistentVolumeClaimStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct PersistentVolumeClaimStatus {
    /// Everything: nothing here reads it.
    #[serde(flatten)]
    pub unknown: Unknown,
}
