//! ReplicationControllers: they keep a number of pods.

pub mod controller;
pub(crate) mod figures;
pub(crate) mod kind;
mod object;
#[cfg(feature = "sets")]
pub(crate) mod run;
pub(crate) mod strategy;

pub use object::{ReplicationController, ReplicationControllerSpec, ReplicationControllerStatus};
