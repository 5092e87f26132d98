//! Decides what happens between old pods and new ones, exactly as the Kubernetes 1.37 controllers and API server do,
//! and says why. No I/O, no clock, no randomness that is not handed in.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
// The derived readers and writers name the crate.
extern crate self as changeover_core;

pub mod apiserver;
pub mod cluster;
pub mod controller;
#[cfg(feature = "explain")]
pub mod explain;
pub mod feature_gates;
mod go;
pub mod json;
pub mod object;
mod path;
pub mod prediction;
mod problem;
pub mod review;
pub mod scenario;
pub mod timeline;

pub use path::Path;
pub use problem::Problem;
