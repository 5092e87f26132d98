//! The requests that change the objects, as `kubectl apply` sends them: all together, or a given number of rollouts at a time.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::{self, Vec};

use crate::Problem;
use crate::cluster::Simulation;
use crate::collect_tree::CollectTree;
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::{Kind, ObjectKey};
use crate::scenario::{Action, Duration, Scenario, TimedAction};
use crate::timeline::Timeline;
use crate::workload::deployment::controller::{complete_rule, deployment_complete};
use crate::workload::job::controller::is_job_succeeded;

/// A request that changes an object, and the Deployment whose rollout it starts.
#[derive(Clone, Debug)]
pub(super) struct ApplyRequest {
    pub(super) action: Action,
    pub(super) deployment: Option<ObjectKey>,
    /// The Jobs that Helm or Argo CD completes before it sends the request.
    pub(super) hooks: Rc<[ObjectKey]>,
}

impl ApplyRequest {
    /// A request that waits for no hook.
    pub(super) fn new(action: Action, deployment: Option<ObjectKey>) -> Self {
        Self { action, deployment, hooks: Rc::default() }
    }

    /// The object that it applies, if it has a name.
    pub(super) fn applied(&self) -> Option<ObjectKey> {
        let Action::Apply(object) = &self.action else { return None };
        Some(ObjectKey::of_manifest(Kind::of(object)?, object))
    }
}

/// A scenario that is simulated with requests at its start. With `concurrent`, at most this many rollouts run at a time: the next one
/// starts when one of them is complete, as in a script that waits for `kubectl rollout status`.
pub(super) struct ApplyRun {
    pub(super) simulation: Simulation,
    /// The requests that wait for hooks.
    held: Vec<ApplyRequest>,
    /// The requests that wait for a rollout.
    later: vec::IntoIter<ApplyRequest>,
    running: Vec<ObjectKey>,
    gates: FeatureGates,
}

impl ApplyRun {
    /// Sends the requests that wait for no rollout.
    ///
    /// # Errors
    /// The first problem of the scenario.
    pub(super) fn start(
        mut scenario: Scenario,
        requests: Vec<ApplyRequest>,
        concurrent: Option<usize>,
    ) -> Result<Self, Problem> {
        let limit = concurrent.unwrap_or(usize::MAX);
        let mut count = 0_usize;
        // A request that starts no rollout does not wait.
        let (now, later): (Vec<ApplyRequest>, Vec<ApplyRequest>) = requests.into_iter().partition(|request| {
            count = count.saturating_add(usize::from(request.deployment.is_some()));
            request.deployment.is_none() || count <= limit
        });
        let running = now.iter().filter_map(|request| request.deployment.clone()).collect();
        let (now, held): (Vec<_>, Vec<_>) = now.into_iter().partition(|request| request.hooks.is_empty());
        scenario.actions.extend(now.into_iter().map(|request| TimedAction { at: Duration(0), action: request.action }));
        let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(Problem::all)?.controller_manager;
        let mut simulation = Simulation::start(scenario)?;
        simulation.omit_details();
        Ok(Self { simulation, held, later: later.into_iter(), running, gates })
    }

    /// Lets everything happen that is planned for the next instant; false if nothing is.
    ///
    /// # Errors
    /// The first problem of the requests.
    pub(super) fn next_instant(&mut self) -> Result<bool, Problem> {
        if !self.simulation.run_next_instant()? {
            return Ok(false);
        }
        if !self.held.is_empty() {
            self.send_held();
            return Ok(true);
        }
        if self.later.as_slice().is_empty() {
            return Ok(true);
        }
        let Self { simulation, running, gates, .. } = self;
        let before = running.len();
        running.retain(|key| {
            simulation.deployment(key).is_none_or(|deployment| {
                let complete_rule = complete_rule(&deployment, *gates);
                !deployment_complete(&deployment, &deployment.status, complete_rule)
            })
        });
        for request in self.later.by_ref().take(before.saturating_sub(self.running.len())) {
            self.simulation.add_action(request.action);
            self.running.extend(request.deployment);
        }
        Ok(true)
    }

    /// Sends the requests whose hooks are complete.
    fn send_held(&mut self) {
        let simulation = &mut self.simulation;
        let is_done = |hook: &ObjectKey| simulation.job(hook).is_none_or(|job| is_job_succeeded(&job));
        let (ready, held): (Vec<_>, Vec<_>) =
            core::mem::take(&mut self.held).into_iter().partition(|request| request.hooks.iter().all(is_done));
        self.held = held;
        ready.into_iter().for_each(|request| simulation.add_action(request.action));
    }

    /// What the requests apply that are not sent yet.
    pub(super) fn waiting(&self) -> BTreeSet<ObjectKey> {
        self.held.iter().chain(self.later.as_slice()).filter_map(ApplyRequest::applied).collect_tree()
    }

    /// The timeline up to the end.
    ///
    /// # Errors
    /// As [`ApplyRun::next_instant`].
    pub(super) fn into_timeline(mut self) -> Result<Timeline, Problem> {
        while self.next_instant()? {}
        Ok(Timeline::of(self.simulation.finish()?))
    }
}
