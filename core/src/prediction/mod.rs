//! Does a rollout fit? [`predict()`] simulates what manifests ask for and says what it takes; [`advise()`] searches settings
//! that keep a wish; [`Outlook`] says where the rollouts of a running cluster stand, and what would free them. All simulate a
//! [`World`] with the cluster of `simulate`, so a prediction is what its timeline says.
//!
//! `docs/predict.md` says what is answered, what is assumed and what is left out.

mod advise;
mod answer;
mod launch;
mod measure;
mod options;
#[cfg(feature = "explain")]
mod outlook;
mod pending;
mod predict;
mod quota_demand;
mod ranges;
#[cfg(feature = "explain")]
mod remedy;
mod requests;
mod resource_use;
mod settings;
mod sources;
mod warnings;
mod wish;
mod world;
mod worst;

pub use advise::{Advice, AdviseOptions, AdvisedSetting, Relaxation, advise, advise_watched};
pub use answer::{
    Exceeded, ImageChange, JobChange, JobOutcome, JobPrediction, NotModeled, Outcome, PendingPods, Prediction,
    QuotaDemand, QuotaPrediction, Range, Ranges, Refusals, ResourceDemand, Together, Warning, WarningKind,
    WorkloadChange, WorkloadPrediction, WorstCases, WorstOrder, WorstOutcome, WorstProof, WorstResource,
};
pub use options::{Assumptions, MAX_OBJECTS, MAX_PODS, MAX_RUNS, PredictOptions};
#[cfg(feature = "explain")]
pub use outlook::{NextStep, Obstacle, Outlook, Rollout, Standing};
pub use predict::{Predicted, predict, predict_watched};
#[cfg(feature = "explain")]
pub use remedy::Remedy;
pub use settings::Setting;
pub use wish::{Miss, Wish, WishKind};
pub use world::{Policy, Quotas, World};

use core::ops::ControlFlow;

/// Told after each simulation how many are done, and of how many at most. `Break` stops the search or the runs: the answer
/// covers those that were done.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;
