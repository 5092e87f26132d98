use alloc::rc::Rc;
use alloc::vec::Vec;

use serde_json::Value;

use crate::json::{FromJson, ToJson};
use crate::object::unstructured::at;
use crate::object::{ConditionStatus, LabelSelector, ObjectMeta, PodTemplateSpec, Resource, Time, Unknown};

/// The label that distinguishes the pods of one ReplicaSet from those of another.
pub const POD_TEMPLATE_HASH: &str = "pod-template-hash";

/// The annotation with a ReplicaSet's number in the sequence of rollouts.
pub const REVISION: &str = "deployment.kubernetes.io/revision";

/// The revision of a ReplicaSet as `kubectl get -o json` prints it.
pub fn revision_of(replica_set: &Value) -> Option<i64> {
    at(replica_set, &["metadata", "annotations", REVISION])?.as_str()?.parse().ok()
}

/// Upstream: `k8s.io/api/apps/v1/types.go ReplicaSet`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct ReplicaSet {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What its controller should keep.
    pub spec: Rc<ReplicaSetSpec>,
    /// What its controller last saw.
    pub status: ReplicaSetStatus,
}

impl Resource for ReplicaSet {
    /// One without pods is a revision of long ago, whose node may be gone.
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        if self.spec.replicas == 0 { None } else { self.spec.template.named_node() }
    }

    fn texts(&self, add: &mut dyn FnMut(&str)) {
        self.status.conditions.iter().for_each(|condition| add(&condition.message));
    }
}

/// Upstream: `k8s.io/api/apps/v1/types.go ReplicaSetSpec`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetSpec {
    /// Desired pods; the API server's default is 1.
    pub replicas: i32,
    /// Seconds a pod must be ready before it counts as available.
    #[json(omitempty)]
    pub min_ready_seconds: i32,
    /// Which pods are this ReplicaSet's.
    #[json(omitempty)]
    pub selector: Option<Rc<LabelSelector>>,
    /// What the pods are made from.
    pub template: Rc<PodTemplateSpec>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Default for ReplicaSetSpec {
    fn default() -> Self {
        Self { replicas: 1, min_ready_seconds: 0, selector: None, template: Rc::default(), unknown: Unknown::default() }
    }
}

/// Upstream: `k8s.io/api/apps/v1/types.go ReplicaSetStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicaSetStatus {
    /// Pods that are not terminating. Written even when 0, as upstream does.
    pub replicas: i32,
    /// Those that carry all labels of the template.
    #[json(omitempty)]
    pub fully_labeled_replicas: i32,
    /// Ready pods.
    #[json(omitempty)]
    pub ready_replicas: i32,
    /// Pods that were ready for minReadySeconds.
    #[json(omitempty)]
    pub available_replicas: i32,
    /// Terminating pods; absent with its gate off (KEP-3973).
    #[json(omitempty)]
    pub terminating_replicas: Option<i32>,
    /// The generation that the controller has seen; 0: it has never reported.
    #[json(omitempty)]
    pub observed_generation: i64,
    /// Conditions.
    #[json(omitempty)]
    pub conditions: Rc<Vec<ReplicaSetCondition>>,
}

/// A time that is missing is written as `null`, as Go does.
/// Upstream: `k8s.io/api/apps/v1/types.go ReplicaSetCondition`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaSetCondition {
    /// ReplicaFailure.
    #[serde(rename = "type")]
    pub type_: Rc<str>,
    /// True, False or Unknown.
    pub status: ConditionStatus,
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
