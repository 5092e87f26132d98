//! A second reading of KEP-5882: the decisions of the Deployment controller and of the API server, written from the
//! KEP's text and from the upstream source of today's behavior, without looking at the core.
//!
//! Each function quotes the sentence it implements ("KEP: ...") or names the upstream function that it repeats ("Today:
//! ..."). The code is slow and obvious on purpose. Numbers are `i64`, and [`numbers::int32`] marks the few values where
//! the wrapping of Go's int32 is visible from outside.
//!
//! Where Changeover has settled a question differently, [`Settlement`](crate::settlement::Settlement) says so.
//! [`Settlements::None`](crate::settlement::Settlements::None) gives the reading of the text alone, which the tests of
//! this module check, and [`Settlements::All`](crate::settlement::Settlements::All) gives what the core must decide.
//!
//! One function for each question:
//!
//! | question | function |
//! |---|---|
//! | Is a scaling unfinished? | [`is_scaling_event`] |
//! | How does a change of `spec.replicas` reach the ReplicaSets? | [`scale`] |
//! | How far does the new ReplicaSet grow in a rollout? | [`reconcile_new`] |
//! | How far do the old ReplicaSets shrink in a rollout? | [`reconcile_old`] |
//! | What does a Recreate rollout do? | [`recreate()`] |
//! | Is the Deployment complete? | [`is_complete`] |
//! | How does the Progressing condition change? | [`progress()`], [`progress_while_scaling`] |
//! | Which old ReplicaSets are deleted? | [`clean_up`] |
//! | What does one sync change? | [`sync()`] |
//! | What does the API server store? | [`admit`], [`drop_disabled`], [`validate`], [`check_gates`] |

pub mod annotations;
pub mod api;
pub mod cleanup;
pub mod completion;
pub mod numbers;
pub mod order;
pub mod pods;
pub mod progress;
pub mod recreate;
pub mod rolling;
pub mod sample;
pub mod scaling;
pub mod status;
pub mod sync;

#[cfg(test)]
mod tables;

pub use api::{Spec, admit, check_gates, drop_disabled, validate};
pub use cleanup::clean_up;
pub use completion::is_complete;
pub use progress::{Progress, progress, progress_while_scaling};
pub use recreate::recreate;
pub use rolling::{reconcile_new, reconcile_old};
pub use scaling::{is_scaling_event, scale};
pub use sync::{Synced, sync};
