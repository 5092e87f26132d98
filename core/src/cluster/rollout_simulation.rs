//! A cluster of one Deployment, driven by typed objects: what the policy's forecast needs, without the texts of a scenario and
//! the API server's rules.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::event_queue::{EventQueue, SimEvent};
use super::kubelet::timing::Stage;
use super::node_state::NODE;
use super::recorder::{Limit, Recorder};
use super::seen_objects::{Seen, see};
use super::state::{Cluster, Environment};
use super::step::{Actor, Change, Step};
use super::store::Id;
use crate::Problem;
use crate::cluster::decision::{Decision, UserAction, UserDecision};
use crate::controller::{ApiError, DeletionPropagation, Write};
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::{Deployment, Kind, Object, ObjectKey, Pod, Time};
use crate::scenario::{Duration, Limits, Scenario, Timing};

/// When the Deployment is created, until when it comes to rest, and when it is changed, in seconds from the start: as
/// `steady_state` has it.
const CREATED: i64 = -3600;
const AT_REST: i64 = CREATED + 1800;
const CHANGED: i64 = 5;

/// What comes of a change of a Deployment that had come to rest.
pub(crate) struct SimulatedRollout {
    /// When the Deployment was changed.
    pub(crate) changed: Time,
    /// Its pods at rest.
    pub(crate) pods: Vec<Rc<Pod>>,
    /// The steps since then.
    pub(crate) steps: Vec<Step>,
}

/// Lets a Deployment come to rest and changes it, as a timeline of `steady_state` does; a test compares them. There may be
/// `max_steps` steps in all.
///
/// Gives none where these are not enough.
pub(crate) fn simulate_rollout(
    before: Deployment,
    after: Deployment,
    kubelet: Vec<Timing>,
    gates: FeatureGates,
    max_steps: u32,
) -> Option<SimulatedRollout> {
    let limits = Limits { steps: max_steps, time: Duration(i64::MAX), ..Limits::default() };
    // At rest all pods are ready, however fast they are.
    let scenario = Scenario { limits: limits.clone(), ..Scenario::default() };
    let start = scenario.start;
    let mut cluster = Cluster::new(scenario, Gates::both(gates), &SingleDeployment);
    cluster.keeps_notes = false;
    cluster.now = start.plus_seconds(CREATED);
    cluster.apply_write(Write::Create(before.into()));
    cluster.run_within_limits(start.plus_seconds(AT_REST))?;

    // The timeline begins here, and its controllers remember nothing of before.
    let steps = max_steps.saturating_sub(u32::try_from(cluster.recorder.steps().len()).unwrap_or(u32::MAX));
    let limits = Limits { steps, ..limits };
    cluster.recorder = Recorder::new(&limits);
    cluster.scenario = Rc::new(Scenario { limits: limits.clone(), kubelet, ..Scenario::default() });
    cluster.events = EventQueue::default();
    cluster.now = start;
    cluster.restart_controllers();
    let changed = start.plus_seconds(CHANGED);
    cluster.run_within_limits(changed)?;

    let pods = cluster.pods_of(&after);
    cluster.now = changed;
    cluster.recorder = Recorder::new(&limits);
    cluster.apply_write(Write::Update(after.into()));
    cluster.run_within_limits(Time(i64::MAX))?;
    Some(SimulatedRollout { changed, pods, steps: cluster.recorder.into_steps() })
}

/// One Deployment on a node that stays.
struct SingleDeployment;

impl Environment for SingleDeployment {
    fn handle(&self, cluster: &mut Cluster, event: SimEvent) -> Result<(), Problem> {
        match event {
            SimEvent::Schedule(id) => cluster.bind(id, NODE),
            SimEvent::StartContainers(id) => cluster.start_pod(id),
            SimEvent::MarkPodReady(id) => cluster.mark_ready(id),
            SimEvent::RemovePod(id, end) => cluster.remove_stopped_pod(id, end),
            SimEvent::Sync(key) => cluster.enqueue_planned(key),
            // Nothing else is planned here.
            _ => {}
        }
        Ok(())
    }

    fn controllers_started(&self, _: &mut Cluster) {}

    fn see(&self, cluster: &mut Cluster, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        see(&cluster.store, &cluster.store, key)
    }

    fn run_sync(&self, cluster: &mut Cluster, key: &ObjectKey, seen: Box<dyn Seen>) {
        cluster.run_sync(key, &*seen);
    }

    fn object_changed(&self, _: &mut Cluster, _: &Change) {}

    fn complete(&self, _: &Cluster, object: Object, _: &str) -> Result<Object, ApiError> {
        Ok(object)
    }

    fn admit(&self, _: &mut Cluster, _: Actor, _: &ObjectKey, _: &Object) -> Result<(), ApiError> {
        Ok(())
    }

    /// ReplicaSets are deleted in the background.
    fn delete_owner(&self, _: &mut Cluster, _: Actor, _: &ObjectKey, _: &Object, _: DeletionPropagation, _: Decision) {}

    fn pod_added(&self, cluster: &mut Cluster, id: Id, pod: &Pod) {
        cluster.plan_stage(id, pod, Stage::Schedule, SimEvent::Schedule(id));
    }

    fn pod_terminates(&self, cluster: &mut Cluster, id: Id, pod: &Pod, grace_seconds: i64) {
        cluster.plan_termination(id, pod, grace_seconds);
    }

    fn pod_ended(&self, _: &mut Cluster, _: &Pod) {}

    fn after_round(&self, _: &mut Cluster) {}

    fn after_event(&self, _: &mut Cluster) {}
}

impl Cluster {
    fn apply_write(&mut self, write: Write) {
        let key = Rc::new(write.key());
        let decision = UserDecision { object: (*key).clone(), action: UserAction::Apply { limits: "".into() } };
        // It creates the only Deployment, or changes it: nothing can be refused.
        let _ = self.write(Actor::User, &key, write, decision);
    }

    /// Lets everything happen up to a time; none where a limit of steps or pods is met.
    fn run_within_limits(&mut self, until: Time) -> Option<()> {
        self.settle();
        self.run_until(until).ok()?;
        matches!(self.recorder.limit_met(), None | Some(Limit::Time)).then_some(())
    }

    fn pods_of(&self, deployment: &Deployment) -> Vec<Rc<Pod>> {
        let store = self.store.borrow();
        let pods = store.of_kind(Kind::Pod, &deployment.metadata.namespace);
        pods.filter_map(|object| match object {
            Object::Pod(pod) => Some(pod.clone()),
            _ => None,
        })
        .collect()
    }
}
