use alloc::rc::Rc;
use alloc::string::String;

use litemap::LiteMap;
use serde_json::Value;

use super::{Duration, Node};
use crate::json::{FromJson, ToJson};

/// A request of the user to the cluster, and when it is made.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimedAction {
    /// How long after the start of the scenario; `0s` by default.
    #[serde(default)]
    pub at: Duration,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

/// A request of the user to the cluster, with exactly one verb, such as `scale`.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Creates an object, as `kubectl create` does.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::Manifest"))]
    Create(Rc<Value>),
    /// Creates an object, or merges the manifest into the one that exists (RFC 7386, as `kubectl apply` does for maps).
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::Manifest"))]
    Apply(Rc<Value>),
    /// Creates a Job from a CronJob, as `kubectl create job NAME --from=cronjob/CRONJOB` does.
    CreateJob(CreateJob),
    /// Sets spec.replicas through the scale subresource, or a Job's spec.parallelism.
    Scale(Scale),
    /// Merges into the pod template of a Deployment, a StatefulSet, a DaemonSet, a ReplicationController, a Job or a CronJob.
    SetTemplate(SetTemplate),
    /// Sets (or with null removes) annotations.
    Annotate(Annotate),
    /// Pauses a Deployment.
    Pause(DeploymentName),
    /// Suspends a Job: its pods are deleted, and no new ones created. Or a CronJob: it starts no Jobs.
    Suspend(Suspend),
    /// Resumes a Deployment that is paused, or a Job or CronJob that is suspended.
    Resume(Resume),
    /// Replaces all pods of a Deployment, a StatefulSet or a DaemonSet, as `kubectl rollout restart` does.
    Restart(Restart),
    /// Rolls a Deployment, a StatefulSet or a DaemonSet back, as `kubectl rollout undo` does.
    Undo(Undo),
    /// Deletes an object.
    Delete(Delete),
    /// Evicts a pod.
    Evict(Evict),
    /// Lets the scheduler preempt a pod on a node, as it does to make room for a pod of a higher priority.
    Preempt(Preempt),
    /// Cordons a node, so that it gets no new pods.
    Cordon(NodeName),
    /// Uncordons a node, so that it gets new pods again.
    Uncordon(NodeName),
    /// Cordons a node and evicts its pods, as `kubectl drain` does: it tries again every 5 s while a
    /// PodDisruptionBudget refuses an eviction.
    Drain(Drain),
    /// Restarts components with other feature gates, which are written as in the scenario. In a component that is
    /// listed, gates that are not listed get their defaults; a component that is not listed keeps running.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::FeatureGates"))]
    FeatureGates(Value),
    /// Disconnects a node from the network: its kubelet stops reporting, but its containers keep running.
    LoseNode(NodeName),
    /// Reconnects a node to the network.
    ReturnNode(NodeName),
    /// Deletes the Node object, as `kubectl delete node` does.
    DeleteNode(NodeName),
    /// Adds a node, as a kubelet that joins the cluster does.
    AddNode(Node),
    /// Taints a node, as `kubectl taint --overwrite` does.
    Taint(TaintNode),
    /// Removes a node's taints with a key, as `kubectl taint nodes NAME KEY-` does.
    Untaint(UntaintNode),
    /// Sets (or with null removes) labels of a node, as `kubectl label --overwrite` does.
    LabelNode(LabelNode),
    /// Adds the taint `node.kubernetes.io/out-of-service=nodeshutdown:NoExecute` to a node.
    TaintOutOfService(NodeName),
    /// Removes the taint `node.kubernetes.io/out-of-service` from a node.
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

/// The node that an action is about.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeName {
    /// The node's name.
    pub name: String,
}

/// A taint of a node.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaintNode {
    /// The node's name.
    pub name: String,
    /// The taint's key.
    pub key: String,
    /// The taint's value; empty by default.
    #[serde(default)]
    #[json(omitempty)]
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}

/// The taints of a node to remove.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UntaintNode {
    /// The node's name.
    pub name: String,
    /// The key of the taints.
    pub key: String,
    /// Their effect; by default, taints with any effect are removed.
    #[serde(default)]
    #[json(omitempty)]
    pub effect: Option<String>,
}

/// Labels of a node.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LabelNode {
    /// The node's name.
    pub name: String,
    /// The labels to set, or with null to remove.
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, Option<String>>"))]
    pub labels: LiteMap<String, Option<String>>,
}

/// A new number of pods, as `kubectl scale` sets it; for a Job, a patch.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scale {
    /// The kind of the object: `Deployment` (the default), `ReplicaSet`, `ReplicationController`, `StatefulSet` or `Job`.
    #[serde(default = "deployment_kind")]
    pub kind: String,
    /// The name of the object to scale.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// The new spec.replicas; of a Job, the new spec.parallelism.
    pub replicas: i64,
}

/// A change of a pod template, such as that of `kubectl set image`.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetTemplate {
    /// The kind of the object: `Deployment` (the default), `StatefulSet`, `DaemonSet`, `ReplicationController`, `CronJob` or `Job`. The
    /// template of a Job can only change while the Job is suspended.
    #[serde(default = "deployment_kind")]
    pub kind: String,
    /// The name of the Deployment, the StatefulSet, the CronJob or the Job.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// A patch that is merged into the pod template; containers are merged by name.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::Manifest"))]
    pub template: Value,
}

/// Annotations, as `kubectl annotate` sets them.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Annotate {
    /// The kind of the object: `Deployment`, `StatefulSet`, `CronJob`, `Job`, `ReplicaSet` or `Pod`.
    pub kind: String,
    /// The name of the object. For a Pod, `DEPLOYMENT/N` or `JOB/N` stands for the Nth oldest pod, from 0; in an Indexed Job,
    /// for the pod of that index; `STATEFULSET/N` for the pod of that ordinal.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// The annotations' new values; null removes one.
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, Option<String>>"))]
    pub annotations: LiteMap<String, Option<String>>,
}

/// The Deployment that an action is about.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeploymentName {
    /// The Deployment's name.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// A Job from the template of a CronJob, in the CronJob's namespace.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateJob {
    /// The name of the new Job.
    pub name: String,
    /// The CronJob's name.
    pub from: String,
    /// The namespace; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// The Job or CronJob to suspend.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suspend {
    /// `Job` (the default) or `CronJob`.
    #[serde(default = "job_kind")]
    pub kind: String,
    /// The name of the Job or the CronJob.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// The Deployment, Job or CronJob to resume.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resume {
    /// The kind of the object: `Deployment` (the default), `CronJob` or `Job`.
    #[serde(default = "deployment_kind")]
    pub kind: String,
    /// The name of the Deployment, the Job or the CronJob.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// The Deployment, StatefulSet or DaemonSet to restart.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Restart {
    /// The kind of the object: `Deployment` (the default), `StatefulSet` or `DaemonSet`.
    #[serde(default = "deployment_kind")]
    pub kind: String,
    /// The name of the object.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// A rollback, as `kubectl rollout undo` does it.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Undo {
    /// The kind of the object: `Deployment` (the default), `StatefulSet` or `DaemonSet`.
    #[serde(default = "deployment_kind")]
    pub kind: String,
    /// The name of the Deployment, the StatefulSet or the DaemonSet.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// The revision to roll back to; 0 (the default) means the previous one.
    #[serde(default)]
    pub to_revision: i64,
    /// Whether kubectl is too old to know KEP-5882's annotation, and copies it.
    #[serde(default)]
    pub older_kubectl: bool,
}

/// A deletion, as `kubectl delete` asks for it.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delete {
    /// The kind of the object: `Deployment`, `StatefulSet`, `CronJob`, `Job`, `ReplicaSet`, `ControllerRevision`, `Pod`,
    /// `ResourceQuota`, `LimitRange`, `PodDisruptionBudget` or `PersistentVolumeClaim`.
    pub kind: String,
    /// The name of the object. For a Pod, `DEPLOYMENT/N` or `JOB/N` stands for the Nth oldest pod, from 0; in an Indexed Job,
    /// for the pod of that index; `STATEFULSET/N` for the pod of that ordinal.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
    /// What happens to the objects that the deleted object owns: `background` by default.
    #[serde(default)]
    pub cascade: Cascade,
    /// The grace period of a Pod, in place of its terminationGracePeriodSeconds; 0 removes the Pod immediately.
    #[serde(default)]
    #[json(omitempty)]
    pub grace_period_seconds: Option<i64>,
}

/// What happens to the objects that a deleted object owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Cascade {
    /// They are deleted after it.
    #[default]
    Background,
    /// They are deleted before it.
    Foreground,
    /// They stay and have no owner.
    Orphan,
}

/// The eviction of one pod.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evict {
    /// The pod's name; `DEPLOYMENT/N` or `JOB/N` stands for the Nth oldest pod, from 0; in an Indexed Job, for the pod of that
    /// index; `STATEFULSET/N` for the pod of that ordinal.
    pub name: String,
    /// The namespace of the object; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// The preemption of one pod.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preempt {
    /// The pod's name; `DEPLOYMENT/N` or `JOB/N` stands for the Nth oldest pod, from 0; in an Indexed Job, for the pod of that
    /// index; `STATEFULSET/N` for the pod of that ordinal.
    pub name: String,
    /// The namespace; `default` by default.
    #[serde(default = "default_namespace")]
    pub namespace: String,
}

/// A drain of a node, as `kubectl drain` does it.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Drain {
    /// The node's name.
    pub name: String,
    /// Whether pods without a controller are evicted too. Otherwise such a pod stops the command.
    #[serde(default)]
    pub force: bool,
    /// Whether pods of DaemonSets stay, as they do by default. Otherwise such a pod stops the command.
    #[serde(default)]
    #[json(omitempty)]
    pub ignore_daemon_sets: Option<bool>,
    /// Whether pods with an emptyDir are evicted too, as they are by default. Otherwise such a pod stops the command.
    #[serde(default)]
    #[json(omitempty)]
    pub delete_empty_dir_data: Option<bool>,
    /// How long the pods have to stop, in seconds; by default, and if it is negative, each has its own grace period.
    #[serde(default)]
    #[json(omitempty)]
    pub grace_period_seconds: Option<i64>,
    /// Whether the pods are deleted, whatever their budgets say, and not evicted.
    #[serde(default)]
    #[json(omitempty)]
    pub disable_eviction: bool,
}

fn deployment_kind() -> String {
    String::from("Deployment")
}

fn job_kind() -> String {
    String::from("Job")
}

fn default_namespace() -> String {
    String::from("default")
}
