//! The kinds of workloads, a folder each: everything that is known of one kind.

pub mod cron_job;
pub(crate) mod daemon_set;
pub mod deployment;
pub mod job;
pub mod replica_set;
pub mod replication_controller;
pub(crate) mod stateful_set;
