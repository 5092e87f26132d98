//! Does a rollout fit? [`predict()`] simulates the change to new manifests and measures it; [`advise()`] searches settings that
//! meet the constraints; [`Outlook`] reports the state of the rollouts in a running cluster, and what would unblock them. All of
//! them simulate a [`RolloutPlan`] in the same cluster as `simulate`, so a prediction is what its timeline shows.
//!
//! `docs/predict.md` says what is answered, what is assumed and what is left out.

mod advise;
mod answer;
mod apply_request;
mod constraints;
#[cfg(feature = "explain")]
mod eviction;
mod given_objects;
#[cfg(feature = "explain")]
mod job_outlook;
#[cfg(feature = "explain")]
mod kubectl;
mod measure;
#[cfg(feature = "explain")]
mod next_steps;
mod options;
#[cfg(feature = "explain")]
mod outlook;
mod pending;
mod pod_autoscalers;
mod pre_stop_hooks;
mod predict;
mod quota_demand;
mod ranges;
#[cfg(feature = "explain")]
mod refusing_quota;
#[cfg(feature = "explain")]
mod remedy;
mod requests;
mod resource_use;
mod rollout_plan;
mod rollout_totals;
mod settings;
mod single_node_volumes;
mod unknown_fields;
#[cfg(feature = "explain")]
mod unschedulable_reason;
mod warnings;
mod worst_outcome;

pub use advise::{
    Advice, AdviseOptions, AdvisedSetting, Relaxation, RelaxedConstraint, advise, advise_plan, advise_watched,
    is_complete, runs_of_plan,
};
pub use answer::{
    Exceeded, ImageChange, JobChange, JobOutcome, JobPrediction, NotExplored, NotModeled, Outcome, PendingPods,
    Prediction, QuotaDemand, QuotaPrediction, Range, Ranges, Refusals, ResourceDemand, ResourceRange, Together,
    Warning, WarningKind, WorkloadChange, WorkloadPrediction, WorstCases, WorstExceeded, WorstOrder, WorstOutcome,
    WorstProof, WorstQuota, WorstResource,
};
pub use constraints::{ConstraintKind, Constraints, Miss};
#[cfg(feature = "explain")]
pub use job_outlook::{JobOutlook, JobStanding};
#[cfg(feature = "explain")]
pub use next_steps::NextStep;
pub use options::{Assumptions, MAX_OBJECTS, MAX_PODS, MAX_RUNS, PredictOptions};
#[cfg(feature = "explain")]
pub use outlook::{Obstacle, Outlook, RolloutOutlook, Standing};
pub use predict::{PredictProgress, Predicted, predict, predict_watched};
#[cfg(feature = "explain")]
pub use remedy::Remedy;
pub use rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
pub(crate) use rollout_totals::RolloutTotals;
pub use settings::Setting;

use core::ops::ControlFlow;

/// Called after each simulation of a search with the number of finished simulations and the most that there will be. `Break`
/// stops the search: the answer covers the finished ones.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;
