//! The settings, read from JSON with all their problems at once.

mod name_patterns;
mod reader;
mod reference;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::Problem;
use crate::collect_tree::CollectTree;
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{IntOrString, Rounding};
use crate::prediction::Assumptions;
use crate::scenario::{Delay, Duration};
use crate::workload::deployment::strategy as deployment;
use crate::workload::job::strategy as job;
use name_patterns::NamePatterns;
pub(super) use reader::Interval;
use reader::Reader;
pub use reference::{Field, SETTINGS, Setting, SettingType};

/// The settings of the policy. The default warns and changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub(super) deployments: Deployments,
    pub(super) jobs: Jobs,
    pub(super) cost: Cost,
    pub(super) stale_scale_annotations: StaleAction,
    pub(super) replicas: Replicas,
    pub(super) rollout: Rollout,
    pub(super) pods: Pods,
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
    /// The users who write what was checked before, in a template or in an owner: upstream's, and those that are listed.
    pub(super) controllers: NamePatterns,
    pub(super) exempt: Exempt,
    /// Whether to refuse what the API server of 1.37 refuses.
    pub(super) validates: bool,
    pub(super) gates: FeatureGates,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            deployments: Deployments::default(),
            jobs: Jobs::default(),
            cost: Cost::default(),
            stale_scale_annotations: StaleAction::default(),
            replicas: Replicas::default(),
            rollout: Rollout::default(),
            pods: Pods::default(),
            forecast: false,
            context: false,
            quota: ValidationAction::Allow,
            ready_after: None,
            stop_after: None,
            controllers: NamePatterns::controllers(),
            exempt: Exempt::default(),
            validates: false,
            gates: FeatureGates::default(),
        }
    }
}

impl Settings {
    /// Whether the policy reads objects from the cluster: `context`.
    #[must_use]
    pub const fn reads_cluster(&self) -> bool {
        self.context
    }

    /// The same for manifests that no API server has seen: what it refuses is refused, as with `validate`.
    #[must_use]
    pub fn for_manifests(&self) -> Self {
        Self { validates: true, ..self.clone() }
    }

    /// The same for a request that comes to nothing: no rollout is forecast, and no quota is checked for room.
    #[must_use]
    pub fn without_forecast(&self) -> Self {
        Self { forecast: false, quota: ValidationAction::Allow, rollout: Rollout::default(), ..self.clone() }
    }

    /// Whether they have something that only a forecast or the cluster can tell.
    #[must_use]
    pub fn needs_forecast(&self) -> bool {
        self.context || self.plays_changes()
    }

    /// Whether it plays a change of a Deployment.
    pub(super) fn plays_changes(&self) -> bool {
        self.forecast || self.checks_quota() || self.rollout.has_limits()
    }

    /// Whether it reads ResourceQuotas.
    pub(super) fn checks_quota(&self) -> bool {
        self.context && self.quota != ValidationAction::Allow
    }

    /// Whether it judges requests about the scale subresource.
    pub(super) fn judges_scales(&self) -> bool {
        self.context || self.replicas != Replicas::default()
    }

    /// Whether it may change an object.
    #[must_use]
    pub const fn changes_objects(&self) -> bool {
        self.deployments.rolling_update.is_some()
            || self.deployments.recreate.is_some()
            || self.jobs.default.is_some()
            || self.cost.default.is_some()
            || matches!(self.stale_scale_annotations, StaleAction::Strip)
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
    /// Set if absent, for the strategy Recreate.
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

impl Jobs {
    /// Whether this is a valid policy that the settings don't allow. The API server refuses invalid ones.
    pub(super) fn forbids(&self, policy: &str) -> bool {
        job::POD_REPLACEMENT_POLICIES.contains(&policy)
            && self.allowed.as_ref().is_some_and(|allowed| !allowed.contains(&policy))
    }
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
    pub(super) setters: Option<NamePatterns>,
    /// Whether a refusal lists them.
    pub(super) show_setters: bool,
    pub(super) min_change_interval: Option<Interval>,
    pub(super) without_effect: ValidationAction,
}

/// `replicas`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Replicas {
    pub(super) min: Option<i32>,
    pub(super) max: Option<i32>,
    pub(super) action: Limit,
}

/// `rollout`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rollout {
    /// How many pods there may be beside the desired ones.
    pub(super) max_over_desired: Option<IntOrString>,
    pub(super) min_available: Option<IntOrString>,
    /// What to do about a rollout that passes these limits.
    pub(super) action: Limit,
    /// What to do about the strategy Recreate.
    pub(super) recreate: ValidationAction,
}

impl Default for Rollout {
    fn default() -> Self {
        Self {
            max_over_desired: None,
            min_available: None,
            action: Limit::default(),
            recreate: ValidationAction::Allow,
        }
    }
}

impl Rollout {
    /// Whether a rollout must be played to know whether it is within its limits.
    pub(super) const fn has_limits(&self) -> bool {
        self.max_over_desired.is_some() || self.min_available.is_some()
    }
}

/// `pods`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pods {
    pub(super) max_grace_period: Option<Interval>,
    /// What to do about a longer one.
    pub(super) action: Limit,
    /// What to do about pods with ports and without a readinessProbe.
    pub(super) readiness_probe: ValidationAction,
    /// What to do about pods with ports and without a preStop hook.
    pub(super) pre_stop: ValidationAction,
}

impl Default for Pods {
    fn default() -> Self {
        Self {
            max_grace_period: None,
            action: Limit::default(),
            readiness_probe: ValidationAction::Allow,
            pre_stop: ValidationAction::Allow,
        }
    }
}

/// `exempt`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exempt {
    pub(super) namespaces: Option<NamePatterns>,
    pub(super) users: Option<NamePatterns>,
    /// Labels of objects.
    pub(super) labels: Vec<(String, String)>,
    /// Whether dry runs are only defaulted.
    pub(super) dry_runs: bool,
}

/// What to do about a limit that is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Limit {
    Warn,
    #[default]
    Deny,
}

impl From<Limit> for ValidationAction {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Warn => Self::Warn,
            Limit::Deny => Self::Deny,
        }
    }
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
const LIMITS: [(&str, Limit); 2] = [("warn", Limit::Warn), ("deny", Limit::Deny)];
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
        "replicas",
        "rollout",
        "forecast",
        "ready_after",
        "stop_after",
        "pods",
        "context",
        "quota",
        "controllers",
        "exempt",
        "validate",
        "feature_gates",
        "stale_scale_annotations",
    ];
    let mut root = Reader::new(value, "", &keys, &mut problems);
    if let Some(action) = root.choice("stale_scale_annotations", &STALE_ACTIONS) {
        settings.stale_scale_annotations = action;
    }
    settings.forecast = root.bool("forecast").unwrap_or_default();
    settings.context = root.bool("context").unwrap_or_default();
    settings.quota = root.choice("quota", &ACTIONS).unwrap_or(ValidationAction::Allow);
    if settings.quota != ValidationAction::Allow && !settings.context {
        root.problem(
            "quota",
            "Forbidden: needs context: true: without it, the policy does not read the ResourceQuotas",
        );
    }
    settings.ready_after = root.duration("ready_after");
    settings.stop_after = root.duration("stop_after");
    if let Some(more) = root.users("controllers") {
        settings.controllers = settings.controllers.and(more);
    }
    settings.validates = root.is_text("validate", "1.37");
    let given_gates = with_booleans(root.value("feature_gates").unwrap_or(&Value::Null));
    let gates = FeatureGates::parse(&given_gates, "feature_gates");
    match &gates {
        Ok(gates) => settings.gates = *gates,
        Err(found) => problems.extend(found.iter().cloned()),
    }
    let part = |key: &str| value.get(key).filter(|value| !value.is_null()).unwrap_or(&Value::Null);
    settings.replicas = read_replicas(part("replicas"), &mut problems);
    settings.rollout = read_rollout(part("rollout"), settings.gates, &mut problems);
    settings.pods = read_pods(part("pods"), &mut problems);
    settings.exempt = read_exempt(part("exempt"), &mut problems);
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

/// The gates as booleans: a form's map has texts, and maybe a blank row.
fn with_booleans(gates: &Value) -> Value {
    let Some(map) = gates.as_object() else { return gates.clone() };
    let of = |value: &Value| match value.as_str() {
        Some("true") => true.into(),
        Some("false") => false.into(),
        _ => value.clone(),
    };
    let rows = map.iter().filter(|(name, value)| !(name.is_empty() && *value == ""));
    rows.map(|(name, value)| (name.clone(), of(value))).collect_tree::<Map<_, _>>().into()
}

fn read_replicas(value: &Value, problems: &mut Vec<Problem>) -> Replicas {
    let mut reader = Reader::new(value, "replicas", &["min", "max", "action"], problems);
    let replicas = Replicas {
        min: reader.replicas("min"),
        max: reader.replicas("max"),
        action: reader.choice("action", &LIMITS).unwrap_or_default(),
    };
    if let (Some(min), Some(max)) = (replicas.min, replicas.max)
        && min > max
    {
        reader.problem("min", &format!("Invalid value: {min}: must not be greater than replicas.max, {max}"));
    }
    if replicas.max == Some(0) {
        reader.problem("max", "Invalid value: 0: must be at least 1, or no workload could have a pod");
    }
    replicas
}

fn read_rollout(value: &Value, gates: FeatureGates, problems: &mut Vec<Problem>) -> Rollout {
    let keys = ["max_over_desired", "min_available", "action", "recreate"];
    let mut reader = Reader::new(value, "rollout", &keys, problems);
    let rollout = Rollout {
        max_over_desired: reader.number_or_percentage("max_over_desired"),
        min_available: reader.number_or_percentage("min_available"),
        action: reader.choice("action", &LIMITS).unwrap_or_default(),
        recreate: reader.choice("recreate", &ACTIONS).unwrap_or(ValidationAction::Allow),
    };
    let pods = |limit: &Option<IntOrString>| limit.as_ref().and_then(|limit| limit.scaled(100, Rounding::Up).ok());
    // Recreate leaves no pod available. With KEP-5882, a rolling update can do without more pods, too.
    let refuses_recreate =
        rollout.recreate == ValidationAction::Deny || pods(&rollout.min_available).is_some_and(|least| least > 0);
    if pods(&rollout.max_over_desired) == Some(0)
        && refuses_recreate
        && rollout.action == Limit::Deny
        && !gates.enabled(Feature::DeploymentPodReplacementPolicy)
    {
        let text = "Invalid value: 0: only Recreate has no pods over the desired ones, and another setting refuses it";
        reader.problem("max_over_desired", text);
    }
    rollout
}

fn read_pods(value: &Value, problems: &mut Vec<Problem>) -> Pods {
    let mut reader =
        Reader::new(value, "pods", &["max_grace_period", "action", "readiness_probe", "pre_stop"], problems);
    Pods {
        max_grace_period: reader.duration("max_grace_period"),
        action: reader.choice("action", &LIMITS).unwrap_or_default(),
        readiness_probe: reader.choice("readiness_probe", &ACTIONS).unwrap_or(ValidationAction::Allow),
        pre_stop: reader.choice("pre_stop", &ACTIONS).unwrap_or(ValidationAction::Allow),
    }
}

fn read_exempt(value: &Value, problems: &mut Vec<Problem>) -> Exempt {
    let mut reader = Reader::new(value, "exempt", &["namespaces", "users", "labels", "dry_runs"], problems);
    Exempt {
        namespaces: reader.namespaces("namespaces"),
        users: reader.users("users"),
        labels: reader.labels("labels"),
        dry_runs: reader.bool("dry_runs").unwrap_or_default(),
    }
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
        if deployments.allowed.is_some() {
            let text = "no released API server has this field; there is nothing to allow";
            reader.problem("allowed", &format!("{needs}: {text}"));
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
    let keys =
        ["default", "min", "max", "in_templates", "setters", "show_setters", "min_change_interval", "without_effect"];
    let mut reader = Reader::new(value, "pod_deletion_cost", &keys, problems);
    let cost = Cost {
        default: reader.int32("default"),
        min: reader.int32("min"),
        max: reader.int32("max"),
        in_templates: reader.choice("in_templates", &ACTIONS).unwrap_or_default(),
        setters: reader.users("setters"),
        show_setters: reader.bool("show_setters").unwrap_or_default(),
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
