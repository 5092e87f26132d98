//! DaemonSets: a pod on each node that suits it.

pub mod controller;
pub mod decision;
pub(crate) mod figures;
pub(crate) mod kind;
mod object;
#[cfg(feature = "sets")]
pub(crate) mod run;
pub(crate) mod strategy;

pub(crate) use object::{DAEMON_SET_UNIQUE_LABEL, TEMPLATE_GENERATION, TEMPLATE_GENERATION_LABEL};
pub use object::{DaemonSet, DaemonSetSpec, DaemonSetStatus, RollingUpdate, UpdateStrategy, UpdateStrategyType};
