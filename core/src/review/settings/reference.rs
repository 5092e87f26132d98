//! The settings as data. Tests compare the form, the README and the cases with it.

use alloc::format;
use alloc::string::String;

use crate::workload::deployment::strategy as deployment;
use crate::workload::job::strategy as job;

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its path.
    pub path: &'static str,
    /// The type of its value.
    pub type_: SettingType,
    /// Its default, as the README shows it.
    pub default: &'static str,
    /// The fields of objects that it reads or writes.
    pub fields: &'static [Field],
}

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// `true` or `false`.
    Bool,
    /// A number.
    Int32,
    /// A span of time, like `30s`.
    Duration,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these values of a podReplacementPolicy.
    Policy(&'static [&'static str]),
    /// One of these policies, or one for each strategy of a Deployment.
    PolicyByStrategy(&'static [&'static str]),
    /// Some of these policies.
    Policies(&'static [&'static str]),
    /// User names, with `*` for any characters.
    UserNames,
    /// Feature gates, and whether they are on.
    FeatureGates,
}

impl SettingType {
    /// In words: `list of policies`.
    pub fn in_words(self) -> String {
        String::from(match self {
            Self::Bool => "bool",
            Self::Int32 => "int32",
            Self::Duration => "duration",
            Self::Word(words) => {
                return match words {
                    [init @ .., last] if !init.is_empty() => format!("{} or {last}", init.join(", ")),
                    words => words.join(""),
                };
            }
            Self::Policy(_) => "policy",
            Self::PolicyByStrategy(_) => "policy, or `{rolling_update, recreate}`",
            Self::Policies(_) => "list of policies",
            Self::UserNames => "list of user names",
            Self::FeatureGates => "map",
        })
    }
}

/// A field of an object that settings are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `spec.podReplacementPolicy` of a Deployment.
    DeploymentPolicy,
    /// The same of a Job, and of a CronJob's template.
    JobPolicy,
    /// The cost of a Pod.
    PodCost,
    /// The cost in a pod template.
    TemplateCost,
    /// The annotation `replicaset-replicas-before-scale` of a Deployment.
    StaleAnnotation,
    /// Replicas, template and strategy: what decides how many pods there are.
    Rollout,
}

use Field::{DeploymentPolicy, JobPolicy, PodCost, Rollout, StaleAnnotation, TemplateCost};

const BOTH_COSTS: &[Field] = &[PodCost, TemplateCost];

const ACTIONS: SettingType = SettingType::Word(&["allow", "warn", "deny"]);

const fn setting(path: &'static str, type_: SettingType, default: &'static str, fields: &'static [Field]) -> Setting {
    Setting { path, type_, default, fields }
}

/// Every setting.
pub const SETTINGS: [Setting; 20] = [
    setting(
        "pod_replacement_policy.deployments.default",
        SettingType::PolicyByStrategy(&deployment::POD_REPLACEMENT_POLICIES),
        "none",
        &[DeploymentPolicy],
    ),
    setting(
        "pod_replacement_policy.deployments.allowed",
        SettingType::Policies(&deployment::POD_REPLACEMENT_POLICIES),
        "all",
        &[DeploymentPolicy],
    ),
    setting("pod_replacement_policy.deployments.required", SettingType::Bool, "false", &[DeploymentPolicy]),
    setting(
        "pod_replacement_policy.jobs.default",
        SettingType::Policy(&job::POD_REPLACEMENT_POLICIES),
        "none",
        &[JobPolicy],
    ),
    setting("pod_replacement_policy.jobs.explicit", SettingType::Word(&["keep", "replace"]), "keep", &[JobPolicy]),
    setting(
        "pod_replacement_policy.jobs.allowed",
        SettingType::Policies(&job::POD_REPLACEMENT_POLICIES),
        "all",
        &[JobPolicy],
    ),
    setting("pod_deletion_cost.default", SettingType::Int32, "none", &[PodCost]),
    setting("pod_deletion_cost.min", SettingType::Int32, "-2147483648", BOTH_COSTS),
    setting("pod_deletion_cost.max", SettingType::Int32, "2147483647", BOTH_COSTS),
    setting("pod_deletion_cost.in_templates", ACTIONS, "warn", &[TemplateCost]),
    setting("pod_deletion_cost.setters", SettingType::UserNames, "anyone", BOTH_COSTS),
    setting("pod_deletion_cost.min_change_interval", SettingType::Duration, "none", &[PodCost]),
    setting("pod_deletion_cost.without_effect", ACTIONS, "warn", BOTH_COSTS),
    setting("stale_scale_annotations", SettingType::Word(&["allow", "warn", "strip"]), "warn", &[StaleAnnotation]),
    setting("forecast", SettingType::Bool, "false", &[DeploymentPolicy, Rollout]),
    setting("context", SettingType::Bool, "false", &[Rollout]),
    setting("quota", ACTIONS, "warn", &[Rollout]),
    setting("ready_after", SettingType::Duration, "by probes", &[Rollout]),
    setting("stop_after", SettingType::Duration, "grace period", &[Rollout]),
    setting(
        "feature_gates",
        SettingType::FeatureGates,
        "1.37's",
        &[DeploymentPolicy, JobPolicy, PodCost, TemplateCost],
    ),
];
