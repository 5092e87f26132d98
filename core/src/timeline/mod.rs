//! A simulation, step by step: each step has its time, its actor, the write and the reason. A frame is the state after a
//! step. You can seek in both directions, since each write has the object before and after;
//! neighboring steps share the version between them.
//!
//! # Examples
//!
//! ```
//! use changeover_core::scenario::Scenario;
//! use changeover_core::timeline::{Series, Timeline};
//! use serde_json::json;
//!
//! let template = |image: &str| {
//!     json!({
//!         "metadata": { "labels": { "app": "web" } },
//!         "spec": { "containers": [{ "name": "app", "image": image }] },
//!     })
//! };
//! let timeline = Timeline::run(Scenario::from_value(&json!({
//!     "version": 1,
//!     "objects": [{
//!         "apiVersion": "apps/v1",
//!         "kind": "Deployment",
//!         "metadata": { "name": "web" },
//!         "spec": { "replicas": 15, "selector": { "matchLabels": { "app": "web" } }, "template": template("web:1") },
//!     }],
//!     "kubelet": [{ "ready": "6s", "terminate": "5s" }],
//!     "actions": [{ "at": "1m", "setTemplate": { "name": "web", "template": template("web:2") } }],
//! }))?)?;
//!
//! // 15 pods were asked for, and at most 4 more may surge; but terminating pods don't count toward that limit.
//! assert_eq!(Series::of(&timeline, "default", "web").peak(), 26);
//!
//! // The state after each step: here after the last one.
//! let mut cursor = timeline.cursor();
//! cursor.seek(&timeline, timeline.len());
//! assert_eq!(cursor.state().pods().count(), 15);
//! # Ok::<(), changeover_core::Problem>(())
//! ```

mod controller_gates;
mod deletion_ranking;
#[cfg(feature = "explain")]
mod export;
mod follow;
mod node_report;
mod pod_state;
mod series;
mod state;
mod totals;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

#[cfg(feature = "explain")]
pub use export::{
    DeploymentSummary, FrameOut, JobPointOut, JobSummary, PointOut, StepOut, StepSentence, SummaryOut, WriteOut,
};
pub(crate) use follow::Follow;
pub use pod_state::{Counts, Marks, PodState};
pub(crate) use series::SeriesTracker;
pub use series::{Point, Series};
pub use state::State;
pub(crate) use totals::time_until;
pub use totals::{Totals, TotalsOnly};

use crate::Problem;
use crate::collect_tree::CollectTree;
// What a timeline is made of.
pub use crate::cluster::{Actor, Change, End, EndReason, Step};
use crate::cluster::{PlayedScenario, Simulation};
use crate::object::{Kind, Object, ObjectKey, Time};
use crate::scenario::{Action, Duration, Scenario, TimedAction};

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
    /// Plays a scenario.
    ///
    /// # Errors
    /// The first problem of the scenario's objects, gates or actions, with its path. A limit that is met is no error: the
    /// timeline's [`End`] says so.
    pub fn run(scenario: Scenario) -> Result<Self, Problem> {
        Ok(Self::of(Simulation::start(scenario)?.finish()?))
    }

    /// The timeline of a simulation.
    pub fn of(PlayedScenario { scenario, initial, steps, end }: PlayedScenario) -> Self {
        Self { scenario, initial: Rc::new(initial.into_iter().collect()), steps, end }
    }

    /// The scenario with one more action, at the first instant after that frame: its timeline shares every step up to
    /// the end of the frame's own instant.
    ///
    /// # Errors
    /// As [`Timeline::run`]; the paths of what is wrong with the action begin at its own fields.
    pub fn fork(&self, frame: usize, action: Action) -> Result<Self, Problem> {
        let mut scenario = (*self.scenario).clone();
        let at = self.time_at(frame).since(scenario.start).saturating_add(1);
        let index = scenario.actions.partition_point(|other| other.at.0 <= at);
        scenario.actions.insert(index, TimedAction { at: Duration(at), action });
        let own = format!("actions[{index}].");
        Self::run(scenario)
            .map_err(|problem| problem.map_paths(&|path| String::from(path.strip_prefix(&own).unwrap_or(path))))
    }

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

    /// The Deployments that exist at some time, in the order of their names.
    pub fn deployments(&self) -> Vec<ObjectKey> {
        self.keys_of(Kind::Deployment)
    }

    /// The Jobs that exist at some time, in the order of their names.
    pub fn jobs(&self) -> Vec<ObjectKey> {
        self.keys_of(Kind::Job)
    }

    fn keys_of(&self, kind: Kind) -> Vec<ObjectKey> {
        let written = self.steps.iter().filter_map(|step| step.change.as_ref()).map(|change| &change.key);
        let written = written.filter(|key| key.kind == kind).map(|key| (**key).clone());
        let initial = self.initial.objects().map(Object::key).filter(|key| key.kind == kind);
        initial.chain(written).collect_tree::<BTreeSet<_>>().into_iter().collect()
    }

    /// A cursor at frame 0.
    pub fn cursor(&self) -> Cursor {
        Cursor { frame: 0, state: (*self.initial).clone() }
    }
}

/// A position in a timeline, with the state there. Moving costs what changes on the way.
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
