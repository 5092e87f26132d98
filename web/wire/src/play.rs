//! Playing a lane: the request and the two responses.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::playback_track::JobEnd;

/// Asks for a lane. All lanes of a generation are shown together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlayRequest {
    /// Grows with every change of what is shown.
    pub generation: u32,
    /// The lane, from 0.
    pub lane: usize,
    /// The generation on the page until this one arrives; the player forgets all others.
    pub shown: u32,
    /// What is played.
    pub source: LaneSource,
    /// The workload to show; without it, the first Deployment, or else the first CronJob or Job.
    #[serde(deserialize_with = "Option::deserialize")]
    pub workload: Option<WorkloadName>,
    /// Nanoseconds from the scenario's start to the page's time 0.
    pub begin: i64,
    /// What else the user does, by time.
    pub forks: Vec<Fork>,
    /// Steps to find.
    pub pins: Vec<Pin>,
}

/// What a lane plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum LaneSource {
    /// A scenario, as `docs/scenario.md` describes it.
    Scenario(Value),
    /// A scenario whose JSON comes beside the message, so that the page need not read it.
    Attached,
    /// A Deployment's manifest, and what the user changes once it has settled.
    #[serde(rename_all = "camelCase")]
    Rollout {
        /// The manifest.
        deployment: Value,
        /// The changes, as `docs/scenario.md` describes them.
        changes: Value,
        /// What else the scenario has: its `autoscaler`, and `actions` after the changes.
        surroundings: Value,
    },
}

/// An action that the user adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fork {
    /// When, in nanoseconds of the page's time.
    pub at: i64,
    /// The action in the scenario's format, without its own `at`.
    pub action: Value,
    /// The workload it is about, if it names none itself.
    #[serde(deserialize_with = "Option::deserialize")]
    pub target: Option<WorkloadName>,
}

/// What creates the pods that a lane shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WorkloadKind {
    /// A Deployment.
    #[default]
    Deployment,
    /// A Job.
    Job,
    /// A CronJob: the pods of all its Jobs.
    CronJob,
    /// A StatefulSet.
    StatefulSet,
    /// A DaemonSet.
    DaemonSet,
}

impl WorkloadKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Deployment, Self::Job, Self::CronJob, Self::StatefulSet, Self::DaemonSet];

    /// The kind of a name in the API.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether its pods are those of Jobs.
    #[must_use]
    pub const fn has_jobs(self) -> bool {
        matches!(self, Self::Job | Self::CronJob)
    }

    /// Its name in the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deployment => "Deployment",
            Self::Job => "Job",
            Self::CronJob => "CronJob",
            Self::StatefulSet => "StatefulSet",
            Self::DaemonSet => "DaemonSet",
        }
    }
}

/// What a column of a lane stands for, if not just any pod may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ColumnMeaning {
    /// A completion index.
    Index,
    /// A pod of a Job without indexes.
    Attempt,
    /// A Job of a CronJob.
    Run,
    /// An ordinal of a StatefulSet.
    Ordinal,
    /// A node.
    Node,
}

impl ColumnMeaning {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Attempt => "attempt",
            Self::Run => "run",
            Self::Ordinal => "ordinal",
            Self::Node => "node",
        }
    }
}

/// The name of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkloadName {
    /// Its kind.
    pub kind: WorkloadKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name there.
    pub name: String,
}

/// How the path of a fork's problem begins: `forks[0].scale.replicas`.
pub const FORK_PATH_PREFIX: &str = "forks[";

/// Names a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pin {
    /// The id of its rule.
    pub rule: String,
    /// What it is about; empty: anything.
    pub about: String,
    /// Which of these steps, from 1.
    pub nth: u32,
}

/// A lane was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlayedLane {
    /// Its generation.
    pub generation: u32,
    /// The lane.
    pub lane: usize,
    /// The workload that is shown; none if the scenario has none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub workload: Option<WorkloadName>,
    /// What its columns stand for; none if any pod may stand in any column.
    #[serde(deserialize_with = "Option::deserialize")]
    pub columns: Option<ColumnMeaning>,
    /// The names of its ReplicaSets or ControllerRevisions, or of the Jobs.
    pub replica_sets: Vec<String>,
    /// Its pods, as long as there are few enough to be shown one by one; else none.
    pub pods: Vec<PodIdentity>,
    /// All nodes that a pod runs on.
    pub nodes: Vec<String>,
    /// The nodes that are cordoned at some time.
    pub cordoned_nodes: Vec<String>,
    /// The nodes that are lost at some time, and not deleted.
    pub lost_nodes: Vec<String>,
    /// What the user's first change led to.
    pub totals: Totals,
    /// Why the timeline ends early, if it does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub cut_reason: Option<String>,
    /// The outcome of each fork.
    pub forks: Vec<ForkOutcome>,
    /// The step of each pin; none if no step fits.
    pub pins: Vec<Option<usize>>,
}

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PodIdentity {
    /// Its name.
    pub name: String,
    /// Its node, once it has one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub node: Option<String>,
}

/// The answers: what the user's changes lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Totals {
    /// When the user's first change happens, in nanoseconds of the page's time.
    pub change: i64,
    /// The most pods at once from the page's time 0 on, terminating ones included.
    pub peak: i32,
    /// The limit while there were the most pods; the highest one if it changed meanwhile.
    pub limit_at_peak: i32,
    /// The fewest available pods from the page's time 0 on.
    pub lowest_available: i32,
    /// Nanoseconds from the change until all desired pods are available for good; none if they never are.
    #[serde(deserialize_with = "Option::deserialize")]
    pub all_available: Option<i64>,
    /// Nanoseconds from the change to the last change of the pod template, which begins a rollout, or 0 if one is in progress at
    /// first; none if there is none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub rollout_start: Option<i64>,
    /// Nanoseconds from the change until the controller reports that the last rollout is complete; none if it never does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub complete: Option<i64>,
    /// Nanoseconds from the change until the last old pod is gone; none if one stays.
    #[serde(deserialize_with = "Option::deserialize")]
    pub last_old_pod_gone: Option<i64>,
    /// What is asked of Jobs; none for other workloads.
    #[serde(deserialize_with = "Option::deserialize")]
    pub job: Option<JobOutcome>,
}

/// What became of a Job, or of all Jobs of a CronJob.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobOutcome {
    /// How many Jobs the CronJob started; none for a Job.
    #[serde(deserialize_with = "Option::deserialize")]
    pub runs: Option<i32>,
    /// How many pods must succeed; none for a work queue and for a CronJob.
    #[serde(deserialize_with = "Option::deserialize")]
    pub completions: Option<i32>,
    /// Pods that succeeded; indexes, in an Indexed Job.
    pub succeeded: i32,
    /// Pods that count as failed.
    pub failed: i32,
    /// Nanoseconds during which an index had two pods at once; none in a Job without indexes.
    #[serde(deserialize_with = "Option::deserialize")]
    pub two_of_index: Option<i64>,
    /// How the Job ended; none if it did not, and for a CronJob.
    #[serde(deserialize_with = "Option::deserialize")]
    pub end: Option<JobEnd>,
    /// Nanoseconds from the change until the end; none without one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub ended: Option<i64>,
}

impl Totals {
    /// The pods above the limit while there were the most pods.
    #[must_use]
    pub fn over(&self) -> i32 {
        self.peak.saturating_sub(self.limit_at_peak).max(0)
    }
}

/// What became of a fork.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForkOutcome {
    /// What happened, as a sentence.
    pub sentence: String,
    /// Whether it was done.
    pub done: bool,
}

/// A lane can't be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Refusal {
    /// The generation of the request.
    pub generation: u32,
    /// The lane.
    pub lane: usize,
    /// Why.
    pub problem: Problem,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Problem {
    /// Where: `spec.replicas`; empty if it is about everything.
    pub path: String,
    /// What, and what would be right.
    pub message: String,
}

impl Problem {
    /// A problem at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// A problem and what else is wrong with the same input.
    #[must_use]
    pub fn each(problem: changeover_core::Problem) -> Vec<Self> {
        let changeover_core::Problem { path, message, more, .. } = problem;
        [Self { path, message }].into_iter().chain(more.into_iter().flat_map(Self::each)).collect()
    }
}

impl From<changeover_core::Problem> for Problem {
    fn from(problem: changeover_core::Problem) -> Self {
        Self { path: problem.path, message: problem.message }
    }
}

impl core::fmt::Display for Problem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { path, message } = self;
        if path.is_empty() { f.write_str(message) } else { write!(f, "{path}: {message}") }
    }
}
