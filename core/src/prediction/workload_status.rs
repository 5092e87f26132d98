//! What the status of a workload says of its pods.

use serde_json::Value;

use crate::object::unstructured::{at, integer};
use crate::object::{Kind, ObjectKey};

/// What the status of a workload counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatusCounts {
    pub(super) desired: i32,
    pub(super) available: i32,
    pub(super) new: i32,
    pub(super) old: i32,
}

/// A DaemonSet of a cluster whose nodes were not given: its status is all that is known of its pods.
#[derive(Debug)]
pub(super) struct UnplacedDaemonSet {
    pub(super) key: ObjectKey,
    pub(super) counts: StatusCounts,
    /// Whether its status is about its current template.
    is_observed: bool,
    /// Whether its controller replaces no pods: a user deletes them.
    pub(super) is_on_delete: bool,
}

impl UnplacedDaemonSet {
    /// None for an object of another kind.
    pub(super) fn of(object: &Value) -> Option<Self> {
        let kind = Kind::of(object).filter(|kind| *kind == Kind::DaemonSet)?;
        let status = at(object, &["status"])?;
        let count = |field: &str| integer(status, field).and_then(|count| i32::try_from(count).ok()).unwrap_or(0);
        let generation = at(object, &["metadata"]).and_then(|metadata| integer(metadata, "generation"));
        let new = count("updatedNumberScheduled");
        Some(Self {
            key: ObjectKey::of_manifest(kind, object),
            counts: StatusCounts {
                desired: count("desiredNumberScheduled"),
                available: count("numberAvailable"),
                new,
                old: count("currentNumberScheduled").saturating_sub(new),
            },
            is_observed: integer(status, "observedGeneration") >= generation,
            is_on_delete: at(object, &["spec", "updateStrategy", "type"])
                .is_some_and(|strategy| strategy == "OnDelete"),
        })
    }

    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go DaemonSetStatusViewer.Status`
    pub(super) fn is_complete(&self) -> bool {
        let StatusCounts { desired, available, new, .. } = self.counts;
        self.is_observed && new >= desired && available >= desired
    }
}
