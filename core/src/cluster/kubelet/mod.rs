//! The kubelet: pods start, become ready, terminate and go.

mod container_end;
mod container_start;
mod probes;
mod template_timing;

pub(crate) mod pre_stop_hook;
pub(crate) mod timing;

use alloc::rc::Rc;
use alloc::vec::Vec;

pub(crate) use self::probes::{has_probes, missing_port, sidecars};
pub(super) use self::template_timing::template_timing;
pub(crate) use self::template_timing::{PodTimes, pod_times};
use self::timing::Stage;
use super::event_queue::SimEvent;
use super::overdue::overdue_since;
use super::pod_status::{container_statuses, containers_started, ready_condition};
use super::state::Cluster;
use super::step::Actor;
use super::store::Id;
use crate::cluster::decision::{ContainersEnd, Decision, KubeletDecision};
use crate::controller::Verb;
use crate::object::{ConditionStatus, Pod, PodCondition, PodPhase, Time, Unknown};
use crate::workload::job::controller::get_completion_index;

/// What containers have in any case between SIGTERM and SIGKILL, in seconds.
///
/// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_manager.go minimumGracePeriodInSeconds`
pub(crate) const MINIMUM_GRACE_PERIOD: i64 = 2;

impl Cluster {
    /// Plans what comes next for a pod that is there at the start, or has just been created.
    pub(super) fn plan_next_stage(&mut self, id: Id, pod: &Pod) {
        self.assign_ordinal(id, pod);
        if overdue_since(pod, self.now).is_some() {
            // Until then, nothing removes it.
            self.notice_once_node_answers(id, pod);
            return;
        }
        if let Some(due) = pod.metadata.deletion_timestamp {
            let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
            if let Some(runtime) = self.store.borrow_mut().pod_runtime(id) {
                runtime.termination_requested = Some(due.plus_seconds(grace.saturating_neg()).min(self.now));
            }
            let left = due.since(self.now).div_euclid(Time::SECOND).max(0);
            self.environment.pod_terminates(self, id, pod, left);
            return;
        }
        let (stage, event) = match (pod.status.phase, &pod.spec.node_name) {
            (PodPhase::Succeeded | PodPhase::Failed | PodPhase::Unknown, _) => return,
            (_, None) => (Stage::Schedule, SimEvent::Schedule(id)),
            (PodPhase::Running, Some(_)) => {
                let end = self.plan_end(id, pod, pod.status.start_time.unwrap_or(self.now));
                if !pod.is_ready() {
                    self.plan_readiness(id, pod, containers_started(pod).unwrap_or(self.now), end);
                }
                return;
            }
            (_, Some(_)) => (Stage::Start, SimEvent::StartContainers(id)),
        };
        self.plan_stage(id, pod, stage, pod.status.start_time.unwrap_or(self.now), event);
    }

    /// A node that did not answer learns of a pod's deletion when it does again.
    fn notice_once_node_answers(&mut self, id: Id, pod: &Pod) {
        let index = pod.spec.node_name.as_ref().and_then(|name| self.position_of_node(name));
        if let Some(node) = index.and_then(|index| self.nodes.get_mut(index)) {
            node.hold_back(SimEvent::NoticeDeletion(id));
        }
    }

    /// Gives the pod its number among those of its owner, or of its completion index: which attempt it is, and which jitter it
    /// has.
    fn assign_ordinal(&self, id: Id, pod: &Pod) {
        let owner = pod.metadata.controller().map_or("", |owner| &owner.uid);
        let mut store = self.store.borrow_mut();
        let index = get_completion_index(pod);
        let ordinal = store.group(owner).map_or(0, |(group, _)| group.count_created(index));
        if let Some(runtime) = store.pod_runtime(id) {
            runtime.ordinal = ordinal;
        }
    }

    /// The containers run.
    fn run_containers(&mut self, id: Id) -> Option<Pod> {
        let pod = self.pod(id).filter(|pod| pod.is_active())?;
        let mut running = (*pod).clone();
        running.status.phase = PodPhase::Running;
        running.status.start_time = Some(pod.status.start_time.unwrap_or(self.now.truncated()));
        running.status.conditions = Vec::from([ready_condition(ConditionStatus::False, self.now)]);
        running.status.container_statuses = container_statuses(&pod, &Unknown::default());
        let node = pod.spec.node_name.clone().unwrap_or_default();
        let decision = KubeletDecision::Started { pod: pod.metadata.name.clone(), node };
        self.update_pod_status(id, pod, running.clone(), decision);
        Some(running)
    }

    /// The node controller took the pod for not ready; its kubelet never did.
    pub(super) fn restore_ready(&mut self, id: Id, since: Option<Time>) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active() && !pod.is_ready()) else { return };
        let mut ready = (*pod).clone();
        let condition =
            PodCondition { last_transition_time: since, ..ready_condition(ConditionStatus::True, self.now) };
        ready.status.conditions = Vec::from([condition]);
        let decision = KubeletDecision::ReadyAgain { pod: pod.metadata.name.clone() };
        self.update_pod_status(id, pod, ready, decision);
    }

    /// The time has come at which the pod is ready.
    pub(super) fn mark_ready(&mut self, id: Id) {
        self.report_ready(id, |pod| KubeletDecision::Ready { pod });
    }

    /// The pod is ready, unless it is terminating: that one stays as it is. The decision is made from its name.
    fn report_ready(&mut self, id: Id, decision: impl FnOnce(Rc<str>) -> KubeletDecision) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active() && !pod.is_ready()) else { return };
        let mut ready = (*pod).clone();
        ready.status.conditions = Vec::from([ready_condition(ConditionStatus::True, self.now)]);
        let decision = decision(pod.metadata.name.clone());
        self.update_pod_status(id, pod, ready, decision);
    }

    /// Plans the end of a terminating pod: after what its containers take, and no later than its grace period, or two
    /// seconds. Containers that never started have nothing to finish.
    pub(super) fn plan_termination(&mut self, id: Id, pod: &Pod, grace_seconds: i64) {
        let (after, end) = if pod.status.phase == PodPhase::Running {
            let grace = grace_seconds.max(MINIMUM_GRACE_PERIOD).saturating_mul(Time::SECOND);
            self.time_to_stop(id, pod, grace, self.stopping_for(id, pod))
        } else {
            (0, ContainersEnd::NotRunning)
        };
        self.plan_removal(id, after, end);
    }

    /// How long containers that run still take to stop, of the time that they have, and how they end. Those that have already
    /// been stopping for longer than assumed are killed.
    pub(super) fn time_to_stop(&self, id: Id, pod: &Pod, grace: i64, stopping_for: i64) -> (i64, ContainersEnd) {
        let takes = self.stage_time(id, pod, Stage::Terminate).map(|takes| takes.saturating_sub(stopping_for));
        match takes.filter(|takes| (0..grace).contains(takes)) {
            Some(takes) => (takes, ContainersEnd::Stopped),
            None => (grace, ContainersEnd::Killed),
        }
    }

    /// Plans the end of a pod whose kubelet knows that it is terminating.
    pub(super) fn plan_removal(&mut self, id: Id, after: i64, end: ContainersEnd) {
        if let Some(runtime) = self.store.borrow_mut().pod_runtime(id) {
            runtime.termination_requested.get_or_insert(self.now);
        }
        self.plan(after, SimEvent::RemovePod(id, end));
    }

    /// The kubelet learns of a deletion that was requested while its node did not report.
    pub(super) fn notice_deletion(&mut self, id: Id) {
        if let Some(pod) = self.pod(id)
            && let Some(grace) = pod.metadata.deletion_grace_period_seconds
        {
            if let Some(runtime) = self.store.borrow_mut().pod_runtime(id) {
                runtime.termination_requested = Some(self.now);
            }
            self.environment.pod_terminates(self, id, &pod, grace);
        }
    }

    /// The containers have ended: the kubelet removes the pod.
    pub(super) fn remove_stopped_pod(&mut self, id: Id, end: ContainersEnd) {
        let Some(pod) = self.pod(id).filter(|pod| pod.metadata.deletion_timestamp.is_some()) else { return };
        let (seconds, grace) = self.grace_taken(id, &pod);
        let decision = KubeletDecision::Gone { pod: pod.metadata.name.clone(), end, seconds, grace };
        self.commit_pod(Actor::Kubelet, Verb::Delete, id, pod, None, decision);
    }

    /// How many seconds of its grace period a terminating pod took, and how many it had.
    fn grace_taken(&self, id: Id, pod: &Pod) -> (i64, i64) {
        let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0).max(MINIMUM_GRACE_PERIOD);
        // The kubelet of a lost node reports it later.
        (self.terminating_for(id).div_euclid(Time::SECOND).min(grace), grace)
    }

    /// How many nanoseconds ago the pod was first asked to terminate.
    fn terminating_for(&self, id: Id) -> i64 {
        let mut store = self.store.borrow_mut();
        let since = store.pod_runtime(id).and_then(|runtime| runtime.termination_requested);
        since.map_or(0, |since| self.now.since(since))
    }

    /// Writes the status that the kubelet has observed.
    pub(super) fn update_pod_status(&mut self, id: Id, before: Rc<Pod>, after: Pod, decision: impl Into<Decision>) {
        self.commit_pod(Actor::Kubelet, Verb::UpdateStatus, id, before, Some(after), decision);
    }
}
