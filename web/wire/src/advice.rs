//! Settings that meet the constraints, and what random delays make of a rollout.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LaneSource, Manifests};

/// The rollout that a question is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum AskedRollout {
    /// What a lane plays.
    Lane(LaneSource),
    /// That of the user's own manifests.
    Manifests(Manifests),
}

/// Asks which settings of a Deployment meet the constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdviceQuestion {
    /// The rollout.
    pub rollout: AskedRollout,
    /// The constraints, as `docs/predict.md` describes it.
    pub constraints: Value,
    /// How many pods a ResourceQuota allows that the rollout should fit; none for the quotas of the manifests.
    #[serde(deserialize_with = "Option::deserialize")]
    pub quota: Option<Value>,
}

/// Settings that meet the constraints, and what each costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Advice {
    /// The settings as they are.
    pub current: AdvisedSetting,
    /// Settings that meet the constraints: those of today's releases first.
    pub fits: Vec<AdvisedSetting>,
    /// Settings that just miss it.
    pub nearest: Vec<AdvisedSetting>,
    /// If nothing meets them: a constraint to relax, or several, and a setting that meets the others.
    pub relax: Vec<Relaxation>,
    /// How many settings were simulated.
    pub simulated: usize,
    /// What was simulated with each setting.
    pub plays: SimulatedChange,
    /// Whether the cluster has ResourceQuotas, which may refuse pods.
    pub has_quotas: bool,
}

/// What is simulated with each setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SimulatedChange {
    /// The change in the picture.
    Change,
    /// What a running cluster does from now on.
    FromNow,
    /// A restart of all pods: the picture has no rollout.
    Restart,
}

/// A setting and what it costs. Times are in nanoseconds after the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvisedSetting {
    /// The setting in words: `maxSurge 1, maxUnavailable 0`.
    pub name: String,
    /// Whether it needs the proposed field `podReplacementPolicy`.
    pub is_proposed: bool,
    /// The most pods at once.
    pub peak: i32,
    /// The fewest available pods.
    pub lowest_available: i32,
    /// When the rollout is complete; none if it never is.
    #[serde(deserialize_with = "Option::deserialize")]
    pub complete: Option<i64>,
    /// When the last old pod is gone; none if one stays.
    #[serde(deserialize_with = "Option::deserialize")]
    pub last_old_pod_gone: Option<i64>,
    /// What of the constraints it misses, in words.
    pub misses: Vec<String>,
    /// The merge patch from the settings as they are.
    pub patch: Value,
}

/// A constraint to relax, or several together: as many as the setting misses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Relaxation {
    /// What to allow, in sentences.
    pub sentence: String,
    /// The setting that meets the others.
    pub setting: AdvisedSetting,
}

/// Asks what comes of a rollout with some seeds of its random delays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunsQuestion {
    /// The rollout.
    pub rollout: AskedRollout,
    /// The constraints to check in each run; null for none.
    pub constraints: Value,
    /// As that of [`AdviceQuestion`].
    #[serde(deserialize_with = "Option::deserialize")]
    pub quota: Option<Value>,
    /// Up to how much longer each stage of a pod's life takes, in percent, where the rollout does not say.
    pub jitter_percent: u32,
    /// The first seed.
    pub seed: u64,
    /// How many seeds, from the first on.
    pub runs: u32,
}

/// What came of some runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Runs {
    /// How many runs there were.
    pub runs: u32,
    /// In how many of them the constraints are met.
    pub met: u32,
    /// The most pods at once.
    pub peak: Range,
    /// The fewest available pods.
    pub lowest_available: Range,
    /// In how many runs the rollout is complete at some time.
    pub completed: u32,
    /// When it is, in nanoseconds after the change; none if it is in no run.
    #[serde(deserialize_with = "Option::deserialize")]
    pub complete: Option<Range>,
}

/// The least and the most of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Range {
    /// The smallest value in any run.
    pub least: i64,
    /// The largest value in any run.
    pub most: i64,
}

impl Runs {
    /// These runs and others.
    #[must_use]
    pub fn with(self, others: Self) -> Self {
        Self {
            runs: self.runs.saturating_add(others.runs),
            met: self.met.saturating_add(others.met),
            peak: self.peak.with(others.peak),
            lowest_available: self.lowest_available.with(others.lowest_available),
            completed: self.completed.saturating_add(others.completed),
            complete: match (self.complete, others.complete) {
                (Some(own), Some(others)) => Some(own.with(others)),
                (own, others) => own.or(others),
            },
        }
    }
}

impl Range {
    /// The range of one number.
    #[must_use]
    pub fn of(number: impl Into<i64>) -> Self {
        let number = number.into();
        Self { least: number, most: number }
    }

    fn with(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}
