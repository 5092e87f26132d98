use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::{Actor, Change, Counts, Cursor, Marks, PodState, Point, Series, State, Step, Timeline};
use crate::controller::{Event, Verb};
use crate::json::ToJson;
use crate::object::{Object, ObjectKey, Time};
use crate::workload::deployment::Deployment;
use crate::workload::job::{Job, JobCounts, JobPoint, JobSeries};

/// The state of the cluster after a step, with the step.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Frame"))]
#[serde(rename_all = "camelCase")]
pub struct FrameOut {
    /// The frame's number, from 0 (the start).
    pub frame: usize,
    /// The frame's virtual time, as in RFC 3339.
    pub time: String,
    /// The virtual time in milliseconds since the start.
    #[json(milliseconds)]
    #[serde(rename = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub nanoseconds: i64,
    /// The step that led to this state; absent in frame 0.
    #[json(omitempty)]
    pub step: Option<StepOut>,
    /// The marks and counts of each Deployment.
    pub summaries: Vec<DeploymentSummary>,
    /// The counts of each Job.
    pub jobs: Vec<JobSummary>,
    /// The workloads and their pods, as `kubectl get -o json` prints them. What surrounds them, such as nodes and ResourceQuotas, is in the
    /// scenario.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub objects: Vec<Value>,
}

/// A frame without its objects.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FrameSummary"))]
#[serde(rename_all = "camelCase")]
pub struct SummaryOut {
    /// The frame's number, from 0 (the start).
    pub frame: usize,
    /// The frame's virtual time, as in RFC 3339.
    pub time: String,
    /// The virtual time in milliseconds since the start.
    #[json(milliseconds)]
    #[serde(rename = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub nanoseconds: i64,
    /// The marks and counts of each Deployment.
    pub summaries: Vec<DeploymentSummary>,
    /// The counts of each Job.
    pub jobs: Vec<JobSummary>,
}

/// A Deployment's marks and counts at a frame.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeploymentSummary {
    /// The Deployment's namespace.
    pub namespace: String,
    /// The Deployment's name.
    pub name: String,
    /// The desired pods, the limit, and the minimum of available pods.
    pub marks: Marks,
    /// The Deployment's pods by state.
    pub counts: Counts,
    /// Pods that hold resources: all that have not ended.
    pub holding: i32,
    /// How many of the pods that hold resources are above the limit.
    pub over: i32,
}

/// A Job's counts at a frame.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobSummary {
    /// The Job's namespace.
    pub namespace: String,
    /// The Job's name.
    pub name: String,
    /// What the Job's status says, which follows its pods by up to a second.
    pub status: JobCounts,
    /// The Job's pods by state.
    pub counts: Counts,
    /// Pods that hold resources: all that have not ended.
    pub holding: i32,
}

/// The counts of a Job from one frame on.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "JobSeriesPoint"))]
#[serde(rename_all = "camelCase")]
pub struct JobPointOut {
    /// The first frame with these counts.
    pub frame: usize,
    /// The virtual time at which the counts changed, as in RFC 3339.
    pub time: String,
    /// The virtual time in milliseconds since the start.
    #[json(milliseconds)]
    #[serde(rename = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub nanoseconds: i64,
    /// What the Job's status says; absent while there is no such Job.
    #[json(omitempty)]
    pub status: Option<JobCounts>,
    /// The Job's pods by state.
    pub counts: Counts,
    /// Pods that hold resources: all that have not ended.
    pub holding: i32,
    /// The most pods that hold resources for one completion index.
    pub most_of_index: i32,
}

/// The counts of a Deployment from one frame on.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SeriesPoint"))]
#[serde(rename_all = "camelCase")]
pub struct PointOut {
    /// The first frame with these counts. Where time alone changes them, as when a pod has been ready for minReadySeconds, it
    /// is the frame before.
    pub frame: usize,
    /// The virtual time at which the counts changed, as in RFC 3339.
    pub time: String,
    /// The virtual time in milliseconds since the start.
    #[json(milliseconds)]
    #[serde(rename = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub nanoseconds: i64,
    /// Desired pods, limit, and minimum available.
    pub marks: Marks,
    /// The Deployment's pods by state.
    pub counts: Counts,
    /// Pods that hold resources: all that have not ended.
    pub holding: i32,
    /// How many of the pods that hold resources are above the limit.
    pub over: i32,
    /// How many of the pods that hold resources are of an older template.
    pub old: i32,
    /// Whether the controller reports the rollout as complete.
    pub complete: bool,
}

/// A step of a timeline: who did what, and why.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Step"))]
#[serde(rename_all = "camelCase")]
pub struct StepOut {
    /// The step's number, from 0. It leads from the frame of this number to the next.
    pub step: usize,
    /// The step's virtual time, as in RFC 3339.
    pub time: String,
    /// The virtual time in milliseconds since the start.
    #[json(milliseconds)]
    #[serde(rename = "milliseconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub nanoseconds: i64,
    /// The component that acted, or the user.
    pub actor: Actor,
    /// The object that the actor worked on: `Kind/namespace/name`.
    pub about: String,
    /// The writes; empty where the decision was to wait.
    pub writes: Vec<WriteOut>,
    /// The events that were recorded with the step.
    pub events: Vec<Event>,
    /// The rule behind the step, with the numbers that it used.
    #[cfg_attr(feature = "schema", schemars(with = "ReasonOut"))]
    pub reason: crate::explain::Reason,
}

/// A step of a timeline in one sentence.
#[derive(Clone, Debug, ToJson)]
pub struct StepSentence {
    /// The step's number, from 0.
    pub step: usize,
    /// The virtual time in milliseconds since the start.
    #[json(milliseconds)]
    #[serde(rename = "milliseconds")]
    pub nanoseconds: i64,
    /// The object that the actor worked on: `Kind/namespace/name`.
    pub about: String,
    /// What the step did, and why.
    pub sentence: String,
}

/// A write to the API server.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Write"))]
#[serde(rename_all = "camelCase")]
pub struct WriteOut {
    /// What the write does with the object.
    pub verb: Verb,
    /// The object that was written: `Kind/namespace/name`.
    pub object: String,
    /// The object before the write; absent if it did not exist.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::Manifest>"))]
    pub before: Option<Value>,
    /// The object after the write; absent if it was removed.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::Manifest>"))]
    pub after: Option<Value>,
}

/// The rule behind a step, with the numbers that it used.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Reason")]
#[expect(dead_code, reason = "only its schema is used: Reason writes itself")]
struct ReasonOut {
    /// The id of the rule. Ids are stable.
    #[schemars(with = "RuleId")]
    rule: String,
    /// The reason in one sentence.
    sentence: String,
    /// The rule as a formula with its numbers; one line for each term.
    formula: Vec<String>,
    /// Each number that the rule used.
    operands: Vec<OperandOut>,
    /// The file and function of Kubernetes that decide this; absent where no release does.
    upstream: Option<String>,
    /// The section of the KEP; absent where no KEP decides this.
    section: Option<String>,
}

/// The id of a rule, by which a controller or another part of the cluster decides. Ids are stable.
#[cfg(feature = "schema")]
struct RuleId;

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RuleId {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "RuleId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let ids: Vec<&str> = crate::explain::all().map(|rule| rule.id).collect();
        schemars::json_schema!({ "description": "The id of a rule.", "type": "string", "enum": ids })
    }
}

/// A number or name that a rule used.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Operand")]
#[expect(dead_code, reason = "only its schema is used: Reason writes itself")]
struct OperandOut {
    /// The operand's name in the formula.
    name: String,
    /// The operand's value: a count or a name.
    value: IntOrText,
    /// Where the value comes from, in words.
    source: String,
    /// Where the value is seen in a chart of the Deployment's pods; absent if it is not.
    mark: Option<crate::explain::Mark>,
}

/// The value of an operand: a count or a name.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used: Reason writes itself")]
enum IntOrText {
    Int(i64),
    Text(String),
}

impl Timeline {
    /// The frame where the cursor stands, whole.
    pub fn frame_out(&self, cursor: &Cursor) -> FrameOut {
        let SummaryOut { frame, time, nanoseconds, summaries, jobs } = self.summary_out(cursor);
        FrameOut {
            frame,
            time,
            nanoseconds,
            step: frame.checked_sub(1).and_then(|index| self.step_out(index)),
            summaries,
            jobs,
            objects: cursor.state().objects().map(Object::to_value).collect(),
        }
    }

    /// The frame where the cursor stands, without its objects.
    pub fn summary_out(&self, cursor: &Cursor) -> SummaryOut {
        let frame = cursor.frame();
        let time = self.time_at(frame);
        let state = cursor.state();
        SummaryOut {
            frame,
            time: time.to_string(),
            nanoseconds: time.since(self.scenario.start),
            summaries: state.deployments().map(|deployment| summary(state, deployment, time)).collect(),
            jobs: state.jobs().map(|job| job_summary(state, job)).collect(),
        }
    }

    /// The counts of a Deployment for each change of them.
    pub fn series_out(&self, deployment: &ObjectKey) -> Vec<PointOut> {
        let Series { points } = Series::of(self, &deployment.namespace, &deployment.name);
        let point = |Point { frame, time, counts, marks, rollout }| {
            let holding = counts.holding();
            PointOut {
                frame,
                time: time.to_string(),
                nanoseconds: time.since(self.scenario.start),
                marks,
                counts,
                holding,
                over: over(holding, marks),
                old: rollout.old,
                complete: rollout.complete,
            }
        };
        points.into_iter().map(point).collect()
    }

    /// The counts of a Job for each change of them.
    pub fn job_series_out(&self, job: &ObjectKey) -> Vec<JobPointOut> {
        let JobSeries { points } = JobSeries::of(self, &job.namespace, &job.name);
        let point = |JobPoint { frame, time, status, counts, most_of_index }| JobPointOut {
            frame,
            time: time.to_string(),
            nanoseconds: time.since(self.scenario.start),
            status,
            counts,
            holding: counts.holding(),
            most_of_index,
        };
        points.into_iter().map(point).collect()
    }

    /// A step.
    pub fn step_out(&self, index: usize) -> Option<StepOut> {
        self.steps.get(index).map(|step| self.describe(index, step))
    }

    /// What a step did, in one sentence, without the objects that it wrote.
    pub fn sentence_out(&self, index: usize) -> Option<StepSentence> {
        self.steps.get(index).map(|step| StepSentence {
            step: index,
            nanoseconds: step.time.since(self.scenario.start),
            about: step.about.to_string(),
            sentence: step.reason().sentence(),
        })
    }

    fn describe(&self, index: usize, step: &Step) -> StepOut {
        StepOut {
            step: index,
            time: step.time.to_string(),
            nanoseconds: step.time.since(self.scenario.start),
            actor: step.actor,
            about: step.about.to_string(),
            writes: step.change.iter().map(write_out).collect(),
            events: step.events.iter().map(|(_, event)| event.clone()).collect(),
            reason: step.reason(),
        }
    }
}

fn write_out(change: &Change) -> WriteOut {
    WriteOut {
        verb: change.verb,
        object: change.key.to_string(),
        before: change.before.as_ref().map(Object::to_value),
        after: change.after.as_ref().map(Object::to_value),
    }
}

fn summary(state: &State, deployment: &Deployment, now: Time) -> DeploymentSummary {
    let mut counts = Counts::default();
    for replica_set in state.replica_sets_of(deployment) {
        for pod in state.pods_of(replica_set) {
            counts.add(PodState::of(pod, deployment.spec.min_ready_seconds, now), 1);
        }
    }
    let marks = Marks::of(deployment);
    DeploymentSummary {
        namespace: deployment.metadata.namespace.to_string(),
        name: deployment.metadata.name.to_string(),
        marks,
        counts,
        holding: counts.holding(),
        over: over(counts.holding(), marks),
    }
}

fn job_summary(state: &State, job: &Job) -> JobSummary {
    let mut counts = Counts::default();
    for pod in state.pods().filter(|pod| pod.metadata.is_controlled_by(&job.metadata)) {
        counts.add(PodState::of(pod, 0, Time(0)), 1);
    }
    JobSummary {
        namespace: job.metadata.namespace.to_string(),
        name: job.metadata.name.to_string(),
        status: JobCounts::of(job),
        counts,
        holding: counts.holding(),
    }
}

fn over(holding: i32, marks: Marks) -> i32 {
    holding.saturating_sub(marks.limit).max(0)
}
