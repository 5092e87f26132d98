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
    /// The settings of a scenario's pods: how long they run, and the first thing that happens to one.
    pub fn of_scenario(scenario: &Value) -> Self {
        let list = |key: &str| scenario.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let seconds = |value: Option<&Value>| {
            let text = value.map(text_of).unwrap_or_default();
            text.strip_suffix('s').filter(|number| number.parse::<u32>().is_ok()).map(String::from).unwrap_or(text)
        };
        let timing = |key: &str| seconds(list("kubelet").last().and_then(|timing| timing.get(key)));
        let mut settings = Self { disruption: Disruption::Nothing, ..Self::default() };
        settings.set_text(JobField::RunTime, timing("run"));
        settings.set_text(JobField::TimeToStop, timing("terminate"));
        let kinds = [("evict", Disruption::Evicted), ("preempt", Disruption::Preempted)];
        let first = list("actions").iter().find_map(|action| {
            let (key, kind) = kinds.into_iter().find(|(key, _)| action.get(key).is_some())?;
            let (_, pod) = action.get(key)?.get("name")?.as_str()?.rsplit_once('/')?;
            Some((kind, String::from(pod), seconds(action.get("at"))))
        });
        if let Some((kind, pod, at)) = first {
            settings.disruption = kind;
            settings.set_text(JobField::DisruptedPod, pod);
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
        let text = |field| self.text(field).trim();
        let mut parts = Vec::new();
        for (name, field) in FIELD_PATHS {
            let name = name.rsplit('.').next().unwrap_or(name);
            if !text(field).is_empty() {
                parts.push(format!("{name} {}", with_grouped_digits(text(field))));
            }
        }
        parts.push(String::from(self.completion_mode.name()));
        parts.push(format!("{POLICY_PATH} {}", self.policy.name()));
        parts.extend(self.disruption_sentence());
        parts.join(", ")
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
            let value = |path: &str| job.pointer(&format!("/spec/{}", path.replace('.', "/"))).cloned();
            let field = |path: &str| FieldValue {
                path: format!("{}{path}", path_of_spec(kind)),
                value: value(path).unwrap_or(Value::Null),
            };
            let paths = FIELD_PATHS.map(|(path, _)| path).into_iter().chain([MODE_PATH, POLICY_PATH]);
            let (limits, nodes, other_replicas) = (Vec::new(), Vec::new(), Vec::new());
            KindFields { kind, fields: paths.map(field).collect(), limits, nodes, other_replicas }
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

/// The name of a lane under a policy, and what is different in it.
fn lane_info(policy: JobPolicy) -> LaneInfo {
    let (name, difference) = (String::from(policy.name()), String::from(policy.difference()));
    LaneInfo { name, difference, ..LaneInfo::default() }
}

/// Where the spec of the Jobs of a workload begins.
const fn path_of_spec(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::Deployment | WorkloadKind::Job => "spec.",
        WorkloadKind::CronJob => "spec.jobTemplate.spec.",
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
