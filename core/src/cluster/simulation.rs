//! A scenario is simulated, to its end or up to a time.

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::client_throttling::ClientThrottling;
use super::environment::FullEnvironment;
use super::event_queue::SimEvent;
use super::node_state::NodeState;
use super::recorder::Limit;
#[cfg(feature = "explain")]
use super::standstill::Standstill;
use super::state::Cluster;
#[cfg(feature = "explain")]
use super::step::EndReason;
use super::step::{End, Step};
use super::timing_index::TimingIndex;
use crate::Problem;
use crate::feature_gates::Gates;
use crate::object::{Object, ObjectKey, Time};
use crate::scenario::{Action, Duration, Scenario, TimedAction};

/// A scenario that is being simulated.
pub struct Simulation {
    cluster: Cluster,
    initial: Vec<Object>,
}

/// A scenario, and what happens in it.
#[derive(Clone, Debug)]
pub struct PlayedScenario {
    /// What was simulated.
    pub scenario: Rc<Scenario>,
    /// The objects at the start, in the order of their kinds, each kind by namespace and name.
    pub initial: Vec<Object>,
    /// The steps in between.
    pub steps: Vec<Step>,
    /// Why there are no more.
    pub end: End,
}

impl Simulation {
    /// Lets the objects come to rest faster, where that changes nothing of the pods that they have then.
    pub(super) const fn hurry(&mut self) {
        self.cluster.hurries = true;
    }

    /// Schedules pods although they have scheduling gates.
    pub(super) const fn ignore_scheduling_gates(&mut self) {
        self.cluster.scheduling.ignores_gates = true;
    }

    /// Puts the initial objects into the cluster, and lets the controllers sync them.
    ///
    /// # Errors
    /// The first problem of the scenario's objects or gates, with its path.
    pub fn start(scenario: Scenario) -> Result<Self, Problem> {
        Ok(Self::of(Cluster::of(scenario)?))
    }

    /// The same, where only the objects and the end matter: steps are counted, and not kept.
    ///
    /// # Errors
    /// As [`Simulation::start`].
    pub(super) fn start_without_steps(scenario: Scenario) -> Result<Self, Problem> {
        let mut cluster = Cluster::of(scenario)?;
        cluster.recorder.only_counts = true;
        Ok(Self::of(cluster))
    }

    fn of(cluster: Cluster) -> Self {
        let mut simulation = Self { cluster, initial: Vec::new() };
        simulation.initial = simulation.objects();
        simulation.cluster.restart_controllers();
        simulation.cluster.notice_nodes_lost_at_start();
        simulation.cluster.settle();
        simulation
    }

    /// From now on, choices of pods come without their ranking, and steps without events that warn of nothing: only numbers matter.
    pub(crate) fn omit_details(&mut self) {
        self.cluster.store.borrow_mut().omits_rankings = true;
        self.cluster.recorder.omits_normal_events = true;
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.cluster.scenario
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        self.cluster.recorder.steps()
    }

    /// The objects at the start.
    pub(crate) fn initial(&self) -> &[Object] {
        &self.initial
    }

    /// Takes out the steps so far, except the last one: the next events may be about it.
    pub(crate) fn drain_steps(&mut self) -> impl Iterator<Item = Step> {
        self.cluster.recorder.drain()
    }

    /// Lets everything happen that is planned up to that time.
    ///
    /// # Errors
    /// The first problem of the scenario's actions, with its path.
    pub fn run_until(&mut self, time: Time) -> Result<(), Problem> {
        self.cluster.run_until(time)
    }

    /// Lets everything happen that is planned for the next instant; false if nothing is.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    pub(crate) fn run_next_instant(&mut self) -> Result<bool, Problem> {
        let Some(next) = self.cluster.events.next_time().filter(|_| !self.cluster.recorder.is_stopped()) else {
            return Ok(false);
        };
        self.run_until(next)?;
        Ok(true)
    }

    /// Adds an action, at the first instant from now on.
    pub(crate) fn add_action(&mut self, action: Action) {
        let cluster = &mut self.cluster;
        let time = cluster.now.plus(1);
        let scenario = Rc::make_mut(&mut cluster.scenario);
        let at = Duration(time.since(scenario.start));
        cluster.events.push(time, SimEvent::UserAction(scenario.actions.len()));
        scenario.actions.push(TimedAction { at, action });
    }

    /// The object as it is now.
    pub(crate) fn object(&self, key: &ObjectKey) -> Option<Object> {
        self.cluster.find(key)
    }

    /// Carries out actions at this instant, whatever their time, to see what is wrong with them.
    ///
    /// # Errors
    /// As [`Simulation::run_until`], at `actions`.
    pub(super) fn try_actions(&mut self, actions: &[TimedAction]) -> Result<(), Problem> {
        Rc::make_mut(&mut self.cluster.scenario).actions = actions.to_vec();
        (0..actions.len()).try_for_each(|index| self.cluster.carry_out_action(index))
    }

    /// Lets everything else happen. A limit that is met is no error: the outcome's [`End`] says so.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    pub fn finish(mut self) -> Result<PlayedScenario, Problem> {
        self.run_until(Time(i64::MAX))?;
        let (end, Self { cluster, initial }) = (self.end(), self);
        Ok(PlayedScenario { scenario: cluster.scenario, initial, steps: cluster.recorder.into_steps(), end })
    }

    /// Lets everything else happen, and returns the cluster as it is then. None if there were too many steps, pods or bytes: then
    /// it does not stand still.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    #[cfg(feature = "explain")]
    pub(crate) fn into_standstill(mut self) -> Result<Option<Standstill>, Problem> {
        self.run_until(Time(i64::MAX))?;
        let stands_still = matches!(self.end().reason, EndReason::Quiet | EndReason::Time);
        Ok(stands_still.then(|| Standstill::of(&self.cluster)))
    }

    /// The objects as they are now, in the order of their kinds, each kind by namespace and name.
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
    pub(super) fn of(scenario: Scenario) -> Result<Self, Problem> {
        let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(Problem::all)?;
        let mut cluster = Self::new(scenario, gates, &FullEnvironment);
        cluster.nodes = NodeState::all(&cluster.scenario)?.into();
        cluster.start_scheduling();
        #[cfg(feature = "sets")]
        cluster.watch_nodes();
        cluster.validate_autoscaler()?;
        for (index, timing) in cluster.scenario.kubelet.iter().enumerate() {
            timing.validate(&format!("kubelet[{index}]"))?;
        }
        cluster.timing_index = TimingIndex::of(&cluster.scenario.kubelet);
        cluster.scenario.clients().map_or(Ok(()), ClientThrottling::validate)?;
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
            self.scenario.pause.take();
        }
        Ok(())
    }

    /// Runs the controllers until they come to rest, and then the environment's part after an event.
    pub(super) fn settle(&mut self) {
        self.run_controllers();
        self.environment.after_event(self);
    }
}
