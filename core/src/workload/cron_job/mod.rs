//! CronJobs: they create Jobs at the times of a schedule.

pub mod controller;
pub mod decision;
pub(crate) mod kind;
mod object;
#[cfg(feature = "jobs")]
pub(crate) mod run;
pub(crate) mod strategy;

pub use object::{ConcurrencyPolicy, CronJob, CronJobSpec, CronJobStatus, JobTemplateSpec, ObjectReference};
