//! The settings of a Job in the sandbox, as the user typed them, and the lanes that they ask for. The core checks the values.

use std::collections::BTreeMap;

use changeover_core::Problem as CoreProblem;
use changeover_core::json::{FromJson, Path, ToJson, must_be, read_at};
use changeover_core::scenario::Mode;
use changeover_wire::{FieldValue, KindFields, LaneSource, Problem, WorkloadKind, to_yaml};
use serde_json::{Map, Value, json};

use crate::number::with_grouped_digits;
use crate::playback::LaneInfo;
use crate::player_client::LaneRequest;
use crate::settings::{duration_in_words, text_of, typed_duration, typed_value};

/// The Job's name.
const NAME: &str = "work";

/// The fields of a Job that have a control, besides those that are chosen, below its spec.
const FIELD_PATHS: [(&str, JobField); 4] = [
    ("parallelism", JobField::Parallelism),
    ("completions", JobField::Completions),
    ("backoffLimit", JobField::BackoffLimit),
    ("template.spec.terminationGracePeriodSeconds", JobField::GracePeriod),
];

/// The paths of the fields that are chosen.
const MODE_PATH: &str = "completionMode";
const POLICY_PATH: &str = "podReplacementPolicy";

/// The fields of a CronJob that decide when it starts a Job, and the API server's default, if there is one.
const SCHEDULE_FIELDS: [(&str, Option<&str>); 3] =
    [("schedule", None), ("concurrencyPolicy", Some("Allow")), ("startingDeadlineSeconds", None)];

/// A field that has no control, but decides which failures count.
const FAILURE_POLICY: &str = "podFailurePolicy";

/// How addresses and files call what is chosen.
const DISRUPTION_KEY: &str = "disruption";

/// A setting that is typed. Addresses and files hold it under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub enum JobField {
    /// spec.parallelism.
    Parallelism,
    /// spec.completions.
    Completions,
    /// spec.backoffLimit.
    BackoffLimit,
    /// Seconds that a pod runs until it has succeeded.
    RunTime,
    /// Seconds from the request to stop to the end.
    TimeToStop,
    /// terminationGracePeriodSeconds.
    GracePeriod,
    /// Seconds after which something happens to a pod.
    DisruptedAfter,
    /// The index of that pod.
    DisruptedPod,
    /// The code with which it ends if it fails.
    ExitCode,
}

impl JobField {
    /// All fields.
    pub const ALL: [Self; 9] = [
        Self::Parallelism,
        Self::Completions,
        Self::BackoffLimit,
        Self::RunTime,
        Self::TimeToStop,
        Self::GracePeriod,
        Self::DisruptedAfter,
        Self::DisruptedPod,
        Self::ExitCode,
    ];

    /// What is typed in it at first.
    const fn first_text(self) -> &'static str {
        match self {
            Self::Parallelism | Self::Completions => "3",
            Self::BackoffLimit => "6",
            Self::RunTime => "60",
            Self::TimeToStop | Self::DisruptedAfter => "20",
            Self::GracePeriod => "30",
            Self::DisruptedPod | Self::ExitCode => "1",
        }
    }

    /// How the path of a problem with the setting ends.
    const fn path_end(self) -> &'static str {
        match self {
            Self::Parallelism => ".parallelism",
            Self::Completions => ".completions",
            Self::BackoffLimit => ".backoffLimit",
            Self::RunTime => ".run",
            Self::TimeToStop => ".terminate",
            Self::GracePeriod => ".terminationGracePeriodSeconds",
            Self::DisruptedAfter => "].at",
            Self::DisruptedPod => "].evict.name",
            Self::ExitCode => ".exitCode",
        }
    }

    /// The field that a problem is about.
    pub fn of_problem(problem: &Problem) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|field| problem.path.ends_with(field.path_end()));
        found.or_else(|| match problem.path.rsplit('.').next()? {
            "crash" => Some(Self::DisruptedAfter),
            "name" | "indexes" | "attempts" => Some(Self::DisruptedPod),
            _ => None,
        })
    }
}

/// Whether the pods of a Job have indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum CompletionMode {
    /// Each pod has one.
    #[default]
    Indexed,
    /// All pods are alike.
    NonIndexed,
}

impl CompletionMode {
    /// Both modes.
    pub const ALL: [Self; 2] = [Self::Indexed, Self::NonIndexed];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Indexed => "Indexed",
            Self::NonIndexed => "NonIndexed",
        }
    }
}

/// When a Job replaces a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum JobPolicy {
    /// As soon as the pod terminates or has failed.
    #[default]
    TerminatingOrFailed,
    /// Once it has failed.
    Failed,
}

impl JobPolicy {
    /// Both policies.
    pub const ALL: [Self; 2] = [Self::TerminatingOrFailed, Self::Failed];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TerminatingOrFailed => "TerminatingOrFailed",
            Self::Failed => "Failed",
        }
    }

    /// The other one.
    const fn other(self) -> Self {
        match self {
            Self::TerminatingOrFailed => Self::Failed,
            Self::Failed => Self::TerminatingOrFailed,
        }
    }

    /// What is different with it.
    const fn difference(self) -> &'static str {
        match self {
            Self::TerminatingOrFailed => "the default",
            Self::Failed => "waits until a pod has ended",
        }
    }
}

/// What happens to a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub enum Disruption {
    /// Someone empties its node.
    #[default]
    Evicted,
    /// A pod of a higher priority needs its room.
    Preempted,
    /// Its program ends with an error.
    Crashes,
    /// Nothing.
    Nothing,
}

impl Disruption {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Evicted, Self::Preempted, Self::Crashes, Self::Nothing];

    /// What the user chooses.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Evicted => "is evicted",
            Self::Preempted => "is preempted",
            Self::Crashes => "fails",
            Self::Nothing => "runs undisturbed",
        }
    }
}

/// The settings of a Job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobSettings {
    /// What was typed, where it differs from what is there at first.
    texts: BTreeMap<JobField, String>,
    /// Whether pods have indexes.
    pub completion_mode: CompletionMode,
    /// When pods are replaced.
    pub policy: JobPolicy,
    /// What happens to a pod.
    pub disruption: Disruption,
}

impl JobSettings {
    /// The settings of the Job or CronJob that a scenario creates, how long its pods run, and the first thing that happens to
    /// one.
    pub fn of_scenario(scenario: &Value) -> Self {
        let timing = |key: &str| seconds(list(scenario, "kubelet").last().and_then(|timing| timing.get(key)));
        let mut settings = Self { disruption: Disruption::Nothing, ..Self::default() };
        if let Some((kind, spec)) = created_job(scenario) {
            settings = settings.with_fields(kind, &fields_of(kind, spec));
            // With a podFailurePolicy, the API server's default is Failed.
            // Upstream: pkg/apis/batch/v1/defaults.go SetDefaults_Job
            if spec.get(FAILURE_POLICY).is_some() && spec.get(POLICY_PATH).is_none() {
                settings.policy = JobPolicy::Failed;
            }
        }
        settings.set_text(JobField::RunTime, timing("run"));
        settings.set_text(JobField::TimeToStop, timing("terminate"));
        if let Some(DisruptedPod { disruption, pod, at }) = disrupted_pods(scenario).next() {
            settings.disruption = disruption;
            settings.set_text(JobField::DisruptedPod, String::from(pod));
            settings.set_text(JobField::DisruptedAfter, at);
        }
        settings
    }

    /// The text of a field.
    pub fn text(&self, field: JobField) -> &str {
        self.texts.get(&field).map_or(field.first_text(), String::as_str)
    }

    /// Sets the text of a field.
    fn set_text(&mut self, field: JobField, text: String) {
        if text == field.first_text() {
            self.texts.remove(&field);
        } else {
            self.texts.insert(field, text);
        }
    }

    /// The settings with another text in a field.
    #[must_use]
    pub fn with_text(&self, field: JobField, text: String) -> Self {
        let mut settings = self.clone();
        settings.set_text(field, text);
        settings
    }

    /// Whether a field says anything.
    pub fn applies(&self, field: JobField) -> bool {
        match field {
            JobField::DisruptedAfter | JobField::DisruptedPod => self.disruption != Disruption::Nothing,
            JobField::ExitCode => self.disruption == Disruption::Crashes,
            _ => true,
        }
    }

    /// All of them in a line.
    pub fn summary(&self) -> String {
        let fields = self.fields_in_words().into_iter().map(|Part { text, .. }| text);
        fields.chain(self.disruption_sentence()).collect::<Vec<_>>().join(", ")
    }

    /// The fields of the manifest.
    fn fields_in_words(&self) -> Vec<Part> {
        let field_in_words = |(path, field): (&'static str, JobField)| {
            let (name, text) = (path.rsplit('.').next().unwrap_or(path), self.text(field).trim());
            (!text.is_empty()).then(|| Part { name, text: format!("{name} {}", with_grouped_digits(text)) })
        };
        let mode = Part { name: MODE_PATH, text: String::from(self.completion_mode.name()) };
        let policy = Part { name: POLICY_PATH, text: format!("{POLICY_PATH} {}", self.policy.name()) };
        FIELD_PATHS.into_iter().filter_map(field_in_words).chain([mode, policy]).collect()
    }

    /// What happens to a pod: `pod 1 is evicted after 20 s`.
    pub fn disruption_sentence(&self) -> Option<String> {
        let pod = self.text(JobField::DisruptedPod).trim();
        let time = duration_in_words(self.text(JobField::DisruptedAfter));
        let what = self.disruption.label();
        (self.disruption != Disruption::Nothing).then(|| format!("pod {pod} {what} after {time}"))
    }

    /// The Job as a person writes it.
    pub fn to_yaml(&self) -> String {
        to_yaml([&self.job(None)])
    }

    /// The lanes: this Job, and the same one under the other policy.
    pub fn lane_requests(&self) -> Vec<LaneRequest> {
        let request = |policy: JobPolicy| LaneRequest {
            info: lane_info(policy),
            source: LaneSource::Scenario(self.scenario(policy)),
            ..LaneRequest::default()
        };
        vec![request(self.policy), request(self.policy.other())]
    }

    /// The names of the lanes of a Job that the user brings; `name`: of the first one.
    pub fn own_lane_infos(&self, name: &str) -> [LaneInfo; 2] {
        let difference = String::from("as its manifest says");
        [LaneInfo { name: String::from(name), difference, ..LaneInfo::default() }, lane_info(self.policy.other())]
    }

    /// What the pods of the user's own Job do, for the workbench.
    pub fn surroundings(&self) -> Value {
        json!({ "kubelet": self.kubelet(), "actions": self.actions("") })
    }

    /// The fields that have a control, as those of a Job and of a CronJob.
    pub fn fields(&self) -> [KindFields; 2] {
        [WorkloadKind::Job, WorkloadKind::CronJob].map(|kind| {
            let job = self.job(Some(self.policy));
            let fields = job.get("spec").map(|spec| fields_of(kind, spec)).unwrap_or_default();
            let (limits, nodes, other_replicas) = (Vec::new(), Vec::new(), Vec::new());
            KindFields { kind, fields, limits, nodes, other_replicas }
        })
    }

    /// The settings with the fields of a Job or CronJob. What the user typed stays if it means the same.
    #[must_use]
    pub fn with_fields(&self, kind: WorkloadKind, fields: &[FieldValue]) -> Self {
        let mut settings = self.clone();
        for FieldValue { path, value } in fields {
            let Some(path) = path.strip_prefix(path_of_spec(kind)) else { continue };
            let is_name = |name: &str| value.as_str() == Some(name);
            match path {
                // The API server's defaults are those of an absent field.
                MODE_PATH => {
                    let is_indexed = is_name(CompletionMode::Indexed.name());
                    settings.completion_mode =
                        if is_indexed { CompletionMode::Indexed } else { CompletionMode::NonIndexed };
                }
                POLICY_PATH => {
                    let is_failed = is_name(JobPolicy::Failed.name());
                    settings.policy = if is_failed { JobPolicy::Failed } else { JobPolicy::TerminatingOrFailed };
                }
                path => {
                    let Some((_, field)) = FIELD_PATHS.iter().find(|(known, _)| *known == path) else { continue };
                    let text = if value.is_null() { String::new() } else { text_of(value) };
                    if typed_value(settings.text(*field)) != typed_value(&text) {
                        settings.set_text(*field, text);
                    }
                }
            }
        }
        settings
    }

    /// How long pods run, and how one of them ends, with the keys of a scenario.
    fn kubelet(&self) -> Vec<Value> {
        let mut timing = Map::new();
        for (key, field) in [("run", JobField::RunTime), ("terminate", JobField::TimeToStop)] {
            if !self.text(field).trim().is_empty() {
                timing.insert(String::from(key), Value::from(typed_duration(self.text(field))));
            }
        }
        let mut kubelet = vec![Value::Object(timing.clone())];
        if self.disruption == Disruption::Crashes {
            let pod = self.text(JobField::DisruptedPod).trim();
            timing.insert(String::from("crash"), Value::from(typed_duration(self.text(JobField::DisruptedAfter))));
            let exit_code = self.text(JobField::ExitCode).trim();
            if !exit_code.is_empty() {
                timing.insert(String::from("exitCode"), typed_value(exit_code));
            }
            // Without indexes, it is the pod that was created as that one, counted from 0.
            let attempt = pod.parse().map(|pod: u32| pod.saturating_add(1).to_string());
            let (key, pods) = match self.completion_mode {
                CompletionMode::Indexed => ("indexes", String::from(pod)),
                CompletionMode::NonIndexed => ("attempts", attempt.unwrap_or_else(|_| String::from(pod))),
            };
            timing.insert(String::from(key), Value::from(pods));
            if self.completion_mode == CompletionMode::Indexed {
                timing.insert(String::from("attempts"), Value::from("1"));
            }
            kubelet.insert(0, Value::Object(timing));
        }
        kubelet
    }

    /// What happens to a pod of a Job, with the keys of a scenario.
    fn actions(&self, job: &str) -> Vec<Value> {
        let at = typed_duration(self.text(JobField::DisruptedAfter));
        let name = format!("{job}/{}", self.text(JobField::DisruptedPod).trim());
        match self.disruption {
            Disruption::Evicted => vec![json!({ "at": at, "evict": { "name": name } })],
            Disruption::Preempted => vec![json!({ "at": at, "preempt": { "name": name } })],
            Disruption::Crashes | Disruption::Nothing => Vec::new(),
        }
    }

    /// The scenario of this Job under a policy.
    fn scenario(&self, policy: JobPolicy) -> Value {
        let create = json!({ "at": "0s", "create": self.job(Some(policy)) });
        let actions: Vec<Value> = [create].into_iter().chain(self.actions(NAME)).collect();
        json!({
            "version": 1,
            "mode": Mode::Realistic.to_json(),
            "nodes": [{ "name": "node-a" }, { "name": "node-b" }, { "name": "node-c" }],
            "kubelet": self.kubelet(),
            "actions": actions,
            "limits": { "time": "24h", "pods": 20_000, "steps": 400_000 },
        })
    }

    /// The Job under a policy; under that of the settings, which is left out if it is the default, if none is given.
    fn job(&self, policy: Option<JobPolicy>) -> Value {
        let mut spec = Map::new();
        // An empty field is left out, so that the API server's default applies.
        let fields = [
            ("parallelism", JobField::Parallelism),
            ("completions", JobField::Completions),
            ("backoffLimit", JobField::BackoffLimit),
        ];
        for (key, field) in fields {
            if !self.text(field).trim().is_empty() {
                spec.insert(String::from(key), typed_value(self.text(field)));
            }
        }
        let mut pod = json!({ "restartPolicy": "Never", "containers": [{ "name": NAME, "image": "example/work:v1" }] });
        let grace_period = Some(self.text(JobField::GracePeriod)).filter(|text| !text.trim().is_empty());
        if let Some((pod, grace_period)) = pod.as_object_mut().zip(grace_period) {
            pod.insert(String::from("terminationGracePeriodSeconds"), typed_value(grace_period));
        }
        spec.insert(String::from(MODE_PATH), Value::from(self.completion_mode.name()));
        let written = policy.or(Some(self.policy).filter(|policy| *policy != JobPolicy::default()));
        if let Some(policy) = written {
            spec.insert(String::from(POLICY_PATH), Value::from(policy.name()));
        }
        spec.insert(String::from("template"), json!({ "spec": pod }));
        json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": NAME }, "spec": spec })
    }
}

/// A setting in words, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    name: &'static str,
    text: String,
}

/// The Jobs or CronJobs of a story's lanes in a line: the first one, and by the names of the others what differs there.
pub fn summary_of_lanes(lanes: &[LaneRequest]) -> String {
    let parts = |lane: &LaneRequest| match &lane.source {
        LaneSource::Scenario(scenario) if created_job(scenario).is_some() => scenario_in_words(scenario),
        _ => Vec::new(),
    };
    let Some((first, others)) = lanes.split_first() else { return String::new() };
    let first = parts(first);
    let differences = others.iter().filter_map(|lane| {
        let differences = differences(&first, &parts(lane));
        (!differences.is_empty()).then(|| format!("; {}: {}", lane.info.name, differences.join(", ")))
    });
    let differences: String = differences.collect();
    let first: Vec<String> = first.iter().map(|part| part.text.clone()).collect();
    format!("{}{differences}", first.join(", "))
}

/// What the other lane has and the first doesn't, and what it lacks.
fn differences(first: &[Part], other: &[Part]) -> Vec<String> {
    let changed = other.iter().filter(|part| !first.contains(part)).map(|part| part.text.clone());
    let has = |name: &str| other.iter().any(|part| part.name == name);
    let missing = first.iter().filter(|part| !has(part.name)).map(|part| format!("no {}", part.name));
    changed.chain(missing).collect()
}

/// The Job or CronJob of a scenario, what protects it, and what happens to its pods.
fn scenario_in_words(scenario: &Value) -> Vec<Part> {
    let settings = JobSettings::of_scenario(scenario);
    let job = created_job(scenario);
    // The line of a CronJob is about its schedule: of its Jobs, it has no defaults.
    let is_left_out = |part: &Part| match job {
        Some((WorkloadKind::CronJob, spec)) => {
            [MODE_PATH, POLICY_PATH].contains(&part.name) && spec.get(part.name).is_none()
        }
        _ => false,
    };
    let mut parts = created(scenario).map(schedule_in_words).unwrap_or_default();
    parts.extend(settings.fields_in_words().into_iter().filter(|part| !is_left_out(part)));
    let rules = job.and_then(|(_, spec)| spec.get(FAILURE_POLICY)).map(|policy| list(policy, "rules"));
    parts.extend(rules.map(|rules| {
        let rules: Vec<String> = rules.iter().map(failure_rule_in_words).collect();
        Part { name: FAILURE_POLICY, text: format!("{FAILURE_POLICY} {}", rules.join(" and ")) }
    }));
    parts.extend(list(scenario, "objects").iter().filter_map(budget_in_words));
    for (name, field) in [("run time", JobField::RunTime), ("time to stop", JobField::TimeToStop)] {
        let text = settings.text(field);
        if !text.is_empty() {
            parts.push(Part { name, text: format!("{name} {}", duration_in_words(text)) });
        }
    }
    parts.extend(list(scenario, "kubelet").iter().filter_map(crash_in_words));
    parts.extend(disruption_in_words(scenario, &settings));
    parts
}

/// When a CronJob starts Jobs; nothing for another object.
fn schedule_in_words(object: &Value) -> Vec<Part> {
    let is_cron_job = object.get("kind").is_some_and(|kind| *kind == WorkloadKind::CronJob.name());
    let Some(spec) = object.get("spec").filter(|_| is_cron_job) else { return Vec::new() };
    let field_in_words = |(name, default): (&'static str, Option<&str>)| {
        let value = spec.get(name).map(text_of).or_else(|| default.map(String::from))?;
        Some(Part { name, text: format!("{name} {value}") })
    };
    SCHEDULE_FIELDS.into_iter().filter_map(field_in_words).collect()
}

/// A rule of a podFailurePolicy: `Ignore DisruptionTarget`, `FailJob on exit code 42`.
fn failure_rule_in_words(rule: &Value) -> String {
    let conditions = list(rule, "onPodConditions").iter().filter_map(|condition| condition.get("type")).map(text_of);
    let exit_codes = rule.get("onExitCodes");
    let codes: Vec<String> =
        exit_codes.map(|codes| list(codes, "values")).unwrap_or_default().iter().map(text_of).collect();
    let is_other = exit_codes.and_then(|codes| codes.get("operator")).is_some_and(|operator| *operator == "NotIn");
    let on = if is_other { "on exit codes other than" } else { "on exit code" };
    let codes = (!codes.is_empty()).then(|| format!("{on} {}", codes.join(" or ")));
    let on: Vec<String> = conditions.chain(codes).collect();
    format!("{} {}", rule.get("action").map(text_of).unwrap_or_default(), on.join(" or "))
}

/// A PodDisruptionBudget; none for another object.
fn budget_in_words(object: &Value) -> Option<Part> {
    const NAME: &str = "PodDisruptionBudget";
    let spec = object.get("spec").filter(|_| object.get("kind").is_some_and(|kind| *kind == NAME))?;
    let limit = |key: &str| spec.get(key).map(|value| format!("{key} {}", text_of(value)));
    let limit = limit("minAvailable").or_else(|| limit("maxUnavailable")).unwrap_or_default();
    Some(Part { name: NAME, text: format!("{NAME} {limit}") })
}

/// With which exit code the pods of an index end; none if they end without an error.
fn crash_in_words(timing: &Value) -> Option<Part> {
    let [index, code, time] = ["indexes", "exitCode", "crash"].map(|key| timing.get(key).map(text_of));
    let text = format!("index {} ends with exit code {} after {}", index?, code?, duration_in_words(&time?));
    Some(Part { name: "exit code", text })
}

/// What happens to a pod of a scenario, and when: `pod 0 is evicted after 1 min, 2 min and 3 min`.
fn disruption_in_words(scenario: &Value, settings: &JobSettings) -> Option<Part> {
    let first = disrupted_pods(scenario).next()?;
    let again = disrupted_pods(scenario).filter(|other| (other.disruption, other.pod) == (first.disruption, first.pod));
    let later = again.skip(1).map(|other| duration_in_words(&other.at)).collect::<Vec<_>>();
    let sentence = settings.disruption_sentence()?;
    let text = match later.split_last() {
        None => sentence,
        Some((last, [])) => format!("{sentence} and {last}"),
        Some((last, between)) => format!("{sentence}, {} and {last}", between.join(", ")),
    };
    Some(Part { name: DISRUPTION_KEY, text })
}

/// A pod to which something happens in a scenario.
struct DisruptedPod<'a> {
    disruption: Disruption,
    /// Its number.
    pod: &'a str,
    /// When, as a user types it.
    at: String,
}

/// What happens to pods in a scenario.
fn disrupted_pods(scenario: &Value) -> impl Iterator<Item = DisruptedPod<'_>> {
    list(scenario, "actions").iter().filter_map(|action| {
        let kinds = [("evict", Disruption::Evicted), ("preempt", Disruption::Preempted)];
        let (disruption, of) = kinds.into_iter().find_map(|(key, kind)| Some((kind, action.get(key)?)))?;
        let (_, pod) = of.get("name")?.as_str()?.rsplit_once('/')?;
        Some(DisruptedPod { disruption, pod, at: seconds(action.get("at")) })
    })
}

/// What a scenario creates first.
fn created(scenario: &Value) -> Option<&Value> {
    list(scenario, "actions").iter().find_map(|action| action.get("create"))
}

/// The kind of the Job or CronJob that a scenario creates first, and the spec of its Jobs.
fn created_job(scenario: &Value) -> Option<(WorkloadKind, &Value)> {
    let created = created(scenario)?;
    let kind = WorkloadKind::of_name(created.get("kind")?.as_str()?)?;
    let spec = format!("/{}", path_of_spec(kind).trim_end_matches('.').replace('.', "/"));
    Some((kind, created.pointer(&spec)?)).filter(|(kind, _)| kind.has_jobs())
}

/// The fields that have a control, in the spec of a Job; null if one is absent.
fn fields_of(kind: WorkloadKind, spec: &Value) -> Vec<FieldValue> {
    let field = |path: &str| FieldValue {
        path: format!("{}{path}", path_of_spec(kind)),
        value: spec.pointer(&format!("/{}", path.replace('.', "/"))).cloned().unwrap_or(Value::Null),
    };
    FIELD_PATHS.map(|(path, _)| path).into_iter().chain([MODE_PATH, POLICY_PATH]).map(field).collect()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A duration of a scenario as a user types it: a number if it is in whole seconds.
fn seconds(duration: Option<&Value>) -> String {
    let text = duration.map(text_of).unwrap_or_default();
    text.strip_suffix('s').filter(|number| number.parse::<u32>().is_ok()).map(String::from).unwrap_or(text)
}

/// The name of a lane under a policy, and what is different in it.
fn lane_info(policy: JobPolicy) -> LaneInfo {
    let (name, difference) = (String::from(policy.name()), String::from(policy.difference()));
    LaneInfo { name, difference, ..LaneInfo::default() }
}

/// Where the spec of the Jobs of a workload begins.
const fn path_of_spec(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::CronJob => "spec.jobTemplate.spec.",
        _ => "spec.",
    }
}

impl ToJson for JobSettings {
    /// What differs from how it is at first.
    fn to_json(&self) -> Value {
        let mut map = Map::new();
        for (field, text) in &self.texts {
            if let Some(name) = field.to_json().as_str() {
                map.insert(String::from(name), Value::from(text.as_str()));
            }
        }
        let first = Self::default();
        let chosen = [
            (MODE_PATH, self.completion_mode.to_json(), first.completion_mode.to_json()),
            (POLICY_PATH, self.policy.to_json(), first.policy.to_json()),
            (DISRUPTION_KEY, self.disruption.to_json(), first.disruption.to_json()),
        ];
        let changed = chosen.into_iter().filter(|(_, value, first)| value != first);
        map.extend(changed.map(|(key, value, _)| (String::from(key), value)));
        Value::Object(map)
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl FromJson for JobSettings {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), CoreProblem> {
        let Value::Object(map) = value else { return Err(must_be(value, path, "a map")) };
        for (key, value) in map {
            let path = path.key(key);
            match key.as_str() {
                MODE_PATH => self.completion_mode.read(value, &path)?,
                POLICY_PATH => self.policy.read(value, &path)?,
                DISRUPTION_KEY => self.disruption.read(value, &path)?,
                key => self.set_text(read_at(&Value::from(key), &path)?, read_at(value, &path)?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::Story;
    use crate::tests::chapter_requests;

    fn scenario(name: &str) -> Value {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/scenarios");
        serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
    }

    #[test]
    fn a_story_says_what_happens_to_a_pod() {
        let cases = [
            ("two-of-index.json", Disruption::Evicted, "60", "20", "1"),
            ("preempted.json", Disruption::Preempted, "90", "40", "1"),
            ("cron-comes-back.json", Disruption::Nothing, "20", "20", "1"),
        ];
        for (name, disruption, run, after, pod) in cases {
            let settings = JobSettings::of_scenario(&scenario(name));
            let run = if name.starts_with("two") { "1m" } else { run };
            assert_eq!(settings.disruption, disruption, "{name}");
            let texts = [JobField::RunTime, JobField::DisruptedAfter, JobField::DisruptedPod];
            assert_eq!(texts.map(|field| settings.text(field)), [run, after, pod], "{name}");
        }
    }

    /// The requests for the lanes of a story, and of what would have helped.
    fn versions(name: &str) -> Vec<Vec<LaneRequest>> {
        let story = Story::parse(&scenario(&format!("{name}.story.json"))).unwrap();
        let remedy = story.remedy();
        let lanes = |story: &Story| chapter_requests(&story.last_chapter(), name, 0);
        [story].iter().chain(&remedy).map(lanes).collect()
    }

    #[test]
    fn the_line_of_a_lane_says_what_its_manifest_says() {
        let index = scenario("index.json");
        let names = index.as_array().unwrap().iter().filter_map(|entry| entry["name"].as_str());
        let mut stories_of_jobs = Vec::new();
        for name in names {
            for lane in versions(name).iter().flatten() {
                let LaneSource::Scenario(scenario) = &lane.source else { panic!("{lane:?}") };
                let Some((WorkloadKind::Job, spec)) = created_job(scenario) else { continue };
                stories_of_jobs.push(name);
                let line = summary_of_lanes(std::slice::from_ref(lane));
                for key in ["parallelism", "completions", "backoffLimit"] {
                    assert!(line.contains(&format!("{key} {}, ", spec[key])), "{name}: {line}");
                }
                let mode = spec.get(MODE_PATH).and_then(Value::as_str).unwrap_or("NonIndexed");
                assert!(line.contains(&format!(", {mode}, ")), "{name}: {line}");
                assert_eq!(line.contains(FAILURE_POLICY), spec.get(FAILURE_POLICY).is_some(), "{name}: {line}");
            }
        }
        stories_of_jobs.dedup();
        assert_eq!(stories_of_jobs.len(), 3, "{stories_of_jobs:?}");
    }

    #[test]
    fn the_line_of_a_story_names_what_differs_between_its_lanes() {
        let evicted = "parallelism 1, completions 1, backoffLimit 2, terminationGracePeriodSeconds 30, NonIndexed, \
            podReplacementPolicy TerminatingOrFailed, run time 2 min, time to stop 10 s, \
            pod 0 is evicted after 1 min, 2 min and 3 min; \
            With Ignore: podReplacementPolicy Failed, podFailurePolicy Ignore DisruptionTarget";
        let preempted = "parallelism 3, completions 3, backoffLimit 0, terminationGracePeriodSeconds 30, Indexed, \
            podReplacementPolicy TerminatingOrFailed, run time 1 min 30 s, time to stop 15 s, \
            pod 1 is preempted after 40 s; \
            With podFailurePolicy: podReplacementPolicy Failed, podFailurePolicy Ignore DisruptionTarget";
        let bug = "parallelism 3, completions 3, backoffLimit 4, terminationGracePeriodSeconds 30, Indexed, \
            podReplacementPolicy Failed, podFailurePolicy Ignore DisruptionTarget, \
            run time 1 min 30 s, time to stop 15 s, index 1 ends with exit code 42 after 20 s; \
            Fails at once: podFailurePolicy Ignore DisruptionTarget and FailJob on exit code 42";
        let lines = |name: &str| versions(name).iter().map(|lanes| summary_of_lanes(lanes)).collect::<Vec<_>>();
        assert_eq!(lines("evicted-job")[0], evicted);
        assert!(lines("evicted-job")[1].contains("; With a budget: PodDisruptionBudget minAvailable 1"));
        assert_eq!(lines("preempted"), [preempted, bug]);
        assert!(lines("two-of-index")[0].ends_with("; With Failed: podReplacementPolicy Failed"));
        assert!(lines("two-of-index")[1].ends_with("; Stops quickly: time to stop 3 s"));
    }

    #[test]
    fn the_line_of_a_cron_job_says_when_it_starts_jobs() {
        let backup = "schedule * * * * *, concurrencyPolicy Forbid, startingDeadlineSeconds 10, \
            run time 1 min 20 s, time to stop 5 s; ";
        let late = format!("{backup}Without a deadline: no startingDeadlineSeconds");
        let overlapping = format!("{backup}Overlapping: concurrencyPolicy Allow");
        let sync = "schedule * * * * *, concurrencyPolicy Allow, run time 20 s, time to stop 5 s";
        let skipped = format!("{sync}; With a deadline: startingDeadlineSeconds 20");
        let lines = |name: &str| versions(name).iter().map(|lanes| summary_of_lanes(lanes)).collect::<Vec<_>>();
        assert_eq!(lines("cron-deadline"), [late, overlapping]);
        assert_eq!(lines("cron-comes-back"), [String::from(sync), skipped]);
    }

    #[test]
    fn what_a_lane_lacks_is_a_difference() {
        let part = |name: &'static str, text: &str| Part { name, text: String::from(text) };
        let first =
            [part("run time", "run time 1 min"), part(FAILURE_POLICY, "podFailurePolicy Ignore DisruptionTarget")];
        let other = [part("run time", "run time 2 min")];
        assert_eq!(differences(&first, &other), ["run time 2 min", "no podFailurePolicy"]);
        assert_eq!(differences(&other, &other), Vec::<String>::new());
    }

    #[test]
    fn the_summary_writes_numbers_and_times_as_the_rest_of_the_page() {
        let settings = JobSettings::default()
            .with_text(JobField::Parallelism, String::from("10000"))
            .with_text(JobField::DisruptedAfter, String::from("90"));
        let expected = "parallelism 10,000, completions 3, backoffLimit 6, terminationGracePeriodSeconds 30, Indexed, \
            podReplacementPolicy TerminatingOrFailed, pod 1 is evicted after 1 min 30 s";
        assert_eq!(settings.summary(), expected);
    }

    #[test]
    fn what_is_typed_stays_if_the_text_says_the_same() {
        let settings = JobSettings::default().with_text(JobField::Parallelism, String::from(" 3"));
        let [job, _] = settings.fields();
        assert_eq!(settings.with_fields(WorkloadKind::Job, &job.fields), settings);
        let changed = [FieldValue { path: String::from("spec.jobTemplate.spec.parallelism"), value: json!(5) }];
        assert_eq!(settings.with_fields(WorkloadKind::CronJob, &changed).text(JobField::Parallelism), "5");
        assert_eq!(settings.with_fields(WorkloadKind::Job, &changed), settings);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut settings = JobSettings::default().with_text(JobField::RunTime, String::from("5m"));
        settings.disruption = Disruption::Crashes;
        settings.policy = JobPolicy::Failed;
        let mut read = JobSettings::default();
        read.read(&settings.to_json(), &Path::Root("")).unwrap();
        assert_eq!(read, settings);
        assert_eq!(
            settings.to_json(),
            json!({"runTime": "5m", "podReplacementPolicy": "Failed", "disruption": "crashes"})
        );
        assert_eq!(JobSettings::default().to_json(), json!({}));
    }
}
