//! The parts of a fleet as data: which one is predicted, and what its pods hold over time.

use alloc::string::String;
use alloc::vec::Vec;

use crate::json::{FromJson, ToJson};

/// One of several parts of a fleet, which are predicted on their own: what shares a ResourceQuota stays together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Shard {
    /// The number of the part, from 0 on.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
}

/// The part of a shard's answer that is merged: what all its pods use together, over time.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShardPart {
    /// The number of the part, from 0 on.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
    /// Of `total.outcome`.
    pub outcome: Course,
    /// Of `total.proposed`; absent if that is.
    #[json(omitempty)]
    pub proposed: Option<Course>,
    /// Of `total.withQuotas`; absent if that is.
    #[json(omitempty)]
    pub with_quotas: Option<Course>,
}

/// How much there is of something over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Course {
    /// The pods that hold resources.
    pub pods: Levels,
    /// The available pods.
    pub available: Levels,
    /// What the pods request of each resource.
    pub resources: Vec<ResourceLevels>,
    /// When the simulation ends, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub end: i64,
}

/// How much pods request of a resource over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceLevels {
    /// The resource, like `cpu`.
    pub resource: String,
    /// How much of it they request.
    pub levels: Levels,
}

/// An amount over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Levels {
    /// The amount before the change.
    pub before: String,
    /// The instants at which it changes, in order.
    pub changes: Vec<LevelChange>,
}

/// What becomes of an amount at an instant.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LevelChange {
    /// The instant, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub at: i64,
    /// The largest amount in the instant or just before it; of available pods, the smallest.
    pub extreme: String,
    /// The amount after it.
    pub after: String,
}
