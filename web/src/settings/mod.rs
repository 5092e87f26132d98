//! The settings of the sandbox, as the user typed them, and the lanes that they ask for. The core checks the values.

mod amount;
mod cluster;
mod field;
mod other_deployments;
mod scope;
mod yaml;

use std::collections::BTreeMap;

use changeover_core::Problem as CoreProblem;
use changeover_core::json::{FromJson, Path, ToJson, decode, must_be, read_at};
use changeover_core::object::Time;
use changeover_core::scenario::{Duration, Mode};
use changeover_wire::{
    FieldValue, KindFields, LaneSource, OtherDeployment, Problem, Reading, WorkloadKind, WorkloadName,
};
use serde_json::{Map, Value, json};

pub use self::field::Field;
use self::other_deployments::{Others, others_in_manifests, pods_of_others};
pub use self::scope::{SettingsOrigin, YamlContent};
use crate::number::{to_f64, with_grouped_digits};
use crate::playback::LaneInfo;
use crate::player_client::LaneRequest;

/// The Deployment's name.
const NAME: &str = "web";

/// The limits of a simulation: the lanes on the page and the ones that replace them fit into the module's 4 GB.
const MAX_PODS: u32 = 250_000;
const MAX_STEPS: u32 = 2_000_000;
const MAX_BYTES: u32 = 700_000_000;

/// The fields of a Deployment that have a control, besides its strategy.
const FIELD_PATHS: [(&str, Field); 6] = [
    ("spec.replicas", Field::Replicas),
    ("spec.strategy.rollingUpdate.maxSurge", Field::MaxSurge),
    ("spec.strategy.rollingUpdate.maxUnavailable", Field::MaxUnavailable),
    ("spec.template.spec.terminationGracePeriodSeconds", Field::GracePeriod),
    ("spec.minReadySeconds", Field::MinReadySeconds),
    ("spec.progressDeadlineSeconds", Field::ProgressDeadline),
];

/// The fields that a control can change only if it is clear which one it means: those of the only container, probe, quota or
/// disruption budget, of hooks that only sleep, and of nodes that are equal. The workbench decides which paths apply. In a path,
/// the first container stands for the ones that it finds.
const OPTIONAL_PATHS: [(&str, Field); 15] = [
    ("spec.template.spec.containers.0.resources.requests.cpu", Field::PodCpu),
    ("spec.template.spec.containers.0.resources.requests.memory", Field::PodMemory),
    ("spec.template.spec.containers.0.startupProbe.initialDelaySeconds", Field::ProbeDelay),
    ("spec.template.spec.containers.0.readinessProbe.initialDelaySeconds", Field::ProbeDelay),
    ("spec.template.spec.containers.0.readinessProbe.periodSeconds", Field::ProbePeriod),
    ("spec.template.spec.containers.0.startupProbe.failureThreshold", Field::ProbeFailures),
    ("spec.template.spec.containers.0.lifecycle.preStop.sleep.seconds", Field::PreStop),
    ("ResourceQuota/spec/hard/pods", Field::QuotaPods),
    ("ResourceQuota/spec/hard/requests.cpu", Field::QuotaCpu),
    ("ResourceQuota/spec/hard/requests.memory", Field::QuotaMemory),
    ("PodDisruptionBudget/spec/minAvailable", Field::MinAvailable),
    ("Node/count", Field::Nodes),
    ("Node/status/allocatable/pods", Field::PodsPerNode),
    ("Node/status/allocatable/cpu", Field::NodeCpu),
    ("Node/status/allocatable/memory", Field::NodeMemory),
];

/// The keys of a scenario's nodes.
const AMOUNTS_OF_NODE: [(&str, Field); 3] =
    [("pods", Field::PodsPerNode), ("cpu", Field::NodeCpu), ("memory", Field::NodeMemory)];

/// The path of the strategy's type.
const STRATEGY_PATH: &str = "spec.strategy.type";

/// How addresses and files call what is not typed.
const STRATEGY_KEY: &str = "strategy";
const RATE_LIMIT_KEY: &str = "hasRateLimit";
const MODE_KEY: &str = "mode";
const SEED_KEY: &str = "seed";

/// The requests that a controller may send a second, and at once, if nothing limits them.
const UNLIMITED: u32 = 1_000_000;

/// The API server's default of terminationGracePeriodSeconds.
pub const DEFAULT_GRACE_PERIOD: i32 = 30;

/// How many seconds the kubelet gives containers to stop after a preStop hook, even if the grace period is over.
const LEAST_AFTER_HOOK: i32 = 2;

/// How old pods make way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum StrategyType {
    /// Old and new pods side by side.
    #[default]
    RollingUpdate,
    /// All old pods first.
    Recreate,
}

/// The settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What was typed, where it differs from what is there at first.
    texts: BTreeMap<Field, String>,
    strategy: StrategyType,
    /// Whether kube-controller-manager sends at most 20 requests a second, with a burst of 30, its defaults.
    has_rate_limit: bool,
    /// How closely the timing of a real control plane is followed.
    mode: Mode,
    /// The seed of the random delays: that of the story which the settings come from.
    seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            texts: BTreeMap::new(),
            strategy: StrategyType::RollingUpdate,
            has_rate_limit: true,
            mode: Mode::Realistic,
            seed: 0,
        }
    }
}

/// The values of `podReplacementPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
pub enum PodReplacementPolicy {
    /// Pods are replaced as soon as they start to terminate.
    TerminationStarted,
    /// Pods are replaced once they are gone.
    TerminationComplete,
}

impl PodReplacementPolicy {
    /// That of a scenario's first Deployment, if it has one.
    pub fn of_scenario(scenario: &Value) -> Option<Self> {
        decode(scenario_deployment(scenario)?.pointer("/spec/podReplacementPolicy")?, "").ok()
    }
}

/// What the user's settings are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same settings with the proposed policy.
    Policy(PodReplacementPolicy),
    /// Other settings.
    Settings(Box<Settings>),
    /// Nothing.
    Nothing,
}

impl Settings {
    /// The settings of a scenario's first Deployment and of its pods; none without a Deployment.
    pub fn of_scenario(scenario: &Value) -> Option<Self> {
        let deployment = scenario_deployment(scenario)?;
        // The last timing is that of all pods. One before it may be that of the new image.
        let kubelet = list(scenario, "kubelet").last();
        let text = |value: Option<&Value>| {
            let text = value.map(text_of).unwrap_or_default();
            text.strip_suffix('s').map(String::from).unwrap_or(text)
        };
        let spec = |path: &str| text(deployment.pointer(path));
        let timing = |key: &str| text(kubelet.and_then(|timing| timing.get(key)));
        let is_recreate = spec("/spec/strategy/type") == "Recreate";
        let mut settings = Self {
            strategy: if is_recreate { StrategyType::Recreate } else { StrategyType::RollingUpdate },
            has_rate_limit: scenario.get("controllerManager").is_some(),
            mode: scenario.get(MODE_KEY).and_then(|mode| decode(mode, MODE_KEY).ok()).unwrap_or_default(),
            seed: scenario.get(SEED_KEY).and_then(Value::as_u64).unwrap_or_default(),
            ..Self::default()
        };
        for (path, field) in FIELD_PATHS {
            settings.set_text(field, spec(&format!("/{}", path.replace('.', "/"))));
        }
        for (key, field) in
            [("ready", Field::ReadyAfter), ("terminate", Field::TimeToStop), ("jitterPercent", Field::Jitter)]
        {
            settings.set_text(field, timing(key));
        }
        let nodes = list(scenario, "nodes");
        if let Some(first) = nodes.first() {
            settings.set_text(Field::Nodes, nodes.len().to_string());
            for (key, field) in AMOUNTS_OF_NODE {
                settings.set_text(field, text(first.get(key)));
            }
        }
        settings.set_text(Field::AutoscalerStartup, text(scenario.pointer("/autoscaler/startup")));
        let of_image = list(scenario, "kubelet").iter().find(|timing| timing.get("image").is_some());
        settings.set_text(Field::Pull, text(of_image.and_then(|timing| timing.get("pull"))));
        let is_quota = |object: &&Value| object.get("kind").is_some_and(|kind| *kind == "ResourceQuota");
        if let Some(quota) = list(scenario, "objects").iter().find(is_quota) {
            settings.set_quota(quota);
        }
        Some(settings)
    }

    /// The strategy.
    pub const fn strategy(&self) -> StrategyType {
        self.strategy
    }

    /// Sets the strategy.
    pub const fn set_strategy(&mut self, strategy: StrategyType) {
        self.strategy = strategy;
    }

    /// Whether the controllers' requests are limited.
    pub const fn has_rate_limit(&self) -> bool {
        self.has_rate_limit
    }

    /// Limits the controllers' requests, or not.
    pub const fn set_rate_limit(&mut self, has_rate_limit: bool) {
        self.has_rate_limit = has_rate_limit;
    }

    /// How closely the timing of a real control plane is followed.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Sets how closely the timing of a real control plane is followed.
    pub const fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// The text of a field.
    pub fn text(&self, field: Field) -> &str {
        self.texts.get(&field).map_or(field.initial(), String::as_str)
    }

    /// Sets the text of a field.
    pub fn set_text(&mut self, field: Field, text: String) {
        if text == field.initial() {
            self.texts.remove(&field);
        } else {
            self.texts.insert(field, text);
        }
    }

    /// What the lane of these settings plays.
    pub fn source(&self) -> LaneSource {
        self.lane_request(LaneInfo::default(), None).source
    }

    /// These settings with the merge patch of a setting that meets the constraints.
    #[must_use]
    pub fn patched(&self, patch: &Value) -> Self {
        let mut settings = self.clone();
        let strategy = patch.pointer("/spec/strategy");
        if let Some(rolling_update) = strategy.map(|strategy| strategy.get("rollingUpdate")) {
            let rolling_update = rolling_update.filter(|it| it.is_object());
            settings.strategy = rolling_update.map_or(StrategyType::Recreate, |_| StrategyType::RollingUpdate);
            for (field, key) in [(Field::MaxSurge, "maxSurge"), (Field::MaxUnavailable, "maxUnavailable")] {
                if let Some(value) = rolling_update.and_then(|rolling_update| rolling_update.get(key)) {
                    settings.set_text(field, text_of(value));
                }
            }
        }
        if let Some(seconds) = patch.pointer("/spec/minReadySeconds") {
            settings.set_text(Field::MinReadySeconds, text_of(seconds));
        }
        settings
    }

    /// The number in a field; none if it is empty, a percentage, or no whole number.
    pub fn number(&self, field: Field) -> Option<i32> {
        self.text(field).trim().parse().ok()
    }

    /// Whether the grace period ends before a pod has stopped by itself, so that it says how long pods take to stop. None
    /// if that depends on more than numbers of seconds.
    pub fn is_killed(&self) -> Option<bool> {
        let left = self.seconds_to_stop()?;
        match self.text(Field::TimeToStop).trim() {
            "" => Some(true),
            _ => self.number(Field::TimeToStop).map(|time_to_stop| time_to_stop > left),
        }
    }

    /// How many whole seconds the preStop hook sleeps; none if it doesn't, or the API server would refuse it: it may not take
    /// longer than the grace period.
    fn hook_seconds(&self) -> Option<i64> {
        let Duration(time) = Duration::parse(&typed_duration(self.text(Field::PreStop)))?;
        let seconds = time.div_euclid(Time::SECOND);
        (Duration::seconds(seconds) == Duration(time) && seconds <= i64::from(self.grace_period())).then_some(seconds)
    }

    /// The grace period in seconds: the API server's default if what is typed is no number.
    pub fn grace_period(&self) -> i32 {
        self.number(Field::GracePeriod).unwrap_or(DEFAULT_GRACE_PERIOD)
    }

    /// How many seconds the containers have to stop: what a preStop hook leaves of the grace period, and at least two. None
    /// if one of them is not a number of seconds.
    pub fn seconds_to_stop(&self) -> Option<i32> {
        let or_default = |field: Field, default: i32| match self.text(field).trim() {
            "" => Some(default),
            _ => self.number(field),
        };
        let grace_period = or_default(Field::GracePeriod, DEFAULT_GRACE_PERIOD)?;
        let hook = or_default(Field::PreStop, 0)?;
        Some(if hook > 0 { grace_period.saturating_sub(hook).max(LEAST_AFTER_HOOK) } else { grace_period })
    }

    /// The field that a problem is about.
    pub fn problem_field(&self, problem: &Problem) -> Option<Field> {
        let path = problem.path.as_str();
        match path {
            "spec.replicas" => return Some(Field::Replicas),
            "status.allocatable.pods" => return Some(Field::PodsPerNode),
            "status.allocatable.cpu" => return Some(Field::NodeCpu),
            "status.allocatable.memory" => return Some(Field::NodeMemory),
            _ => {}
        }
        if path.ends_with(".preStop.sleep") {
            return Some(Field::PreStop);
        }
        if [".ready", ".answers"].iter().any(|end| path.ends_with(end)) {
            // The first pods of two are those of the new version, which have their own time only if one is typed.
            let is_new = path.starts_with("kubelet[0]") && !self.text(Field::NewReadyAfter).trim().is_empty();
            return Some(if is_new { Field::NewReadyAfter } else { Field::ReadyAfter });
        }
        Field::ALL.into_iter().find(|field| path.ends_with(field.path_end()))
    }

    /// Whether a field is part of the chosen strategy.
    pub fn applies(&self, field: Field) -> bool {
        match field {
            Field::MaxSurge | Field::MaxUnavailable => self.strategy == StrategyType::RollingUpdate,
            _ => true,
        }
    }

    /// All that have an effect, in a line.
    pub fn summary(&self, scope: SettingsOrigin) -> String {
        let replicas = match self.text(Field::Replicas).trim() {
            "" if scope.has_autoscaled_replicas() => String::from("the replicas of its autoscaler"),
            // The API server's default.
            "" | "1" => String::from("1 replica"),
            replicas => format!("{} replicas", with_grouped_digits(replicas)),
        };
        let mut parts = vec![replicas, String::from(self.strategy.as_str())];
        parts.extend(self.fields_in_words(scope, |field| field != Field::Replicas));
        if !self.has_rate_limit {
            parts.push(String::from("no rate limit"));
        }
        if self.mode == Mode::Exact {
            parts.push(String::from("exact order"));
        }
        parts.join(", ")
    }

    /// All settings in a line, and those that others have instead.
    pub fn summary_beside(&self, name: &str, other: &Self) -> String {
        let [own, others] = [self, other].map(|settings| settings.summary(SettingsOrigin::Settings));
        let own_parts: Vec<&str> = own.split(", ").collect();
        let differences: Vec<&str> = others.split(", ").filter(|part| !own_parts.contains(part)).collect();
        if differences.is_empty() { own } else { format!("{own}; {name}: {}", differences.join(", ")) }
    }

    /// The strategy, and the settings that few rollouts need.
    pub fn summary_of_deadlines(&self, scope: SettingsOrigin) -> String {
        let deadlines = [Field::GracePeriod, Field::MinReadySeconds, Field::ProgressDeadline, Field::Jitter];
        let mut parts = vec![String::from(self.strategy.as_str())];
        parts.extend(self.fields_in_words(scope, |field| deadlines.contains(&field) && self.text(field).trim() != "0"));
        parts.join(", ")
    }

    /// How the controllers are timed.
    pub fn summary_of_controllers(&self) -> String {
        let timing = if self.mode == Mode::Exact { "exact order" } else { "realistic timing" };
        let rate = if self.has_rate_limit { "20 requests a second" } else { "no rate limit" };
        format!("{timing}, {rate}")
    }

    /// What is around the rollout.
    pub fn summary_of_cluster(&self, scope: SettingsOrigin) -> String {
        self.fields_in_words(scope, Field::is_of_cluster).join(", ")
    }

    /// The fields of a part that have an effect: each with its name and its value.
    fn fields_in_words(&self, scope: SettingsOrigin, is_in_part: impl Fn(Field) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        for field in Field::ALL.into_iter().filter(|field| is_in_part(*field)) {
            let (name, text) = (field.name(), self.text(field).trim());
            // An empty field has the API server's default, or is not there.
            let is_elsewhere = scope.reason_against(field, self).is_some() || scope.is_measured(field);
            if !self.applies(field) || text.is_empty() || is_elsewhere {
                continue;
            }
            parts.push(if let Some(never) = field.never().filter(|_| text == "never") {
                String::from(never)
            } else if field.is_duration() {
                format!("{name} {}", duration_in_words(text))
            } else if field == Field::Jitter {
                format!("{name} {text}%")
            } else {
                format!("{name} {}", with_grouped_digits(text))
            });
        }
        parts
    }

    /// The lanes of these settings and of what they are compared with: the rollout of image v2.
    pub fn lane_requests(&self, comparison: &Comparison) -> Vec<LaneRequest> {
        let mine = LaneInfo {
            name: String::from("Your settings"),
            difference: String::from("as Kubernetes decides today"),
            ..LaneInfo::default()
        };
        let other = self.compared_lane_info(comparison).and_then(|info| match comparison {
            Comparison::Policy(policy) => Some(self.lane_request(info, Some(*policy))),
            Comparison::Settings(settings) => Some(settings.lane_request(info, None)),
            Comparison::Nothing => None,
        });
        [self.lane_request(mine, None)].into_iter().chain(other).collect()
    }

    /// The name of what these settings are compared with, and what is different there.
    pub fn compared_lane_info(&self, comparison: &Comparison) -> Option<LaneInfo> {
        match comparison {
            Comparison::Policy(policy) => {
                let difference = match (policy, self.strategy) {
                    (PodReplacementPolicy::TerminationComplete, _) => "waits until old pods are gone",
                    (PodReplacementPolicy::TerminationStarted, StrategyType::RollingUpdate) => {
                        "same as today, set explicitly"
                    }
                    (PodReplacementPolicy::TerminationStarted, StrategyType::Recreate) => "does not wait",
                };
                Some(LaneInfo {
                    name: String::from(policy.as_str()),
                    difference: String::from(difference),
                    proposed: true,
                    ..LaneInfo::default()
                })
            }
            Comparison::Settings(_) => Some(LaneInfo { name: String::from("Other settings"), ..LaneInfo::default() }),
            Comparison::Nothing => None,
        }
    }

    /// What manifests don't say, with the keys of a scenario, and `restart` and `othersRestart`.
    pub fn surroundings_of_manifests(&self) -> Value {
        let mut surroundings = self.surroundings();
        if let Some(surroundings) = surroundings.as_object_mut() {
            surroundings.extend(self.restarts());
            surroundings.insert(String::from("startsAsMeasured"), json!(self.has_initial_start()));
        }
        surroundings
    }

    /// Whether the user has not said how long pods take to start: then those of a running cluster may tell.
    fn has_initial_start(&self) -> bool {
        self.text(Field::ReadyAfter).trim() == Field::ReadyAfter.initial()
    }

    /// The cluster around the rollout, with the keys of a scenario.
    pub fn surroundings(&self) -> Value {
        let mut surroundings = json!({
            "nodes": self.nodes(),
            "kubelet": self.timings(),
            "limits": { "pods": MAX_PODS, "steps": MAX_STEPS, "bytes": MAX_BYTES },
        });
        if let Some(surroundings) = surroundings.as_object_mut() {
            let mode = Some(self.mode.to_json());
            let clients = self.controller_manager();
            for (key, value) in [(MODE_KEY, mode), ("controllerManager", clients), ("autoscaler", self.autoscaler())] {
                surroundings.extend(value.map(|value| (String::from(key), value)));
            }
        }
        surroundings
    }

    /// The controllers' clients; none for those of the mode.
    fn controller_manager(&self) -> Option<Value> {
        match (self.mode, self.has_rate_limit) {
            (Mode::Exact, true) => Some(json!({})),
            (Mode::Realistic, false) => Some(json!({ "qps": UNLIMITED, "burst": UNLIMITED })),
            (Mode::Exact, false) | (Mode::Realistic, true) => None,
        }
    }

    /// The typed value of a field, as JSON; null if the field is empty or doesn't apply.
    fn value(&self, field: Field) -> Value {
        let text = self.text(field).trim();
        if text.is_empty() || !self.applies(field) { Value::Null } else { typed_value(text) }
    }

    /// The fields of the Deployment and of its limits that have a control.
    pub fn fields(&self) -> KindFields {
        let field = |path: &str, value: Value| FieldValue { path: String::from(path), value };
        let strategy = field(STRATEGY_PATH, Value::from(self.strategy.as_str()));
        let typed = FIELD_PATHS.iter().chain(&OPTIONAL_PATHS).map(|(path, of)| field(path, self.value(*of)));
        KindFields {
            kind: WorkloadKind::Deployment,
            fields: [strategy].into_iter().chain(typed).collect(),
            limits: self.limits().into(),
            nodes: self.node_objects(),
            other_replicas: Others::of(self).replicas(),
        }
    }

    /// The settings with the fields of a Deployment. What the user typed stays if it means the same.
    #[must_use]
    pub fn with_fields(&self, fields: &[FieldValue]) -> Self {
        let mut settings = self.clone();
        for FieldValue { path, value } in fields {
            if path == STRATEGY_PATH {
                let is_recreate = value == StrategyType::Recreate.as_str();
                settings.strategy = if is_recreate { StrategyType::Recreate } else { StrategyType::RollingUpdate };
            }
        }
        for FieldValue { path, value } in fields {
            let mut known = FIELD_PATHS.iter().chain(&OPTIONAL_PATHS);
            let Some((_, field)) = known.find(|(known, _)| known == path) else { continue };
            let text = match value {
                // Without nodes in the text, some are assumed.
                Value::Null if *field == Field::Nodes => String::from(field.initial()),
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            if settings.applies(*field) && typed_value(settings.text(*field)) != typed_value(&text) {
                settings.set_text(*field, text);
            }
        }
        settings
    }

    /// The settings with the pods of the other Deployments of manifests. What the user typed stays if it means the same.
    #[must_use]
    pub fn with_others(&self, others: &[OtherDeployment]) -> Self {
        let mut settings = self.clone();
        if let Some(pods) = pods_of_others(others).filter(|pods| *pods != Others::of(self).replicas()) {
            let pods: Vec<String> = pods.iter().map(i32::to_string).collect();
            settings.set_text(Field::OtherPods, pods.join(", "));
        }
        settings
    }

    /// The fields of the Deployment as a patch.
    pub fn patch(&self) -> Value {
        let deployment = self.deployment(None);
        let spec = |field: &str| deployment.pointer(&format!("/spec/{field}")).cloned().unwrap_or(Value::Null);
        let grace_period = spec("template/spec/terminationGracePeriodSeconds");
        json!({ "spec": {
            "replicas": spec("replicas"),
            "minReadySeconds": spec("minReadySeconds"),
            "progressDeadlineSeconds": spec("progressDeadlineSeconds"),
            "strategy": spec("strategy"),
            "template": { "spec": { "terminationGracePeriodSeconds": grace_period } },
        } })
    }

    fn lane_request(&self, info: LaneInfo, policy: Option<PodReplacementPolicy>) -> LaneRequest {
        let mut changes = self.surroundings();
        let mut later = json!({ "actions": self.later_actions() });
        if let (Some(changes), Some(later)) = (changes.as_object_mut(), later.as_object_mut()) {
            changes.insert(String::from("at"), json!("0s"));
            changes.insert(String::from(SEED_KEY), json!(self.seed));
            changes.insert(String::from("image"), json!("example/web:v2"));
            changes.insert(String::from("objects"), Value::Array(self.objects()));
            later.extend(changes.remove_entry("autoscaler"));
        }
        let source = LaneSource::Rollout { deployment: self.deployment(policy), changes, surroundings: later };
        let (namespace, name) = (String::from("default"), String::from(NAME));
        let shown = WorkloadName { kind: WorkloadKind::Deployment, namespace, name };
        LaneRequest { info, source, workload: Some(shown), ..LaneRequest::default() }
    }

    fn deployment(&self, policy: Option<PodReplacementPolicy>) -> Value {
        let mut spec = Map::new();
        let mut rolling_update = Map::new();
        let mut pod = json!({"containers": [self.container(NAME, "example/web:v1")]});
        // An empty field is left out, so that the API server's default applies.
        let put = |map: &mut Map<String, Value>, key: &str, field: Field| self.put(map, key, field);
        put(&mut spec, "replicas", Field::Replicas);
        put(&mut spec, "minReadySeconds", Field::MinReadySeconds);
        put(&mut spec, "progressDeadlineSeconds", Field::ProgressDeadline);
        put(&mut rolling_update, "maxSurge", Field::MaxSurge);
        put(&mut rolling_update, "maxUnavailable", Field::MaxUnavailable);
        if let Some(pod) = pod.as_object_mut() {
            put(pod, "terminationGracePeriodSeconds", Field::GracePeriod);
        }
        let mut strategy = json!({"type": self.strategy.as_str()});
        if let Some(strategy) = strategy.as_object_mut().filter(|_| !rolling_update.is_empty()) {
            strategy.insert(String::from("rollingUpdate"), Value::Object(rolling_update));
        }
        spec.insert(String::from("strategy"), strategy);
        spec.insert(String::from("selector"), json!({"matchLabels": {"app": NAME}}));
        spec.insert(String::from("template"), json!({"metadata": {"labels": {"app": NAME}}, "spec": pod}));
        if let Some(policy) = policy {
            spec.insert(String::from("podReplacementPolicy"), Value::from(policy.as_str()));
        }
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": NAME, "namespace": "default"},
            "spec": spec,
        })
    }
}

impl ToJson for Settings {
    /// What differs from how it is at first.
    fn to_json(&self) -> Value {
        let mut map = Map::new();
        for (field, text) in &self.texts {
            map.insert(String::from(field.as_str()), Value::from(text.as_str()));
        }
        if self.strategy != StrategyType::default() {
            map.insert(String::from(STRATEGY_KEY), self.strategy.to_json());
        }
        if !self.has_rate_limit {
            map.insert(String::from(RATE_LIMIT_KEY), Value::Bool(false));
        }
        if self.mode != Mode::Realistic {
            map.insert(String::from(MODE_KEY), self.mode.to_json());
        }
        if self.seed != 0 {
            map.insert(String::from(SEED_KEY), self.seed.to_json());
        }
        Value::Object(map)
    }
}

impl FromJson for Settings {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), CoreProblem> {
        let Value::Object(map) = value else { return Err(must_be(value, path, "a map")) };
        for (key, value) in map {
            let path = path.key(key);
            match key.as_str() {
                STRATEGY_KEY => self.strategy.read(value, &path)?,
                RATE_LIMIT_KEY => self.has_rate_limit.read(value, &path)?,
                MODE_KEY => self.mode.read(value, &path)?,
                SEED_KEY => self.seed.read(value, &path)?,
                key => self.set_text(read_at(&Value::from(key), &path)?, read_at(value, &path)?),
            }
        }
        Ok(())
    }
}

/// The text of a setting that manifests decide; empty if they contain nothing that a control can show.
pub fn text_in_manifests(field: Field, given: &Reading) -> String {
    if field == Field::PreStop {
        let sleep = given.pre_stop_hooks.and_then(|hooks| hooks.sleep);
        return sleep.map(|sleep| (to_f64(sleep) / 1e9).to_string()).unwrap_or_default();
    }
    others_in_manifests(field, &given.other_deployments).unwrap_or_default()
}

/// The pods of a scenario that are deleted before it begins, with a grace period of their own, in words.
pub fn deleted_pods_in_words(scenario: &Value, settings: &Settings) -> Option<String> {
    let mut pods: BTreeMap<i64, u32> = BTreeMap::new();
    for object in list(scenario, "objects") {
        let seconds = object.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64);
        if let Some(seconds) = seconds.filter(|seconds| *seconds != i64::from(settings.grace_period())) {
            let count = pods.entry(seconds).or_default();
            *count = count.saturating_add(1);
        }
    }
    let groups = pods.into_iter().map(|(seconds, count)| {
        format!("{} for {count} of the pods that terminate at first", duration_in_words(&seconds.to_string()))
    });
    let groups: Vec<String> = groups.collect();
    (!groups.is_empty()).then(|| format!("grace period {}", groups.join(", ")))
}

/// The first Deployment of a scenario.
pub fn scenario_deployment(scenario: &Value) -> Option<&Value> {
    let created = list(scenario, "actions").iter().filter_map(|action| action.get("create"));
    let mut objects = list(scenario, "objects").iter().chain(created);
    objects.find(|object| object.get("kind").and_then(Value::as_str) == Some("Deployment"))
}

fn list<'a>(scenario: &'a Value, name: &str) -> &'a [Value] {
    scenario.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A string or a number as the user would type it.
pub fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// A typed text as JSON: a number if it is one, else a string.
pub fn typed_value(text: &str) -> Value {
    let text = text.trim();
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) => Value::Number(number),
        _ => Value::from(text),
    }
}

/// A typed span of time. A plain number is seconds; the core checks everything else.
pub fn typed_duration(text: &str) -> String {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!("{text}s") } else { String::from(text) }
}

/// A typed span of time as the page writes it: `1 min 30 s`. A text that can't be read, such as `never`, stays as it is.
pub fn duration_in_words(text: &str) -> String {
    let typed = typed_duration(text);
    Duration::parse(&typed).map_or(typed, Duration::exactly_in_words)
}

#[cfg(test)]
mod tests {
    use changeover_core::cluster::{Changes, Simulation, steady_state};

    use super::*;

    pub(super) fn typed(texts: &[(Field, &str)]) -> Settings {
        let mut settings = Settings::default();
        for (field, text) in texts {
            settings.set_text(*field, String::from(*text));
        }
        settings
    }

    #[test]
    fn numbers_are_numbers_and_everything_else_stays_text() {
        assert_eq!(typed_value(" 10 "), json!(10));
        assert_eq!(typed_value("-1"), json!(-1));
        assert_eq!(typed_value("1099511627776"), json!(1_099_511_627_776_i64));
        assert_eq!(typed_value("25%"), json!("25%"));
        assert_eq!(typed_value("true"), json!("true"));
        assert_eq!(typed_value("ten"), json!("ten"));
    }

    #[test]
    fn an_empty_input_leaves_the_field_to_the_default() {
        let deployment = typed(&[(Field::MaxSurge, " ")]).deployment(None);
        assert!(deployment["spec"]["strategy"]["rollingUpdate"].get("maxSurge").is_none());
        assert_eq!(deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], "25%");
    }

    #[test]
    fn recreate_takes_no_surge() {
        let mut settings = Settings::default();
        settings.set_strategy(StrategyType::Recreate);
        assert_eq!(settings.deployment(None)["spec"]["strategy"], json!({"type": "Recreate"}));
    }

    #[test]
    fn a_scenario_has_its_own_number_of_nodes() {
        let nodes = |nodes: Value| {
            let scenario = json!({ "objects": [typed(&[]).deployment(None)], "nodes": nodes });
            Settings::of_scenario(&scenario).unwrap().text(Field::Nodes).to_owned()
        };
        assert_eq!(nodes(json!([{ "name": "node-a" }, { "name": "node-b" }])), "2");
        // Where a scenario lists none, the sandbox has its initial number.
        assert_eq!(nodes(json!([])), Field::Nodes.initial());
    }

    #[test]
    fn a_scenario_has_its_own_quota() {
        let summary = |objects: Value| {
            let create = json!({ "at": "0s", "create": typed(&[]).deployment(None) });
            let scenario = json!({ "objects": objects, "actions": [create] });
            Settings::of_scenario(&scenario).unwrap().summary(SettingsOrigin::Settings)
        };
        let quota = json!({ "kind": "ResourceQuota", "spec": { "hard": { "pods": "3", "requests.cpu": 2 } } });
        let with_quota = summary(json!([{ "kind": "Node" }, quota]));
        assert!(with_quota.contains(", quota of pods 3, quota of CPU 2"), "{with_quota}");
        let without = summary(json!([]));
        assert!(!without.contains("quota"), "{without}");
    }

    #[test]
    fn pods_deleted_with_another_grace_period_are_named() {
        let pod = |seconds: Value| json!({ "kind": "Pod", "metadata": { "deletionGracePeriodSeconds": seconds } });
        let in_words = |pods: &[Value]| deleted_pods_in_words(&json!({ "objects": pods }), &typed(&[]));
        assert_eq!(in_words(&[pod(json!(30)), pod(Value::Null)]), None);
        let expected = "grace period 10 s for 2 of the pods that terminate at first";
        assert_eq!(in_words(&[pod(json!(10)), pod(json!(30)), pod(json!(10))]).as_deref(), Some(expected));
    }

    #[test]
    fn the_summary_names_what_applies() {
        let mut settings = typed(&[(Field::ReadyAfter, "never")]);
        settings.set_strategy(StrategyType::Recreate);
        settings.set_rate_limit(false);
        settings.set_mode(Mode::Exact);
        settings.set_text(Field::MinReadySeconds, String::new());
        let expected = "15 replicas, Recreate, pods never become ready, time to stop 5 s, grace period 30 s, \
            progressDeadlineSeconds 600, random delay 0%, nodes 3, no rate limit, exact order";
        assert_eq!(settings.summary(SettingsOrigin::Settings), expected);
        settings.set_text(Field::QuotaPods, String::from("20"));
        let in_cluster = expected.replace(", nodes 3", ", quota of pods 20");
        assert_eq!(settings.summary(SettingsOrigin::LiveState(YamlContent::default())), in_cluster);
        let measured = YamlContent { has_measured_start: true, ..YamlContent::default() };
        let without_start = in_cluster.replace(", pods never become ready", "");
        assert_eq!(settings.summary(SettingsOrigin::LiveState(measured)), without_start);
        settings.set_text(Field::Replicas, String::new());
        let autoscaled = YamlContent { has_autoscaled_replicas: true, ..YamlContent::default() };
        let summary = settings.summary(SettingsOrigin::Manifests(autoscaled));
        assert!(summary.starts_with("the replicas of its autoscaler, Recreate"), "{summary}");
    }

    #[test]
    fn the_summary_writes_numbers_and_times_as_the_rest_of_the_page() {
        let settings = typed(&[
            (Field::Replicas, "10000"),
            (Field::ReadyAfter, "90"),
            (Field::TimeToStop, "1m30s"),
            (Field::GracePeriod, "60"),
            (Field::OtherPods, "12000, 3000"),
        ]);
        let summary = settings.summary(SettingsOrigin::Settings);
        for part in [
            "10,000 replicas, ",
            ", time to start 1 min 30 s, time to stop 1 min 30 s, grace period 1 min, ",
            ", pods of other Deployments 12,000, 3000",
        ] {
            assert!(summary.contains(part), "{part} in {summary}");
        }
    }

    #[test]
    fn the_rate_limit_and_the_mode_are_switched_separately() {
        let unlimited = json!({ "qps": UNLIMITED, "burst": UNLIMITED });
        for (mode, has_rate_limit, clients) in [
            (Mode::Realistic, true, None),
            (Mode::Realistic, false, Some(unlimited)),
            (Mode::Exact, true, Some(json!({}))),
            (Mode::Exact, false, None),
        ] {
            let mut settings = Settings::default();
            settings.set_mode(mode);
            settings.set_rate_limit(has_rate_limit);
            let surroundings = settings.surroundings();
            assert_eq!(surroundings.get("controllerManager"), clients.as_ref(), "{mode:?} {has_rate_limit}");
            assert_eq!(surroundings[MODE_KEY], mode.to_json());
        }
    }

    #[test]
    fn a_patch_sets_what_it_names() {
        let rolling = json!({ "spec": {
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1, "maxUnavailable": "10%" } },
            "podReplacementPolicy": "TerminationComplete",
        } });
        let mut expected = typed(&[(Field::MaxSurge, "1")]);
        expected.set_text(Field::MaxUnavailable, String::from("10%"));
        assert_eq!(Settings::default().patched(&rolling), expected);
        let recreate = json!({ "spec": {
            "strategy": { "type": "Recreate", "rollingUpdate": null }, "minReadySeconds": 20,
        } });
        let mut expected = typed(&[(Field::MinReadySeconds, "20")]);
        expected.set_strategy(StrategyType::Recreate);
        assert_eq!(Settings::default().patched(&recreate), expected);
        assert_eq!(Settings::default().patched(&json!({})), Settings::default());
    }

    #[test]
    fn the_controls_follow_the_manifests() {
        let field = |path: &str, value: Value| FieldValue { path: String::from(path), value };
        let container = |path: &str, value: Value| field(&format!("spec.template.spec.containers.0.{path}"), value);
        let given = [
            container("resources.requests.cpu", json!("2")),
            container("resources.requests.memory", json!("1Gi")),
            container("readinessProbe.initialDelaySeconds", json!(60)),
            field("ResourceQuota/spec/hard/pods", Value::Null),
            field("PodDisruptionBudget/spec/minAvailable", json!("50%")),
            container("lifecycle.preStop.sleep.seconds", json!(8)),
            field("Node/count", json!(5)),
            field("Node/status/allocatable/memory", json!("16Gi")),
        ];
        let typed_before = typed(&[(Field::PodCpu, " 2"), (Field::QuotaPods, "20"), (Field::ProbePeriod, "5")]);
        let followed = typed_before.with_fields(&given);
        for (of, expected) in [
            // Both texts mean the same.
            (Field::PodCpu, " 2"),
            (Field::PodMemory, "1Gi"),
            (Field::ProbeDelay, "60"),
            (Field::QuotaPods, ""),
            (Field::MinAvailable, "50%"),
            (Field::PreStop, "8"),
            (Field::Nodes, "5"),
            (Field::NodeMemory, "16Gi"),
            // No control can change it there.
            (Field::ProbePeriod, "5"),
        ] {
            assert_eq!(followed.text(of), expected, "{of:?}");
        }
        let said = followed.fields().fields;
        for FieldValue { path, value } in given.into_iter().skip(1) {
            let value_said = said.iter().find(|said| said.path == path).map(|said| &said.value);
            assert_eq!(value_said, Some(&value), "{path}");
        }
    }

    #[test]
    fn without_nodes_in_the_manifests_the_first_ones_are_assumed() {
        let none = |path: &str| FieldValue { path: String::from(path), value: Value::Null };
        let followed = typed(&[(Field::Nodes, "5"), (Field::NodeCpu, "4")])
            .with_fields(&[none("Node/count"), none("Node/status/allocatable/cpu")]);
        assert_eq!(followed, Settings::default());
        assert_eq!(followed.fields().nodes, Vec::<Value>::new());
    }

    #[test]
    fn the_limits_have_the_typed_values() {
        let typed_quota = [(Field::QuotaPods, "20"), (Field::QuotaCpu, "500m"), (Field::QuotaMemory, "9Gi")];
        let [quota, budget] = typed(&typed_quota).limits();
        assert_eq!(quota["spec"]["hard"], json!({ "pods": 20, "requests.cpu": "500m", "requests.memory": "9Gi" }));
        assert_eq!(budget["spec"], json!({ "selector": { "matchLabels": { "app": NAME } } }));
        let is_of_limit = |path: &str| path.contains('/') && !path.starts_with("Node/");
        for (path, field) in OPTIONAL_PATHS.into_iter().filter(|(path, _)| is_of_limit(path)) {
            let limits = typed(&[(field, "7")]).limits();
            let said = limits.iter().find_map(|limit| limit.pointer(path.strip_prefix(limit["kind"].as_str()?)?));
            assert_eq!(said, Some(&json!(7)), "{path}");
        }
    }

    #[test]
    fn every_field_of_the_deployment_has_a_path() {
        let initial = Settings::default().deployment(None);
        for field in Field::ALL {
            let is_in_deployment = typed(&[(field, "7")]).deployment(None) != initial;
            let mut paths = FIELD_PATHS.iter().chain(&OPTIONAL_PATHS);
            let has_path = paths.any(|(path, known)| path.starts_with("spec.") && *known == field);
            assert_eq!(is_in_deployment, has_path, "{field:?}");
        }
    }

    #[test]
    fn a_patch_has_every_field_that_has_a_control() {
        let patch = Settings::default().patch();
        for (path, _) in FIELD_PATHS {
            let value = patch.pointer(&format!("/{}", path.replace('.', "/")));
            assert!(value.is_some(), "{path}");
        }
    }

    #[test]
    fn the_editor_completes_every_field_that_has_a_control() {
        let completion = include_str!("../../editor/completion.mjs");
        // How many Nodes there are is not a field of any of them.
        let is_count_of_objects = |field: Field| field == Field::Nodes;
        let paths = FIELD_PATHS.iter().chain(&OPTIONAL_PATHS);
        for (path, _) in paths.filter(|(_, field)| !is_count_of_objects(*field)) {
            // A slash separates names that may have dots.
            let separator = if path.contains('/') { '/' } else { '.' };
            let name = path.rsplit(separator).next().unwrap_or_default();
            let keys = [format!(" {name}: "), format!("\"{name}\": ")];
            assert!(keys.iter().any(|key| completion.contains(key)), "{path}");
        }
    }

    #[test]
    fn a_plain_number_is_seconds() {
        assert_eq!(["7", "1m30s", "never"].map(typed_duration), ["7s", "1m30s", "never"]);
    }

    #[test]
    fn pods_are_killed_if_the_grace_period_ends_first() {
        let cases = [
            ("20", "30", Some(false)),
            ("30", "30", Some(false)),
            ("31", "30", Some(true)),
            ("", "30", Some(true)),
            ("20", "", Some(false)),
            ("40", "", Some(true)),
            ("1m", "30", None),
            ("20", "x", None),
        ];
        for (time_to_stop, grace_period, killed) in cases {
            let mut settings = typed(&[(Field::TimeToStop, time_to_stop)]);
            settings.set_text(Field::GracePeriod, String::from(grace_period));
            assert_eq!(settings.is_killed(), killed, "{time_to_stop} {grace_period}");
        }
    }

    #[test]
    fn a_pre_stop_hook_takes_its_time_from_the_grace_period() {
        let cases = [("10", Some(false)), ("11", Some(true)), ("40", Some(true)), ("0", Some(false)), ("1m", None)];
        for (hook, killed) in cases {
            let mut settings = typed(&[(Field::PreStop, hook)]);
            settings.set_text(Field::TimeToStop, String::from("20"));
            assert_eq!(settings.is_killed(), killed, "{hook}");
        }
        // The kubelet gives the containers two seconds at least.
        let mut settings = typed(&[(Field::PreStop, "40")]);
        settings.set_text(Field::TimeToStop, String::from("2"));
        assert_eq!(settings.is_killed(), Some(false));
    }

    /// What the core says of the settings.
    fn refused(settings: &Settings) -> Option<Problem> {
        let LaneSource::Rollout { deployment, changes, .. } = settings.source() else { panic!("a rollout") };
        let problem = Changes::from_value(&changes).and_then(|changes| {
            let scenario = steady_state(&deployment, &changes)?;
            Simulation::start(scenario).map(drop)
        });
        let problem = problem.err()?;
        let path = problem.path.strip_prefix("changes.").or(problem.path.strip_prefix("deployment."));
        Some(Problem::new(path.unwrap_or(&problem.path), problem.message.as_str()))
    }

    #[test]
    fn whatever_is_typed_the_error_is_at_its_field() {
        assert_eq!(refused(&Settings::default()), None);
        // What happens besides the changes.
        let besides = [Field::AutoscalerStartup, Field::SecondRollout, Field::OtherRollout];
        for field in Field::ALL.into_iter().filter(|field| !besides.contains(field)) {
            // A negative grace period is that of a pod that is killed at once.
            let negative = (field != Field::GracePeriod).then_some("-1");
            for text in ["?", "1 2"].into_iter().chain(negative) {
                let mut settings = typed(&[(field, text)]);
                if field.is_of_others() {
                    settings.set_text(Field::OtherPods, String::from("5"));
                }
                let refused = refused(&settings);
                let found = refused.as_ref().and_then(|problem| settings.problem_field(problem));
                let is_found = found == Some(field) || settings.own_problem(field).is_some();
                assert!(is_found, "{field:?} {text}: {refused:?}");
            }
        }
    }

    #[test]
    fn problems_find_their_field() {
        let cases = [
            ("spec.replicas", Some(Field::Replicas)),
            ("objects[0].spec.replicas", Some(Field::OtherPods)),
            ("nodes[0].pods", Some(Field::PodsPerNode)),
            ("spec.template.spec.containers[1].lifecycle.preStop.sleep", Some(Field::PreStop)),
            ("status.allocatable.cpu", Some(Field::NodeCpu)),
            ("spec.strategy.rollingUpdate.maxSurge", Some(Field::MaxSurge)),
            ("spec.strategy.rollingUpdate.maxUnavailable", Some(Field::MaxUnavailable)),
            ("kubelet[0].ready", Some(Field::ReadyAfter)),
            ("kubelet[0].terminate", Some(Field::TimeToStop)),
            ("kubelet[0].jitterPercent", Some(Field::Jitter)),
            ("spec.template.spec.terminationGracePeriodSeconds", Some(Field::GracePeriod)),
            ("", None),
        ];
        for (path, field) in cases {
            assert_eq!(Settings::default().problem_field(&Problem::new(path, "x")), field, "{path}");
        }
    }
}
