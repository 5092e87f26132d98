//! Objects that bear on pods and that only the user writes, and what claims ask for.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::{IntOrString, Kind, LabelSelector, Unknown};
use crate::json::{FromJson, ToJson};

/// Their kinds.
pub(crate) const AUX_KINDS: [Kind; 3] = [Kind::ResourceQuota, Kind::LimitRange, Kind::PodDisruptionBudget];

/// The kinds of objects that bear on which nodes take a pod. Other groups have kinds of these names, too.
pub(crate) const SURROUNDING_KINDS: [Kind; 5] =
    [Kind::Namespace, Kind::PersistentVolume, Kind::PriorityClass, Kind::Service, Kind::StorageClass];

/// Whether an object bears on which nodes take a pod.
pub(crate) fn is_surrounding(object: &Value) -> bool {
    Kind::of(object).is_some_and(|kind| SURROUNDING_KINDS.contains(&kind))
}

/// Upstream: `k8s.io/api/core/v1/types.go ResourceQuotaSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuotaSpec {
    /// How much of each resource there may be in the namespace.
    #[json(omitempty)]
    pub hard: Unknown,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go LimitRangeSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitRangeSpec {
    /// The limits of each type of object.
    #[json(omitempty)]
    pub limits: Vec<LimitRangeItem>,
}

/// Upstream: `k8s.io/api/core/v1/types.go LimitRangeItem`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitRangeItem {
    /// What the limits are for: Container, Pod or PersistentVolumeClaim.
    #[serde(rename = "type")]
    pub item_type: String,
    /// The limits of containers without their own.
    #[json(omitempty)]
    #[serde(rename = "default")]
    pub default_limit: Unknown,
    /// The requests of containers without their own.
    #[json(omitempty)]
    pub default_request: Unknown,
    /// The maximum of each resource.
    #[json(omitempty)]
    pub max: Unknown,
    /// The minimum of each resource.
    #[json(omitempty)]
    pub min: Unknown,
    /// The most that the limit of each resource may be of the request.
    #[json(omitempty)]
    pub max_limit_request_ratio: Unknown,
}

/// Upstream: `k8s.io/api/policy/v1/types.go PodDisruptionBudgetSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct PodDisruptionBudgetSpec {
    /// How many pods must stay available.
    #[json(omitempty)]
    pub min_available: Option<IntOrString>,
    /// How many pods may be unavailable.
    #[json(omitempty)]
    pub max_unavailable: Option<IntOrString>,
    /// Which pods: without one none, with an empty one all.
    #[json(omitempty)]
    pub selector: Option<LabelSelector>,
    /// Whether pods that are not ready may be evicted: IfHealthyBudget (the default) or AlwaysAllow.
    #[json(omitempty)]
    pub unhealthy_pod_eviction_policy: Option<String>,
}

/// Upstream: `k8s.io/api/core/v1/types.go PersistentVolumeClaimSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolumeClaimSpec {
    /// ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.
    #[json(omitempty)]
    pub access_modes: Vec<String>,
    /// The volume that the claim is bound to.
    #[json(omitempty)]
    pub volume_name: String,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}
