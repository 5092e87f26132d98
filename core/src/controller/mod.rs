//! The controllers, mirrored from `pkg/controller`. They do no I/O: each sees a view and writes through a [`Client`],
//! every write with the decision behind it.

mod client;
mod controller_ref;
pub mod deployment;
mod go_sort;
pub mod hash;
pub mod replica_set;
pub mod replication_controller;

pub use client::{ApiError, Client, Decision, Error, Event, Verb, Write};
