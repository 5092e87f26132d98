//! The Kubernetes objects, reduced to the fields that matter here, in their own serde names. Fields not listed are
//! kept as they came (see [`Unknown`]). Cloning is cheap: what pods share (labels, the pod spec) is behind `Rc`.

mod any;
mod constraint;
mod int_or_string;
mod kind;
mod meta;
mod pod;
mod replication_controller;
mod rfc3339;
mod selector;
mod time;
mod unknown;
pub(crate) mod unstructured;
mod workload;

pub use any::Object;
pub use constraint::{PersistentVolumeClaimSpec, PodDisruptionBudgetSpec, ResourceQuotaSpec};
pub use int_or_string::{IntOrString, Rounding};
pub use kind::{Kind, ObjectKey};
pub use meta::{ObjectMeta, OwnerReference, StringMap, Strings, annotations_mut};
pub use pod::{
    ConditionStatus, Container, ContainerStatus, Pod, PodCondition, PodPhase, PodSpec, PodSpecFields, PodStatus,
    PodTemplateMeta, PodTemplateSpec, Probe,
};
pub use replication_controller::{ReplicationController, ReplicationControllerSpec, ReplicationControllerStatus};
pub use selector::{LabelSelector, LabelSelectorRequirement, Selector};
pub use time::Time;
pub use unknown::Unknown;
pub use workload::{
    Deployment, DeploymentCondition, DeploymentPodReplacementPolicy, DeploymentSpec, DeploymentStatus,
    DeploymentStrategy, ReplicaSet, ReplicaSetCondition, ReplicaSetSpec, ReplicaSetStatus, RollingUpdateDeployment,
};
