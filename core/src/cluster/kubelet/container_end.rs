//! Containers end by themselves, in pods whose restartPolicy lets them: those of Jobs.

use alloc::rc::Rc;

use serde_json::Value;

use super::timing::Stage;
use crate::cluster::decision::{ContainersEnd, KubeletDecision};
use crate::cluster::event_queue::SimEvent;
use crate::cluster::pod_status::{ContainerEnd, end_containers, end_first_container, exit_code, fail, is_waiting};
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::cluster::store::Id;
use crate::controller::Verb;
use crate::object::{Pod, Time};
use crate::workload::job::Job;

/// Which containers of a pod are started again.
///
/// Upstream: `k8s.io/api/core/v1/types.go RestartPolicy`
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestartPolicy {
    Always,
    OnFailure,
    Never,
}

impl RestartPolicy {
    pub(crate) fn of(pod: &Pod) -> Self {
        match pod.spec.fields.unknown.get("restartPolicy").and_then(Value::as_str) {
            Some("OnFailure") => Self::OnFailure,
            Some("Never") => Self::Never,
            _ => Self::Always,
        }
    }
}

impl Cluster {
    /// Plans the end of containers that run from now on, or have since they started, if they end by themselves.
    pub(super) fn plan_end(&mut self, id: Id, pod: &Pod, since: Time) -> Option<i64> {
        let run = self.run_time(id, pod)?;
        let left = match run.saturating_sub(self.now.since(since)) {
            // They have run longer than is assumed where nobody knows it: they may run as long again.
            left if left <= 0 && self.timing_of(id, pod).run.is_none() => run,
            left => left.max(0),
        };
        self.plan(left, SimEvent::EndContainers(id, restarts(pod)));
        Some(left)
    }

    /// For how many nanoseconds the containers run until they end by themselves; none: they don't. A pod whose Job is not
    /// simulated stays as it is, unless the scenario says how long it runs.
    fn run_time(&self, id: Id, pod: &Pod) -> Option<i64> {
        if RestartPolicy::of(pod) == RestartPolicy::Always
            || (self.timing_of(id, pod).run.is_none() && self.store.borrow().controller_of::<Job>(pod).is_none())
        {
            return None;
        }
        self.stage_time(id, pod, Stage::Run)
    }

    /// All containers have done what they were for, unless the first one has been started again since this was planned.
    ///
    /// Upstream: `pkg/kubelet/kubelet_pods.go getPhase`
    pub(crate) fn complete_containers(&mut self, id: Id, planned_restarts: i32) {
        let waits = |pod: &Pod| pod.status.container_statuses.first().is_some_and(is_waiting);
        let running = |pod: &Rc<Pod>| pod.is_active() && restarts(pod) == planned_restarts && !waits(pod);
        let Some(pod) = self.pod(id).filter(running) else { return };
        let mut after = (*pod).clone();
        end_containers(&mut after, ContainerEnd::COMPLETED, self.now);
        let name = pod.metadata.name.clone();
        let decision = match failed_container(&after) {
            None => KubeletDecision::Succeeded { pod: name },
            Some((container, exit_code)) => KubeletDecision::Failed { pod: name, container, exit_code },
        };
        self.update_pod_status(id, pod, after, decision);
    }

    /// The first container has ended with an error, in a pod that starts none again.
    pub(super) fn fail_first_container(&mut self, id: Id, pod: Rc<Pod>, exit_code: i32) {
        let mut after = (*pod).clone();
        end_first_container(&mut after, ContainerEnd::new(exit_code), self.now);
        let (name, container) = (pod.metadata.name.clone(), first_container(&pod));
        let decision = match after.is_terminal() {
            true => KubeletDecision::Failed { pod: name, container, exit_code },
            false => KubeletDecision::ContainerFailed { pod: name, container, exit_code },
        };
        self.update_pod_status(id, pod, after, decision);
    }

    /// The containers of a terminating pod have ended: the kubelet removes it. One with finalizers has failed, and stays until
    /// they are gone.
    pub(crate) fn end_terminating_pod(&mut self, id: Id, end: ContainersEnd) {
        let Some(pod) = self.pod(id).filter(|pod| pod.metadata.deletion_timestamp.is_some()) else { return };
        let Some(held) = self.held_by_finalizers(&pod, end) else { return self.remove_stopped_pod(id, end) };
        let (seconds, grace) = self.grace_taken(id, &pod);
        let decision = KubeletDecision::Held { pod: pod.metadata.name.clone(), end, seconds, grace };
        self.commit_pod(Actor::Kubelet, Verb::Delete, id, pod, Some(held), decision);
    }

    /// A terminating pod whose containers have ended, if its finalizers keep it: it has failed.
    ///
    /// Upstream: `pkg/kubelet/status/status_manager.go TerminatePod`
    fn held_by_finalizers(&self, pod: &Pod, end: ContainersEnd) -> Option<Pod> {
        if pod.metadata.finalizers.is_empty() {
            return None;
        }
        let mut held = pod.clone();
        let metadata = Rc::make_mut(&mut held.metadata);
        metadata.deletion_timestamp = Some(self.now.truncated());
        metadata.deletion_grace_period_seconds = Some(0);
        match end {
            _ if pod.is_terminal() => {}
            ContainersEnd::NotRunning => fail(&mut held, self.now),
            ContainersEnd::Stopped | ContainersEnd::Killed => {
                end_containers(&mut held, ContainerEnd::new(end.exit_code()), self.now);
            }
        }
        Some(held)
    }
}

/// How often the first container has been started again.
fn restarts(pod: &Pod) -> i32 {
    pod.status.container_statuses.first().map_or(0, |status| status.restart_count)
}

fn first_container(pod: &Pod) -> Rc<str> {
    pod.spec.fields.containers.first().map_or("", |container| &container.name).into()
}

/// The first container that ended with an error, and its exit code.
fn failed_container(pod: &Pod) -> Option<(Rc<str>, i32)> {
    let mut containers = pod.status.container_statuses.iter();
    containers.find_map(|status| Some((status.name.as_str().into(), exit_code(status).filter(|code| *code != 0)?)))
}
