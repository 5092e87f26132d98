use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::{ObjectMeta, Resource, StringMap, Time, Unknown};
use crate::json::{FromJson, Path, Problem, ToJson};

/// Upstream: `k8s.io/api/core/v1/types.go Pod`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct Pod {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What should run.
    pub spec: PodSpec,
    /// What runs.
    pub status: PodStatus,
}

impl Resource for Pod {
    /// One that has ended needs no node any more.
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        let node = self.spec.node_name.as_ref().filter(|_| !self.is_terminal())?;
        Some((node, "spec.nodeName"))
    }
}

/// What the pods of a workload are made from.
///
/// Upstream: `k8s.io/api/core/v1/types.go PodTemplateSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, ToJson, FromJson)]
#[serde(default)]
pub struct PodTemplateSpec {
    /// Labels and annotations of the pods.
    pub metadata: PodTemplateMeta,
    /// Their spec.
    pub spec: PodSpec,
}

impl PodTemplateSpec {
    /// The node that it names for its pods, and the field of its owner in which it does.
    pub(crate) fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        Some((self.spec.node_name.as_ref()?, "spec.template.spec.nodeName"))
    }
}

/// The metadata of a pod template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplateMeta {
    /// Labels of the pods.
    #[json(omitempty)]
    pub labels: StringMap,
    /// Annotations of the pods.
    #[json(omitempty)]
    pub annotations: StringMap,
    /// Finalizers of the pods.
    #[json(omitempty)]
    pub finalizers: Vec<String>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A pod's spec: the node it was bound to, and what all pods of a template share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodSpec {
    /// The node, once the scheduler has chosen it.
    pub node_name: Option<Rc<str>>,
    /// The rest of the spec.
    pub fields: Rc<PodSpecFields>,
}

/// The fields of a pod's spec that pods of one template share.
///
/// Upstream: `k8s.io/api/core/v1/types.go PodSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpecFields {
    /// Containers that run before the others, or beside them (restartPolicy Always: sidecars).
    #[json(omitempty)]
    pub init_containers: Vec<Container>,
    /// Containers.
    #[json(omitempty)]
    pub containers: Vec<Container>,
    /// Seconds that the pod's processes have between SIGTERM and SIGKILL. The API server's default is 30.
    #[json(omitempty)]
    pub termination_grace_period_seconds: Option<i64>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl PodSpecFields {
    /// These fields, with what the containers of the others have alike in the memory of those.
    #[must_use]
    pub(crate) fn shared_with(mut self, others: &Self) -> Self {
        for (own, other) in
            [(&mut self.init_containers, &others.init_containers), (&mut self.containers, &others.containers)]
        {
            for (own, other) in own.iter_mut().zip(other) {
                own.unknown = core::mem::take(&mut own.unknown).shared_with(&other.unknown);
            }
        }
        Self { unknown: self.unknown.shared_with(&others.unknown), ..self }
    }
}

/// The key of the one field that pods of a template do not share.
const NODE_NAME: &str = "nodeName";

impl PodSpec {
    /// Whether somebody must clear scheduling gates before the scheduler looks at the pod.
    pub(crate) fn has_scheduling_gates(&self) -> bool {
        self.fields.unknown.get("schedulingGates").and_then(Value::as_array).is_some_and(|gates| !gates.is_empty())
    }
}

impl ToJson for PodSpec {
    fn to_json(&self) -> Value {
        let mut value = self.fields.to_json();
        if let (Some(name), Some(map)) = (&self.node_name, value.as_object_mut()) {
            map.insert(NODE_NAME.into(), name.to_json());
        }
        value
    }
}

impl FromJson for PodSpec {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let mut shared = value.clone();
        if let Some(name) = shared.as_object_mut().and_then(|map| map.remove(NODE_NAME)) {
            self.node_name.read(&name, &path.child(NODE_NAME))?;
            self.node_name = self.node_name.take().filter(|name| !name.is_empty());
        }
        self.fields.read(&shared, path)
    }
}

/// Upstream: `k8s.io/api/core/v1/types.go Container`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct Container {
    /// Unique in the pod.
    pub name: String,
    /// Image.
    #[json(omitempty)]
    pub image: String,
    /// `Always` on an init container makes it a sidecar.
    #[json(omitempty)]
    pub restart_policy: Option<String>,
    /// When the container may serve.
    #[json(omitempty)]
    pub readiness_probe: Option<Probe>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go Probe`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct Probe {
    /// Seconds after the container's start before the first probe.
    #[json(omitempty)]
    pub initial_delay_seconds: i32,
    /// Seconds between probes.
    #[json(omitempty)]
    pub period_seconds: i32,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go PodStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// Where in its life the pod is.
    #[json(omitempty)]
    pub phase: PodPhase,
    /// Conditions; `Ready` is the one that controllers read.
    #[json(omitempty)]
    pub conditions: Vec<PodCondition>,
    /// Containers, with their restarts.
    #[json(omitempty)]
    pub container_statuses: Vec<ContainerStatus>,
    /// Init containers, with their restarts.
    #[json(omitempty)]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// When the kubelet saw the pod first.
    #[json(omitempty)]
    pub start_time: Option<Time>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go PodPhase`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
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
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct PodCondition {
    /// Like `Ready`.
    #[serde(rename = "type")]
    pub type_: Rc<str>,
    /// True, False or Unknown.
    pub status: ConditionStatus,
    /// Since when it does.
    #[serde(default)]
    #[json(omitempty)]
    pub last_transition_time: Option<Time>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go ConditionStatus`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
pub enum ConditionStatus {
    /// The condition is true.
    True,
    /// The condition is false.
    False,
    /// It is unknown whether the condition is true.
    Unknown,
}

/// Upstream: `k8s.io/api/core/v1/types.go ContainerStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
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
