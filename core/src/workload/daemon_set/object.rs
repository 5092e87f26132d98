use alloc::rc::Rc;
use alloc::string::String;

use crate::json::{FromJson, ToJson};
use crate::object::{IntOrString, LabelSelector, ObjectMeta, PodTemplateSpec, Resource, Rounding, Unknown};

/// The label of pods and ControllerRevisions with the hash of their pod template.
///
/// Upstream: `k8s.io/api/apps/v1/types.go DefaultDaemonSetUniqueLabelKey`
pub(crate) const DAEMON_SET_UNIQUE_LABEL: &str = "controller-revision-hash";

/// The pod label with the number of the pod template, which older releases read.
///
/// Upstream: `k8s.io/api/extensions/v1beta1/types.go DaemonSetTemplateGenerationKey`
pub(crate) const TEMPLATE_GENERATION_LABEL: &str = "pod-template-generation";

/// Where the number of the pod template is kept, since `apps/v1` has no field for it.
///
/// Upstream: `k8s.io/api/apps/v1/types.go DeprecatedTemplateGeneration`
pub(crate) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Upstream: `k8s.io/api/apps/v1/types.go DaemonSet`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct DaemonSet {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What its controller should keep.
    pub spec: Rc<DaemonSetSpec>,
    /// What its controller last saw.
    pub status: DaemonSetStatus,
}

impl Resource for DaemonSet {
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        self.spec.template.named_node()
    }
}

/// Upstream: `k8s.io/api/apps/v1/types.go DaemonSetSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetSpec {
    /// Which pods are this DaemonSet's.
    #[json(omitempty)]
    pub selector: Option<Rc<LabelSelector>>,
    /// What the pods are made from.
    pub template: Rc<PodTemplateSpec>,
    /// How pods get a new template.
    #[json(omitempty)]
    pub update_strategy: UpdateStrategy,
    /// Seconds a pod must be ready before it counts as available.
    #[json(omitempty)]
    pub min_ready_seconds: i32,
    /// How many old ControllerRevisions are kept; the API server's default is 10.
    #[json(omitempty)]
    pub revision_history_limit: Option<i32>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/apps/v1/types.go DaemonSetUpdateStrategy`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStrategy {
    /// Whether the controller or the user replaces pods.
    #[serde(rename = "type")]
    #[json(omitempty)]
    pub type_: UpdateStrategyType,
    /// Limits of a rolling update.
    #[json(omitempty)]
    pub rolling_update: Option<RollingUpdate>,
}

/// Upstream: `k8s.io/api/apps/v1/types.go DaemonSetUpdateStrategyType`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum UpdateStrategyType {
    /// The controller replaces pods.
    #[default]
    RollingUpdate,
    /// A user deletes pods.
    OnDelete,
}

/// Upstream: `k8s.io/api/apps/v1/types.go RollingUpdateDaemonSet`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdate {
    /// On how many nodes the pod may be unavailable.
    #[json(omitempty)]
    pub max_unavailable: Option<IntOrString>,
    /// On how many nodes an available old pod may have a new one beside it.
    #[json(omitempty)]
    pub max_surge: Option<IntOrString>,
}

/// Upstream: `k8s.io/api/apps/v1/types.go DaemonSetStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetStatus {
    /// Nodes that should have a pod, and have one. Written even when 0, as upstream does, like the next three.
    pub current_number_scheduled: i32,
    /// Nodes that should not have a pod, and have one.
    pub number_misscheduled: i32,
    /// Nodes that should have a pod.
    pub desired_number_scheduled: i32,
    /// Nodes that should have a pod, and have a ready one.
    pub number_ready: i32,
    /// The generation that the controller has seen; 0: it has never reported.
    #[json(omitempty)]
    pub observed_generation: i64,
    /// Nodes that should have a pod, and have one of the present template.
    #[json(omitempty)]
    pub updated_number_scheduled: i32,
    /// Nodes that should have a pod, and have one that was ready for minReadySeconds.
    #[json(omitempty)]
    pub number_available: i32,
    /// Nodes that should have a pod, and have no available one.
    #[json(omitempty)]
    pub number_unavailable: i32,
    /// How often the name of a new revision was taken.
    #[json(omitempty)]
    pub collision_count: Option<i32>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl DaemonSet {
    /// How many more pods than nodes an update may have.
    ///
    /// # Errors
    /// The text of upstream's error, where the field is not a percentage.
    ///
    /// Upstream: `pkg/controller/daemon/util/daemonset_util.go SurgeCount`
    pub(crate) fn surge_count(&self, nodes: i32) -> Result<i64, String> {
        self.limit(|rolling| rolling.max_surge.as_ref(), nodes)
    }

    /// How many pods may be unavailable in an update.
    ///
    /// # Errors
    /// The text of upstream's error, where the field is not a percentage.
    ///
    /// Upstream: `pkg/controller/daemon/util/daemonset_util.go UnavailableCount`
    pub(crate) fn unavailable_count(&self, nodes: i32) -> Result<i64, String> {
        self.limit(|rolling| rolling.max_unavailable.as_ref(), nodes)
    }

    fn limit(&self, of: impl Fn(&RollingUpdate) -> Option<&IntOrString>, nodes: i32) -> Result<i64, String> {
        let strategy = &self.spec.update_strategy;
        let rolling = strategy.rolling_update.as_ref().filter(|_| strategy.type_ == UpdateStrategyType::RollingUpdate);
        rolling.and_then(of).map_or(Ok(0), |limit| limit.scaled(nodes, Rounding::Up))
    }

    /// Whether a node may have two pods during an update.
    ///
    /// Upstream: `pkg/controller/daemon/util/daemonset_util.go AllowsSurge`
    pub(crate) fn allows_surge(&self) -> bool {
        self.surge_count(1).is_ok_and(|surge| surge > 0)
    }
}
