//! The settings, read from JSON with all their problems at once.

mod reader;
mod reference;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::Problem;
use crate::feature_gates::{Feature, FeatureGates};
use crate::prediction::Assumptions;
use crate::scenario::{Delay, Duration};
use crate::workload::deployment::strategy as deployment;
use crate::workload::job::strategy as job;
pub(super) use reader::Interval;
use reader::Reader;
pub use reference::{Field, SETTINGS, Setting, SettingType};

/// The settings of the policy. The default validates, warns and changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub(super) deployments: Deployments,
    pub(super) jobs: Jobs,
    pub(super) cost: Cost,
    pub(super) stale_scale_annotations: StaleAction,
    /// Whether to forecast what a changed Deployment or Job does.
    pub(super) forecast: bool,
    /// Whether to read objects from the cluster.
    pub(super) context: bool,
    /// What to do about pods that a ResourceQuota has no room for.
    pub(super) quota: ValidationAction,
    /// How long after its creation a pod is ready; by default its probes decide.
    pub(super) ready_after: Option<Interval>,
    /// How long a pod takes to stop, at most its grace period; by default the whole of it.
    pub(super) stop_after: Option<Interval>,
    pub(super) gates: FeatureGates,
}

impl Settings {
    /// Whether the policy reads objects from the cluster: `context`.
    #[must_use]
    pub const fn reads_cluster(&self) -> bool {
        self.context
    }

    /// The same for a request that comes to nothing: no rollout is forecast, and no quota is checked for room.
    #[must_use]
    pub fn without_forecast(&self) -> Self {
        Self { forecast: false, quota: ValidationAction::Allow, ..self.clone() }
    }

    /// What a forecast assumes of pods, as a prediction does.
    pub(super) fn assumptions(&self) -> Assumptions {
        let duration = |interval: &Interval| Duration(interval.nanoseconds);
        Assumptions {
            ready_after: self.ready_after.as_ref().map(duration).map(Delay::After),
            stop_after: self.stop_after.as_ref().map(duration),
            ..Assumptions::default()
        }
    }
}

/// `pod_replacement_policy.deployments`
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Deployments {
    /// Set if absent, for the strategy RollingUpdate.
    pub(super) rolling_update: Option<&'static str>,
    /// Likewise for Recreate.
    pub(super) recreate: Option<&'static str>,
    pub(super) allowed: Option<Vec<&'static str>>,
    pub(super) required: bool,
}

/// `pod_replacement_policy.jobs`
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Jobs {
    pub(super) default: Option<&'static str>,
    pub(super) explicit: Explicit,
    pub(super) allowed: Option<Vec<&'static str>>,
}

/// What to do with a value that the user may or may not have written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Explicit {
    #[default]
    Keep,
    Replace,
}

/// `pod_deletion_cost`
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cost {
    pub(super) default: Option<i32>,
    pub(super) min: Option<i32>,
    pub(super) max: Option<i32>,
    pub(super) in_templates: ValidationAction,
    pub(super) setters: Option<Vec<String>>,
    pub(super) min_change_interval: Option<Interval>,
    pub(super) without_effect: ValidationAction,
}

/// What to do about something legal, from lenient to strict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValidationAction {
    Allow,
    #[default]
    Warn,
    Deny,
}

/// `stale_scale_annotations`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum StaleAction {
    Allow,
    #[default]
    Warn,
    Strip,
}

const ACTIONS: [(&str, ValidationAction); 3] =
    [("allow", ValidationAction::Allow), ("warn", ValidationAction::Warn), ("deny", ValidationAction::Deny)];
const STALE_ACTIONS: [(&str, StaleAction); 3] =
    [("allow", StaleAction::Allow), ("warn", StaleAction::Warn), ("strip", StaleAction::Strip)];
const EXPLICIT: [(&str, Explicit); 2] = [("keep", Explicit::Keep), ("replace", Explicit::Replace)];

/// Reads the settings; `null` means no settings.
///
/// # Errors
/// Unknown keys, wrong types, values out of range and contradictions: all of them, each with its path.
pub fn validate_settings(value: &Value) -> Result<Settings, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut settings = Settings::default();
    let keys = [
        "pod_replacement_policy",
        "pod_deletion_cost",
        "stale_scale_annotations",
        "forecast",
        "context",
        "quota",
        "ready_after",
        "stop_after",
        "feature_gates",
    ];
    let mut root = Reader::new(value, "", &keys, &mut problems);
    if let Some(action) = root.choice("stale_scale_annotations", &STALE_ACTIONS) {
        settings.stale_scale_annotations = action;
    }
    settings.forecast = root.bool("forecast").unwrap_or_default();
    settings.context = root.bool("context").unwrap_or_default();
    settings.quota = root.choice("quota", &ACTIONS).unwrap_or_default();
    if settings.quota == ValidationAction::Deny && !settings.context {
        root.problem(
            "quota",
            "Forbidden: needs context: true: without it, the policy does not read the ResourceQuotas",
        );
    }
    settings.ready_after = root.duration("ready_after");
    settings.stop_after = root.duration("stop_after");
    let gates = FeatureGates::parse(root.value("feature_gates").unwrap_or(&Value::Null), "feature_gates");
    match &gates {
        Ok(gates) => settings.gates = *gates,
        Err(found) => problems.extend(found.iter().cloned()),
    }
    let mut root = Reader::known(value, "", &mut problems);
    if let Some(policies) = root.value("pod_replacement_policy") {
        let mut policies = Reader::new(policies, "pod_replacement_policy", &["deployments", "jobs"], &mut problems);
        let (deployments, jobs) = (policies.value("deployments"), policies.value("jobs"));
        if let Some(deployments) = deployments {
            // Gates that can't be read are a problem of their own: they forbid nothing else.
            settings.deployments = read_deployments(deployments, gates.ok(), &mut problems);
        }
        if let Some(jobs) = jobs {
            settings.jobs = read_jobs(jobs, settings.gates, &mut problems);
        }
    }
    if let Some(cost) = value.get("pod_deletion_cost").filter(|value| !value.is_null()) {
        settings.cost = read_cost(cost, settings.gates, &mut problems);
    }
    if problems.is_empty() {
        return Ok(settings);
    }
    problems.sort_unstable();
    Err(problems)
}

fn read_deployments(value: &Value, gates: Option<FeatureGates>, problems: &mut Vec<Problem>) -> Deployments {
    let path = "pod_replacement_policy.deployments";
    let policies = deployment::POD_REPLACEMENT_POLICIES;
    let mut reader = Reader::new(value, path, &["default", "allowed", "required"], problems);
    let mut deployments = Deployments {
        allowed: reader.policies("allowed", &policies),
        required: reader.bool("required").unwrap_or_default(),
        ..Deployments::default()
    };
    let default = reader.value("default");
    if let Some(default) = default.filter(|default| default.is_object()) {
        let path = format!("{path}.default");
        let mut by_strategy = Reader::new(default, &path, &["rolling_update", "recreate"], problems);
        deployments.rolling_update = by_strategy.policy("rolling_update", &policies);
        deployments.recreate = by_strategy.policy("recreate", &policies);
        for (key, policy) in [("rolling_update", deployments.rolling_update), ("recreate", deployments.recreate)] {
            by_strategy.must_be_allowed(key, policy, deployments.allowed.as_deref());
        }
    } else if default.is_some() {
        let policy = reader.policy("default", &policies);
        reader.must_be_allowed("default", policy, deployments.allowed.as_deref());
        (deployments.rolling_update, deployments.recreate) = (policy, policy);
    }
    if gates.is_some_and(|gates| !gates.enabled(Feature::DeploymentPodReplacementPolicy)) {
        let mut reader = Reader::known(value, path, problems);
        let needs = "Forbidden: needs feature_gates.DeploymentPodReplacementPolicy: true";
        if default.is_some() {
            let text = "no released API server has this field; a default would be dropped silently";
            reader.problem("default", &format!("{needs}: {text}"));
        }
        if deployments.required {
            let text = "no released API server has this field; every Deployment would be refused";
            reader.problem("required", &format!("{needs}: {text}"));
        }
    }
    deployments
}

fn read_jobs(value: &Value, gates: FeatureGates, problems: &mut Vec<Problem>) -> Jobs {
    let path = "pod_replacement_policy.jobs";
    let policies = job::POD_REPLACEMENT_POLICIES;
    let mut reader = Reader::new(value, path, &["default", "explicit", "allowed"], problems);
    let jobs = Jobs {
        default: reader.policy("default", &policies),
        explicit: reader.choice("explicit", &EXPLICIT).unwrap_or_default(),
        allowed: reader.policies("allowed", &policies),
    };
    reader.must_be_allowed("default", jobs.default, jobs.allowed.as_deref());
    if jobs.default.is_some() && !gates.enabled(Feature::JobPodReplacementPolicy) {
        let text = "contradicts feature_gates.JobPodReplacementPolicy: false: a default would be dropped silently";
        reader.problem("default", text);
    }
    jobs
}

fn read_cost(value: &Value, gates: FeatureGates, problems: &mut Vec<Problem>) -> Cost {
    let keys = ["default", "min", "max", "in_templates", "setters", "min_change_interval", "without_effect"];
    let mut reader = Reader::new(value, "pod_deletion_cost", &keys, problems);
    let cost = Cost {
        default: reader.int32("default"),
        min: reader.int32("min"),
        max: reader.int32("max"),
        in_templates: reader.choice("in_templates", &ACTIONS).unwrap_or_default(),
        setters: reader.strings("setters").map(|names| names.into_iter().map(String::from).collect()),
        min_change_interval: reader.duration("min_change_interval"),
        without_effect: reader.choice("without_effect", &ACTIONS).unwrap_or_default(),
    };
    if let (Some(min), Some(max)) = (cost.min, cost.max)
        && min > max
    {
        reader.problem("min", &format!("Invalid value: {min}: must not be greater than pod_deletion_cost.max, {max}"));
    }
    if let (Some(default), Some(min)) = (cost.default, cost.min)
        && default < min
    {
        let text = format!("Invalid value: {default}: must be at least pod_deletion_cost.min, {min}");
        reader.problem("default", &text);
    }
    if let (Some(default), Some(max)) = (cost.default, cost.max)
        && default > max
    {
        let text = format!("Invalid value: {default}: must be at most pod_deletion_cost.max, {max}");
        reader.problem("default", &text);
    }
    if cost.default.is_some() && !gates.enabled(Feature::PodDeletionCost) {
        reader.problem("default", "contradicts feature_gates.PodDeletionCost: false: a default would have no effect");
    }
    cost
}
