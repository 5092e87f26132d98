//! The settings of the sandbox, as the user typed them, and the lanes that they ask for. The core checks the values.

use changeover_core::json::{FromJson, ToJson};
use changeover_wire::{Problem, Source};
use serde_json::{Map, Value, json};

use crate::playback::LaneInfo;
use crate::player_client::LaneRequest;

/// The Deployment's name.
const NAME: &str = "web";

/// The limits of a simulation: the lanes on the page and the ones that replace them fit into the module's 4 GB.
const MAX_PODS: u32 = 250_000;
const MAX_STEPS: u32 = 2_000_000;
const MAX_BYTES: u32 = 700_000_000;

/// The nodes, each with room for every pod.
const NODES: [&str; 3] = ["node-a", "node-b", "node-c"];

/// The API server's default of terminationGracePeriodSeconds.
pub const DEFAULT_GRACE_PERIOD: i32 = 30;

/// How old pods make way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum StrategyType {
    /// Old and new pods side by side.
    #[default]
    RollingUpdate,
    /// All old pods first.
    Recreate,
}

/// A setting that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// spec.replicas.
    Replicas,
    /// maxSurge.
    MaxSurge,
    /// maxUnavailable.
    MaxUnavailable,
    /// Seconds from running containers to ready, or `never`.
    ReadyAfter,
    /// Seconds from the request to stop to the end.
    TimeToStop,
    /// terminationGracePeriodSeconds.
    GracePeriod,
    /// minReadySeconds.
    MinReadySeconds,
    /// progressDeadlineSeconds.
    ProgressDeadline,
    /// How much longer than given a span may take, in percent.
    Jitter,
}

impl Field {
    const ALL: [Self; 9] = [
        Self::Replicas,
        Self::MaxSurge,
        Self::MaxUnavailable,
        Self::ReadyAfter,
        Self::TimeToStop,
        Self::GracePeriod,
        Self::MinReadySeconds,
        Self::ProgressDeadline,
        Self::Jitter,
    ];

    /// How the path of a problem with the setting ends.
    const fn path_end(self) -> &'static str {
        match self {
            Self::Replicas => ".replicas",
            Self::MaxSurge => ".maxSurge",
            Self::MaxUnavailable => ".maxUnavailable",
            Self::ReadyAfter => ".ready",
            Self::TimeToStop => ".terminate",
            Self::GracePeriod => ".terminationGracePeriodSeconds",
            Self::MinReadySeconds => ".minReadySeconds",
            Self::ProgressDeadline => ".progressDeadlineSeconds",
            Self::Jitter => ".jitterPercent",
        }
    }
}

/// The settings. Addresses and files hold them under these names.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    replicas: String,
    strategy: StrategyType,
    max_surge: String,
    max_unavailable: String,
    ready_after: String,
    time_to_stop: String,
    grace_period: String,
    min_ready_seconds: String,
    progress_deadline: String,
    jitter: String,
    /// Whether kube-controller-manager sends at most 20 requests a second, with a burst of 30, its defaults.
    has_rate_limit: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            replicas: String::from("15"),
            strategy: StrategyType::RollingUpdate,
            max_surge: String::from("25%"),
            max_unavailable: String::from("25%"),
            ready_after: String::from("6"),
            time_to_stop: String::from("20"),
            grace_period: String::from("30"),
            min_ready_seconds: String::from("0"),
            progress_deadline: String::from("600"),
            jitter: String::from("0"),
            has_rate_limit: true,
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
        let kubelet = list(scenario, "kubelet").first();
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.strip_suffix('s').unwrap_or(text).to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let spec = |path: &str| text(deployment.pointer(path));
        let timing = |key: &str| text(kubelet.and_then(|timing| timing.get(key)));
        let is_recreate = spec("/spec/strategy/type") == "Recreate";
        Some(Self {
            replicas: spec("/spec/replicas"),
            strategy: if is_recreate { StrategyType::Recreate } else { StrategyType::RollingUpdate },
            max_surge: spec("/spec/strategy/rollingUpdate/maxSurge"),
            max_unavailable: spec("/spec/strategy/rollingUpdate/maxUnavailable"),
            ready_after: timing("ready"),
            time_to_stop: timing("terminate"),
            grace_period: spec("/spec/template/spec/terminationGracePeriodSeconds"),
            min_ready_seconds: spec("/spec/minReadySeconds"),
            progress_deadline: spec("/spec/progressDeadlineSeconds"),
            jitter: timing("jitterPercent"),
            has_rate_limit: scenario.get("controllerManager").is_some(),
        })
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

    /// The text of a field.
    pub fn text(&self, field: Field) -> &str {
        match field {
            Field::Replicas => &self.replicas,
            Field::MaxSurge => &self.max_surge,
            Field::MaxUnavailable => &self.max_unavailable,
            Field::ReadyAfter => &self.ready_after,
            Field::TimeToStop => &self.time_to_stop,
            Field::GracePeriod => &self.grace_period,
            Field::MinReadySeconds => &self.min_ready_seconds,
            Field::ProgressDeadline => &self.progress_deadline,
            Field::Jitter => &self.jitter,
        }
    }

    /// Sets the text of a field.
    pub fn set_text(&mut self, field: Field, text: String) {
        *match field {
            Field::Replicas => &mut self.replicas,
            Field::MaxSurge => &mut self.max_surge,
            Field::MaxUnavailable => &mut self.max_unavailable,
            Field::ReadyAfter => &mut self.ready_after,
            Field::TimeToStop => &mut self.time_to_stop,
            Field::GracePeriod => &mut self.grace_period,
            Field::MinReadySeconds => &mut self.min_ready_seconds,
            Field::ProgressDeadline => &mut self.progress_deadline,
            Field::Jitter => &mut self.jitter,
        } = text;
    }

    /// The number in a field; none if it is empty, a percentage, or no whole number.
    pub fn number(&self, field: Field) -> Option<i32> {
        self.text(field).trim().parse().ok()
    }

    /// Whether the grace period ends before a pod has stopped by itself, so that it says how long pods take to stop. None
    /// if that depends on more than two numbers of seconds.
    pub fn is_killed(&self) -> Option<bool> {
        let grace_period = match self.text(Field::GracePeriod).trim() {
            "" => DEFAULT_GRACE_PERIOD,
            _ => self.number(Field::GracePeriod)?,
        };
        match self.text(Field::TimeToStop).trim() {
            "" => Some(true),
            _ => self.number(Field::TimeToStop).map(|time_to_stop| time_to_stop > grace_period),
        }
    }

    /// Whether a field is part of the chosen strategy.
    pub fn applies(&self, field: Field) -> bool {
        match field {
            Field::MaxSurge | Field::MaxUnavailable => self.strategy == StrategyType::RollingUpdate,
            _ => true,
        }
    }

    /// The Deployment that they mean.
    pub fn manifest(&self) -> Value {
        self.deployment(None)
    }

    /// All of them in a line.
    pub fn summary(&self) -> String {
        let mut parts = vec![format!("{} replicas", self.replicas.trim()), String::from(self.strategy.as_str())];
        let fields = [
            ("maxSurge", Field::MaxSurge),
            ("maxUnavailable", Field::MaxUnavailable),
            ("time to start", Field::ReadyAfter),
            ("time to stop", Field::TimeToStop),
            ("grace period", Field::GracePeriod),
            ("minReadySeconds", Field::MinReadySeconds),
            ("progressDeadlineSeconds", Field::ProgressDeadline),
            ("random delay", Field::Jitter),
        ];
        for (name, field) in fields {
            let text = self.text(field).trim();
            // An empty field has the API server's default.
            if !self.applies(field) || text.is_empty() {
                continue;
            }
            parts.push(match field {
                Field::ReadyAfter | Field::TimeToStop | Field::GracePeriod => {
                    format!("{name} {}", typed_duration(text))
                }
                Field::Jitter => format!("{name} {text}%"),
                _ => format!("{name} {text}"),
            });
        }
        if !self.has_rate_limit {
            parts.push(String::from("no rate limit"));
        }
        parts.join(", ")
    }

    /// The lanes of these settings and of what they are compared with: the rollout of image v2.
    pub fn lane_requests(&self, comparison: &Comparison) -> Vec<LaneRequest> {
        let mine = LaneInfo {
            name: String::from("Your settings"),
            difference: String::from("as Kubernetes decides today"),
            proposed: false,
        };
        let mut lanes = vec![self.lane_request(mine, None)];
        match comparison {
            Comparison::Policy(policy) => {
                let difference = match (policy, self.strategy) {
                    (PodReplacementPolicy::TerminationComplete, _) => "waits until old pods are gone",
                    (PodReplacementPolicy::TerminationStarted, StrategyType::RollingUpdate) => "same as today, by name",
                    (PodReplacementPolicy::TerminationStarted, StrategyType::Recreate) => "does not wait",
                };
                let info = LaneInfo {
                    name: String::from(policy.as_str()),
                    difference: String::from(difference),
                    proposed: true,
                };
                lanes.push(self.lane_request(info, Some(*policy)));
            }
            Comparison::Settings(settings) => {
                let info = LaneInfo { name: String::from("Other settings"), ..LaneInfo::default() };
                lanes.push(settings.lane_request(info, None));
            }
            Comparison::Nothing => {}
        }
        lanes
    }

    fn lane_request(&self, info: LaneInfo, policy: Option<PodReplacementPolicy>) -> LaneRequest {
        let mut kubelet = Map::new();
        let mut put = |key: &str, text: &str, value: Value| {
            if !text.trim().is_empty() {
                kubelet.insert(String::from(key), value);
            }
        };
        put("ready", &self.ready_after, Value::from(typed_duration(&self.ready_after)));
        put("terminate", &self.time_to_stop, Value::from(typed_duration(&self.time_to_stop)));
        put("jitterPercent", &self.jitter, typed_value(&self.jitter));
        let mut changes = json!({
            "at": "0s",
            "image": "example/web:v2",
            "nodes": NODES.map(|name| json!({ "name": name })),
            "kubelet": [kubelet],
            "limits": { "pods": MAX_PODS, "steps": MAX_STEPS, "bytes": MAX_BYTES },
        });
        if let Some(changes) = changes.as_object_mut().filter(|_| self.has_rate_limit) {
            changes.insert(String::from("controllerManager"), json!({}));
        }
        let source = Source::Rollout { deployment: self.deployment(policy), changes };
        LaneRequest { info, source, begin: 0, pins: Vec::new() }
    }

    fn deployment(&self, policy: Option<PodReplacementPolicy>) -> Value {
        let mut spec = Map::new();
        let mut rolling_update = Map::new();
        let mut pod = json!({"containers": [{"name": NAME, "image": "example/web:v1"}]});
        // An empty field is left out, so that the API server's default applies.
        let put = |map: &mut Map<String, Value>, key: &str, field: Field| {
            if self.applies(field) && !self.text(field).trim().is_empty() {
                map.insert(String::from(key), typed_value(self.text(field)));
            }
        };
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

/// The first Deployment of a scenario.
pub fn scenario_deployment(scenario: &Value) -> Option<&Value> {
    let created = list(scenario, "actions").iter().filter_map(|action| action.get("create"));
    let mut objects = list(scenario, "objects").iter().chain(created);
    objects.find(|object| object.get("kind").and_then(Value::as_str) == Some("Deployment"))
}

fn list<'a>(scenario: &'a Value, name: &str) -> &'a [Value] {
    scenario.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
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

/// The field that a problem is about.
pub fn problem_field(problem: &Problem) -> Option<Field> {
    Field::ALL.into_iter().find(|field| problem.path.ends_with(field.path_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(field: Field, text: &str) -> Settings {
        let mut settings = Settings::default();
        settings.set_text(field, String::from(text));
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
        let deployment = typed(Field::MaxSurge, " ").deployment(None);
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
    fn the_summary_names_what_applies() {
        let mut settings = typed(Field::ReadyAfter, "never");
        settings.set_strategy(StrategyType::Recreate);
        settings.set_rate_limit(false);
        settings.set_text(Field::MinReadySeconds, String::new());
        let expected = "15 replicas, Recreate, time to start never, time to stop 20s, grace period 30s, \
            progressDeadlineSeconds 600, random delay 0%, no rate limit";
        assert_eq!(settings.summary(), expected);
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
            let mut settings = typed(Field::TimeToStop, time_to_stop);
            settings.set_text(Field::GracePeriod, String::from(grace_period));
            assert_eq!(settings.is_killed(), killed, "{time_to_stop} {grace_period}");
        }
    }

    #[test]
    fn problems_find_their_field() {
        let cases = [
            ("spec.replicas", Some(Field::Replicas)),
            ("spec.strategy.rollingUpdate.maxSurge", Some(Field::MaxSurge)),
            ("spec.strategy.rollingUpdate.maxUnavailable", Some(Field::MaxUnavailable)),
            ("kubelet[0].ready", Some(Field::ReadyAfter)),
            ("kubelet[0].terminate", Some(Field::TimeToStop)),
            ("kubelet[0].jitterPercent", Some(Field::Jitter)),
            ("spec.template.spec.terminationGracePeriodSeconds", Some(Field::GracePeriod)),
            ("", None),
        ];
        for (path, field) in cases {
            assert_eq!(problem_field(&Problem::new(path, "x")), field, "{path}");
        }
    }
}
