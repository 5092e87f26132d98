//! A scenario is played, to its end or up to a time.

use alloc::rc::Rc;

use super::Cluster;
use crate::Problem;
use crate::object::Time;
use crate::scenario::{Action, Duration, Scenario, TimedAction};
use crate::timeline::{State, Step, Timeline};

/// A scenario that is being played.
pub struct Play {
    cluster: Cluster,
    initial: Rc<State>,
}

impl Play {
    /// Puts what is there at the start into the cluster, and lets the controllers look at it.
    ///
    /// # Errors
    /// What is wrong with the scenario's objects or gates, with its path.
    pub fn start(scenario: Scenario) -> Result<Self, Problem> {
        let mut cluster = Cluster::new(scenario)?;
        let initial = Rc::new(cluster.store.borrow().state());
        cluster.wake_all();
        cluster.settle();
        (cluster.around.look)(&mut cluster);
        Ok(Self { cluster, initial })
    }

    /// What is played.
    pub fn scenario(&self) -> &Scenario {
        &self.cluster.scenario
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        &self.cluster.steps
    }

    /// Lets everything happen that is planned up to that time.
    ///
    /// # Errors
    /// What is wrong with one of the scenario's actions, with its path.
    pub fn until(&mut self, time: Time) -> Result<(), Problem> {
        self.cluster.play(time)
    }

    /// Lets everything else happen.
    ///
    /// # Errors
    /// As [`Play::until`].
    pub fn finish(mut self) -> Result<Timeline, Problem> {
        self.until(Time(i64::MAX))?;
        let end = self.cluster.end();
        Ok(Timeline { scenario: self.cluster.scenario, initial: self.initial, steps: self.cluster.steps, end })
    }
}

impl Timeline {
    /// Plays a scenario.
    ///
    /// # Errors
    /// What is wrong with the scenario's objects, gates or actions, with its path. A limit that is met is no error: the
    /// timeline's [`End`] says so.
    pub fn run(scenario: Scenario) -> Result<Self, Problem> {
        Play::start(scenario)?.finish()
    }

    /// The scenario with one more action, at the first instant after that frame: its timeline shares every step up to
    /// the end of the frame's own instant.
    ///
    /// # Errors
    /// As [`Timeline::run`].
    pub fn fork(&self, frame: usize, action: Action) -> Result<Self, Problem> {
        let mut scenario = (*self.scenario).clone();
        let at = self.time_at(frame).since(scenario.start).saturating_add(1);
        let index = scenario.actions.partition_point(|other| other.at.0 <= at);
        scenario.actions.insert(index, TimedAction { at: Duration(at), action });
        Self::run(scenario)
    }
}
