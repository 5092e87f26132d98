//! The settings of a Job in the sandbox, as the user typed them, and the lanes that they ask for. The core checks the values.

use std::collections::BTreeMap;

use changeover_wire::{Problem, Source};
use serde_json::{Map, Value, json};

use crate::playback::LaneInfo;
use crate::player_client::LaneRequest;
use crate::settings::{typed_duration, typed_value};

/// The Job's name.
const NAME: &str = "work";

/// A setting that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
}

impl JobField {
    /// All fields.
    pub const ALL: [Self; 8] = [
        Self::Parallelism,
        Self::Completions,
        Self::BackoffLimit,
        Self::RunTime,
        Self::TimeToStop,
        Self::GracePeriod,
        Self::DisruptedAfter,
        Self::DisruptedPod,
    ];

    /// What is typed in it at first.
    const fn first_text(self) -> &'static str {
        match self {
            Self::Parallelism | Self::Completions => "3",
            Self::BackoffLimit => "6",
            Self::RunTime => "60",
            Self::TimeToStop | Self::DisruptedAfter => "20",
            Self::GracePeriod => "30",
            Self::DisruptedPod => "1",
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// What happens to a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
            Self::Crashes => "fails (exit code 1)",
            Self::Nothing => "runs undisturbed",
        }
    }
}

/// The settings of a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSettings {
    texts: BTreeMap<JobField, String>,
    /// Whether pods have indexes.
    pub completion_mode: CompletionMode,
    /// What happens to a pod.
    pub disruption: Disruption,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self {
            texts: JobField::ALL.map(|field| (field, String::from(field.first_text()))).into(),
            completion_mode: CompletionMode::default(),
            disruption: Disruption::default(),
        }
    }
}

impl JobSettings {
    /// The text of a field.
    pub fn text(&self, field: JobField) -> &str {
        self.texts.get(&field).map(String::as_str).unwrap_or_default()
    }

    /// The settings with another text in a field.
    pub fn with_text(&self, field: JobField, text: String) -> Self {
        let mut settings = self.clone();
        settings.texts.insert(field, text);
        settings
    }

    /// Whether a field says anything.
    pub fn applies(&self, field: JobField) -> bool {
        match field {
            JobField::DisruptedAfter | JobField::DisruptedPod => self.disruption != Disruption::Nothing,
            _ => true,
        }
    }

    /// The lanes: this Job under both policies.
    pub fn lane_requests(&self) -> Vec<LaneRequest> {
        let lanes = [("TerminatingOrFailed", "the default"), ("Failed", "waits until a pod has ended")];
        let request = |(policy, difference): (&str, &str)| LaneRequest {
            info: LaneInfo { name: String::from(policy), difference: String::from(difference), proposed: false },
            source: Source::Scenario(self.scenario(policy)),
            ..LaneRequest::default()
        };
        lanes.map(request).into()
    }

    /// The scenario of this Job under a policy.
    fn scenario(&self, policy: &str) -> Value {
        let at = typed_duration(self.text(JobField::DisruptedAfter));
        let pod = self.text(JobField::DisruptedPod).trim();
        let mut timing = Map::new();
        for (key, field) in [("run", JobField::RunTime), ("terminate", JobField::TimeToStop)] {
            if !self.text(field).trim().is_empty() {
                timing.insert(String::from(key), Value::from(typed_duration(self.text(field))));
            }
        }
        let mut kubelet = vec![Value::Object(timing.clone())];
        let mut actions = vec![json!({ "at": "0s", "create": self.job(policy) })];
        let name = format!("{NAME}/{pod}");
        match self.disruption {
            Disruption::Evicted => actions.push(json!({ "at": at, "evict": { "name": name } })),
            Disruption::Preempted => actions.push(json!({ "at": at, "preempt": { "name": name } })),
            Disruption::Crashes => {
                timing.insert(String::from("crash"), Value::from(at));
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
            Disruption::Nothing => {}
        }
        json!({
            "version": 1,
            "nodes": [{ "name": "node-a" }, { "name": "node-b" }, { "name": "node-c" }],
            "kubelet": kubelet,
            "actions": actions,
            "limits": { "time": "24h", "pods": 20_000, "steps": 400_000 },
        })
    }

    fn job(&self, policy: &str) -> Value {
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
        spec.insert(String::from("completionMode"), Value::from(self.completion_mode.name()));
        spec.insert(String::from("podReplacementPolicy"), Value::from(policy));
        spec.insert(String::from("template"), json!({ "spec": pod }));
        json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": NAME }, "spec": spec })
    }
}
