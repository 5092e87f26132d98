//! The whole environment of a scenario: all controllers, nodes, volumes, quotas, an autoscaler, the limits of clients, the user.

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::RefCell;

use super::controllers::{Queue, Seen};
use super::decision::{ContainersEnd, Decision};
use super::event_queue::SimEvent;
use super::kinds;
use super::kubelet::pre_stop_hook::runs_nothing;
use super::manifest::admit_created;
use super::node::is_unscheduled;
use super::node_state::NodeState;
use super::pod_groups::PodGroups;
use super::scheduler::Scheduled;
use super::seen_pods::{PodSource, StoredPods};
use super::state::{Cluster, Environment, Nomination};
use super::step::Actor;
use super::store::{Id, Store};
use super::sync_log::WriteAnswer;
use super::workload::Workload;
use crate::Problem;
use crate::controller::{ApiError, Decision as ControllerDecision, DeletionPropagation, Write};
use crate::object::{Object, ObjectKey, PersistentVolumeClaim, Pod};

#[derive(Debug)]
pub(super) struct FullEnvironment;

impl Environment for FullEnvironment {
    fn handle(&self, cluster: &mut Cluster, event: SimEvent) -> Result<(), Problem> {
        let Some(event) = hold_back_if_lost(cluster, event) else { return Ok(()) };
        match event {
            SimEvent::UserAction(index) => cluster.carry_out_action(index)?,
            SimEvent::Schedule(id) => match cluster.schedule(id) {
                Scheduled::Bound => cluster.attach_volumes(id),
                Scheduled::Unschedulable => cluster.plan_scale_up(),
                Scheduled::Unchanged => {}
            },
            SimEvent::FlushUnschedulable => cluster.flush_unschedulable(),
            SimEvent::StartContainers(id) => cluster.start_containers(id),
            SimEvent::BackOffImagePull(id) => cluster.back_off_pull(id),
            SimEvent::CrashContainer(id, exit_code) => cluster.crash(id, exit_code),
            SimEvent::EndContainers(id, restarts) => cluster.complete_containers(id, restarts),
            SimEvent::RestartContainer(id) => cluster.restart_container(id),
            SimEvent::EndPreStopHook(id, left) => cluster.end_pre_stop_hook(id, left),
            SimEvent::MarkPodReady(id) => cluster.mark_ready(id),
            SimEvent::SucceedProbe(id, success) => cluster.succeed_probe(id, success),
            SimEvent::FailStartupProbe(id, failures) => cluster.fail_startup_probe(id, failures),
            SimEvent::RemovePod(id, end) => cluster.end_terminating_pod(id, end),
            SimEvent::NoticeDeletion(id) => cluster.notice_deletion(id),
            SimEvent::RestorePodReady(id, since) => cluster.restore_ready(id, since),
            SimEvent::MonitorNodeHealth => cluster.monitor_node_health(),
            // Volumes are reconciled after every event.
            SimEvent::ForceDetach => {}
            SimEvent::ScaleUp => cluster.scale_up(),
            SimEvent::AddNode => cluster.add_node(),
            SimEvent::ScaleDown => cluster.scale_down(),
            SimEvent::RetryEviction(id) => cluster.retry_eviction(id),
            SimEvent::TaintNode => cluster.taint_next_node(),
            SimEvent::EvictByTaint(id) => cluster.evict_if_not_tolerated(id),
            SimEvent::CollectPods => cluster.collect_pods(),
            SimEvent::Wake(actor, key) => cluster.wake(actor, &key),
            SimEvent::Sync(queue, key) => cluster.enqueue_planned(queue, key),
            SimEvent::ResumeSync(queue, key) => cluster.resume_sync(queue, &key),
            SimEvent::Watch(actor, change) => cluster.deliver(actor, &change),
            // All pods are objects here.
            SimEvent::WatchPod { .. } | SimEvent::EndPodStage(..) => {}
            SimEvent::EventSent(controller) => cluster.send_next_event(controller),
            SimEvent::CollectGarbage { uid, owner } => cluster.collect_garbage(&uid, &owner),
        }
        #[cfg(feature = "sets")]
        cluster.observe_nodes();
        Ok(())
    }

    fn workloads(&self) -> &'static [&'static dyn Workload] {
        kinds::ALL
    }

    fn pod_source(&self, store: &Rc<RefCell<Store>>, _: &Rc<RefCell<PodGroups>>) -> Rc<dyn PodSource> {
        Rc::new(StoredPods(store.clone()))
    }

    fn run_sync(&self, cluster: &mut Cluster, queue: &'static Queue, key: &ObjectKey, seen: Box<dyn Seen>) {
        cluster.begin_sync(queue, key, seen);
    }

    fn write(
        &self,
        cluster: &mut Cluster,
        actor: Actor,
        about: &Rc<ObjectKey>,
        write: Write,
        decision: ControllerDecision,
    ) -> WriteAnswer {
        cluster.write(actor, about, write, decision)
    }

    fn may_refuse_pods(&self) -> bool {
        true
    }

    fn complete(&self, cluster: &mut Cluster, object: Object, uid: &str) -> Result<Object, ApiError> {
        if object.kind().has_uid_in_spec() {
            admit_created(&object, uid, &cluster.gates.apiserver)
        } else {
            Ok(cluster.apply_limit_ranges(object))
        }
    }

    fn admit(&self, cluster: &mut Cluster, actor: Actor, about: &ObjectKey, object: &Object) -> Result<(), ApiError> {
        if let Object::Pod(pod) = object
            && let Some(words) = cluster.refusal_of(pod)
        {
            return Err(ApiError::new(403, "Forbidden", words));
        }
        cluster.validate_resources(object)?;
        cluster.check_quotas(actor, about, object)
    }

    fn deleted_claim(&self, cluster: &mut Cluster, claim: &Rc<PersistentVolumeClaim>) -> Option<Object> {
        cluster.deleted_claim(claim)
    }

    fn delete_owner(
        &self,
        cluster: &mut Cluster,
        actor: Actor,
        about: &ObjectKey,
        object: &Object,
        propagation: DeletionPropagation,
        decision: Decision,
    ) {
        cluster.delete_owner(actor, about, object, propagation, decision);
    }

    fn pod_added(&self, cluster: &mut Cluster, id: Id, pod: &Pod) {
        cluster.plan_next_stage(id, pod);
    }

    fn pod_terminates(&self, cluster: &mut Cluster, id: Id, pod: &Pod, grace_seconds: i64) {
        if is_unscheduled(pod) {
            // No kubelet has it.
            cluster.plan_pod_collection_from(cluster.now);
        } else if lost_node_of(cluster, pod).is_some() {
            cluster.plan(0, SimEvent::NoticeDeletion(id));
            cluster.plan_pod_collection();
        } else if runs_nothing(pod) {
            cluster.plan_removal(id, 0, ContainersEnd::NotRunning);
        } else if let Some((after, end)) = cluster.plan_pre_stop_hook(id, pod, grace_seconds) {
            cluster.plan_removal(id, after, end);
        } else {
            cluster.plan_termination(id, pod, grace_seconds);
        }
    }

    fn pod_ended(&self, cluster: &mut Cluster, pod: &Pod) {
        if let Some(node) = &pod.spec.node_name {
            cluster.count_on_node(node, pod, -1);
        }
        cluster.nominate(pod, None, &Nomination::Cleared);
        cluster.retry_without(pod);
    }

    fn pod_changed(&self, cluster: &mut Cluster, id: Id, before: &Pod, after: &Pod) {
        cluster.recount(before, after);
        cluster.schedule_without_gates(id, before, after);
    }

    fn after_round(&self, cluster: &mut Cluster) {
        cluster.finish_foreground_deletions();
    }

    fn after_event(&self, cluster: &mut Cluster) {
        cluster.reconcile_volumes();
        cluster.plan_drain_retries();
        cluster.mark_idle_nodes();
    }
}

/// The event, unless it is the work of a kubelet that does not report: that is held back until it does again.
fn hold_back_if_lost(cluster: &mut Cluster, event: SimEvent) -> Option<SimEvent> {
    let (SimEvent::StartContainers(id)
    | SimEvent::BackOffImagePull(id)
    | SimEvent::CrashContainer(id, _)
    | SimEvent::EndContainers(id, _)
    | SimEvent::RestartContainer(id)
    | SimEvent::EndPreStopHook(id, _)
    | SimEvent::MarkPodReady(id)
    | SimEvent::SucceedProbe(id, _)
    | SimEvent::FailStartupProbe(id, _)
    | SimEvent::RemovePod(id, _)
    | SimEvent::NoticeDeletion(id)
    | SimEvent::RestorePodReady(id, _)) = &event
    else {
        return Some(event);
    };
    let lost = cluster.pod(*id).and_then(|pod| lost_node_of(cluster, &pod));
    match lost.and_then(|index| cluster.nodes.get_mut(index)) {
        Some(node) => {
            node.hold_back(event);
            None
        }
        None => Some(event),
    }
}

/// The pod's node, if it does not report.
fn lost_node_of(cluster: &Cluster, pod: &Pod) -> Option<usize> {
    let name = pod.spec.node_name.as_ref()?;
    cluster.position_of_node(name).filter(|index| cluster.nodes.get(*index).is_some_and(NodeState::is_lost))
}
