//! The ReplicaSet controller: how many pods, and which one goes first.

pub mod deletion_cost;
mod go_math;
mod go_sort;
pub mod rank;
mod why;
