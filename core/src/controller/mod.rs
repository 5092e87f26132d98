//! The controllers, mirrored from `pkg/controller`. They do no I/O: each sees a view and writes through a [`Client`],
//! every write with the decision behind it.

mod client;
mod controller_ref;
pub mod cron_job;
pub mod decision;
pub mod deployment;
pub mod expectations;
pub(crate) mod first_ranked;
pub mod hash;
pub mod job;
mod pod_control;
pub mod rank;
pub mod replica_set;
pub mod replication_controller;
pub mod ttl_after_finished;

pub use client::{ApiError, Client, DeletionPropagation, Error, Event, Verb, Write};
pub use decision::Decision;
