//! What the controllers share, mirrored from `pkg/controller`. Each controller stands in the folder of its kind, below
//! [`workload`](crate::workload). They do no I/O: each sees a view and writes through a [`Client`], every write with the decision
//! behind it.

pub(crate) mod client;
pub(crate) mod controller_ref;
pub mod decision;
pub mod expectations;
pub(crate) mod first_ranked;
pub mod hash;
pub mod history;
pub(crate) mod pod_control;
pub mod rank;

pub use client::{ApiError, Client, DeletionPropagation, Error, Event, Verb, Write};
pub use controller_ref::filter_pods_by_owner;
pub use decision::Decision;
