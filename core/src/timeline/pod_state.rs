use crate::json::ToJson;
use crate::object::{ContainerStatus, Pod, PodPhase, Time};

/// The state of a pod, as the picture shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PodState {
    /// Pods that have been ready for minReadySeconds.
    Available,
    /// Pods that are ready, but not for minReadySeconds yet.
    Ready,
    /// Running pods that are not ready yet, or are no longer ready.
    Starting,
    /// Pods without a node, or whose containers have not started.
    Pending,
    /// Terminating pods: their deletion was requested, and they are not gone yet.
    Terminating,
    /// Pods that were ready until their node became unreachable.
    Unknown,
    /// Pods that ended with an error and are not removed yet.
    Failed,
    /// Pods that ended without an error and are not removed yet.
    Succeeded,
}

impl PodState {
    /// The state of a pod at that time.
    pub fn of(pod: &Pod, min_ready_seconds: i32, now: Time) -> Self {
        match pod.status.phase {
            PodPhase::Failed => Self::Failed,
            PodPhase::Succeeded => Self::Succeeded,
            _ if pod.metadata.deletion_timestamp.is_some() => Self::Terminating,
            PodPhase::Unknown => Self::Unknown,
            PodPhase::Unset | PodPhase::Pending => Self::Pending,
            PodPhase::Running if pod.is_available(min_ready_seconds, now) => Self::Available,
            PodPhase::Running if pod.is_ready() => Self::Ready,
            PodPhase::Running if is_unreachable(pod) => Self::Unknown,
            PodPhase::Running => Self::Starting,
        }
    }

    /// Whether a pod in this state holds resources: it has not ended.
    pub const fn holds(self) -> bool {
        !matches!(self, Self::Failed | Self::Succeeded)
    }
}

/// Whether the node lifecycle controller marked the pod as not ready, and not its kubelet: the kubelet still reports ready
/// containers, and would give the condition a reason.
///
/// Upstream: `pkg/controller/util/node/controller_utils.go MarkPodsNotReady`
fn is_unreachable(pod: &Pod) -> bool {
    let statuses = &pod.status.container_statuses;
    let by_kubelet = pod.ready_condition().is_none_or(|condition| condition.unknown.get("reason").is_some());
    let is_ready = |status: &ContainerStatus| status.unknown.get("ready").is_some_and(|ready| *ready == true);
    !by_kubelet && !statuses.is_empty() && statuses.iter().all(is_ready)
}

/// How many pods are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Pods that have been ready for minReadySeconds.
    pub available: i32,
    /// Pods that are ready, but not for minReadySeconds yet.
    pub ready: i32,
    /// Running pods that are not ready yet, or are no longer ready.
    pub starting: i32,
    /// Pods without a node, or whose containers have not started.
    pub pending: i32,
    /// Terminating pods: their deletion was requested, and they are not gone yet.
    pub terminating: i32,
    /// Pods that were ready until their node became unreachable.
    pub unknown: i32,
    /// Pods that ended with an error and are not removed yet.
    pub failed: i32,
    /// Pods that ended without an error and are not removed yet.
    pub succeeded: i32,
}

impl Counts {
    /// Counts `by` more (or with a negative number fewer) pods in that state.
    pub const fn add(&mut self, state: PodState, by: i32) {
        let count = match state {
            PodState::Available => &mut self.available,
            PodState::Ready => &mut self.ready,
            PodState::Starting => &mut self.starting,
            PodState::Pending => &mut self.pending,
            PodState::Terminating => &mut self.terminating,
            PodState::Unknown => &mut self.unknown,
            PodState::Failed => &mut self.failed,
            PodState::Succeeded => &mut self.succeeded,
        };
        *count = count.saturating_add(by);
    }

    /// Pods that hold resources: all but those that ended.
    pub const fn holding(&self) -> i32 {
        self.available
            .saturating_add(self.ready)
            .saturating_add(self.starting)
            .saturating_add(self.pending)
            .saturating_add(self.terminating)
            .saturating_add(self.unknown)
    }
}

/// The numbers of pods that a Deployment's counts are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Marks {
    /// The number of desired pods: spec.replicas.
    pub desired: i32,
    /// The most pods that the strategy allows: `desired` and maxSurge together; 0 when nothing is desired.
    pub limit: i32,
    /// The fewest available pods that the strategy allows: `desired` minus maxUnavailable.
    pub min_available: i32,
}
