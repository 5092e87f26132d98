//! ReplicaSets: they keep a number of pods.

pub mod controller;
pub mod decision;
pub(crate) mod kind;
mod object;
pub(crate) mod run;
pub(crate) mod strategy;

pub use object::{
    POD_TEMPLATE_HASH, REVISION, ReplicaSet, ReplicaSetCondition, ReplicaSetSpec, ReplicaSetStatus, revision_of,
};
