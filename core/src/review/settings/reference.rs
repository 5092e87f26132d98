//! The settings as data. Tests compare the form, `policy/settings.md` and the cases with it.

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
    /// Its default, as `policy/settings.md` shows it.
    pub default: &'static str,
    /// The fields of objects that it reads or writes.
    pub fields: &'static [Field],
    /// What it is for: the group of the form, and a heading of `policy/settings.md`.
    pub group: &'static str,
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
    /// Names of namespaces, likewise.
    Namespaces,
    /// Labels and their values.
    Labels,
    /// A number of replicas.
    Replicas,
    /// A number of pods, or a percentage of the desired ones.
    NumberOrPercentage,
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
            Self::Namespaces => "list of namespaces",
            Self::Labels => "map of labels",
            Self::Replicas => "replicas",
            Self::NumberOrPercentage => "number or percentage",
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
    /// The replicas alone.
    Replicas,
    /// How a pod starts and stops.
    PodSpec,
}

use Field::{DeploymentPolicy, JobPolicy, PodCost, PodSpec, Replicas, Rollout, StaleAnnotation, TemplateCost};

const BOTH_COSTS: &[Field] = &[PodCost, TemplateCost];

const ACTIONS: SettingType = SettingType::Word(&["allow", "warn", "deny"]);
const LIMITS: SettingType = SettingType::Word(&["warn", "deny"]);

const fn setting(
    group: &'static str,
    path: &'static str,
    type_: SettingType,
    default: &'static str,
    fields: &'static [Field],
) -> Setting {
    Setting { path, type_, default, fields, group }
}

const JOBS: &str = "Jobs";
const COSTS: &str = "Deletion costs";
const REPLICAS: &str = "Replicas";
const ROLLOUTS: &str = "Rollouts";
const PODS: &str = "Pods";
const QUOTAS: &str = "Quotas";
const EXEMPT: &str = "Exemptions";
const API_SERVER: &str = "The API server";
const PROPOSED: &str = "Proposed: KEP-5882";

/// Every setting, by what people want; those that only a proposed KEP needs are the last.
pub const SETTINGS: [Setting; 38] = [
    setting(
        JOBS,
        "pod_replacement_policy.jobs.default",
        SettingType::Policy(&job::POD_REPLACEMENT_POLICIES),
        "none",
        &[JobPolicy],
    ),
    setting(
        JOBS,
        "pod_replacement_policy.jobs.explicit",
        SettingType::Word(&["keep", "replace"]),
        "keep",
        &[JobPolicy],
    ),
    setting(
        JOBS,
        "pod_replacement_policy.jobs.allowed",
        SettingType::Policies(&job::POD_REPLACEMENT_POLICIES),
        "all",
        &[JobPolicy],
    ),
    setting(COSTS, "pod_deletion_cost.default", SettingType::Int32, "none", &[PodCost]),
    setting(COSTS, "pod_deletion_cost.min", SettingType::Int32, "-2147483648", BOTH_COSTS),
    setting(COSTS, "pod_deletion_cost.max", SettingType::Int32, "2147483647", BOTH_COSTS),
    setting(COSTS, "pod_deletion_cost.in_templates", ACTIONS, "warn", &[TemplateCost]),
    setting(COSTS, "pod_deletion_cost.setters", SettingType::UserNames, "anyone", BOTH_COSTS),
    setting(COSTS, "pod_deletion_cost.show_setters", SettingType::Bool, "false", &[]),
    setting(COSTS, "pod_deletion_cost.min_change_interval", SettingType::Duration, "none", &[PodCost]),
    setting(COSTS, "pod_deletion_cost.without_effect", ACTIONS, "warn", BOTH_COSTS),
    setting(REPLICAS, "replicas.min", SettingType::Replicas, "none", &[Replicas]),
    setting(REPLICAS, "replicas.max", SettingType::Replicas, "none", &[Replicas]),
    setting(REPLICAS, "replicas.action", LIMITS, "deny", &[Replicas]),
    setting(ROLLOUTS, "rollout.max_over_desired", SettingType::NumberOrPercentage, "none", &[Rollout]),
    setting(ROLLOUTS, "rollout.min_available", SettingType::NumberOrPercentage, "none", &[Rollout]),
    setting(ROLLOUTS, "rollout.action", LIMITS, "deny", &[Rollout]),
    setting(ROLLOUTS, "rollout.recreate", ACTIONS, "allow", &[Rollout]),
    setting(ROLLOUTS, "forecast", SettingType::Bool, "false", &[DeploymentPolicy, Rollout]),
    setting(ROLLOUTS, "ready_after", SettingType::Duration, "by probes", &[Rollout]),
    setting(ROLLOUTS, "stop_after", SettingType::Duration, "grace period", &[Rollout]),
    setting(PODS, "pods.max_grace_period", SettingType::Duration, "none", &[PodSpec]),
    setting(PODS, "pods.action", LIMITS, "deny", &[PodSpec]),
    setting(PODS, "pods.readiness_probe", ACTIONS, "allow", &[PodSpec]),
    setting(PODS, "pods.pre_stop", ACTIONS, "allow", &[PodSpec]),
    setting(QUOTAS, "context", SettingType::Bool, "false", &[Rollout]),
    setting(QUOTAS, "quota", ACTIONS, "allow", &[Rollout]),
    setting(EXEMPT, "controllers", SettingType::UserNames, "upstream's", &[]),
    setting(EXEMPT, "exempt.namespaces", SettingType::Namespaces, "none", &[]),
    setting(EXEMPT, "exempt.users", SettingType::UserNames, "none", &[]),
    setting(EXEMPT, "exempt.labels", SettingType::Labels, "none", &[]),
    setting(EXEMPT, "exempt.dry_runs", SettingType::Bool, "false", &[]),
    setting(API_SERVER, "validate", SettingType::Word(&["1.37"]), "none", &[]),
    setting(
        API_SERVER,
        "feature_gates",
        SettingType::FeatureGates,
        "1.37's",
        &[DeploymentPolicy, JobPolicy, PodCost, TemplateCost],
    ),
    setting(
        PROPOSED,
        "pod_replacement_policy.deployments.default",
        SettingType::PolicyByStrategy(&deployment::POD_REPLACEMENT_POLICIES),
        "none",
        &[DeploymentPolicy],
    ),
    setting(
        PROPOSED,
        "pod_replacement_policy.deployments.allowed",
        SettingType::Policies(&deployment::POD_REPLACEMENT_POLICIES),
        "all",
        &[DeploymentPolicy],
    ),
    setting(PROPOSED, "pod_replacement_policy.deployments.required", SettingType::Bool, "false", &[DeploymentPolicy]),
    setting(
        PROPOSED,
        "stale_scale_annotations",
        SettingType::Word(&["allow", "warn", "strip"]),
        "warn",
        &[StaleAnnotation],
    ),
];
