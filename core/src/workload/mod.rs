//! The kinds of workloads, a folder each: everything that is known of one kind.
//!
//! What kinds share is in the modules that are named after it ([`object`](crate::object), [`apiserver`](crate::apiserver) and
//! so on), and so are the lists of kinds that each of them reads. `ARCHITECTURE.md` says which file of a kind belongs to which
//! of these modules.

pub mod cron_job;
pub mod daemon_set;
pub mod deployment;
pub mod job;
pub mod replica_set;
pub mod replication_controller;
pub mod stateful_set;
