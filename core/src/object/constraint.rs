//! Objects that bear on pods and that nobody here writes but the user.

use super::Unknown;
use crate::json::{FromJson, ToJson};

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
