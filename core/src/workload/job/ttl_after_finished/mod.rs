//! The TTL-after-finished controller, which deletes Jobs some time after they have ended.

pub mod controller;
pub mod decision;
#[cfg(feature = "jobs")]
pub(super) mod run;
