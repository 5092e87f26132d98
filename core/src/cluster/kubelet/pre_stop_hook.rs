//! preStop hooks, which take their time from the pod's grace period.

use serde_json::Value;

use super::MINIMUM_GRACE_PERIOD;
use super::timing::Stage;
use crate::cluster::decision::{ContainersEnd, KubeletDecision};
use crate::cluster::event_queue::SimEvent;
use crate::cluster::pod_status::is_waiting;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::cluster::store::Id;
use crate::object::{Container, Pod, PodPhase, Time};

impl Cluster {
    /// How long the end of a running pod takes that has a preStop hook: the hook's time, and then what its containers take
    /// of what is left; and how they end.
    ///
    /// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.killContainer`
    pub(crate) fn plan_pre_stop_hook(&mut self, id: Id, pod: &Pod, grace_seconds: i64) -> Option<(i64, ContainersEnd)> {
        let hook = self.stage_time(id, pod, Stage::PreStop).or_else(|| longest_sleep(pod))?;
        let grace = grace_seconds.saturating_mul(Time::SECOND);
        if pod.status.phase != PodPhase::Running || grace == 0 {
            return None;
        }
        let (hook, left) = share_grace_period(grace, hook);
        self.plan(hook, SimEvent::EndPreStopHook(id, left.div_euclid(Time::SECOND)));
        let (takes, end) = self.time_to_stop(id, pod, left);
        Some((hook.saturating_add(takes), end))
    }

    /// The preStop hook has ended, or its time.
    pub(crate) fn end_pre_stop_hook(&mut self, id: Id, left: i64) {
        let Some(pod) = self.pod(id) else { return };
        let seconds = self.terminating_for(id).div_euclid(Time::SECOND);
        let decision = KubeletDecision::PreStopped { pod: pod.metadata.name.clone(), seconds, left };
        self.report(Actor::Kubelet, &pod.key(), decision);
    }
}

/// How much of a grace period a preStop hook takes, and what is left for the containers.
pub(super) fn share_grace_period(grace: i64, hook: i64) -> (i64, i64) {
    let hook = hook.min(grace);
    (hook, grace.saturating_sub(hook).max(MINIMUM_GRACE_PERIOD.saturating_mul(Time::SECOND)))
}

/// Whether none of the pod's containers runs: its only one waits to be started again. Then there is nothing to kill, and no
/// preStop hook.
///
/// Upstream: `pkg/kubelet/container/helpers.go ConvertPodStatusToRunningPod`
pub(crate) fn runs_nothing(pod: &Pod) -> bool {
    let statuses = &pod.status.container_statuses;
    !statuses.is_empty() && statuses.iter().all(is_waiting)
}

/// The longest sleep among the preStop hooks of containers that run.
fn longest_sleep(pod: &Pod) -> Option<i64> {
    let containers = pod.spec.fields.containers.iter().enumerate();
    let is_running = |index: usize| !pod.status.container_statuses.get(index).is_some_and(is_waiting);
    containers.filter(|(index, _)| is_running(*index)).filter_map(|(_, container)| pre_stop_sleep(container)).max()
}

/// The sleep of a container's preStop hook, in nanoseconds.
pub(super) fn pre_stop_sleep(container: &Container) -> Option<i64> {
    let hook = container.unknown.get("lifecycle").and_then(|lifecycle| lifecycle.pointer("/preStop/sleep/seconds"));
    hook.and_then(Value::as_i64).map(|seconds| seconds.max(0).saturating_mul(Time::SECOND))
}
