//! Proves the core against a real control plane: each write that a controller of kube-controller-manager was recorded to
//! make must be one that the core makes, too, from what that controller could have seen.

pub mod compare;
mod cron_job;
mod deployment;
mod events;
mod job;
mod owners;
pub mod prediction;
pub mod proof;
pub mod recording;
pub mod rehearsal;
mod replay;
mod replica_set;
mod search;
mod spoil;
mod world;
