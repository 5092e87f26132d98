use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::json::{FromJson, ToJson};
use crate::object::{
    ConditionStatus, IntOrString, LabelSelector, ObjectMeta, PodTemplateSpec, Resource, Time, Unknown,
};

/// Upstream: `k8s.io/api/apps/v1/types.go Deployment`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct Deployment {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What the user wants.
    pub spec: Rc<DeploymentSpec>,
    /// What the controller last saw.
    pub status: DeploymentStatus,
}

impl Resource for Deployment {
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        self.spec.template.named_node()
    }

    fn texts(&self, add: &mut dyn FnMut(&str)) {
        self.status.conditions.iter().for_each(|condition| add(&condition.message));
    }
}

/// Upstream: `k8s.io/api/apps/v1/types.go DeploymentSpec`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentSpec {
    /// Desired pods; the API server's default is 1.
    pub replicas: i32,
    /// Which pods are this Deployment's.
    #[json(omitempty)]
    pub selector: Option<Rc<LabelSelector>>,
    /// What the pods are made from.
    pub template: Rc<PodTemplateSpec>,
    /// How old pods are replaced.
    #[json(omitempty)]
    pub strategy: DeploymentStrategy,
    /// Seconds a pod must be ready before it counts as available.
    #[json(omitempty)]
    pub min_ready_seconds: i32,
    /// Old ReplicaSets kept; 2^31-1 keeps all.
    #[json(omitempty)]
    pub revision_history_limit: Option<i32>,
    /// Whether changes of the template wait.
    #[json(omitempty)]
    pub paused: bool,
    /// Seconds without progress before the rollout counts as stuck; 2^31-1: never.
    #[json(omitempty)]
    pub progress_deadline_seconds: Option<i32>,
    /// KEP-5882 (proposed): when a pod may be replaced.
    #[json(omitempty)]
    pub pod_replacement_policy: Option<DeploymentPodReplacementPolicy>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Default for DeploymentSpec {
    fn default() -> Self {
        Self {
            replicas: 1,
            selector: None,
            template: Rc::default(),
            strategy: DeploymentStrategy::default(),
            min_ready_seconds: 0,
            revision_history_limit: None,
            paused: false,
            progress_deadline_seconds: None,
            pod_replacement_policy: None,
            unknown: Unknown::default(),
        }
    }
}

/// When the pods of a Deployment are replaced: the proposed field `podReplacementPolicy` (KEP-5882, API), which no release has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DeploymentPodReplacementPolicy {
    /// A pod that has begun to terminate may be replaced.
    TerminationStarted,
    /// A pod is replaced only once it is gone.
    TerminationComplete,
}

/// Upstream: `k8s.io/api/apps/v1/types.go DeploymentStrategy`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentStrategy {
    /// RollingUpdate or Recreate.
    #[serde(rename = "type")]
    #[json(omitempty)]
    pub type_: String,
    /// For RollingUpdate.
    #[json(omitempty)]
    pub rolling_update: Option<RollingUpdateDeployment>,
}

/// Upstream: `k8s.io/api/apps/v1/types.go RollingUpdateDeployment`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdateDeployment {
    /// Pods that may be unavailable; percentages are rounded down.
    #[json(omitempty)]
    pub max_unavailable: Option<IntOrString>,
    /// Pods above the desired number; percentages are rounded up.
    #[json(omitempty)]
    pub max_surge: Option<IntOrString>,
}

/// Upstream: `k8s.io/api/apps/v1/types.go DeploymentStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploymentStatus {
    /// The generation that the controller has seen.
    #[json(omitempty)]
    pub observed_generation: i64,
    /// Pods that are not terminating.
    #[json(omitempty)]
    pub replicas: i32,
    /// Those of the new template.
    #[json(omitempty)]
    pub updated_replicas: i32,
    /// Ready pods.
    #[json(omitempty)]
    pub ready_replicas: i32,
    /// Pods that were ready for minReadySeconds.
    #[json(omitempty)]
    pub available_replicas: i32,
    /// Pods that are missing until all are available.
    #[json(omitempty)]
    pub unavailable_replicas: i32,
    /// Terminating pods; absent where one ReplicaSet does not report them (KEP-3973).
    #[json(omitempty)]
    pub terminating_replicas: Option<i32>,
    /// Conditions.
    #[json(omitempty)]
    pub conditions: Rc<Vec<DeploymentCondition>>,
    /// How often a name was taken by another template's ReplicaSet.
    #[json(omitempty)]
    pub collision_count: Option<i32>,
}

/// A time that is missing is written as `null`, as Go does.
/// Upstream: `k8s.io/api/apps/v1/types.go DeploymentCondition`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentCondition {
    /// Available, Progressing or ReplicaFailure.
    #[serde(rename = "type")]
    pub type_: Rc<str>,
    /// True, False or Unknown.
    pub status: ConditionStatus,
    /// When it was last written.
    #[serde(default)]
    pub last_update_time: Option<Time>,
    /// When the status last changed.
    #[serde(default)]
    pub last_transition_time: Option<Time>,
    /// One word.
    #[serde(default)]
    #[json(omitempty)]
    pub reason: Rc<str>,
    /// One sentence.
    #[serde(default)]
    #[json(omitempty)]
    pub message: Rc<str>,
}
