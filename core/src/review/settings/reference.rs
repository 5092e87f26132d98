//! The settings as data: what the form, the README and the tests are held to.

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its path.
    pub path: &'static str,
    /// What stands there.
    pub type_: &'static str,
    /// What counts where it is absent.
    pub default: &'static str,
    /// The fields of objects that it reads or writes.
    pub fields: &'static [Field],
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
    /// The note of a partial scaling on a Deployment.
    StaleAnnotation,
    /// Replicas, template and strategy: what bears on how many pods there are.
    Rollout,
}

use Field::{DeploymentPolicy, JobPolicy, PodCost, Rollout, StaleAnnotation, TemplateCost};

const BOTH_COSTS: &[Field] = &[PodCost, TemplateCost];

const fn setting(path: &'static str, type_: &'static str, default: &'static str, fields: &'static [Field]) -> Setting {
    Setting { path, type_, default, fields }
}

/// Every setting.
pub const SETTINGS: [Setting; 18] = [
    setting(
        "pod_replacement_policy.deployments.default",
        "policy, or `{rolling_update, recreate}`",
        "none",
        &[DeploymentPolicy],
    ),
    setting("pod_replacement_policy.deployments.allowed", "list of policies", "all", &[DeploymentPolicy]),
    setting("pod_replacement_policy.deployments.required", "bool", "false", &[DeploymentPolicy]),
    setting("pod_replacement_policy.jobs.default", "policy", "none", &[JobPolicy]),
    setting("pod_replacement_policy.jobs.explicit", "keep or replace", "keep", &[JobPolicy]),
    setting("pod_replacement_policy.jobs.allowed", "list of policies", "all", &[JobPolicy]),
    setting("pod_deletion_cost.default", "int32", "none", &[PodCost]),
    setting("pod_deletion_cost.min", "int32", "-2147483648", BOTH_COSTS),
    setting("pod_deletion_cost.max", "int32", "2147483647", BOTH_COSTS),
    setting("pod_deletion_cost.in_templates", "allow, warn or deny", "warn", &[TemplateCost]),
    setting("pod_deletion_cost.setters", "list of user names", "anyone", BOTH_COSTS),
    setting("pod_deletion_cost.min_change_interval", "duration", "none", &[PodCost]),
    setting("pod_deletion_cost.without_effect", "allow, warn or deny", "warn", BOTH_COSTS),
    setting("stale_scale_annotations", "allow, warn or strip", "warn", &[StaleAnnotation]),
    setting("forecast", "bool", "false", &[DeploymentPolicy, Rollout]),
    setting("context", "bool", "false", &[Rollout]),
    setting("quota", "allow, warn or deny", "warn", &[Rollout]),
    setting("feature_gates", "map", "1.37's", &[DeploymentPolicy, JobPolicy, PodCost, TemplateCost]),
];
