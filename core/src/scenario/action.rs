use alloc::string::String;

use litemap::LiteMap;
use serde_json::Value;

use super::Duration;
use crate::json::{FromJson, ToJson};

/// Something that the user does, and when.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimedAction {
    /// How long after the start.
    #[serde(default)]
    pub at: Duration,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

/// Something that the user does.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Creates the object.
    Create(Value),
    /// Creates the object, or merges it into the one that is there (RFC 7386, as `kubectl apply` does for maps).
    Apply(Value),
    /// Sets spec.replicas through the scale subresource.
    Scale(Scale),
    /// Merges into the pod template of a Deployment.
    SetTemplate(SetTemplate),
    /// Sets (or with null removes) annotations.
    Annotate(Annotate),
    /// Pauses a Deployment.
    Pause(DeploymentName),
    /// Resumes a Deployment.
    Resume(DeploymentName),
    /// Rolls a Deployment back, as `kubectl rollout undo` does.
    Undo(Undo),
    /// Deletes an object.
    Delete(Delete),
    /// Evicts a pod.
    Evict(Evict),
    /// Keeps new pods from a node.
    Cordon(NodeName),
    /// Lets new pods come to the node again.
    Uncordon(NodeName),
    /// Keeps new pods from a node and evicts those that are there, as `kubectl drain` does: again every 5 s while a
    /// PodDisruptionBudget does not allow it.
    Drain(Drain),
    /// Restarts components with other feature gates, written as in the scenario. A component that is named has the default
    /// for every gate that is not; a component that is not named keeps running.
    FeatureGates(Value),
    /// Takes a node off the network: its kubelet does not report any more, its containers keep running.
    LoseNode(NodeName),
    /// Brings a node back to the network.
    ReturnNode(NodeName),
    /// Deletes the Node object, as `kubectl delete node` does.
    DeleteNode(NodeName),
    /// Adds the taint `node.kubernetes.io/out-of-service=nodeshutdown:NoExecute` to a node.
    TaintOutOfService(NodeName),
    /// Removes that taint.
    UntaintOutOfService(NodeName),
}

impl Action {
    /// The feature gates with which components start again, if that is the action.
    pub const fn feature_gates(&self) -> Option<&Value> {
        match self {
            Self::FeatureGates(gates) => Some(gates),
            _ => None,
        }
    }
}

/// Which node.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeName {
    /// Its name.
    pub name: String,
}

/// `kubectl scale`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scale {
    /// Deployment or ReplicaSet.
    #[serde(default = "deployment_kind")]
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// The desired pods.
    pub replicas: i64,
}

/// `kubectl set image` and every other change of the pod template.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetTemplate {
    /// The Deployment's name.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// A patch that is merged into `spec.template`; containers are merged by name.
    pub template: Value,
}

/// `kubectl annotate`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Annotate {
    /// Deployment, ReplicaSet or Pod.
    pub kind: String,
    /// Its name. For a Pod, `DEPLOYMENT/N` stands for the Nth oldest pod of a Deployment, from 0.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// The values; null removes one.
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, Option<String>>"))]
    pub annotations: LiteMap<String, Option<String>>,
}

/// Which Deployment.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeploymentName {
    /// Its name.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// `kubectl rollout undo`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Undo {
    /// The Deployment's name.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// The revision; 0 is the one before.
    #[serde(default)]
    pub to_revision: i64,
    /// By a kubectl that does not know KEP-5882's annotation: it copies that one too.
    #[serde(default)]
    pub older_kubectl: bool,
}

/// `kubectl delete`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delete {
    /// Deployment, ReplicaSet, Pod, ResourceQuota, PodDisruptionBudget or PersistentVolumeClaim.
    pub kind: String,
    /// Its name. For a Pod, `DEPLOYMENT/N` stands for the Nth oldest pod of a Deployment, from 0.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// What happens to the objects it owns.
    #[serde(default)]
    pub cascade: Cascade,
    /// For a Pod: instead of its terminationGracePeriodSeconds; 0 removes it immediately.
    #[serde(default)]
    #[json(omitempty)]
    pub grace_period_seconds: Option<i64>,
}

/// What happens to the objects that a deleted object owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Cascade {
    /// They go after it.
    #[default]
    Background,
    /// They go before it.
    Foreground,
    /// They stay, without an owner.
    Orphan,
}

/// An eviction, as `kubectl drain` asks for it.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evict {
    /// The pod's name; `DEPLOYMENT/N` stands for the Nth oldest pod of a Deployment, from 0.
    pub name: String,
    /// Its namespace.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// `kubectl drain`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Drain {
    /// The node's name.
    pub name: String,
    /// Whether pods without a controller are evicted too; without it, one of them stops the command.
    #[serde(default)]
    pub force: bool,
}

fn deployment_kind() -> String {
    String::from("Deployment")
}

fn default_namespace() -> String {
    String::from("default")
}
