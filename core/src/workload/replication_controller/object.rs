use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::json::{FromJson, ToJson};
use crate::object::{LabelSelector, ObjectMeta, PodTemplateSpec, Resource, Strings, Unknown};
use crate::workload::replica_set::{ReplicaSet, ReplicaSetCondition, ReplicaSetSpec, ReplicaSetStatus};

/// Upstream: `k8s.io/api/core/v1/types.go ReplicationController`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct ReplicationController {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What its controller should keep.
    pub spec: ReplicationControllerSpec,
    /// What its controller last saw.
    pub status: ReplicationControllerStatus,
}

impl Resource for ReplicationController {
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        self.spec.template.named_node()
    }

    fn texts(&self, add: &mut dyn FnMut(&str)) {
        self.status.conditions.iter().for_each(|condition| add(&condition.message));
    }
}

/// Upstream: `k8s.io/api/core/v1/types.go ReplicationControllerSpec`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicationControllerSpec {
    /// Desired pods; the API server's default is 1.
    pub replicas: i32,
    /// Seconds a pod must be ready before it counts as available.
    #[json(omitempty)]
    pub min_ready_seconds: i32,
    /// The labels of its pods.
    #[json(omitempty)]
    pub selector: Option<Strings>,
    /// What the pods are made from.
    pub template: Rc<PodTemplateSpec>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Default for ReplicationControllerSpec {
    fn default() -> Self {
        Self { replicas: 1, min_ready_seconds: 0, selector: None, template: Rc::default(), unknown: Unknown::default() }
    }
}

/// Upstream: `k8s.io/api/core/v1/types.go ReplicationControllerStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicationControllerStatus {
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
    /// The generation that the controller has seen; 0: it has never reported.
    #[json(omitempty)]
    pub observed_generation: i64,
    /// Conditions; they have the form of a ReplicaSet's.
    #[json(omitempty)]
    pub conditions: Rc<Vec<ReplicaSetCondition>>,
}

impl ReplicationController {
    /// Upstream: `pkg/controller/replication/conversion.go convertRCtoRS`
    pub fn to_replica_set(&self) -> ReplicaSet {
        let Self { metadata, spec, status } = self.clone();
        let selector = spec.selector.map(|match_labels| LabelSelector { match_labels, ..LabelSelector::default() });
        ReplicaSet {
            metadata,
            spec: Rc::new(ReplicaSetSpec {
                replicas: spec.replicas,
                min_ready_seconds: spec.min_ready_seconds,
                selector: selector.map(Rc::new),
                template: spec.template,
                unknown: spec.unknown,
            }),
            status: ReplicaSetStatus {
                replicas: status.replicas,
                fully_labeled_replicas: status.fully_labeled_replicas,
                ready_replicas: status.ready_replicas,
                available_replicas: status.available_replicas,
                terminating_replicas: None,
                observed_generation: status.observed_generation,
                conditions: status.conditions,
            },
        }
    }
    /// Upstream: `pkg/controller/replication/conversion.go convertRStoRC`
    #[cfg(feature = "sets")]
    pub(crate) fn of_replica_set(replica_set: &ReplicaSet) -> Self {
        let ReplicaSet { metadata, spec, status } = replica_set.clone();
        let ReplicaSetSpec { replicas, min_ready_seconds, selector, template, unknown } = Rc::unwrap_or_clone(spec);
        let selector = selector.map(|selector| selector.match_labels.clone());
        Self {
            metadata,
            spec: ReplicationControllerSpec { replicas, min_ready_seconds, selector, template, unknown },
            status: ReplicationControllerStatus {
                replicas: status.replicas,
                fully_labeled_replicas: status.fully_labeled_replicas,
                ready_replicas: status.ready_replicas,
                available_replicas: status.available_replicas,
                observed_generation: status.observed_generation,
                conditions: status.conditions,
            },
        }
    }
}
