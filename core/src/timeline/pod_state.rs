use crate::json::ToJson;
use crate::object::{ContainerStatus, Pod, PodPhase, Time};

/// The state of a pod, as the picture shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PodState {
    /// Ready for minReadySeconds.
    Available,
    /// Ready, but not for minReadySeconds yet.
    Ready,
    /// Running, not ready.
    Starting,
    /// Without a node, or its containers not started.
    Pending,
    /// Terminating: deletion was requested, and it is not gone yet.
    Terminating,
    /// Was ready until its node could not be reached any more.
    Unknown,
    /// Ended with an error, not removed yet.
    Failed,
    /// Ended without an error, not removed yet.
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
    /// Ready for minReadySeconds.
    pub available: i32,
    /// Ready, but not for minReadySeconds yet.
    pub ready: i32,
    /// Running, not ready.
    pub starting: i32,
    /// Without a node, or its containers not started.
    pub pending: i32,
    /// Terminating: deletion was requested, and it is not gone yet.
    pub terminating: i32,
    /// Was ready until its node could not be reached any more.
    pub unknown: i32,
    /// Ended with an error, not removed yet.
    pub failed: i32,
    /// Ended without an error, not removed yet.
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

/// The marks on the ruler of a Deployment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Marks {
    /// spec.replicas
    pub desired: i32,
    /// desired + surge; 0 when nothing is desired
    pub limit: i32,
    /// desired − unavailable
    pub min_available: i32,
}
