use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::meta::map_is_empty;
use super::{ObjectMeta, StringMap, Time, Unknown, is_zero};

/// Upstream: `k8s.io/api/core/v1/types.go Pod`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pod {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// What should run.
    pub spec: PodSpec,
    /// What runs.
    pub status: PodStatus,
}

/// What the pods of a workload are made from.
///
/// Upstream: `k8s.io/api/core/v1/types.go PodTemplateSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodTemplateSpec {
    /// Labels and annotations of the pods.
    pub metadata: PodTemplateMeta,
    /// Their spec.
    pub spec: PodSpec,
}

/// The metadata of a pod template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplateMeta {
    /// Labels of the pods.
    #[serde(skip_serializing_if = "map_is_empty")]
    pub labels: StringMap,
    /// Annotations of the pods.
    #[serde(skip_serializing_if = "map_is_empty")]
    pub annotations: StringMap,
    /// Finalizers of the pods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A pod's spec: the node it was bound to, and what all pods of a template share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BoundPodSpec", into = "BoundPodSpec")]
pub struct PodSpec {
    /// The node, once the scheduler has chosen it.
    pub node_name: Option<Rc<str>>,
    /// The rest of the spec.
    pub fields: Rc<PodSpecFields>,
}

/// The fields of a pod's spec that pods of one template share.
///
/// Upstream: `k8s.io/api/core/v1/types.go PodSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpecFields {
    /// Containers that run before the others, or beside them (restartPolicy Always: sidecars).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init_containers: Vec<Container>,
    /// Containers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub containers: Vec<Container>,
    /// Seconds that the pod's processes have between SIGTERM and SIGKILL. The API server's default is 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_grace_period_seconds: Option<i64>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// How [`PodSpec`] is written: one map.
#[derive(Serialize, Deserialize)]
struct BoundPodSpec {
    #[serde(rename = "nodeName", default, skip_serializing_if = "Option::is_none")]
    node_name: Option<Rc<str>>,
    #[serde(flatten)]
    fields: Rc<PodSpecFields>,
}

impl From<BoundPodSpec> for PodSpec {
    fn from(BoundPodSpec { node_name, fields }: BoundPodSpec) -> Self {
        Self { node_name: node_name.filter(|name| !name.is_empty()), fields }
    }
}

impl From<PodSpec> for BoundPodSpec {
    fn from(PodSpec { node_name, fields }: PodSpec) -> Self {
        Self { node_name, fields }
    }
}

/// Upstream: `k8s.io/api/core/v1/types.go Container`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Container {
    /// Unique in the pod.
    pub name: String,
    /// Image.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// `Always` on an init container makes it a sidecar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<String>,
    /// When the container may serve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness_probe: Option<Probe>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go Probe`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Probe {
    /// Seconds after the container's start before the first probe.
    #[serde(skip_serializing_if = "is_zero")]
    pub initial_delay_seconds: i32,
    /// Seconds between probes.
    #[serde(skip_serializing_if = "is_zero")]
    pub period_seconds: i32,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go PodStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// Where in its life the pod is.
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PodPhase,
    /// Conditions; `Ready` is the one that controllers read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<PodCondition>,
    /// Containers, with their restarts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub container_statuses: Vec<ContainerStatus>,
    /// Init containers, with their restarts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// When the kubelet saw the pod first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go PodPhase`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PodPhase {
    /// Not reported yet; treated like Pending.
    #[default]
    #[serde(rename = "")]
    Unset,
    /// Accepted, not all containers started.
    Pending,
    /// On a node, containers started.
    Running,
    /// All containers ended well.
    Succeeded,
    /// All containers ended, at least one badly.
    Failed,
    /// The node can't be reached.
    Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go PodCondition`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodCondition {
    /// Like `Ready`.
    #[serde(rename = "type")]
    pub type_: Rc<str>,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// Since when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go ConditionStatus`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not.
    False,
    /// Nobody knows.
    Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go ContainerStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// The container's name.
    pub name: String,
    /// How often it was restarted.
    pub restart_count: i32,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Pod {
    /// Upstream: `pkg/api/v1/pod/util.go GetPodReadyCondition`
    pub fn ready_condition(&self) -> Option<&PodCondition> {
        self.status.conditions.iter().find(|condition| &*condition.type_ == "Ready")
    }

    /// Upstream: `pkg/api/v1/pod/util.go IsPodReady`
    pub fn is_ready(&self) -> bool {
        self.ready_condition().is_some_and(|condition| condition.status == ConditionStatus::True)
    }

    /// Upstream: `pkg/api/v1/pod/util.go IsPodAvailable`
    pub fn is_available(&self, min_ready_seconds: i32, now: Time) -> bool {
        let Some(condition) = self.ready_condition() else { return false };
        if condition.status != ConditionStatus::True {
            return false;
        }
        min_ready_seconds == 0
            || condition
                .last_transition_time
                .is_some_and(|since| since.plus_seconds(i64::from(min_ready_seconds)) <= now)
    }

    /// Upstream: `pkg/api/v1/pod/util.go IsPodTerminal`
    pub fn is_terminal(&self) -> bool {
        matches!(self.status.phase, PodPhase::Succeeded | PodPhase::Failed)
    }

    /// Upstream: `pkg/controller/controller_utils.go IsPodActive`
    pub fn is_active(&self) -> bool {
        !self.is_terminal() && self.metadata.deletion_timestamp.is_none()
    }

    /// Upstream: `pkg/controller/controller_utils.go IsPodTerminating`
    pub fn is_terminating(&self) -> bool {
        !self.is_terminal() && self.metadata.deletion_timestamp.is_some()
    }
}
