//! Does a rollout fit? [`predict()`] simulates the change to new manifests and measures it; [`advise()`] searches settings that
//! meet the constraints; [`Outlook`] reports the state of the rollouts in a running cluster, and what would unblock them. All of
//! them simulate a [`RolloutPlan`] in the same cluster as `simulate`, so a prediction is what its timeline shows.
//!
//! `docs/predict.md` says what is answered, what is assumed and what is left out.
//!
//! # Examples
//!
//! ```
//! use changeover_core::prediction::{PredictOptions, predict};
//! use serde_json::json;
//!
//! let deployment = |image: &str| {
//!     json!({
//!         "apiVersion": "apps/v1",
//!         "kind": "Deployment",
//!         "metadata": { "name": "web" },
//!         "spec": {
//!             "replicas": 15,
//!             "selector": { "matchLabels": { "app": "web" } },
//!             "template": {
//!                 "metadata": { "labels": { "app": "web" } },
//!                 "spec": { "containers": [{ "name": "app", "image": image }] },
//!             },
//!         },
//!     })
//! };
//! let options = PredictOptions::from_value(&json!({
//!     "quotas": [{
//!         "apiVersion": "v1",
//!         "kind": "ResourceQuota",
//!         "metadata": { "name": "team" },
//!         "spec": { "hard": { "pods": "20" } },
//!     }],
//! }))?;
//! let prediction = predict(&[deployment("web:1")], &[deployment("web:2")], &options)?.prediction;
//! assert_eq!(prediction.workloads[0].outcome.peak, 30);
//! assert!(!prediction.quotas[0].demand.fits);
//! # Ok::<(), changeover_core::Problem>(())
//! ```

#[cfg(feature = "explain")]
mod advice;
mod advise;
mod answer;
mod apply_request;
mod changed_requests;
#[cfg(feature = "explain")]
mod claims;
mod constraints;
mod course;
mod daemon_warnings;
mod deciding_defaults;
mod deciding_fields;
mod equal_nodes;
mod estimates;
#[cfg(feature = "explain")]
mod eviction;
#[cfg(feature = "explain")]
mod explain_report;
mod former_jobs;
mod gitops;
mod given_objects;
mod given_replicas;
mod hidden_pods;
#[cfg(feature = "explain")]
mod job_outlook;
#[cfg(feature = "explain")]
mod job_signs;
mod judgment;
#[cfg(feature = "explain")]
mod kubectl;
mod malformed;
#[cfg(feature = "explain")]
mod managed;
#[cfg(feature = "explain")]
mod manager;
#[cfg(feature = "explain")]
mod manifest_change;
mod measure;
mod measured_run;
mod merge_shards;
#[cfg(feature = "explain")]
mod next_steps;
#[cfg(feature = "explain")]
mod obstacle;
mod options;
mod outage;
#[cfg(feature = "explain")]
mod outlook;
#[cfg(feature = "explain")]
mod owned_replica_sets;
#[cfg(feature = "explain")]
mod paused_by;
mod pending;
mod plan_inputs;
mod pod_autoscalers;
#[cfg(feature = "explain")]
mod pod_obstacle;
mod pod_templates;
mod pre_stop_hooks;
mod predict;
mod preempted_pods;
mod probe_budget;
mod quota_demand;
mod ranges;
mod refusals;
#[cfg(feature = "explain")]
mod refused_applies;
#[cfg(feature = "explain")]
mod refusing_quota;
#[cfg(feature = "explain")]
mod relaxed_template;
#[cfg(feature = "explain")]
mod remedy;
mod removed;
mod requests;
mod resource_use;
mod rollout_plan;
mod rollout_totals;
mod second_deployment;
mod set_outcome;
#[cfg(feature = "explain")]
mod set_outlook;
mod set_warnings;
mod settings;
mod shard;
mod single_node_volumes;
mod still_objects;
mod unknown_fields;
mod unrelated;
#[cfg(feature = "explain")]
mod unreplaced_pods;
#[cfg(feature = "explain")]
mod unschedulable_reason;
mod verdict;
mod warnings;
#[cfg(feature = "explain")]
mod workload_status;
mod worst_outcome;

pub use advise::{
    Advice, AdviseOptions, AdvisedSetting, Relaxation, RelaxedConstraint, advise, advise_plan, advise_watched,
    is_complete, runs_of_plan,
};
pub use answer::{
    EstimatedPods, Exceeded, ImageChange, JobChange, JobOutcome, JobPrediction, NotExplored, NotModeled, OldObject,
    Outcome, PendingPods, Prediction, QuotaDemand, QuotaPrediction, Range, Ranges, Refusals, ResourceDemand,
    ResourceRange, TotalPrediction, Warning, WarningKind, WorkloadChange, WorkloadPrediction, WorstCases,
    WorstExceeded, WorstOrder, WorstOutcome, WorstProof, WorstQuota, WorstResource,
};
pub use constraints::{ConstraintKind, Constraints, Miss};
pub use course::{Course, LevelChange, Levels, ResourceLevels, Shard, ShardPart};
#[cfg(feature = "explain")]
pub use explain_report::{ExplainReport, MAX_WITH_REMEDIES, RolloutReport, stuck_ones};
pub use given_objects::{is_of_running_cluster, is_stored};
#[cfg(feature = "explain")]
pub use job_outlook::{JobOutlook, JobStanding};
#[cfg(feature = "explain")]
pub use kubectl::{shell_quoted, shell_word};
pub use measured_run::Steps;
pub use merge_shards::{merge_shards, merge_verdicts};
#[cfg(feature = "explain")]
pub use next_steps::NextStep;
#[cfg(feature = "explain")]
pub use obstacle::Obstacle;
pub use options::{Assumptions, MAX_PODS, MAX_RUNS, NotRead, PredictOptions};
#[cfg(feature = "explain")]
pub use outlook::{Assumed, Outlook, RolloutOutlook, Standing};
#[cfg(feature = "explain")]
pub use owned_replica_sets::sizes_of_owned;
pub use predict::{PredictProgress, Predicted, PredictedOutcome, predict, predict_plan, predicted_scenario};
#[cfg(feature = "explain")]
pub use remedy::Remedy;
pub use rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan, UnsettledPlan};
pub use settings::Setting;
pub use verdict::{DecidingDefault, Reason, ReasonKind, Verdict, VerdictResult};

use core::ops::ControlFlow;

/// Called after each simulation of a search with the number of finished simulations and the most that there will be. `Break`
/// stops the search: the answer covers the finished ones.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;
