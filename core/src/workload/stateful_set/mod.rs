//! StatefulSets: pods with ordinals, each with a name and claims of its own.

pub mod controller;
pub mod decision;
pub(crate) mod figures;
pub(crate) mod kind;
mod object;
#[cfg(feature = "sets")]
pub(crate) mod run;
pub(crate) mod strategy;

pub use object::{
    ClaimRetention, ClaimRetentionPolicy, ClaimTemplate, Ordinals, PodManagementPolicy, RollingUpdate, StatefulSet,
    StatefulSetCondition, StatefulSetSpec, StatefulSetStatus, UpdateStrategy, UpdateStrategyType,
};
pub(crate) use object::{POD_INDEX_LABEL, STATEFUL_SET_POD_NAME_LABEL, STATEFUL_SET_REVISION_LABEL};
