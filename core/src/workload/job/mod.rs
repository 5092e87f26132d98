//! Jobs: they run pods until enough of them have succeeded.

pub mod controller;
pub mod decision;
mod figures;
pub(crate) mod kind;
mod object;
#[cfg(feature = "jobs")]
pub(crate) mod run;
pub(crate) mod strategy;
pub mod ttl_after_finished;

pub(crate) use figures::JobSeriesTracker;
pub use figures::{JobCounts, JobPoint, JobSeries, JobTotals};
pub use object::{
    Job, JobCondition, JobSpec, JobStatus, PodFailurePolicy, PodFailurePolicyAction,
    PodFailurePolicyOnExitCodesOperator, PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern, PodFailurePolicyRule, PodReplacementPolicy, SuccessPolicy,
    SuccessPolicyRule, UncountedTerminatedPods,
};
