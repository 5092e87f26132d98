//! A cluster of one Deployment, driven by typed objects: what the policy's forecast needs, without the texts of a scenario and
//! the API server's rules. Its pods are played in groups: nothing tells those of a ReplicaSet apart but their age.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::event_queue::{EventQueue, SimEvent};
use super::kubelet::MINIMUM_GRACE_PERIOD;
use super::kubelet::timing::Stage;
use super::pod_groups::{PodGroup, PodGroups, PodStage, PodTotals, id_of};
use super::recorder::{Limit, Recorder};
use super::seen_objects::{Seen, see};
use super::seen_pods::PodSource;
use super::state::{Cluster, Environment};
use super::step::{Actor, Change, Step};
use super::store::Id;
use super::sync_log::WriteAnswer;
use crate::Problem;
use crate::cluster::decision::{Decision, UserAction, UserDecision};
use crate::controller::replica_set::{PodCounts, Pods};
use crate::controller::{self, ApiError, DeletionPropagation, Write};
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::{Deployment, Kind, Object, ObjectKey, Pod, ReplicaSet, Time};
use crate::scenario::{Duration, Limits, Mode, Scenario, Timing};

/// When the Deployment is created, until when it comes to rest, and when it is changed, in seconds from the start: as
/// `steady_state` has it.
const CREATED: i64 = -3600;
const AT_REST: i64 = CREATED + 1800;
const CHANGED: i64 = 5;

/// A Deployment that had come to rest and is changed.
pub(crate) struct Rollout {
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
}

impl Rollout {
    /// Lets the Deployment come to rest and changes it, as a timeline of `steady_state` does; a test compares them.
    ///
    /// Gives none where there are too many steps.
    pub(crate) fn simulate(self) -> Option<SimulatedRollout> {
        let limits = |steps| Limits { steps, time: Duration(i64::MAX), ..Limits::default() };
        let scenario = Scenario { limits: limits(self.max_steps), ..Scenario::default() };
        let start = scenario.start;
        let mut cluster = Cluster::new(scenario, Gates::both(self.gates), &GroupedPods);
        cluster.keeps_notes = false;
        cluster.pod_groups.borrow_mut().are_settled = true;
        cluster.now = start.plus_seconds(CREATED);
        cluster.apply_write(Write::Create(self.before.into()));
        cluster.run_within_limits(start.plus_seconds(AT_REST))?;

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
        let old = cluster.store.borrow().controllers().find(|key| key.kind == Kind::ReplicaSet).cloned();
        let min_ready_seconds = self.after.spec.min_ready_seconds;
        cluster.pod_groups.borrow_mut().observe(old, min_ready_seconds, changed);
        cluster.apply_write(Write::Update(self.after.into()));
        cluster.run_within_limits(Time(i64::MAX))?;
        let pods = cluster.pod_groups.take().into_totals();
        let step_count = cluster.recorder.count();
        Some(SimulatedRollout { changed, pods, steps: cluster.recorder.into_steps(), step_count })
    }
}

/// Pods that are played in groups, all on a node that stays.
struct GroupedPods;

impl Environment for GroupedPods {
    fn handle(&self, cluster: &mut Cluster, event: SimEvent) -> Result<(), Problem> {
        match event {
            SimEvent::EndPodStage(owner, id, stage) => cluster.end_pod_stage(&owner, id, stage),
            SimEvent::WatchPod { owner, is_gone } => cluster.enqueue_watchers_of_pod(&owner, is_gone),
            SimEvent::Sync(key) => cluster.enqueue_planned(key),
            SimEvent::ResumeSync(key) => cluster.resume_sync(&key),
            SimEvent::Watch(actor, change) => cluster.deliver(actor, &change),
            SimEvent::EventSent(kind) => cluster.send_next_event(kind),
            // Nothing else is planned here.
            _ => {}
        }
        Ok(())
    }

    fn controllers_started(&self, cluster: &mut Cluster) {
        cluster.start_clients();
    }

    fn see(&self, cluster: &mut Cluster, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        see(&cluster.store, cluster.deployment_cache(), SeenGroups(cluster.pod_groups.clone()), key)
    }

    fn run_sync(&self, cluster: &mut Cluster, key: &ObjectKey, seen: Box<dyn Seen>) {
        cluster.begin_sync(key, seen);
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
                cluster.create_grouped_pod(about, &pod);
                Ok(Some(Object::Pod(pod)))
            }
            Write::Delete { key, .. } if key.kind == Kind::Pod => {
                cluster.delete_grouped_pod(about, &key);
                Ok(None)
            }
            write => cluster.write(actor, about, write, decision),
        }
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

    // No pod is an object of the store.

    fn pod_added(&self, _: &mut Cluster, _: Id, _: &Pod) {}

    fn pod_terminates(&self, _: &mut Cluster, _: Id, _: &Pod, _: i64) {}

    fn pod_ended(&self, _: &mut Cluster, _: &Pod) {}

    fn after_round(&self, _: &mut Cluster) {}

    fn after_event(&self, cluster: &mut Cluster) {
        let ranked = core::mem::take(&mut cluster.pod_groups.borrow_mut().ranked);
        cluster.recorder.pass_over(ranked);
    }
}

/// The pods of the groups, as the controllers see them.
struct SeenGroups(Rc<RefCell<PodGroups>>);

impl PodSource for SeenGroups {
    fn not_ended(&self, replica_set: &ReplicaSet) -> i32 {
        self.0.borrow().get(&replica_set.key()).map_or(0, PodGroup::holding)
    }
}

impl Pods for SeenGroups {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let mut groups = self.0.borrow_mut();
        let group = groups.get_mut(&replica_set.key());
        group.map_or_else(PodCounts::default, |group| group.counts(replica_set.spec.min_ready_seconds, now))
    }

    fn unclaimed(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        Vec::new()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let mut groups = self.0.borrow_mut();
        let pods = groups.get(&replica_set.key()).map_or_else(Vec::new, |group| group.active_pods(usize::MAX));
        groups.ranked = groups.ranked.saturating_add(pods.len());
        pods
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        self.0.borrow_mut().get_mut(&replica_set.key())?.first_alike(count)
    }

    /// On one node, all have as many pods beside them.
    fn related(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        Vec::new()
    }
}

impl Cluster {
    fn create_grouped_pod(&mut self, owner: &Rc<ObjectKey>, pod: &Rc<Pod>) {
        let now = self.now;
        let mut groups = self.pod_groups.borrow_mut();
        let are_settled = groups.are_settled;
        let group = groups.get_or_insert(owner, pod);
        let id = group.add(now);
        if are_settled {
            group.set_ready(id, now);
        }
        drop(groups);
        self.pod_changed(owner, false);
        if !are_settled {
            self.plan_pod_stage(owner, id, PodStage::Unscheduled);
        }
    }

    /// Plans the end of a stage of a pod's life, if the pod comes to that.
    fn plan_pod_stage(&mut self, owner: &Rc<ObjectKey>, id: Id, stage: PodStage) {
        let Some(pod) = self.pod_groups.borrow().get(owner).map(|group| group.model.clone()) else { return };
        let after = match stage {
            PodStage::Unscheduled => self.stage_time(id, &pod, Stage::Schedule),
            PodStage::Bound => self.stage_time(id, &pod, Stage::Start),
            PodStage::Running => self.stage_time(id, &pod, Stage::Ready),
            PodStage::Ready(..) | PodStage::Terminating | PodStage::Gone => None,
        };
        if let Some(after) = after {
            self.plan(after, SimEvent::EndPodStage(owner.clone(), id, stage));
        }
    }

    /// The time has come at which a pod passes on from a stage, unless it has been deleted since then.
    fn end_pod_stage(&mut self, owner: &Rc<ObjectKey>, id: Id, stage: PodStage) {
        let now = self.now;
        let mut groups = self.pod_groups.borrow_mut();
        let Some(group) = groups.get_mut(owner).filter(|group| group.stage(id) == Some(stage)) else { return };
        let next = match stage {
            PodStage::Unscheduled => PodStage::Bound,
            PodStage::Bound => PodStage::Running,
            PodStage::Running => {
                group.set_ready(id, now);
                drop(groups);
                return self.pod_changed(owner, false);
            }
            PodStage::Ready(..) | PodStage::Terminating | PodStage::Gone => PodStage::Gone,
        };
        group.set_stage(id, next);
        drop(groups);
        self.pod_changed(owner, next == PodStage::Gone);
        self.plan_pod_stage(owner, id, next);
    }

    /// A pod is deleted: it is gone, or has until the end of its grace period.
    fn delete_grouped_pod(&mut self, owner: &Rc<ObjectKey>, key: &ObjectKey) {
        let found = id_of(key).and_then(|id| {
            let groups = self.pod_groups.borrow();
            let group = groups.get(owner)?;
            Some((id, group.stage(id)?, group.model.clone()))
        });
        let Some((id, stage, pod)) = found else { return };
        let grace = match pod.spec.fields.termination_grace_period_seconds.unwrap_or(30) {
            _ if stage == PodStage::Unscheduled => 0,
            ..0 => 1,
            grace => grace,
        };
        let next = if grace == 0 { PodStage::Gone } else { PodStage::Terminating };
        if next == PodStage::Terminating {
            let after = match stage {
                PodStage::Running | PodStage::Ready(..) => {
                    self.time_to_stop(id, &pod, grace.max(MINIMUM_GRACE_PERIOD).saturating_mul(Time::SECOND)).0
                }
                _ => 0,
            };
            self.plan(after, SimEvent::EndPodStage(owner.clone(), id, next));
        }
        if let Some(group) = self.pod_groups.borrow_mut().get_mut(owner) {
            group.set_stage(id, next);
        }
        self.pod_changed(owner, next == PodStage::Gone);
    }

    /// A pod has changed: a step that is not kept.
    fn pod_changed(&mut self, owner: &Rc<ObjectKey>, is_gone: bool) {
        self.pod_groups.borrow_mut().count_totals(self.now);
        self.recorder.pass_over(1);
        match self.watch_delay() {
            0 => self.enqueue_watchers_of_pod(owner, is_gone),
            delay => self.plan(delay, SimEvent::WatchPod { owner: owner.clone(), is_gone }),
        }
    }

    fn enqueue_watchers_of_pod(&mut self, owner: &ObjectKey, is_gone: bool) {
        self.work_queue.add(owner.clone());
        if is_gone {
            self.enqueue_deployment_of_pod(owner);
        }
    }

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
}
