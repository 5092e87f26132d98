//! A scenario is simulated, to its end or up to a time.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::client_throttling::ClientThrottling;
use super::environment::FullEnvironment;
use super::event_queue::SimEvent;
use super::node_state::NodeState;
use super::recorder::Limit;
use super::state::Cluster;
use super::step::{End, Step};
use crate::Problem;
use crate::feature_gates::Gates;
use crate::object::{Object, Time};
use crate::scenario::Scenario;

/// A scenario that is being simulated.
pub struct Simulation {
    cluster: Cluster,
    initial: Vec<Object>,
}

/// What comes of a simulation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was simulated.
    pub scenario: Rc<Scenario>,
    /// The objects at the start: Deployments, ReplicaSets, Pods, each by namespace and name.
    pub initial: Vec<Object>,
    /// The steps in between.
    pub steps: Vec<Step>,
    /// Why there are no more.
    pub end: End,
}

impl Simulation {
    /// Puts the initial objects into the cluster, and lets the controllers sync them.
    ///
    /// # Errors
    /// The first problem of the scenario's objects or gates, with its path.
    pub fn start(scenario: Scenario) -> Result<Self, Problem> {
        let mut simulation = Self { cluster: Cluster::of(scenario)?, initial: Vec::new() };
        simulation.initial = simulation.objects();
        simulation.cluster.restart_controllers();
        simulation.cluster.settle();
        Ok(simulation)
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.cluster.scenario
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        self.cluster.recorder.steps()
    }

    /// Lets everything happen that is planned up to that time.
    ///
    /// # Errors
    /// The first problem of the scenario's actions, with its path.
    pub fn run_until(&mut self, time: Time) -> Result<(), Problem> {
        self.cluster.run_until(time)
    }

    /// Lets everything else happen. A limit that is met is no error: the outcome's [`End`] says so.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    pub fn finish(mut self) -> Result<Outcome, Problem> {
        self.run_until(Time(i64::MAX))?;
        let (end, Self { cluster, initial }) = (self.end(), self);
        Ok(Outcome { scenario: cluster.scenario, initial, steps: cluster.recorder.into_steps(), end })
    }

    /// The objects as they are now: Deployments, ReplicaSets, Pods, each by namespace and name.
    pub fn objects(&self) -> Vec<Object> {
        self.cluster.store.borrow().objects().cloned().collect()
    }

    /// Why nothing more happens, if everything has happened.
    pub(super) fn end(&self) -> End {
        self.cluster.recorder.end(&self.cluster.scenario.limits)
    }
}

impl Cluster {
    /// The cluster at the start of a scenario.
    fn of(scenario: Scenario) -> Result<Self, Problem> {
        let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(Problem::first)?;
        let mut cluster = Self::new(scenario, gates, &FullEnvironment);
        cluster.nodes = NodeState::all(&cluster.scenario)?;
        cluster.validate_autoscaler()?;
        cluster.scenario.controller_manager.map_or(Ok(()), ClientThrottling::validate)?;
        cluster.place_initial_objects()?;
        cluster.attach_initial_volumes();
        for (index, action) in cluster.scenario.actions.iter().enumerate() {
            cluster.events.push(cluster.now.plus(action.at.0), SimEvent::UserAction(index));
        }
        Ok(cluster)
    }

    /// Lets everything happen that is planned up to that time, until nothing is left or a limit is met.
    pub(super) fn run_until(&mut self, until: Time) -> Result<(), Problem> {
        let last = self.scenario.start.plus(self.scenario.limits.time.0);
        while !self.recorder.is_stopped() {
            let Some(next) = self.events.next_time().filter(|next| *next <= until) else { return Ok(()) };
            if next > last {
                self.recorder.stop(Limit::Time);
                return Ok(());
            }
            let Some((time, event)) = self.events.pop() else { return Ok(()) };
            self.now = time;
            self.environment.handle(self, event)?;
            self.settle();
        }
        Ok(())
    }

    /// Runs the controllers until they come to rest, and then the environment's part after an event.
    pub(super) fn settle(&mut self) {
        self.run_controllers();
        self.environment.after_event(self);
    }
}
