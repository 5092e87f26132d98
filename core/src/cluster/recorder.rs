//! The steps of a simulation, up to the scenario's limits.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::step::{End, EndReason, Step};
use super::step_size::{size_of_event, size_of_object, size_of_step};
use crate::controller::Event;
use crate::object::{Object, ObjectKey};
use crate::scenario::Limits;

/// How many steps there is room for from the start: those of a rollout of a hundred pods.
const CAPACITY: usize = 2_000;

/// A limit of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Time,
    Steps,
    Pods,
    Bytes,
}

#[derive(Debug)]
pub(super) struct Recorder {
    steps: Vec<Step>,
    /// Events before the first step, which gets them.
    early_events: Vec<(Rc<ObjectKey>, Event)>,
    max_steps: usize,
    /// Whether steps and events are only counted.
    pub(super) only_counts: bool,
    /// Whether events that warn of nothing are only counted.
    pub(super) omits_normal_events: bool,
    /// Steps that are counted and not kept, or no longer.
    passed_over: usize,
    /// What the timeline takes so far.
    bytes: u64,
    max_bytes: u64,
    /// The first limit that was met: nothing more happens.
    met: Option<Limit>,
}

impl Recorder {
    pub(super) fn new(limits: &Limits) -> Self {
        let max_steps = usize::try_from(limits.steps).unwrap_or(usize::MAX);
        let steps = Vec::with_capacity(max_steps.min(CAPACITY));
        Self {
            steps,
            early_events: Vec::new(),
            max_steps,
            only_counts: false,
            omits_normal_events: false,
            passed_over: 0,
            bytes: 0,
            max_bytes: limits.bytes,
            met: None,
        }
    }

    /// Adds a step; false: a limit is met.
    pub(super) fn push(&mut self, mut step: Step) -> bool {
        if !self.has_room_for(1) {
            return false;
        }
        self.add_bytes(size_of_step(&step));
        if self.bytes > self.max_bytes {
            self.stop(Limit::Bytes);
            return false;
        }
        if self.only_counts {
            self.passed_over = self.passed_over.saturating_add(1);
            return true;
        }
        step.events.append(&mut self.early_events);
        self.steps.push(step);
        true
    }

    /// Counts steps without keeping them.
    pub(super) fn pass_over(&mut self, steps: usize) {
        if self.has_room_for(steps) {
            self.passed_over = self.passed_over.saturating_add(steps);
        }
    }

    /// Whether there may be that many more steps. If not, the limit is met.
    fn has_room_for(&mut self, steps: usize) -> bool {
        let has_room = self.count().saturating_add(steps) <= self.max_steps;
        if !has_room {
            self.stop(Limit::Steps);
        }
        has_room
    }

    /// How many steps there are, with those that are not kept.
    pub(super) fn count(&self) -> usize {
        self.steps.len().saturating_add(self.passed_over)
    }

    /// Adds an event to the last step, or to the first one.
    pub(super) fn push_event(&mut self, about: Rc<ObjectKey>, event: Event) {
        self.add_bytes(size_of_event(&event));
        if self.only_counts || self.omits_normal_events && event.is_normal() {
            return;
        }
        let events = self.steps.last_mut().map_or(&mut self.early_events, |step| &mut step.events);
        // Hardly any step has more than one.
        events.reserve_exact(1);
        events.push((about, event));
    }

    /// Counts an object that is there at the start.
    pub(super) fn count_initial(&mut self, object: &Object) {
        self.add_bytes(size_of_object(object, None));
    }

    const fn add_bytes(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(super) fn stop(&mut self, limit: Limit) {
        self.met.get_or_insert(limit);
    }

    pub(super) const fn limit_met(&self) -> Option<Limit> {
        self.met
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.met.is_some()
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether steps come without details.
    pub(super) const fn omits_details(&self) -> bool {
        self.only_counts || self.omits_normal_events
    }

    /// Takes out the steps that nothing is added to: events are about the last one.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Step> {
        let done = self.steps.len().saturating_sub(1);
        self.passed_over = self.passed_over.saturating_add(done);
        self.steps.drain(..done)
    }

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// Why the timeline ends where it does.
    pub(super) fn end(&self, limits: &Limits) -> End {
        let (reason, message) = match self.met {
            None => (EndReason::Quiet, String::from("Nothing more happens.")),
            Some(Limit::Time) => (EndReason::Time, format!("More would happen after {} (limits.time).", limits.time)),
            Some(Limit::Steps) => {
                (EndReason::Steps, format!("More would happen after {} steps (limits.steps).", limits.steps))
            }
            Some(Limit::Pods) => (EndReason::Pods, too_many_pods(limits.pods)),
            Some(Limit::Bytes) => {
                (EndReason::Bytes, format!("The timeline would take more than {} bytes (limits.bytes).", limits.bytes))
            }
        };
        End { reason, message }
    }
}

/// The message where limits.pods is met.
pub(super) fn too_many_pods(max: u32) -> String {
    format!("More than {max} pods at once are not simulated (limits.pods).")
}
