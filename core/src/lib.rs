#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
// The derived readers and writers name the crate.
extern crate self as changeover_core;

pub mod apiserver;
pub mod cluster;
mod collect_tree;
pub mod controller;
pub mod deletion_order;
#[cfg(feature = "explain")]
pub mod explain;
pub mod feature_gates;
pub mod foreign_text;
mod go;
pub mod json;
pub mod object;
mod path;
mod pause;
mod peak_moments;
pub mod prediction;
mod problem;
pub mod review;
#[cfg(feature = "explain")]
pub mod rule;
pub mod scenario;
pub mod scheduler;
pub mod timeline;
pub mod workload;
pub mod worst_case;

pub use path::Path;
pub use pause::Pause;
pub use problem::Problem;
