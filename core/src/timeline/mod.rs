//! What happened, step by step: each step holds its time, who acted, what was written and why. A frame is the state
//! after a step; it is reached in both directions, since each write holds the object before and after.

mod counts;
mod deletion;
mod export;
mod index;
mod series;
mod size;
mod state;
mod totals;

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

pub use counts::{Counts, Marks, PodState};
pub use deletion::Deletions;
pub use export::{DeploymentSummary, FrameOut, StepOut, WriteOut};
pub(crate) use index::Waiting;
pub use index::{Id, Index};
pub use series::{Point, Series};
pub(crate) use size::{size_of_event, size_of_object, size_of_step};
pub use state::State;
pub use totals::Totals;

use crate::controller::{Event, Verb};
use crate::json::{FromJson, ToJson};
use crate::object::{Object, ObjectKey, Time};
use crate::reason::Reason;
use crate::scenario::Scenario;

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// The user.
    User,
    /// The Deployment controller.
    DeploymentController,
    /// The ReplicaSet controller.
    ReplicaSetController,
    /// The scheduler.
    Scheduler,
    /// A node's kubelet.
    Kubelet,
    /// The garbage collector.
    GarbageCollector,
    /// The controller that watches over nodes.
    NodeLifecycleController,
    /// The controller that deletes pods which do not tolerate a node's taint.
    TaintEvictionController,
    /// The controller that removes pods which no kubelet removes.
    PodGarbageCollector,
    /// What adds and removes nodes.
    ClusterAutoscaler,
    /// What attaches volumes to nodes.
    AttachDetachController,
}

/// One write, with the object before and after it.
#[derive(Clone, Debug)]
pub struct Change {
    /// The verb.
    pub verb: Verb,
    /// Which object.
    pub key: ObjectKey,
    /// The object before; none if it did not exist.
    pub before: Option<Object>,
    /// The object after; none if it is gone.
    pub after: Option<Object>,
}

/// One step: a write with its reason, or the reason why nothing was written.
#[derive(Clone, Debug)]
pub struct Step {
    /// When.
    pub time: Time,
    /// Who.
    pub actor: Actor,
    /// Which object the actor was busy with (a controller's own object; the pod for scheduler and kubelet).
    pub about: ObjectKey,
    /// What was written; nothing, where the decision was to wait.
    pub change: Option<Change>,
    /// The events recorded after it.
    pub events: Vec<(ObjectKey, Event)>,
    /// Why.
    pub reason: Reason,
}

/// Why a timeline ends where it does.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// What ended it.
    pub reason: EndReason,
    /// One sentence.
    pub message: String,
}

/// What ended a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum EndReason {
    /// Nothing is left to happen.
    Quiet,
    /// limits.time was met.
    Time,
    /// limits.steps was met.
    Steps,
    /// limits.pods was met.
    Pods,
    /// limits.bytes was met.
    Bytes,
}

/// A scenario played to its end. Frame 0 is the state at the start, frame N the state after step N − 1.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What was played.
    pub scenario: Rc<Scenario>,
    /// The state before the first step.
    pub initial: Rc<State>,
    /// The steps.
    pub steps: Vec<Step>,
    /// Why it ends.
    pub end: End,
}

impl Timeline {
    /// The steps' number; frames go from 0 to this.
    pub const fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing happens.
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The time of a frame: that of the step before it.
    pub fn time_at(&self, frame: usize) -> Time {
        frame.checked_sub(1).and_then(|index| self.steps.get(index)).map_or(self.scenario.start, |step| step.time)
    }

    /// The last frame that is not later than `time`.
    pub fn frame_at(&self, time: Time) -> usize {
        self.steps.partition_point(|step| step.time <= time)
    }

    /// A cursor at frame 0.
    pub fn cursor(&self) -> Cursor {
        Cursor { frame: 0, state: (*self.initial).clone() }
    }
}

/// A place in a timeline, with the state there. Moving costs what changes on the way.
#[derive(Clone, Debug)]
pub struct Cursor {
    frame: usize,
    state: State,
}

impl Cursor {
    /// The frame it stands at.
    pub const fn frame(&self) -> usize {
        self.frame
    }

    /// The state there.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Goes to a frame; past the end, to the last.
    pub fn seek(&mut self, timeline: &Timeline, frame: usize) {
        let target = frame.min(timeline.len());
        while let Some(step) = (self.frame < target).then(|| timeline.steps.get(self.frame)).flatten() {
            if let Some(change) = &step.change {
                self.state.put(&change.key, change.after.clone());
            }
            self.frame = self.frame.saturating_add(1);
        }
        while self.frame > target {
            self.frame = self.frame.saturating_sub(1);
            let Some(step) = timeline.steps.get(self.frame) else { continue };
            if let Some(change) = &step.change {
                self.state.put(&change.key, change.before.clone());
            }
        }
    }
}
