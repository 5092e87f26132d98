//! Makes the decisions of the Kubernetes 1.37 controllers and API server about replacing old pods with new ones, and
//! explains each one. It has no I/O, no clock, and no randomness except from a seed that the caller passes.
//!
//! | module | the question that it answers |
//! |---|---|
//! | [`apiserver`] | What would the API server default, and what would it refuse? |
//! | [`controller`] | What does a controller decide for this object, with these pods? |
//! | [`deletion_order`] | Which pods does a ReplicaSet or a Job delete first? |
//! | [`scenario`], [`timeline`] | What happens, step by step, when a user does this? |
//! | [`explain`] | Why? In a sentence, a formula and the numbers. |
//! | [`prediction`] | Does a rollout fit, and which settings would? |
//! | [`worst_case`] | What is the worst that any order of events can do to a small Deployment? |
//! | [`review`] | What does the admission policy say about a request? |
//!
//! # Examples
//!
//! A user scales a Deployment, and the timeline explains what happens next:
//!
//! ```
//! use changeover_core::scenario::Scenario;
//! use changeover_core::timeline::Timeline;
//! use serde_json::json;
//!
//! let scenario = Scenario::from_value(&json!({
//!     "version": 1,
//!     "objects": [{
//!         "apiVersion": "apps/v1",
//!         "kind": "Deployment",
//!         "metadata": { "name": "web" },
//!         "spec": {
//!             "replicas": 4,
//!             "selector": { "matchLabels": { "app": "web" } },
//!             "template": {
//!                 "metadata": { "labels": { "app": "web" } },
//!                 "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
//!             },
//!         },
//!     }],
//!     "actions": [{ "at": "1m", "scale": { "name": "web", "replicas": 6 } }],
//! }))?;
//! let timeline = Timeline::run(scenario)?;
//! let reasons: Vec<_> = timeline.steps.iter().map(|step| step.reason()).collect();
//! let scaled = reasons.iter().position(|reason| reason.rule.id == "user.scale").unwrap_or_default();
//! let sentence = reasons[scaled + 1].sentence();
//! assert!(sentence.ends_with("is the only ReplicaSet with pods: it goes from 4 to the desired 6 at once."), "{sentence}");
//! # Ok::<(), changeover_core::Problem>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
// The derived readers and writers name the crate.
extern crate self as changeover_core;

pub mod apiserver;
pub mod cluster;
pub mod controller;
pub mod deletion_order;
#[cfg(feature = "explain")]
pub mod explain;
pub mod feature_gates;
mod go;
pub mod json;
pub mod object;
mod path;
mod peak_moments;
pub mod prediction;
mod problem;
pub mod review;
#[cfg(feature = "explain")]
pub mod rule;
pub mod scenario;
pub mod timeline;
pub mod worst_case;

pub use path::Path;
pub use problem::Problem;
