//! The user's own manifests: what the page says about them, and what the workbench reads in them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LargeText, WorkloadKind, WorkloadName};

/// How a warning goes on that a text lacks objects of a running cluster.
pub const UNKNOWN_STATE: &str = "so its state is unknown";

/// The user's own manifests, and what is assumed around them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifests {
    /// One or several documents in YAML or JSON, or a `List`: manifests, or the state of a running cluster.
    pub text: LargeText,
    /// What runs before the change to `text`. Without it, `text` is what runs; if that is manifests, the shown Deployment gets
    /// a new image.
    #[serde(deserialize_with = "Option::deserialize")]
    pub before: Option<LargeText>,
    /// The workload to show; without it, the first Deployment, or else the first CronJob or Job.
    #[serde(deserialize_with = "Option::deserialize")]
    pub workload: Option<WorkloadName>,
    /// When it was read, if it is the state of a running cluster.
    pub read_at: ReadAt,
    /// What the text does not say, with the keys of a scenario: `kubelet`, `nodes`, `autoscaler`, `mode`,
    /// `controllerManager` and `limits`; in `startsAsMeasured`, whether the ready pods of a running cluster tell how long new ones take
    /// to become ready; in `restart`, `at` which time the Deployment that is shown is rolled out again; in
    /// `othersRestart`, the same for all other Deployments; and in `job` the `kubelet` of the pods of a Job or CronJob that is shown, and `actions` that name such a pod like `/1`.
    pub surroundings: Value,
}

impl Manifests {
    /// A text and its surroundings, and nothing else.
    pub fn new(text: impl Into<LargeText>, surroundings: Value) -> Self {
        Self { text: text.into(), before: None, workload: None, read_at: ReadAt::default(), surroundings }
    }
}

/// When the state of a running cluster was read, with times as in RFC 3339.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReadAt {
    /// At the newest time in it.
    #[default]
    NewestTime,
    /// Just before this time, when it was pasted or opened, if its newest time is recent (`changeover_core::scenario::reading_time`).
    Given(String),
    /// At this time.
    Known(String),
}

/// The fields of a kind of workload that the page has controls for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KindFields {
    /// The kind.
    pub kind: WorkloadKind,
    /// The fields, with the values of the controls.
    pub fields: Vec<FieldValue>,
    /// The limits of the workload's pods according to the controls: each is added to a text that has no object of its kind.
    pub limits: Vec<Value>,
    /// The Nodes according to the controls, for a text without Nodes; empty if no control was changed.
    pub nodes: Vec<Value>,
    /// `spec.replicas` of the Deployments beside the one that is shown, in the order of the text.
    pub other_replicas: Vec<i32>,
}

/// The most Deployments beside the shown one that the page has a control for.
pub const MAX_OTHER_DEPLOYMENTS: usize = 20;

/// The most Nodes that the page has controls for.
pub const MAX_NODES: usize = 200;

/// A field that the page has a control for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldValue {
    /// Its path in the workload, like `spec.replicas`, in which the first container stands for the only one, or for the only one
    /// with the probe, or, for `lifecycle.preStop`, for all of them; or its path in a limit, after the kind:
    /// `ResourceQuota/spec/hard/requests.cpu`; or what all Nodes have: `Node/status/allocatable/cpu`, and `Node/count`.
    pub path: String,
    /// Its value; null if it is not there.
    pub value: Value,
}

/// How a lane differs from what the manifests say. If it does, a Job or CronJob gets the other one of its two policies; where
/// it may have only one, the lane is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Variation {
    /// A value of the proposed field `podReplacementPolicy`, if it is played.
    #[serde(deserialize_with = "Option::deserialize")]
    pub proposed_policy: Option<String>,
    /// A patch of the shown Deployment (RFC 7386), or null.
    pub patch: Value,
}

/// What manifests hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reading {
    /// The first objects, in the order of the text. If there are too many, those that are left out come before others.
    pub objects: Vec<ManifestObject>,
    /// How many objects there are.
    pub object_count: usize,
    /// How many of them are left out.
    pub left_out_count: usize,
    /// When the state of a running cluster was read, as in RFC 3339; none for manifests.
    #[serde(deserialize_with = "Option::deserialize")]
    pub read_at: Option<String>,
    /// The newest time in that state.
    #[serde(deserialize_with = "Option::deserialize")]
    pub newest_time: Option<String>,
    /// Whether the nodes are among the objects.
    pub has_nodes: bool,
    /// The workloads that can be shown.
    pub workloads: Vec<WorkloadName>,
    /// The one that is shown.
    #[serde(deserialize_with = "Option::deserialize")]
    pub shown: Option<WorkloadName>,
    /// What is changed.
    pub change: ManifestChange,
    /// The fields that the question named, except those that no control can change, such as the requests of several containers,
    /// a probe that does not exist, one of several quotas, or Nodes that differ.
    pub fields: Vec<FieldValue>,
    /// The revision of its new version; none if it runs in a cluster, and its template was not edited.
    #[serde(deserialize_with = "Option::deserialize")]
    pub new_revision: Option<i64>,
    /// Whether its pods have startup or readiness probes.
    pub has_probes: bool,
    /// The preStop hooks of its pods; none if it has none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub pre_stop_hooks: Option<PreStopHooks>,
    /// How long new pods take to become ready after they got their nodes, in nanoseconds, if that is the median of its ready pods.
    #[serde(deserialize_with = "Option::deserialize")]
    pub measured_start: Option<i64>,
    /// Which Deployments leave their replicas to an autoscaler, as sentences after others; empty if none does.
    pub assumed_replicas: String,
    /// Whether the shown Deployment is one of them.
    pub has_autoscaled_replicas: bool,
    /// The autoscaler of the shown Deployment with its bounds; none if it has none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub autoscaler: Option<String>,
    /// The Deployments beside the one that is shown, in the order of the text.
    pub other_deployments: Vec<OtherDeployment>,
    /// The text with the fields of the question; none if it had them.
    #[serde(deserialize_with = "Option::deserialize")]
    pub rewritten: Option<LargeText>,
    /// The paths of the fields, and the kinds of the limits, that the text writes in a way that can't be changed, such as with an
    /// anchor.
    pub unwritten: Vec<String>,
    /// What is wrong, in the order of the text.
    pub problems: Vec<LineProblem>,
    /// What a link contains of the texts; none if they can't be read.
    #[serde(deserialize_with = "Option::deserialize")]
    pub link_texts: Option<LinkTexts>,
}

/// The preStop hooks of a workload's pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreStopHooks {
    /// How long the longest one of those that only sleep takes, in nanoseconds; none if none does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub sleep: Option<i64>,
    /// Whether another one does something else, so that nobody knows how long it takes.
    pub has_others: bool,
}

/// A Deployment beside the one that is shown, as its manifest writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OtherDeployment {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// `spec.replicas`; null without it.
    pub replicas: Value,
    /// The CPU that its first container requests; null without it.
    pub cpu: Value,
    /// The memory that its first container requests; null without it.
    pub memory: Value,
}

/// What a link contains of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkTexts {
    /// The text; none if the link contains it as it is.
    #[serde(deserialize_with = "Option::deserialize")]
    pub text: Option<LargeText>,
    /// The text before the change; none if the link contains it as it is.
    #[serde(deserialize_with = "Option::deserialize")]
    pub before: Option<LargeText>,
}

/// What changes at the page's time 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum ManifestChange {
    /// Nothing: a running cluster goes on.
    Nothing,
    /// The shown Deployment gets another image.
    Image(String),
    /// The shown Job or CronJob is created.
    Create,
    /// What differs between the two texts is applied.
    Difference,
}

/// An object of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManifestObject {
    /// Its kind; empty if it has none.
    pub kind: String,
    /// Its namespace; empty if it names none.
    pub namespace: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Why the simulated cluster does without it; none if it takes it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub left_out: Option<String>,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// Nothing can be played, or the API server refuses the object.
    Error,
    /// The API server takes the object and warns.
    Warning,
}

/// Which text a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ManifestText {
    /// The manifests.
    Text,
    /// What runs before the change.
    Before,
    /// Neither: what is assumed around them.
    Surroundings,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineProblem {
    /// How bad it is.
    pub severity: Severity,
    /// The text.
    pub text: ManifestText,
    /// The line, from 1; none if it is about the whole text.
    #[serde(deserialize_with = "Option::deserialize")]
    pub line: Option<usize>,
    /// The character within the line, from 1.
    #[serde(deserialize_with = "Option::deserialize")]
    pub column: Option<usize>,
    /// The path of the field; empty if it is about everything.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}
