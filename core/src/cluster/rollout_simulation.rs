//! A cluster of one Deployment, driven by typed objects: what the policy's forecast needs, without the texts of a scenario and
//! the API server's rules. Its pods are played in groups: nothing tells those of a ReplicaSet apart but their age.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::controllers::{Queue, Seen};
use super::event_queue::{EventQueue, SimEvent};
use super::kinds;
use super::kinds::deployment::{self, DeploymentController};
use super::kinds::replica_set::{self, ReplicaSetController};
use super::kubelet::MINIMUM_GRACE_PERIOD;
use super::kubelet::timing::Stage;
use super::pod_groups::{PodGroup, PodGroups, PodId, PodStage, PodTotals, Progress, StartAges};
use super::recorder::{Limit, Recorder};
use super::seen_pods::PodSource;
use super::state::{Cluster, Environment};
use super::step::{Actor, Step};
use super::store::{Id, Store};
use super::sync_log::WriteAnswer;
use super::workload::Workload;
use crate::Problem;
use crate::cluster::decision::{Decision, ObjectLimits, UserDecision};
use crate::controller::replica_set::{PodCounts, Pods};
use crate::controller::{self, ApiError, DeletionPropagation, Write};
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::{Deployment, Kind, Object, ObjectKey, Pod, ReplicaSet, Time};
use crate::scenario::{Duration, Limits, Mode, Scenario, Timing};

/// How many seconds before the start the Deployment is created, beside its minReadySeconds; how many later it is at rest; and
/// how many after the start it is changed: as `steady_state` has it.
const CREATED_BEFORE: i64 = 3600;
const AT_REST_AFTER: i64 = 1800;
const CHANGED: i64 = 5;

/// A sync takes about as long as this many changes of pods.
const STEPS_OF_SYNC: usize = 4;

/// Without jitter, all pods of a ReplicaSet are equally fast.
pub(super) const ANY_POD: Id = Id(usize::MAX);

/// A Deployment that had come to rest and is changed.
pub(crate) struct RolloutSimulation {
    pub(crate) before: Deployment,
    pub(crate) after: Deployment,
    /// How fast pods start and end.
    pub(crate) kubelet: Vec<Timing>,
    pub(crate) gates: FeatureGates,
    pub(crate) mode: Mode,
    /// How many steps there may be in all.
    pub(crate) max_steps: u32,
}

/// What comes of it.
pub(crate) struct SimulatedRollout {
    /// When the Deployment was changed.
    pub(crate) changed: Time,
    /// The pods then, and after each of their changes.
    pub(crate) pods: Vec<PodTotals>,
    /// The steps of the controllers since then.
    pub(crate) steps: Vec<Step>,
    /// How many steps it took, with those of pods.
    #[cfg_attr(not(test), expect(dead_code, reason = "only its limit counts"))]
    pub(crate) step_count: usize,
    /// Whether a ReplicaSet had to choose between pods that are not alike, so that chance may have a part in it.
    pub(crate) has_ranked: bool,
}

impl RolloutSimulation {
    /// Lets the Deployment come to rest and changes it, as a timeline of `steady_state` does; a test compares them.
    ///
    /// Gives none where there are too many steps.
    pub(crate) fn simulate(self) -> Option<SimulatedRollout> {
        let limits = |steps| Limits { steps, time: Duration(i64::MAX), ..Limits::default() };
        let scenario = Scenario { limits: limits(self.max_steps), ..Scenario::default() };
        let start = scenario.start;
        let mut cluster = Cluster::new(scenario, Gates::both(self.gates), &GroupedPods(InOneEvent));
        cluster.keeps_notes = false;
        cluster.pod_groups.borrow_mut().are_settled = true;
        // At the start, its pods are available, and for the minReadySeconds of the change, too.
        let min_ready = self.before.spec.min_ready_seconds.max(self.after.spec.min_ready_seconds);
        let created = start.plus_seconds(CREATED_BEFORE.saturating_add(min_ready.into()).saturating_neg());
        cluster.now = created;
        cluster.apply_write(Write::Create(self.before.into()));
        cluster.run_within_limits(created.plus_seconds(AT_REST_AFTER))?;

        // The timeline begins here, and its controllers remember nothing of before.
        let taken = u32::try_from(cluster.recorder.count()).unwrap_or(u32::MAX);
        let limits = limits(self.max_steps.saturating_sub(taken));
        cluster.recorder = Recorder::new(&limits);
        let mode = Some(self.mode);
        cluster.scenario =
            Rc::new(Scenario { limits: limits.clone(), kubelet: self.kubelet, mode, ..Scenario::default() });
        cluster.pod_groups.borrow_mut().are_settled = false;
        cluster.events = EventQueue::default();
        cluster.now = start;
        cluster.restart_controllers();
        let changed = start.plus_seconds(CHANGED);
        cluster.run_within_limits(changed)?;

        cluster.now = changed;
        cluster.recorder = Recorder::new(&limits);
        cluster.pod_groups.borrow_mut().observe(self.after.spec.min_ready_seconds, changed);
        cluster.apply_write(Write::Update(self.after.into()));
        cluster.run_within_limits(Time(i64::MAX))?;
        let groups = cluster.pod_groups.take();
        let (has_ranked, pods) = (groups.has_ranked, groups.into_totals());
        let step_count = cluster.recorder.count();
        Some(SimulatedRollout { changed, pods, steps: cluster.recorder.into_steps(), step_count, has_ranked })
    }
}

/// Pods that are played in groups, all on a node that stays. How they start is a type, so that the policy has the code of only
/// one way.
pub(super) struct GroupedPods<S>(pub(super) S);

/// How the start of a pod is played.
pub(super) trait PodStart {
    /// A pod has been created.
    fn begin(&self, cluster: &mut Cluster, id: PodId);

    /// A pod has come to the end of this stage.
    fn end_stage(&self, cluster: &mut Cluster, id: PodId, stage: PodStage);

    /// A controller has written an object that is no pod.
    fn written(&self, _: &Cluster) {}
}

/// The controllers learn only that a pod is ready: they count nothing before.
struct InOneEvent;

impl PodStart for InOneEvent {
    fn begin(&self, cluster: &mut Cluster, id: PodId) {
        let is_settled = cluster.pod_groups.borrow().are_settled;
        if !is_settled && let Some(age) = cluster.start_ages(id.group).and_then(|ages| ages.ready) {
            cluster.plan(age, SimEvent::EndPodStage(id, PodStage::Starting));
        }
    }

    fn end_stage(&self, cluster: &mut Cluster, id: PodId, stage: PodStage) {
        cluster.end_pod_stage(id, stage);
    }
}

impl<S: PodStart> Environment for GroupedPods<S> {
    fn handle(&self, cluster: &mut Cluster, event: SimEvent) -> Result<(), Problem> {
        cluster.pod_groups.borrow_mut().now = cluster.now;
        match event {
            SimEvent::EndPodStage(id, stage) => {
                // The pod may have been deleted since that was planned.
                let is_there = cluster.pod_groups.borrow().stage(id) == Some(stage);
                if is_there {
                    self.0.end_stage(cluster, id, stage);
                }
            }
            SimEvent::WatchPod { group, is_gone } => cluster.enqueue_watchers_of_pod(group, is_gone),
            SimEvent::Sync(queue, key) => cluster.enqueue_planned(queue, key),
            SimEvent::ResumeSync(queue, key) => cluster.resume_sync(queue, &key),
            SimEvent::Watch(actor, change) => cluster.deliver(actor, &change),
            SimEvent::EventSent(controller) => cluster.send_next_event(controller),
            // Nothing else is planned here.
            _ => {}
        }
        Ok(())
    }

    fn workloads(&self) -> &'static [&'static dyn Workload] {
        kinds::OF_ROLLOUTS
    }

    fn pod_source(&self, _: &Rc<RefCell<Store>>, groups: &Rc<RefCell<PodGroups>>) -> Rc<dyn PodSource> {
        Rc::new(SeenGroups(groups.clone()))
    }

    fn run_sync(&self, cluster: &mut Cluster, queue: &'static Queue, key: &ObjectKey, seen: Box<dyn Seen>) {
        cluster.recorder.pass_over(STEPS_OF_SYNC);
        cluster.begin_sync(queue, key, seen);
    }

    fn write(
        &self,
        cluster: &mut Cluster,
        actor: Actor,
        about: &Rc<ObjectKey>,
        write: Write,
        decision: controller::Decision,
    ) -> WriteAnswer {
        match write {
            Write::Create(Object::Pod(pod)) => {
                let id = cluster.create_grouped_pod(about, &pod);
                self.0.begin(cluster, id);
                Ok(Some(Object::Pod(pod)))
            }
            Write::Delete { key, .. } if key.kind == Kind::Pod => {
                cluster.delete_grouped_pod(about, &key);
                Ok(None)
            }
            write => {
                let answer = cluster.write(actor, about, write, decision);
                self.0.written(cluster);
                answer
            }
        }
    }

    fn may_refuse_pods(&self) -> bool {
        false
    }

    fn complete(&self, _: &mut Cluster, object: Object, _: &str) -> Result<Object, ApiError> {
        Ok(object)
    }

    fn admit(&self, _: &mut Cluster, _: Actor, _: &ObjectKey, _: &Object) -> Result<(), ApiError> {
        Ok(())
    }

    /// ReplicaSets are deleted in the background.
    fn delete_owner(&self, _: &mut Cluster, _: Actor, _: &ObjectKey, _: &Object, _: DeletionPropagation, _: Decision) {}

    // No pod is an object of the store.

    fn pod_added(&self, _: &mut Cluster, _: Id, _: &Pod) {}

    fn pod_terminates(&self, _: &mut Cluster, _: Id, _: &Pod, _: i64) {}

    fn pod_ended(&self, _: &mut Cluster, _: &Pod) {}

    fn after_round(&self, _: &mut Cluster) {}

    fn after_event(&self, _: &mut Cluster) {}
}

/// The pods of the groups, as the controllers see them.
struct SeenGroups(Rc<RefCell<PodGroups>>);

impl SeenGroups {
    /// Something of the group of a ReplicaSet; none if that has created no pods.
    fn of<T>(&self, replica_set: &ReplicaSet, get: impl FnOnce(&mut PodGroup, Time) -> T) -> Option<T> {
        let mut groups = self.0.borrow_mut();
        let (group, now) = (groups.find(&replica_set.key())?, groups.now);
        groups.get_mut(group).map(|group| get(group, now))
    }
}

impl PodSource for SeenGroups {
    fn not_ended(&self, replica_set: &ReplicaSet) -> i32 {
        self.of(replica_set, |group, _| group.holding()).unwrap_or_default()
    }
}

impl Pods for SeenGroups {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        self.of(replica_set, |group, _| group.counts(replica_set.spec.min_ready_seconds, now)).unwrap_or_default()
    }

    fn unclaimed(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        Vec::new()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let pods = self.of(replica_set, |group, now| group.active_pods(usize::MAX, now)).unwrap_or_default();
        self.0.borrow_mut().count_ranked(pods.len());
        pods
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        self.of(replica_set, |group, now| group.first_alike(count, now))?
    }

    /// On one node, all have as many pods beside them.
    fn related(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        Vec::new()
    }
}

impl Cluster {
    fn create_grouped_pod(&mut self, owner: &Rc<ObjectKey>, pod: &Rc<Pod>) -> PodId {
        let created = self.created_at(owner);
        let is_old = created.is_some_and(|created| created < self.scenario.start);
        let mut groups = self.pod_groups.borrow_mut();
        let id = groups.add(owner, is_old, pod, self.now);
        drop(groups);
        self.pod_changed(id, false);
        id
    }

    /// At which age the pods of a group pass their first stages: the same for all.
    fn start_ages(&self, group: usize) -> Option<StartAges> {
        let (model, known) = self.pod_groups.borrow().get(group).map(|group| (group.model.clone(), group.ages))?;
        if known.is_some() {
            return known;
        }
        let after = |age: Option<i64>, stage| Some(age?.saturating_add(self.stage_time(ANY_POD, &model, stage)?));
        let bound = after(Some(0), Stage::Schedule);
        let running = after(bound, Stage::Start);
        let ages = StartAges { bound, running, ready: after(running, Stage::Ready) };
        self.pod_groups.borrow_mut().get_mut(group)?.ages = Some(ages);
        Some(ages)
    }

    /// A pod is ready, or gone.
    pub(super) fn end_pod_stage(&mut self, id: PodId, stage: PodStage) {
        let mut groups = self.pod_groups.borrow_mut();
        let is_gone = stage == PodStage::Terminating;
        if is_gone {
            groups.set_stage(id, PodStage::Gone);
        } else {
            groups.set_ready(id, self.now);
        }
        drop(groups);
        self.pod_changed(id, is_gone);
    }

    /// A pod is deleted: it is gone, or has until the end of its grace period.
    fn delete_grouped_pod(&mut self, owner: &ObjectKey, key: &ObjectKey) {
        let groups = self.pod_groups.borrow();
        let Some(id) = groups.find(owner).and_then(|group| PodId::of(group, key)) else { return };
        let Some((progress, group)) = groups.progress(id).zip(groups.get(id.group)) else { return };
        let model = group.model.clone();
        drop(groups);
        let grace = match model.spec.fields.termination_grace_period_seconds.unwrap_or(30) {
            _ if progress == Progress::Unscheduled => 0,
            ..0 => 1,
            grace => grace,
        };
        let next = if grace == 0 { PodStage::Gone } else { PodStage::Terminating };
        if next == PodStage::Terminating {
            let grace = grace.max(MINIMUM_GRACE_PERIOD).saturating_mul(Time::SECOND);
            let is_running = matches!(progress, Progress::Running | Progress::Ready(_));
            let after = if is_running { self.time_to_stop(ANY_POD, &model, grace).0 } else { 0 };
            self.plan(after, SimEvent::EndPodStage(id, next));
        }
        self.pod_groups.borrow_mut().set_stage(id, next);
        self.pod_changed(id, next == PodStage::Gone);
    }

    /// A pod has changed: a step that is not kept.
    fn pod_changed(&mut self, id: PodId, is_gone: bool) {
        let ranked = self.pod_groups.borrow_mut().count_change(self.now);
        self.recorder.pass_over(ranked.saturating_add(1));
        self.inform_watchers_of_pod(id, is_gone);
    }

    pub(super) fn inform_watchers_of_pod(&mut self, id: PodId, is_gone: bool) {
        match self.watch_delay() {
            0 => self.enqueue_watchers_of_pod(id.group, is_gone),
            delay => self.plan(delay, SimEvent::WatchPod { group: id.group, is_gone }),
        }
    }

    fn enqueue_watchers_of_pod(&mut self, group: usize, is_gone: bool) {
        let owner = self.pod_groups.borrow().get(group).map(|group| group.owner.clone());
        let Some(owner) = owner else { return };
        replica_set::update_pod(&mut self.desk(&ReplicaSetController), (*owner).clone());
        if is_gone {
            deployment::delete_pod(&mut self.desk(&DeploymentController), &owner);
        }
    }

    fn apply_write(&mut self, write: Write) {
        let key = Rc::new(write.key());
        let decision = UserDecision::Apply { object: (*key).clone(), limits: ObjectLimits::Absent };
        // It creates the only Deployment, or changes it: nothing can be refused.
        let _ = self.write(Actor::User, &key, write, decision);
    }

    /// Lets everything happen up to a time; none where a limit of steps or pods is met.
    pub(super) fn run_within_limits(&mut self, until: Time) -> Option<()> {
        self.settle();
        self.run_until(until).ok()?;
        matches!(self.recorder.limit_met(), None | Some(Limit::Time)).then_some(())
    }
}
