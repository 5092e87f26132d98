//! ReplicationControllers: they keep a number of pods. They are validated, and their controller is mirrored, but not simulated.

pub mod controller;
pub(crate) mod kind;
mod object;
pub(crate) mod strategy;

pub use object::{ReplicationController, ReplicationControllerSpec, ReplicationControllerStatus};
