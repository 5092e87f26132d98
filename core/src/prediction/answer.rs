//! The answer as data. Times are in nanoseconds after the change.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::course::ShardPart;
use super::options::Assumptions;
use super::verdict::Verdict;
use crate::cluster::Unspecified;
use crate::json::ToJson;
use crate::object::quantity::nanos;
use crate::timeline::End;

/// What a change needs. Times are in milliseconds after the change.
#[derive(Clone, Debug, PartialEq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Prediction {
    /// Whether the change fits, and if not, or if that is not judged, why.
    pub verdict: Verdict,
    /// The version of this format: 3.
    pub version: u32,
    /// The prediction for each DaemonSet, StatefulSet, Deployment and ReplicationController, in this order of kinds, sorted by namespace
    /// and name.
    pub workloads: Vec<WorkloadPrediction>,
    /// The prediction for each Job, sorted by namespace and name.
    pub jobs: Vec<JobPrediction>,
    /// The prediction for all pods together, including those of no Deployment.
    pub total: TotalPrediction,
    /// The prediction for each ResourceQuota.
    pub quotas: Vec<QuotaPrediction>,
    /// Pods that wait for a node; absent without nodes.
    #[json(omitempty)]
    pub pending: Option<Vec<PendingPods>>,
    /// What can go wrong, or takes longer than you would expect.
    pub warnings: Vec<Warning>,
    /// The pods of workloads that are not predicted. They count as estimates toward quotas and nodes, and in `total`.
    pub estimates: Vec<EstimatedPods>,
    /// Objects that were left out, and fields that decide and are not modeled.
    pub not_modeled: Vec<NotModeled>,
    /// Objects that run no pods and are only in the old manifests: they stay, unless a tool prunes them.
    pub only_in_old: Vec<OldObject>,
    /// The assumptions that were used.
    pub assumptions: Assumptions,
    /// The assumptions in one line.
    pub assumed: String,
    /// Why the simulation ended. If it reached a limit, all numbers are those up to that point.
    pub end: End,
    /// What is needed to merge this with the predictions of the other shards; absent for a whole fleet.
    #[json(omitempty)]
    pub shard: Option<ShardPart>,
}

/// What happens to the pods of one workload.
#[derive(Clone, Debug, PartialEq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkloadPrediction {
    /// The workload's kind: `Deployment`, `StatefulSet` or `DaemonSet`.
    pub kind: String,
    /// The workload's namespace.
    pub namespace: String,
    /// The workload's name.
    pub name: String,
    /// The change; absent if nothing about this workload changes.
    #[json(omitempty)]
    pub change: Option<WorkloadChange>,
    /// What the workload needs in today's releases, without quotas.
    pub outcome: Outcome,
    /// `outcome` with the proposed field `podReplacementPolicy: TerminationComplete` (KEP-5882); absent where it makes no difference.
    #[json(omitempty)]
    pub proposed: Option<Outcome>,
    /// `outcome` with the quotas enforced; absent where they make no difference.
    #[json(omitempty)]
    pub with_quotas: Option<Outcome>,
    /// The ranges over several runs; absent with one run.
    #[json(omitempty)]
    pub ranges: Option<Ranges>,
    /// The worst that any order of events leads to, if you asked for it. A Deployment that is new or not settled has none.
    #[json(omitempty)]
    pub worst: Option<WorstCases>,
    /// Why `worst` is absent although you asked for it. A settled Deployment that does not change has neither.
    #[json(omitempty)]
    pub not_explored: Option<NotExplored>,
}

/// Why the orders of a Deployment's events are not explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum NotExplored {
    /// The change creates the Deployment.
    New,
    /// A rollout or a scaling is in progress, or pods are unavailable or terminating.
    InProgress,
}

/// The worst that any order of events leads to.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorstCases {
    /// The worst case in today's releases, without quotas.
    pub outcome: WorstOutcome,
    /// `outcome` with the proposed field `podReplacementPolicy: TerminationComplete` (KEP-5882); absent where it makes no difference.
    #[json(omitempty)]
    pub proposed: Option<WorstOutcome>,
}

/// The worst numbers over all orders of events.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorstOutcome {
    /// How these numbers are known: all orders were tried, or they are bounds.
    pub proof: WorstProof,
    /// The most pods at once, terminating ones included.
    pub peak: i64,
    /// The fewest available pods.
    pub lowest_available: i64,
    /// The most that the pods request of each resource.
    pub resources: Vec<WorstResource>,
    /// The longest time until the change is complete, in milliseconds, not counting the time that controllers take; absent if pods may never become
    /// ready. If `orders` has none for it, it is a bound.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub longest: Option<i64>,
    /// Whether each order in which all pods become ready completes the change; absent for bounds.
    #[json(omitempty)]
    pub always_completes: Option<bool>,
    /// How many versions of a ReplicaSet a controller's cache may be behind; absent for bounds.
    #[json(omitempty)]
    pub lag: Option<u32>,
    /// How many states were visited; absent for bounds.
    #[json(omitempty)]
    pub states: Option<u32>,
    /// An order of events that leads to `peak`, one that leads to `lowestAvailable`, and one that takes `longest`; empty for
    /// bounds.
    pub orders: Vec<WorstOrder>,
}

/// How a worst case is known: all orders of events were tried and one leads to it, or no order exceeds this bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WorstProof {
    /// All orders were explored, and one leads there.
    AllOrders,
    /// It is a proven bound: no order of events exceeds it, but possibly none reaches it.
    Bound,
}

/// The most that pods request of a resource.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorstResource {
    /// The resource, like `cpu`.
    pub resource: String,
    /// The most of the resource that pods request at once.
    pub peak: String,
}

/// An order of events that leads to one of the worst numbers.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorstOrder {
    /// The number that the order leads to: `peak`, `lowestAvailable` or `longest`.
    pub number: String,
    /// The steps, one sentence each; for `longest`, after the time since the change, as in `10 s: A pod becomes ready.`
    pub steps: Vec<String>,
}

/// What happens to the pods of one Job.
#[derive(Clone, Debug, PartialEq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobPrediction {
    /// The Job's namespace.
    pub namespace: String,
    /// The Job's name.
    pub name: String,
    /// The change; absent if nothing about this Job changes.
    #[json(omitempty)]
    pub change: Option<JobChange>,
    /// What the Job needs, without quotas.
    pub outcome: JobOutcome,
    /// `outcome` with the other `podReplacementPolicy` of Jobs; absent where it makes no difference, or where the Job's
    /// podFailurePolicy rules it out.
    #[json(omitempty)]
    pub other_policy: Option<JobOutcome>,
    /// `outcome` with the quotas enforced; absent where they make no difference.
    #[json(omitempty)]
    pub with_quotas: Option<JobOutcome>,
}

/// What the change does to a Job.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobChange {
    /// Whether the change creates the Job.
    pub created: bool,
    /// Whether the change deletes the Job.
    pub deleted: bool,
    /// The parallelism before the change; 0 for a new Job.
    pub parallelism_before: i32,
    /// The parallelism after the change.
    pub parallelism: i32,
    /// The completions after the change; absent for a work queue.
    #[json(omitempty)]
    pub completions: Option<i32>,
    /// Whether the Job was suspended before the change.
    pub suspended_before: bool,
    /// Whether the Job is suspended after the change.
    pub suspended: bool,
}

/// What a Job costs and when it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobOutcome {
    /// The most pods that hold resources at once, terminating ones included.
    pub peak: i32,
    /// When the peak is first reached, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub peak_at: i64,
    /// What the pods request of each resource, terminating ones included.
    pub resources: Vec<ResourceDemand>,
    /// The most pods of one completion index that hold resources at once; 0 in a Job without indexes.
    pub most_of_index: i32,
    /// Whether the Job waits for its user at the end: it is suspended, or its parallelism is 0.
    pub waits: bool,
    /// The succeeded pods that the Job has counted at the end.
    pub succeeded: i32,
    /// The failed pods that the Job has counted at the end.
    pub failed: i32,
    /// The last condition of the Job that is true at the end, such as `Complete` or `Failed`.
    #[json(omitempty)]
    pub condition: Option<String>,
    /// When the Job is Complete or Failed, in milliseconds after the change; absent if it never is.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub finished: Option<i64>,
}

/// What happens to all pods together.
#[derive(Clone, Debug, PartialEq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TotalPrediction {
    /// What all pods together need in today's releases, without quotas.
    pub outcome: Outcome,
    /// `outcome` with the proposed field `podReplacementPolicy: TerminationComplete` (KEP-5882); absent where it makes no difference.
    #[json(omitempty)]
    pub proposed: Option<Outcome>,
    /// `outcome` with the quotas enforced; absent where they make no difference.
    #[json(omitempty)]
    pub with_quotas: Option<Outcome>,
    /// The ranges over several runs; absent with one run.
    #[json(omitempty)]
    pub ranges: Option<Ranges>,
}

/// What the change does to a workload.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkloadChange {
    /// Whether the change creates the workload.
    pub created: bool,
    /// Whether the change deletes the workload.
    pub deleted: bool,
    /// Whether its pods are replaced: the pod template changes.
    pub rollout: bool,
    /// The desired pods before the change; 0 for a new workload.
    pub replicas_before: i32,
    /// The desired pods after the change.
    pub replicas: i32,
    /// The most pods that the strategy allows, terminating ones not included.
    pub limit: i32,
    /// The fewest available pods that the strategy allows.
    pub min_available: i32,
    /// The images that change.
    pub images: Vec<ImageChange>,
}

/// The image of a container before and after the change.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ImageChange {
    /// The container's name.
    pub container: String,
    /// The image before the change; absent for a new container.
    #[json(omitempty)]
    pub from: Option<String>,
    /// The image after the change.
    pub to: String,
}

/// What a rollout costs and when it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The most pods that hold resources at once, terminating ones included.
    pub peak: i32,
    /// When the peak is first reached, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub peak_at: i64,
    /// What the pods request of each resource, terminating ones included.
    pub resources: Vec<ResourceDemand>,
    /// The fewest available pods.
    pub lowest_available: i32,
    /// When the controller reports the rollout as complete and, if it is scaled, all pods are available, in milliseconds after the
    /// change; absent if that never is.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub complete: Option<i64>,
    /// When the last pod of an older template is gone, in milliseconds after the change; absent if one stays.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub last_old_pod_gone: Option<i64>,
}

/// What pods request of a resource.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceDemand {
    /// The resource, like `cpu` or `nvidia.com/gpu`.
    pub resource: String,
    /// The amount of the resource that pods request before the change, like `4` or `2Gi`.
    pub before: String,
    /// The most of the resource that pods request at once.
    pub peak: String,
    /// When that peak is first reached, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub peak_at: i64,
    /// The amount of the resource that pods request at the end.
    pub after: String,
}

/// Whether the rollout fits a ResourceQuota.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuotaPrediction {
    /// The quota's namespace.
    pub namespace: String,
    /// The quota's name.
    pub name: String,
    /// What the rollout needs of the quota in today's releases.
    pub demand: QuotaDemand,
    /// What the quota's `status.used` counts beyond the given objects: others use it, all the time. It is part of `needed`.
    pub used_by_others: Vec<UsedByOthers>,
    /// `demand` with the proposed field `podReplacementPolicy: TerminationComplete` (KEP-5882); absent where it makes no difference.
    #[json(omitempty)]
    pub proposed: Option<QuotaDemand>,
    /// What the API server refuses today because of this quota; absent if it refuses nothing.
    #[json(omitempty)]
    pub refusals: Option<Refusals>,
    /// In how many of the runs the rollout fits the quota; absent with one run.
    #[json(omitempty)]
    pub fits_in_runs: Option<u32>,
    /// Whether any order of events exceeds the quota in today's releases; absent if a Deployment of the namespace is not
    /// explored, or if none changes.
    #[json(omitempty)]
    pub worst: Option<WorstQuota>,
    /// The Deployments of the namespace that are not explored, as `Kind/namespace/name`, if that is why `worst` is absent.
    #[json(omitempty)]
    pub not_explored: Option<Vec<String>>,
}

/// What others use of a resource of a quota.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsedByOthers {
    /// The resource, like `requests.cpu` or `pods`.
    pub resource: String,
    /// How much of it others use.
    pub used: String,
}

/// Whether any order of events exceeds a quota.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorstQuota {
    /// How this is known: an order exceeds the quota by these amounts, or no order exceeds it by more.
    pub proof: WorstProof,
    /// The resources that can be exceeded; empty if the change fits in every order.
    pub exceeded: Vec<WorstExceeded>,
}

/// A resource of a quota that an order of events may exceed.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorstExceeded {
    /// The resource, like `requests.cpu` or `pods`.
    pub resource: String,
    /// The most of the resource that is needed at once.
    pub needed: String,
    /// By how much that exceeds the quota.
    pub by: String,
}

/// What a rollout would use of a quota if nothing were refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuotaDemand {
    /// Whether the rollout fits: the API server refuses no object because of this quota.
    pub fits: bool,
    /// The resources of the quota that the rollout exceeds.
    pub exceeded: Vec<Exceeded>,
    /// The resources that the quota wants containers to name and that some do not, like `requests.cpu for: web`.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub unspecified: Option<Unspecified>,
}

/// A resource of a quota that a rollout exceeds.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Exceeded {
    /// The resource, like `requests.cpu` or `pods`.
    pub resource: String,
    /// The amount of the resource that the quota allows.
    pub hard: String,
    /// The most of the resource that the rollout needs at once.
    pub needed: String,
    /// By how much the need exceeds the quota: `needed` minus `hard`.
    pub by: String,
    /// When the first object that exceeds the quota is created, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub at: i64,
    /// For how many milliseconds more is used than the quota allows.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub lasts: i64,
    /// Whether the quota is still exceeded at the end of the simulation.
    pub stays: bool,
}

/// What the API server refuses because of a quota.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Refusals {
    /// How many requests the API server refuses.
    pub count: u32,
    /// When the first request is refused, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub first: i64,
    /// When the last request is refused, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub last: i64,
    /// The longest wait for the next try after a refusal, in milliseconds: the back-off of the controller's queue.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub longest_wait: i64,
    /// Whether no next try comes until something changes: each controller that was refused has given up.
    pub given_up: bool,
    /// The last refusal in the API server's words, from `exceeded quota` or `failed quota` on.
    pub message: String,
    /// The Deployments, Jobs and other owners whose requests are refused, as `Kind/namespace/name`.
    pub workloads: Vec<String>,
}

/// Pods of one workload that wait for a node.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PendingPods {
    /// The namespace of the pods.
    pub namespace: String,
    /// What they belong to, as `Kind/namespace/name`: a Deployment, a Job or another workload, or a Pod of none.
    pub workload: String,
    /// The most pods that wait for a node at once.
    pub most: i32,
    /// How many pods still wait for a node at the end, since nothing makes room.
    pub stay: i32,
    /// When the first pod begins to wait for a node, in milliseconds after the change.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub at: i64,
    /// Why the pods find no node, in the scheduler's words.
    pub message: String,
}

/// Something that can go wrong, or takes longer than you would expect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// The object that the warning is about, as `Kind/namespace/name`.
    pub object: String,
    /// What the warning is about.
    pub kind: WarningKind,
    /// The warning in one sentence, with its numbers.
    pub message: String,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WarningKind {
    /// The rollout is stuck: new pods can't be scheduled, and no old pod may be deleted first.
    Deadlock,
    /// The Deployment reports ProgressDeadlineExceeded at some point.
    DeadlineExceeded,
    /// The grace period is longer than the progress deadline.
    GraceAboveDeadline,
    /// A PodDisruptionBudget never allows an eviction.
    BudgetAllowsNothing,
    /// A Deployment, a StatefulSet or a DaemonSet has no available pod for some time, although its strategy is not Recreate
    /// and it has more than one pod, or another one replaces it.
    NothingAvailable,
    /// No pod is available for some time, because the strategy is Recreate, or a StatefulSet has only one pod.
    RecreateGap,
    /// A Deployment or a StatefulSet is scaled to 0.
    ScaledToZero,
    /// The manifest no longer names the replicas, so that they fall to the API server's default.
    ReplicasRemoved,
    /// The manifest sets the replicas back that an autoscaler or a user has set.
    ReplicasReset,
    /// The manifest names the replicas that a HorizontalPodAutoscaler owns.
    AutoscaledReplicas,
    /// A HorizontalPodAutoscaler counts the pods of the surge as replicas, and may keep them.
    AdoptedSurge,
    /// New pods of the old version start, because the change also scales the Deployment.
    OldVersionPods,
    /// A new Deployment has the selector of an older one, and both run.
    SecondDeployment,
    /// A probe kills a container before it answers.
    HopelessProbe,
    /// A startup or readiness probe asks a port that its container doesn't have, so that it never succeeds.
    UnresolvedPort,
    /// A liveness probe asks a port that its container doesn't have, so that it never finds anything.
    IdleProbe,
    /// The Deployment is paused: no pod of its template starts.
    Paused,
    /// A volume that only one node can use at a time may keep a new pod waiting for as long as the old one runs.
    VolumeOfOneNode,
    /// Pods of a StatefulSet or a DaemonSet keep the old template, because its partition or its update strategy says so; or those of a
    /// ReplicationController, which replaces none.
    OldPodsStay,
    /// Claims of a StatefulSet are deleted with their data, or will be when it is scaled down or deleted: its
    /// persistentVolumeClaimRetentionPolicy says so.
    ClaimsDeleted,
    /// No node suits a DaemonSet, so it has no pods.
    NoNode,
    /// The rollout never completes.
    NeverComplete,
    /// The rollout waits for another one that never completes.
    NotStarted,
    /// The object has a field that Kubernetes does not know. kubectl refuses it, and the prediction ignores the field.
    UnknownField,
    /// Pods are preempted, because pods with a higher priority need their nodes.
    PodsPreempted,
    /// The pod's node is not one of the given nodes. It keeps its pods, and gets no new ones.
    MissingNode,
    /// The manifests name no namespace, and are assumed to be of the quota's.
    AssumedNamespace,
    /// Something is wrong with an object that the change does not touch, and the change does not make it worse: no reason for the
    /// verdict.
    Unrelated,
}

/// An object that only the old manifests have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OldObject {
    /// The object's kind, like `Service`.
    pub kind: String,
    /// The namespace that the object's manifest names.
    #[json(omitempty)]
    pub namespace: Option<String>,
    /// The object's name.
    pub name: String,
}

/// The pods of a workload that is not predicted.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EstimatedPods {
    /// The workload's kind, like `StatefulSet`.
    pub kind: String,
    /// The workload's namespace.
    pub namespace: String,
    /// The workload's name.
    pub name: String,
    /// How many pods it is assumed to have before the change; those of a running cluster count themselves.
    pub pods: i64,
    /// How many more it is assumed to have from the change on: more replicas, and the surge of its update.
    pub more: i64,
}

/// An object that was left out, or a field that decides and is not modeled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotModeled {
    /// The object's kind.
    pub kind: String,
    /// The object's namespace; absent if it names none.
    #[json(omitempty)]
    pub namespace: Option<String>,
    /// The object's name.
    pub name: String,
    /// The object or the field in the arguments: `new[3]`, or `new[1].spec.template.spec.nodeSelector`.
    pub path: String,
    /// Why the object was left out, or what of the field is not modeled.
    pub reason: String,
}

impl WorkloadPrediction {
    /// The workload, as `Kind/namespace/name`.
    pub fn object(&self) -> String {
        format!("{}/{}/{}", self.kind, self.namespace, self.name)
    }

    /// What will happen: with the quotas, if they refuse something.
    pub fn in_cluster(&self) -> &Outcome {
        self.with_quotas.as_ref().unwrap_or(&self.outcome)
    }
}

impl JobPrediction {
    /// The Job, as `Kind/namespace/name`.
    pub fn object(&self) -> String {
        format!("Job/{}/{}", self.namespace, self.name)
    }

    /// What will happen: with the quotas, if they refuse something.
    pub fn in_cluster(&self) -> &JobOutcome {
        self.with_quotas.as_ref().unwrap_or(&self.outcome)
    }
}

impl QuotaPrediction {
    /// The quota, as `Kind/namespace/name`.
    pub fn object(&self) -> String {
        format!("ResourceQuota/{}/{}", self.namespace, self.name)
    }
}

impl NotModeled {
    /// The field of an object that was not left out otherwise; none if the whole object was.
    pub fn field(&self) -> Option<&str> {
        self.path.split_once("].").map(|(_, field)| field)
    }

    /// The object, as `Kind/namespace/name`.
    pub fn object(&self) -> String {
        let namespace = self.namespace.as_ref().map_or_else(String::new, |namespace| format!("/{namespace}"));
        format!("{}{namespace}/{}", self.kind, self.name)
    }
}

/// The least and the most over several runs with different seeds.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ranges {
    /// How many runs were simulated, each with another seed.
    pub runs: u32,
    /// The most pods that hold resources at once.
    pub peak: Range,
    /// The most that the pods request of each resource at once.
    pub resources: Vec<ResourceRange>,
    /// The fewest available pods.
    pub lowest_available: Range,
    /// In how many runs the rollout completes.
    pub completed: u32,
    /// When the rollout completes, in milliseconds, in the runs in which it does; absent if it never does.
    #[json(milliseconds, omitempty)]
    pub complete: Option<Range>,
    /// When the last pod of an older template is gone, in milliseconds, in the runs in which all of them go; absent if there are none.
    #[json(milliseconds, omitempty)]
    pub last_old_pod_gone: Option<Range>,
}

/// The least and the most of a resource.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceRange {
    /// The resource, like `cpu` or `nvidia.com/gpu`.
    pub resource: String,
    /// The smallest amount in any run, like `4` or `2Gi`.
    pub least: String,
    /// The largest amount in any run.
    pub most: String,
}

/// The least and the most of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NumberRange"))]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The smallest value in any run.
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub least: i64,
    /// The largest value in any run.
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub most: i64,
}

impl Range {
    /// The range of these numbers; none of no numbers.
    pub(super) fn of(numbers: impl Iterator<Item = i64> + Clone) -> Option<Self> {
        Some(Self { least: numbers.clone().min()?, most: numbers.max()? })
    }
}

impl Exceeded {
    /// By how much the quota is exceeded, in thousandths of what it allows.
    pub(super) fn thousandths(&self) -> i64 {
        let amount = |text: &str| nanos(&Value::from(text)).unwrap_or(0);
        let share = amount(&self.by).saturating_mul(1_000).checked_div(amount(&self.hard));
        share.and_then(|share| i64::try_from(share).ok()).unwrap_or(i64::MAX)
    }
}
