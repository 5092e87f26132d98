//! Proves the core against a real control plane: the core must make each recorded write of a controller in
//! kube-controller-manager too, from a state that the controller could have seen.

pub mod charts;
pub mod compare;
mod cron_job;
mod daemon_set;
mod deployment;
mod events;
mod job;
mod owners;
pub mod pod_choice;
pub mod prediction;
pub mod proof;
pub mod recording;
pub mod rehearsal;
mod replay;
mod replica_set;
pub mod request_times;
mod scheduler;
mod search;
pub mod spoil;
mod stateful_set;
mod world;
