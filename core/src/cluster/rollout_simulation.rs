//! Pods that are played in groups: nothing tells those of a ReplicaSet apart but their age.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::controllers::{Queue, Seen};
use super::event_queue::SimEvent;
use super::kinds;
use super::kubelet::MINIMUM_GRACE_PERIOD;
use super::kubelet::timing::Stage;
use super::pod_groups::{PodGroup, PodGroups, PodId, PodStage, Progress};
use super::recorder::Limit;
use super::seen_pods::PodSource;
use super::state::{Cluster, Environment};
use super::step::Actor;
use super::store::{Id, Store};
use super::sync_log::WriteAnswer;
use super::workload::Workload;
use crate::Problem;
use crate::cluster::decision::Decision;
use crate::controller::{self, ApiError, DeletionPropagation, Write};
use crate::object::{Kind, Object, ObjectKey, PersistentVolumeClaim, Pod, Time};
use crate::workload::deployment::run::{self as deployment, DeploymentController};
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replica_set::controller::{PodCounts, Pods};
use crate::workload::replica_set::run::{self as replica_set, ReplicaSetController};

/// Without jitter, all pods of a ReplicaSet are equally fast.
pub(super) const ANY_POD: Id = Id(usize::MAX);

/// Pods that are played in groups, all on a node that stays.
pub(super) struct GroupedPods {
    /// Whether quotas may refuse pods.
    pub(super) may_refuse: bool,
    /// As how many changes of pods a sync counts, since it takes about as long.
    pub(super) steps_of_sync: usize,
}

impl Environment for GroupedPods {
    fn handle(&self, cluster: &mut Cluster, event: SimEvent) -> Result<(), Problem> {
        cluster.pod_groups.borrow_mut().now = cluster.now;
        match event {
            SimEvent::EndPodStage(id, stage) => {
                // The pod may have been deleted since that was planned.
                let is_there = cluster.pod_groups.borrow().stage(id) == Some(stage);
                if is_there {
                    cluster.end_pod_stage(id, stage);
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
        cluster.recorder.pass_over(self.steps_of_sync);
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
                let object = Object::Pod(pod.clone());
                cluster.check_quotas(actor, about, &object)?;
                cluster.create_grouped_pod(about, &pod);
                Ok(Some(object))
            }
            Write::Delete { key, .. } if key.kind == Kind::Pod => {
                cluster.delete_grouped_pod(about, &key);
                Ok(None)
            }
            write => {
                let answer = cluster.write(actor, about, write, decision);
                // A timeline has a frame here, which shows pods that have become available.
                cluster.pod_groups.borrow_mut().count_pods(cluster.now);
                answer
            }
        }
    }

    fn may_refuse_pods(&self) -> bool {
        self.may_refuse
    }

    fn complete(&self, _: &mut Cluster, object: Object, _: &str) -> Result<Object, ApiError> {
        Ok(object)
    }

    fn admit(&self, cluster: &mut Cluster, actor: Actor, about: &ObjectKey, object: &Object) -> Result<(), ApiError> {
        cluster.check_quotas(actor, about, object)
    }

    /// ReplicaSets are deleted in the background.
    fn delete_owner(&self, _: &mut Cluster, _: Actor, _: &ObjectKey, _: &Object, _: DeletionPropagation, _: Decision) {}

    // No pod is an object of the store.

    fn pod_added(&self, _: &mut Cluster, _: Id, _: &Pod) {}

    fn pod_terminates(&self, _: &mut Cluster, _: Id, _: &Pod, _: i64) {}

    fn pod_ended(&self, _: &mut Cluster, _: &Pod) {}

    fn deleted_claim(&self, _: &mut Cluster, _: &Rc<PersistentVolumeClaim>) -> Option<Object> {
        None
    }

    fn pod_changed(&self, _: &mut Cluster, _: Id, _: &Pod, _: &Pod) {}

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
        let pods = self.of(replica_set, |group, _| group.active_pods(usize::MAX)).unwrap_or_default();
        self.0.borrow_mut().count_ranked(pods.len());
        pods
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        self.of(replica_set, |group, _| group.first_alike(count))?
    }

    /// On one node, all have as many pods beside them.
    fn related(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        Vec::new()
    }
}

impl Cluster {
    fn create_grouped_pod(&mut self, owner: &Rc<ObjectKey>, pod: &Rc<Pod>) {
        let created = self.created_at(owner);
        let is_old = created.is_some_and(|created| created < self.scenario.start);
        let mut groups = self.pod_groups.borrow_mut();
        let (id, is_settled) = (groups.add(owner, is_old, pod, self.now), groups.are_settled);
        drop(groups);
        self.pod_changed(id, false);
        if !is_settled {
            self.plan_pod_stage(id, Stage::Schedule, PodStage::Starting);
        }
    }

    /// Plans the end of a pod's stage, after what that takes.
    fn plan_pod_stage(&mut self, id: PodId, takes: Stage, stage: PodStage) {
        let model = self.pod_groups.borrow().get(id.group).map(|group| group.model.clone());
        if let Some(after) = model.and_then(|model| self.stage_time(ANY_POD, &model, takes)) {
            self.plan(after, SimEvent::EndPodStage(id, stage));
        }
    }

    /// A pod has come to the end of this stage. Each event of its start is reported, as by scheduler and kubelet: most change no
    /// count, but controllers sync, and what they do next may come some milliseconds earlier for it.
    fn end_pod_stage(&mut self, id: PodId, stage: PodStage) {
        match stage {
            // A scheduler plans what follows before it writes, and a kubelet after it.
            PodStage::Starting => {
                self.plan_pod_stage(id, Stage::Start, PodStage::Bound);
                self.report_pod_stage(id, PodStage::Bound);
            }
            PodStage::Bound => {
                self.report_pod_stage(id, PodStage::Running);
                self.plan_pod_stage(id, Stage::Ready, PodStage::Running);
            }
            PodStage::Terminating => {
                self.pod_groups.borrow_mut().set_stage(id, PodStage::Gone);
                self.pod_changed(id, true);
            }
            _ => {
                self.pod_groups.borrow_mut().set_ready(id, self.now);
                self.pod_changed(id, false);
            }
        }
    }

    fn report_pod_stage(&mut self, id: PodId, stage: PodStage) {
        let mut groups = self.pod_groups.borrow_mut();
        groups.set_stage(id, stage);
        let steps = groups.count_change(self.now);
        drop(groups);
        self.recorder.pass_over(steps);
        self.inform_watchers_of_pod(id, false);
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
            let after = if is_running { self.time_to_stop(ANY_POD, &model, grace, 0).0 } else { 0 };
            self.plan(after, SimEvent::EndPodStage(id, next));
        }
        self.pod_groups.borrow_mut().set_stage(id, next);
        self.pod_changed(id, next == PodStage::Gone);
    }

    /// A pod has changed: a step that is not kept.
    fn pod_changed(&mut self, id: PodId, is_gone: bool) {
        let steps = self.pod_groups.borrow_mut().count_change(self.now);
        self.recorder.pass_over(steps);
        self.inform_watchers_of_pod(id, is_gone);
    }

    fn inform_watchers_of_pod(&mut self, id: PodId, is_gone: bool) {
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

    /// Lets everything happen up to a time; none where a limit of steps or pods is met.
    pub(super) fn run_within_limits(&mut self, until: Time) -> Option<()> {
        self.settle();
        self.run_until(until).ok()?;
        matches!(self.recorder.limit_met(), None | Some(Limit::Time)).then_some(())
    }
}
