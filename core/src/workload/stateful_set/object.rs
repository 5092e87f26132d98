use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::json::{FromJson, ToJson};
use crate::object::{
    ConditionStatus, IntOrString, LabelSelector, ObjectMeta, PodTemplateSpec, Resource, Time, Unknown,
};

/// The pod label with the name of the ControllerRevision that the pod was made from.
///
/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetRevisionLabel`
pub(crate) const STATEFUL_SET_REVISION_LABEL: &str = "controller-revision-hash";

/// The pod label with the pod's own name.
///
/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetPodNameLabel`
pub(crate) const STATEFUL_SET_POD_NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";

/// The pod label with the pod's ordinal.
///
/// Upstream: `k8s.io/api/apps/v1/types.go PodIndexLabel`
pub(crate) const POD_INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSet`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct StatefulSet {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What its controller should keep.
    pub spec: Rc<StatefulSetSpec>,
    /// What its controller last saw.
    pub status: StatefulSetStatus,
}

impl Resource for StatefulSet {
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        self.spec.template.named_node()
    }

    fn texts(&self, add: &mut dyn FnMut(&str)) {
        self.status.conditions.iter().for_each(|condition| add(&condition.message));
    }
}

/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetSpec`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetSpec {
    /// Desired pods; the API server's default is 1.
    pub replicas: i32,
    /// Which pods are this StatefulSet's.
    #[json(omitempty)]
    pub selector: Option<Rc<LabelSelector>>,
    /// What the pods are made from.
    pub template: Rc<PodTemplateSpec>,
    /// Claims that each pod gets for itself.
    #[json(omitempty)]
    pub volume_claim_templates: Vec<ClaimTemplate>,
    /// The subdomain of its pods. Written even when empty, as upstream does.
    pub service_name: Rc<str>,
    /// In which order pods are created and deleted.
    #[json(omitempty)]
    pub pod_management_policy: PodManagementPolicy,
    /// How pods get a new template.
    #[json(omitempty)]
    pub update_strategy: UpdateStrategy,
    /// How many ControllerRevisions that no pod has are kept; the API server's default is 10.
    #[json(omitempty)]
    pub revision_history_limit: Option<i32>,
    /// Seconds a pod must be ready before it counts as available.
    #[json(omitempty)]
    pub min_ready_seconds: i32,
    /// When claims are deleted; none means never.
    #[json(omitempty)]
    pub persistent_volume_claim_retention_policy: Option<ClaimRetentionPolicy>,
    /// Which ordinals the pods have.
    #[json(omitempty)]
    pub ordinals: Option<Ordinals>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Default for StatefulSetSpec {
    fn default() -> Self {
        Self {
            replicas: 1,
            selector: None,
            template: Rc::default(),
            volume_claim_templates: Vec::new(),
            service_name: Rc::default(),
            pod_management_policy: PodManagementPolicy::OrderedReady,
            update_strategy: UpdateStrategy::default(),
            revision_history_limit: None,
            min_ready_seconds: 0,
            persistent_volume_claim_retention_policy: None,
            ordinals: None,
            unknown: Unknown::default(),
        }
    }
}

/// A claim in a StatefulSet: the spec and the rest stand in it as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct ClaimTemplate {
    /// Name, labels and annotations of the claims.
    pub metadata: ObjectMeta,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/apps/v1/types.go PodManagementPolicyType`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PodManagementPolicy {
    /// One pod after the other, and only while all others are available.
    #[default]
    OrderedReady,
    /// All at once.
    Parallel,
}

/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetUpdateStrategy`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStrategy {
    /// Whether the controller or the user replaces pods, and how.
    #[serde(rename = "type")]
    #[json(omitempty)]
    pub type_: UpdateStrategyType,
    /// Limits of a rolling update.
    #[json(omitempty)]
    pub rolling_update: Option<RollingUpdate>,
}

/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetUpdateStrategyType`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum UpdateStrategyType {
    /// The controller replaces pods, from the highest ordinal down.
    #[default]
    RollingUpdate,
    /// A user deletes pods.
    OnDelete,
    /// All old pods go before the first new one comes.
    Recreate,
}

/// Upstream: `k8s.io/api/apps/v1/types.go RollingUpdateStatefulSetStrategy`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdate {
    /// How many pods, from the lowest ordinal up, keep their revision.
    #[json(omitempty)]
    pub partition: Option<i32>,
    /// How many pods may be unavailable; 1 if it is absent.
    #[json(omitempty)]
    pub max_unavailable: Option<IntOrString>,
}

/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetPersistentVolumeClaimRetentionPolicy`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimRetentionPolicy {
    /// What becomes of the claims when the StatefulSet is deleted.
    #[json(omitempty)]
    pub when_deleted: ClaimRetention,
    /// What becomes of a claim when its pod is scaled away.
    #[json(omitempty)]
    pub when_scaled: ClaimRetention,
}

/// Upstream: `k8s.io/api/apps/v1/types.go PersistentVolumeClaimRetentionPolicyType`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum ClaimRetention {
    /// It stays.
    #[default]
    Retain,
    /// It is deleted.
    Delete,
}

/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetOrdinals`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct Ordinals {
    /// The ordinal of the first pod.
    pub start: i32,
}

/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetStatus {
    /// The generation that the controller has seen; 0: it has never reported.
    #[json(omitempty)]
    pub observed_generation: i64,
    /// Pods. Written even when 0, as upstream does.
    pub replicas: i32,
    /// Running pods that are ready.
    #[json(omitempty)]
    pub ready_replicas: i32,
    /// Pods of the current revision that are not terminating.
    #[json(omitempty)]
    pub current_replicas: i32,
    /// Pods of the update revision that are not terminating.
    #[json(omitempty)]
    pub updated_replicas: i32,
    /// The revision of the pods before an update, and after it is complete.
    #[json(omitempty)]
    pub current_revision: Rc<str>,
    /// The revision of the template.
    #[json(omitempty)]
    pub update_revision: Rc<str>,
    /// How often the name of a new revision was taken.
    #[json(omitempty)]
    pub collision_count: Option<i32>,
    /// Conditions.
    #[json(omitempty)]
    pub conditions: Rc<Vec<StatefulSetCondition>>,
    /// Pods that were ready for minReadySeconds. Written even when 0, as upstream does.
    pub available_replicas: i32,
}

/// A time that is missing is written as `null`, as Go does.
/// Upstream: `k8s.io/api/apps/v1/types.go StatefulSetCondition`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct StatefulSetCondition {
    /// Progressing.
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

impl StatefulSet {
    /// The ordinal of the first pod.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getStartOrdinal`
    pub fn start_ordinal(&self) -> i32 {
        self.spec.ordinals.map_or(0, |ordinals| ordinals.start)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getPersistentVolumeClaimRetentionPolicy`
    pub(crate) fn claim_retention_policy(&self) -> ClaimRetentionPolicy {
        self.spec.persistent_volume_claim_retention_policy.unwrap_or_default()
    }

    /// Whether pods are created and deleted at once.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_utils.go allowsBurst`
    pub fn allows_burst(&self) -> bool {
        self.spec.pod_management_policy == PodManagementPolicy::Parallel
    }
}
