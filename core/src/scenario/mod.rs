//! What is simulated: objects at the start, nodes, how fast pods start and end, and what the user does when.
//!
//! The format is a contract (`docs/scenario.md` and the JSON Schema made from these types). Later versions add keys and
//! never rename one; an unknown key is refused with its path.

mod duration;
mod parse;

use alloc::string::String;
use alloc::vec::Vec;

use litemap::LiteMap;
use serde_json::Value;

pub use duration::Duration;

use crate::json::{FromJson, ToJson};
use crate::object::Time;

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// A scenario: from it and nothing else comes a timeline, the same byte for byte wherever it is run.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// The version of this format: 1.
    pub version: u32,
    /// What it is about, for people.
    #[serde(default)]
    #[json(omitempty)]
    pub title: String,
    /// The virtual time at the start, as in RFC 3339.
    #[serde(default = "default_start")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub start: Time,
    /// What all randomness (names, uids, jitter) is drawn from.
    #[serde(default)]
    pub seed: u64,
    /// Feature gates that differ from Kubernetes 1.36's defaults: one map for all components, or
    /// `{"apiserver": {...}, "controllerManager": {...}}`.
    #[serde(default)]
    #[json(omitempty)]
    pub feature_gates: Value,
    /// Deployments, ReplicaSets, Pods, ResourceQuotas, PodDisruptionBudgets and PersistentVolumeClaims that are there at
    /// the start, as `kubectl get -o json` prints them.
    #[serde(default)]
    #[json(omitempty)]
    pub objects: Vec<Value>,
    /// The nodes; with none given, one without bounds.
    #[serde(default)]
    #[json(omitempty)]
    pub nodes: Vec<Node>,
    /// What adds nodes for pods that wait for one, and removes empty ones; without it, nobody does.
    #[serde(default)]
    #[json(omitempty)]
    pub autoscaler: Option<Autoscaler>,
    /// How fast pods start and end; the first entry that fits a pod is used.
    #[serde(default)]
    #[json(omitempty)]
    pub kubelet: Vec<Timing>,
    /// What the user does, and when.
    #[serde(default)]
    #[json(omitempty)]
    pub actions: Vec<TimedAction>,
    /// Where the simulation stops at the latest.
    #[serde(default)]
    pub limits: Limits,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            version: VERSION,
            title: String::new(),
            start: default_start(),
            seed: 0,
            feature_gates: Value::Null,
            objects: Vec::new(),
            nodes: Vec::new(),
            autoscaler: None,
            kubelet: Vec::new(),
            actions: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// 2026-01-01T00:00:00Z
const fn default_start() -> Time {
    Time(1_767_225_600_000_000_000)
}

/// A node that pods can be bound to.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// How many pods fit on it; without it, any number.
    #[serde(default)]
    #[json(omitempty)]
    pub pods: Option<u32>,
    /// How much cpu its pods may ask for together, like 4 or 500m; without it, any amount.
    #[serde(default)]
    #[json(omitempty)]
    pub cpu: Option<Value>,
    /// How much memory, like 16Gi.
    #[serde(default)]
    #[json(omitempty)]
    pub memory: Option<Value>,
}

/// What adds and removes nodes.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Autoscaler {
    /// What an added node has; its name is this one with a number.
    pub node: Node,
    /// How long a pod must have waited for a node.
    #[serde(default = "ten_seconds")]
    pub after: Duration,
    /// How long a node that was ordered takes until it is ready.
    #[serde(default = "a_minute")]
    pub startup: Duration,
    /// How long a node must have been empty before it is removed.
    #[serde(default = "ten_minutes")]
    pub idle: Duration,
    /// How many nodes stay in any case; without it, as many as the scenario names.
    #[serde(default)]
    #[json(omitempty)]
    pub min: Option<u32>,
    /// How many nodes there may be.
    #[serde(default = "a_thousand")]
    pub max: u32,
}

const fn ten_seconds() -> Duration {
    Duration::seconds(10)
}

const fn a_minute() -> Duration {
    Duration::seconds(60)
}

const fn ten_minutes() -> Duration {
    Duration::seconds(600)
}

const fn a_thousand() -> u32 {
    1_000
}

/// How long the pods of a revision take on their way. Each span is stretched by the jitter.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Timing {
    /// Only pods of this Deployment.
    #[json(omitempty)]
    pub deployment: Option<String>,
    /// Only pods of this revision (the annotation `deployment.kubernetes.io/revision` of their ReplicaSet).
    #[json(omitempty)]
    pub revision: Option<i64>,
    /// Only pods whose first container has this image.
    #[json(omitempty)]
    pub image: Option<String>,
    /// From creation to a node.
    pub schedule: Duration,
    /// How long pulling the image takes, before `start`; `never`: it can't be pulled.
    pub pull: Ready,
    /// From the node to running containers.
    pub start: Duration,
    /// From running containers to the Ready condition, or `never`.
    pub ready: Ready,
    /// After how long the first container ends with an error, each time that it is started.
    #[json(omitempty)]
    pub crash: Option<Duration>,
    /// How often it does; without it, for ever.
    #[json(omitempty)]
    pub crashes: Option<u32>,
    /// How long the preStop hook takes, of the grace period; without it, as long as `lifecycle.preStop.sleep` says.
    #[json(omitempty)]
    pub pre_stop: Option<Duration>,
    /// From the request to delete a running pod (with a preStop hook, from the hook's end) to its end; at most, and without it exactly, its
    /// terminationGracePeriodSeconds.
    #[json(omitempty)]
    pub terminate: Option<Duration>,
    /// Up to how much longer than given each span takes, in percent, drawn from the seed.
    pub jitter_percent: u32,
}

impl Timing {
    /// What holds for a pod that no entry fits.
    pub(crate) const DEFAULT: Self = Self {
        deployment: None,
        revision: None,
        image: None,
        schedule: Duration(0),
        pull: Ready::After(Duration(0)),
        start: Duration::seconds(1),
        ready: Ready::After(Duration::seconds(4)),
        crash: None,
        crashes: None,
        pre_stop: None,
        terminate: None,
        jitter_percent: 0,
    };
}

impl Default for Timing {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// When a running pod becomes ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// After so long.
    After(Duration),
    /// Not at all.
    Never,
}

/// Something that the user does, and when.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimedAction {
    /// How long after the start.
    #[serde(default)]
    pub at: Duration,
    /// What is done.
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
    /// Lets new pods come to it again.
    Uncordon(NodeName),
    /// Keeps new pods from a node and evicts those that are there, as `kubectl drain` does: again every 5 s while a
    /// PodDisruptionBudget is against it.
    Drain(Drain),
    /// Starts components again with other feature gates, written as in the scenario. Of a component that is named the
    /// gates that are not have their defaults; a component that is not named goes on as it is.
    FeatureGates(Value),
    /// Takes a node off the network: its kubelet is heard of no more, its containers run on.
    LoseNode(NodeName),
    /// Brings a node back to the network.
    ReturnNode(NodeName),
    /// Deletes the Node object, as `kubectl delete node` does.
    DeleteNode(NodeName),
    /// Adds the taint `node.kubernetes.io/out-of-service=nodeshutdown:NoExecute` to a node.
    TaintOutOfService(NodeName),
    /// Takes that taint away.
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
    /// What is merged into `spec.template`; containers are merged by name.
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
    /// For a Pod: instead of its terminationGracePeriodSeconds; 0 removes it at once.
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

/// Where a simulation stops at the latest. The timeline's end says which limit was met.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// Virtual time from the start.
    pub time: Duration,
    /// Steps of the timeline.
    pub steps: u32,
    /// Pods that exist at once.
    pub pods: u32,
    /// Bytes that the timeline takes, as `docs/scenario.md` counts them.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::seconds(24 * 3600), steps: 200_000, pods: 100_000, bytes: 1_000_000_000 }
    }
}

fn deployment_kind() -> String {
    String::from("Deployment")
}

fn default_namespace() -> String {
    String::from("default")
}
