use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::{Actor, Change, Counts, Cursor, Marks, PodState, State, Step, Timeline};
use crate::controller::{Event, Verb};
use crate::json::ToJson;
use crate::object::{Deployment, Object};

/// A frame as others read it: the whole state, and the step that led to it.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Frame"))]
#[serde(rename_all = "camelCase")]
pub struct FrameOut {
    /// Its number, from 0 (the start).
    pub frame: usize,
    /// Virtual time, RFC 3339.
    pub time: String,
    /// Virtual nanoseconds since the start.
    pub nanoseconds: i64,
    /// The step that led here; none at frame 0.
    #[json(omitempty)]
    pub step: Option<StepOut>,
    /// The marks and counts of each Deployment.
    pub summaries: Vec<DeploymentSummary>,
    /// Every object, as `kubectl get -o json` prints it.
    pub objects: Vec<Value>,
}

/// A Deployment's marks and counts at a frame.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeploymentSummary {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Desired, limit, minimum available.
    pub marks: Marks,
    /// Its pods by state.
    pub counts: Counts,
    /// Pods that hold resources: all that have not ended.
    pub holding: i32,
    /// How many of them are above the limit.
    pub over: i32,
}

/// A step as others read it.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Step"))]
#[serde(rename_all = "camelCase")]
pub struct StepOut {
    /// Its number, from 0.
    pub step: usize,
    /// Virtual time, RFC 3339.
    pub time: String,
    /// Virtual nanoseconds since the start.
    pub nanoseconds: i64,
    /// The actor.
    pub actor: Actor,
    /// Which object the actor was busy with, `Kind/namespace/name`.
    pub about: String,
    /// What was written; nothing, where the decision was to wait.
    pub writes: Vec<WriteOut>,
    /// Events recorded.
    pub events: Vec<Event>,
    /// Why: rule, sentence, formula, operands, upstream function, KEP section.
    #[cfg_attr(feature = "schema", schemars(with = "ReasonOut"))]
    pub reason: crate::explain::Reason,
}

/// A write as others read it.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Write"))]
#[serde(rename_all = "camelCase")]
pub struct WriteOut {
    /// The verb.
    pub verb: Verb,
    /// Which object, `Kind/namespace/name`.
    pub object: String,
    /// The object before; absent if it did not exist.
    #[json(omitempty)]
    pub before: Option<Value>,
    /// The object after; absent if it is gone.
    #[json(omitempty)]
    pub after: Option<Value>,
}

/// The shape of a reason.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Reason")]
#[expect(dead_code, reason = "only its schema is used: Reason writes itself")]
struct ReasonOut {
    /// The rule's stable name.
    rule: String,
    /// One sentence, with the numbers put in.
    sentence: String,
    /// The rule with its numbers, a line a term.
    formula: Vec<String>,
    /// Each number, and where it comes from.
    operands: Vec<OperandOut>,
    /// Upstream's file and function.
    upstream: Option<String>,
    /// The KEP and its section.
    section: Option<String>,
}

/// The shape of an operand.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Operand")]
#[expect(dead_code, reason = "only its schema is used: Reason writes itself")]
struct OperandOut {
    /// Its name in the rule.
    name: String,
    /// A count, or a name.
    value: IntOrText,
    /// Where it comes from.
    source: String,
    /// Where on the picture it is seen.
    mark: Option<crate::explain::Mark>,
}

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
        let frame = cursor.frame();
        let time = self.time_at(frame);
        FrameOut {
            frame,
            time: time.to_string(),
            nanoseconds: time.since(self.scenario.start),
            step: frame.checked_sub(1).and_then(|index| self.step_out(index)),
            summaries: cursor
                .state()
                .deployments()
                .map(|deployment| summary(cursor.state(), deployment, time))
                .collect(),
            objects: cursor.state().objects().map(Object::to_value).collect(),
        }
    }

    /// A step.
    pub fn step_out(&self, index: usize) -> Option<StepOut> {
        self.steps.get(index).map(|step| self.describe(index, step))
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

fn summary(state: &State, deployment: &Deployment, now: crate::object::Time) -> DeploymentSummary {
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
        over: counts.holding().saturating_sub(marks.limit).max(0),
    }
}
