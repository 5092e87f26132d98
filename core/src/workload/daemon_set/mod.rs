//! DaemonSets: a pod on each node that suits it.

pub mod controller;
pub mod decision;
pub(crate) mod figures;
pub(crate) mod kind;
mod object;
#[cfg(feature = "sets")]
pub(crate) mod run;
pub(crate) mod strategy;

pub use object::{
    DAEMON_SET_UNIQUE_LABEL, DaemonSet, DaemonSetSpec, DaemonSetStatus, RollingUpdate, TEMPLATE_GENERATION,
    TEMPLATE_GENERATION_LABEL, UpdateStrategy, UpdateStrategyType,
};
