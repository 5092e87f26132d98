//! Where the rollouts of a running cluster stand.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AskedRollout, Fork};

/// Asks where the rollouts stand that are never complete, once nothing more happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StandstillQuestion {
    /// The rollout.
    pub rollout: AskedRollout,
    /// What else the user does. Their times count from the start of the rollout's scenario.
    pub forks: Vec<Fork>,
}

/// Where the rollouts of a cluster stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outlook {
    /// Which of several rollouts are stuck, as `changeover explain` says it; none if there is one rollout, or none is stuck.
    #[serde(deserialize_with = "Option::deserialize")]
    pub stuck: Option<String>,
    /// Each Deployment, by namespace and name.
    pub rollouts: Vec<RolloutOutlook>,
    /// Each Job, by namespace and name.
    pub jobs: Vec<JobOutlook>,
}

/// The state of a Job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobOutlook {
    /// `Job` or `CronJob`.
    pub kind: String,
    /// The Job's namespace.
    pub namespace: String,
    /// The Job's name, with its namespace if there are several.
    pub name: String,
    /// The state in one word.
    pub standing: JobStanding,
    /// Whether a user has to act.
    pub is_held_up: bool,
    /// The state in numbers, with the reason if the Job has failed.
    pub summary: String,
    /// Why it has failed, or makes no progress.
    pub obstacles: Vec<Obstacle>,
    /// What its controller decides next.
    pub next: Vec<NextStep>,
}

/// The state of a Job in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JobStanding {
    /// It is not over.
    Active,
    /// It is suspended.
    Suspended,
    /// It is complete.
    Complete,
    /// It has failed.
    Failed,
}

/// Where the rollout of a Deployment stands. Times are in nanoseconds from now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RolloutOutlook {
    /// The workload's namespace.
    pub namespace: String,
    /// The workload's name, with its kind if it is no Deployment: `web`, `StatefulSet db`.
    pub name: String,
    /// The same with its namespace, if there are several.
    pub title: String,
    /// How it stands.
    pub standing: Standing,
    /// How it stands, as a sentence with numbers.
    pub summary: String,
    /// What holds it up.
    pub obstacles: Vec<Obstacle>,
    /// What its controllers decide next.
    pub next: Vec<NextStep>,
    /// What would free it: each has been played.
    pub remedies: Vec<Remedy>,
}

/// How a rollout stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// It is complete.
    Complete,
    /// It is in progress.
    Progressing,
    /// It is paused.
    Paused,
    /// It is never complete by itself.
    Stuck,
    /// Its Deployment is being deleted.
    Deleting,
    /// Only the numbers of its status are known.
    Unknown,
}

/// Something that blocks a rollout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Obstacle {
    /// What it is.
    pub why: String,
    /// What to do or to look at, if anybody can tell.
    #[serde(deserialize_with = "Option::deserialize")]
    pub remedy: Option<String>,
    /// The command that does it, if one does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub command: Option<String>,
    /// What to write into the workload's manifest, as YAML, if a tool applies it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub manifest: Option<String>,
}

/// A decision that a controller will make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NextStep {
    /// When.
    pub at: i64,
    /// The decision and its numbers.
    pub sentence: String,
}

/// Something that frees a rollout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Remedy {
    /// What to do.
    pub what: String,
    /// The command that does it, if one does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub command: Option<String>,
    /// What to write into the workload's manifest, as YAML, if a tool applies it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub manifest: Option<String>,
    /// The action that does it, in the scenario's format without its own `at`; none if there is no single one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub action: Option<Value>,
    /// What it costs meanwhile, or what may be lost, if that is something.
    #[serde(deserialize_with = "Option::deserialize")]
    pub cost: Option<String>,
    /// When the rollout is complete then.
    pub complete: i64,
    /// When the last old pod is gone then; none if one stays.
    #[serde(deserialize_with = "Option::deserialize")]
    pub last_old_pod_gone: Option<i64>,
    /// Whether these times start at the next try: the controller's, after the API server has refused pods, or the kubelet's,
    /// after a container has failed.
    pub after_next_try: bool,
}
