use alloc::rc::Rc;

use serde_json::Value;

use super::{ObjectMeta, Resource};
use crate::json::{FromJson, ToJson};

/// A pod template that a StatefulSet or a DaemonSet has or had.
///
/// Upstream: `k8s.io/api/apps/v1/types.go ControllerRevision`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct ControllerRevision {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What it keeps. In JSON, these fields stand beside the metadata.
    #[serde(flatten)]
    pub spec: Rc<Revision>,
    /// Always empty.
    #[json(omitempty)]
    pub status: NoStatus,
}

impl Resource for ControllerRevision {
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        None
    }
}

/// What a [`ControllerRevision`] keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct Revision {
    /// The patch that brings the pod template back.
    pub data: Value,
    /// Its number in the order of the revisions.
    pub revision: i64,
}

/// The status of a kind without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub struct NoStatus {}
