//! The requests that change the objects, as `kubectl apply` sends them: all together, or a given number of rollouts at a time.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::{self, Vec};

use crate::Problem;
use crate::cluster::Simulation;
use crate::collect_tree::CollectTree;
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::{Kind, Object, ObjectKey};
use crate::scenario::{Action, Duration, Scenario, TimedAction};
use crate::timeline::Timeline;
use crate::workload::daemon_set::figures as daemon_set;
use crate::workload::deployment::controller::{complete_rule, deployment_complete};
use crate::workload::job::controller::is_job_succeeded;
use crate::workload::stateful_set::figures as stateful_set;

/// A request that changes an object, and the Deployment whose rollout it starts.
#[derive(Clone, Debug)]
pub(super) struct ApplyRequest {
    pub(super) action: Action,
    pub(super) deployment: Option<ObjectKey>,
    /// What Helm or Argo CD waits for before it sends the request: the hooks that run first, and for one that runs last the rest.
    pub(super) awaited: Rc<[ObjectKey]>,
    /// Whether it creates a hook that runs last.
    pub(super) is_last: bool,
}

impl ApplyRequest {
    /// A request that waits for nothing.
    pub(super) fn new(action: Action, deployment: Option<ObjectKey>) -> Self {
        Self { action, deployment, awaited: Rc::default(), is_last: false }
    }

    /// The object that it applies, if it has a name.
    pub(super) fn applied(&self) -> Option<ObjectKey> {
        let Action::Apply(object) = &self.action else { return None };
        Some(ObjectKey::of_manifest(Kind::of(object)?, object))
    }
}

/// Whether what a tool waits for is there: a rollout is complete, a Job has succeeded.
fn is_healthy(object: &Object, gates: FeatureGates) -> bool {
    match object {
        Object::Deployment(deployment) => {
            deployment_complete(deployment, &deployment.status, complete_rule(deployment, gates))
        }
        Object::StatefulSet(set) => stateful_set::is_rolled_out(set),
        Object::DaemonSet(set) => daemon_set::is_rolled_out(set),
        Object::Job(job) => is_job_succeeded(job),
        _ => true,
    }
}

/// A scenario that is simulated with requests at its start. With `concurrent`, at most this many rollouts run at a time: the next one
/// starts when one of them is complete, as in a script that waits for `kubectl rollout status`.
pub(super) struct ApplyRun {
    pub(super) simulation: Simulation,
    /// The requests that wait for others.
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
        let (now, held): (Vec<_>, Vec<_>) = now.into_iter().partition(|request| request.awaited.is_empty());
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
        self.send_held();
        if self.held.iter().any(|request| !request.is_last) {
            return Ok(true);
        }
        if self.later.as_slice().is_empty() {
            return Ok(true);
        }
        let Self { simulation, running, gates, .. } = self;
        let before = running.len();
        running.retain(|key| simulation.object(key).is_none_or(|object| !is_healthy(&object, *gates)));
        for request in self.later.by_ref().take(before.saturating_sub(self.running.len())) {
            self.simulation.add_action(request.action);
            self.running.extend(request.deployment);
        }
        Ok(true)
    }

    /// Sends the requests that wait for nothing more.
    fn send_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let unsent = self.waiting();
        let Self { simulation, held, gates, .. } = self;
        let is_done = |awaited: &ObjectKey| {
            let object = || simulation.object(awaited);
            !unsent.contains(awaited) && object().is_none_or(|object| is_healthy(&object, *gates))
        };
        let (ready, waiting): (Vec<_>, Vec<_>) =
            core::mem::take(held).into_iter().partition(|request| request.awaited.iter().all(is_done));
        *held = waiting;
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
