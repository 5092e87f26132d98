//! Does a rollout fit? [`predict()`] simulates what manifests ask for and says what it takes; [`advise()`] searches settings
//! that keep a wish. Both simulate a [`World`] with the cluster of `simulate`, so a prediction is what its timeline says.
//!
//! `docs/predict.md` says what is answered, what is assumed and what is left out.

mod advise;
mod answer;
mod launch;
mod measure;
mod options;
mod pending;
mod predict;
mod quota_demand;
mod ranges;
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
pub use predict::{Predicted, predict, predict_watched};
pub use settings::Setting;
pub use wish::{Miss, Wish, WishKind};
pub use world::{Policy, Quotas, World};

use core::ops::ControlFlow;

/// Told after each simulation how many are done, and of how many at most. `Break` stops the search or the runs: the answer
/// covers those that were done.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;
