//! Pods and the other Kubernetes objects that are no workloads, and what all objects share. They are reduced to the fields that
//! matter here, in their own serde names. Fields not listed are kept as they came (see [`Unknown`]). Cloning is cheap: what pods
//! share (labels, the pod spec) is behind `Rc`.

mod any_object;
mod aux_objects;
mod controller_revision;
mod duration;
mod int_or_string;
mod kind;
mod kind_facts;
mod meta;
mod object_name;
mod persistent_volume_claim;
mod pod;
pub mod quantity;
mod quota_refusal;
mod resource;
mod rfc3339;
mod selector;
mod taint;
mod time;
mod unknown;
pub(crate) mod unstructured;

pub use any_object::{Object, Typed};
pub(crate) use aux_objects::{AUX_KINDS, SURROUNDING_KINDS, is_surrounding};
pub use aux_objects::{
    LimitRangeItem, LimitRangeSpec, PersistentVolumeClaimSpec, PodDisruptionBudgetSpec, ResourceQuotaSpec,
};
pub use controller_revision::{ControllerRevision, NoStatus, Revision};
pub use duration::Duration;
pub use int_or_string::{IntOrString, Rounding};
pub use kind::{Kind, ObjectKey, require_kind};
pub(crate) use kind_facts::{KindFacts, PodReplacementPolicyField, Predicted, Runs, WorkloadFacts};
pub(crate) use meta::annotations_mut;
pub use meta::{ObjectMeta, OwnerReference, StringMap, Strings, controller_of};
pub use object_name::ObjectName;
pub use persistent_volume_claim::{PersistentVolumeClaim, PersistentVolumeClaimStatus};
pub use pod::{
    ConditionStatus, Container, ContainerStatus, Pod, PodCondition, PodPhase, PodSpec, PodSpecFields, PodStatus,
    PodTemplateMeta, PodTemplateSpec, Probe,
};
#[cfg(feature = "explain")]
pub(crate) use quota_refusal::FAILED_QUOTA;
pub(crate) use quota_refusal::{exceeded_quota, failed_quota, refusal_by};
pub(crate) use resource::Resource;
pub(crate) use selector::read_strings;
pub use selector::{LabelSelector, LabelSelectorRequirement, Selector};
pub use taint::Taint;
pub use time::Time;
pub use unknown::Unknown;
