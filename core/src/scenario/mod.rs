//! A scenario to simulate: objects at the start, nodes, how fast pods start and end, and the user's actions.
//!
//! The format is a contract (`docs/scenario.md` and the JSON Schema made from these types). Later versions add keys and
//! never rename one; an unknown key is refused with its path.
//!
//! # Examples
//!
//! ```
//! use changeover_core::scenario::Scenario;
//! use serde_json::json;
//!
//! let incomplete = json!({ "version": 1, "actions": [{ "at": "1m", "scale": { "name": "web" } }] });
//! let problem = Scenario::from_value(&incomplete).unwrap_err();
//! assert_eq!(problem.to_string(), "actions[0].scale.replicas: Required value");
//! ```

mod action;
mod live;
mod lost_nodes;
mod manifests;
mod measured_start;
mod missing_nodes;
mod mode;
mod newest_time;
mod node_object;
mod nodes_in_short;
mod number_ranges;
#[cfg(feature = "schema")]
pub mod schema;
mod short_pods;
mod stuck_pods;
mod timing;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

pub use crate::object::Duration;
pub use action::{
    Action, Annotate, Cascade, CreateJob, Delete, DeploymentName, Drain, Evict, LabelNode, NodeName, Preempt, Restart,
    Resume, Scale, SetTemplate, Suspend, TaintNode, TimedAction, Undo, UntaintNode,
};
pub use live::{is_simulated, new_revision, reading_time, reading_time_of};
pub(crate) use live::{live_start, read_live};
pub(crate) use lost_nodes::nodes_lost_by_pods;
pub use manifests::{Manifest, Manifests};
pub use measured_start::{MeasuredStart, measured_starts};
pub(crate) use measured_start::{pod_timings, starts_by_name};
pub use missing_nodes::{MissingNode, missing_nodes};
pub use mode::Mode;
pub use newest_time::newest_time;
pub(crate) use node_object::{NodeForm, read_node};
#[cfg(feature = "explain")]
pub(crate) use node_object::{is_cordoned, is_lost, repelling_taints};
pub(crate) use nodes_in_short::MAX_PODS;
pub use nodes_in_short::{is_in_short, nodes_in_short};
pub use number_ranges::NumberRanges;
pub(crate) use short_pods::{ShortPods, in_full};
pub(crate) use stuck_pods::refusal_in;
#[cfg(feature = "explain")]
pub(crate) use stuck_pods::set_of;
pub use stuck_pods::{
    CRASH_LOOP_BACK_OFF, ContainerRole, Crash, FailedPods, OOM_KILLED, ProbePort, StuckCause, StuckPod, failed_pods,
    pods_refused_in_events, stuck_pod_timings, stuck_pods, stuck_pods_of_jobs,
};
#[cfg(feature = "explain")]
pub(crate) use stuck_pods::{
    about_of, end_of_failed, ended_container, is_missing, last_time_of, pods_with_volume, unanswered_ports,
};
pub use timing::{Delay, Timing};

use crate::go::{quoted, quoted_list};
use crate::json::{FromJson, ToJson, decode};
use crate::object::{StringMap, Taint, Time, Unknown};
use crate::problem::shortened;
use crate::{Pause, Problem};

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// A scenario. It alone determines the timeline, which is the same, byte for byte, wherever it runs.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// The version of the scenario format: 1.
    pub version: u32,
    /// A title for readers.
    #[serde(default)]
    #[json(omitempty)]
    pub title: String,
    /// The virtual time at the start, as in RFC 3339; `2026-01-01T00:00:00Z` by default.
    #[serde(default = "default_start")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub start: Time,
    /// The seed of all randomness (names, uids, jitter); 0 by default.
    #[serde(default)]
    pub seed: u64,
    /// The release to simulate, for differences that no feature gate controls; 1.37 by default.
    #[serde(default)]
    #[json(omitempty)]
    pub release: Option<Release>,
    /// Which of equally good nodes the scheduler takes for a pod; the first one by default. The real scheduler takes any of them.
    #[serde(default)]
    #[json(omitempty)]
    pub equal_nodes: Option<EqualNodes>,
    /// How closely to follow the timing of a real control plane; exact by default.
    #[serde(default)]
    #[json(omitempty)]
    pub mode: Option<Mode>,
    /// Feature gates that differ from Kubernetes 1.37's defaults: one map for all components, or
    /// `{"apiserver": {...}, "controllerManager": {...}}`.
    #[cfg_attr(feature = "schema", schemars(with = "schema::FeatureGates"))]
    #[serde(default)]
    #[json(omitempty)]
    pub feature_gates: Value,
    /// Deployments, CronJobs, Jobs, ReplicaSets, Pods, ResourceQuotas, LimitRanges, PodDisruptionBudgets and
    /// PersistentVolumeClaims that are there at the start, as `kubectl get -o json` prints them; and Namespaces, PersistentVolumes,
    /// PriorityClasses, Services and StorageClasses, which bear on the nodes that take a pod.
    #[serde(default)]
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<schema::Manifest>"))]
    pub objects: Manifests,
    /// The nodes. Without any, there are the nodes that pods and pod templates name (`nodeName`), or else one; these have no
    /// limits. With them, every `nodeName` must be one of them.
    #[serde(default)]
    #[json(omitempty)]
    pub nodes: Vec<Node>,
    /// Adds nodes for pods that wait for one, and removes empty nodes; by default, there is no autoscaler.
    #[serde(default)]
    #[json(omitempty)]
    pub autoscaler: Option<Autoscaler>,
    /// How fast pods start and end; the first entry that fits a pod is used.
    #[serde(default)]
    #[json(omitempty)]
    pub kubelet: Vec<Timing>,
    /// How many requests a second kube-controller-manager's controllers may send, and how long these take; by default, the
    /// mode decides.
    #[serde(default)]
    #[json(omitempty)]
    pub controller_manager: Option<ControllerManager>,
    /// The requests of the user, and when they are made.
    #[serde(default)]
    #[json(omitempty)]
    pub actions: Vec<TimedAction>,
    /// The limits at which the simulation stops.
    #[serde(default)]
    pub limits: Limits,
    /// What the host does while the scenario is simulated. It is not part of the format.
    #[serde(skip)]
    pub pause: Pause,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// An unknown key, a wrong type or an unknown version, with its path.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        if !value.is_object() {
            return Err(Problem::new("", format!("Invalid value: {}: must be a map", shortened(value))));
        }
        let version = value.get("version").unwrap_or(&Value::Null);
        if version.as_u64() != Some(u64::from(VERSION)) {
            return Err(Problem::new("version", format!("Invalid value: {version}: must be {VERSION}")));
        }
        decode(value, "")
    }

    /// The clients of the controllers, as the scenario or else its mode sets them.
    pub fn clients(&self) -> Option<ControllerManager> {
        self.mode.unwrap_or_default().controller_manager(self.controller_manager)
    }
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            version: VERSION,
            title: String::new(),
            start: default_start(),
            seed: 0,
            release: None,
            equal_nodes: None,
            mode: None,
            feature_gates: Value::Null,
            objects: Manifests::default(),
            nodes: Vec::new(),
            autoscaler: None,
            kubelet: Vec::new(),
            controller_manager: None,
            actions: Vec::new(),
            limits: Limits::default(),
            pause: Pause::default(),
        }
    }
}

/// 2026-01-01T00:00:00Z
const fn default_start() -> Time {
    Time(1_767_225_600_000_000_000)
}

/// A release of Kubernetes, for differences that no feature gate controls.
///
/// 1.36 queues a Deployment with the strategy Recreate only when the last of its pods is deleted; 1.37 queues it for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Release {
    /// Kubernetes 1.36
    #[serde(rename = "1.36")]
    V1_36,
    /// Kubernetes 1.37
    #[default]
    #[serde(rename = "1.37")]
    V1_37,
}

/// Which of equally good nodes the scheduler takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum EqualNodes {
    /// The first one, with the zones in turn.
    #[default]
    First,
    /// The last one.
    Last,
    /// Any one, drawn from the seed.
    Random,
}

/// A node that pods can be bound to.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NodeSpec"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Node {
    /// The node's name.
    pub name: String,
    /// How many pods fit on the node; any number by default.
    #[serde(default)]
    #[json(omitempty)]
    pub pods: Option<u32>,
    /// How much CPU its pods may request together, like `4` or `500m`; any amount by default.
    #[serde(default)]
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Quantity>"))]
    pub cpu: Option<Value>,
    /// How much memory its pods may request together, like `16Gi`; any amount by default.
    #[serde(default)]
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Quantity>"))]
    pub memory: Option<Value>,
    /// How much of other resources its pods may request together, by name, like `nvidia.com/gpu: 2`. A node that names any resource
    /// has none of the extended resources that it does not name.
    #[serde(default)]
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<alloc::collections::BTreeMap<String, schema::Quantity>>"))]
    pub resources: Unknown,
    /// Its labels. By default, `kubernetes.io/hostname` is the node's name, `kubernetes.io/os` is `linux`, and `kubernetes.io/arch` is
    /// `amd64`.
    #[serde(default)]
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "alloc::collections::BTreeMap<String, String>"))]
    pub labels: StringMap,
    /// Its taints, except for those that follow from the other fields.
    #[serde(default)]
    #[json(omitempty)]
    pub taints: Vec<Taint>,
    /// Whether the node is cordoned at the start: it gets no new pods.
    #[serde(default)]
    #[json(omitempty)]
    pub cordoned: bool,
    /// Whether the node's kubelet has stopped reporting before the start, and the node controller knows it.
    #[serde(default)]
    #[json(omitempty)]
    pub lost: bool,
    /// For how long a lost node has had the taint `node.kubernetes.io/unreachable:NoExecute` at the start, which decides when
    /// its pods are evicted; by default, it gets the taint then.
    #[serde(default)]
    #[json(omitempty)]
    pub tainted_for: Option<Duration>,
}

/// The effects of taints.
const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

impl Node {
    /// The same node, neither cordoned nor lost.
    #[must_use]
    pub fn healthy(&self) -> Self {
        Self { cordoned: false, lost: false, tainted_for: None, ..self.clone() }
    }

    /// What has no effect is a mistake.
    ///
    /// # Errors
    /// The age of a taint that the node does not have.
    pub(crate) fn validate(&self, path: &str) -> Result<(), Problem> {
        for (index, taint) in self.taints.iter().enumerate() {
            validate_taint(taint, &format!("{path}.taints[{index}]"))?;
        }
        if self.tainted_for.is_none() || self.lost {
            return Ok(());
        }
        let message = "Forbidden: may only be given with `lost`: a node that reports does not have the taint";
        Err(Problem::new(format!("{path}.taintedFor"), message))
    }
}

/// Whether a taint has a key, and an effect that there is.
///
/// # Errors
/// The field that is missing or wrong.
pub(crate) fn validate_taint(taint: &Taint, path: &str) -> Result<(), Problem> {
    if taint.key.is_empty() {
        return Err(Problem::new(format!("{path}.key"), "Required value: must be the taint's key"));
    }
    if EFFECTS.contains(&taint.effect.as_str()) {
        return Ok(());
    }
    let supported = quoted_list(EFFECTS.into_iter());
    let message = format!("Unsupported value: {}: supported values: {supported}", quoted(&taint.effect));
    Err(Problem::new(format!("{path}.effect"), message))
}

/// The rate limit of kube-controller-manager's clients, as `--kube-api-qps` and `--kube-api-burst` set it: each controller
/// has a client of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ControllerManager {
    /// How many requests may be sent per second, at least 1; 20 by default.
    pub qps: u32,
    /// How many requests may be sent at once after a pause, at least 1; 30 by default.
    pub burst: u32,
    /// How many objects of a kind are synced at the same time, at least 1; by default 2 DaemonSets, and 5 of each other kind.
    #[json(omitempty)]
    pub workers: Option<u32>,
    /// How long a request takes, once it may be sent; by default, the mode decides.
    #[json(omitempty)]
    pub request_time: Option<Duration>,
    /// How long it takes until the controllers see a written object; by default, the mode decides.
    #[json(omitempty)]
    pub watch_delay: Option<Duration>,
}

impl Default for ControllerManager {
    /// Upstream: `pkg/controller/apis/config/v1alpha1/defaults.go SetDefaults_KubeControllerManagerConfiguration`
    fn default() -> Self {
        Self { qps: 20, burst: 30, workers: None, request_time: None, watch_delay: None }
    }
}

/// A cluster autoscaler, which adds and removes nodes.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Autoscaler {
    /// What an added node is like; its name is this name with a number.
    pub node: Node,
    /// How long a pod must have waited for a node before one is added; `10s` by default.
    #[serde(default = "ten_seconds")]
    pub after: Duration,
    /// How long an added node takes until it is ready; `1m` by default.
    #[serde(default = "a_minute")]
    pub startup: Duration,
    /// How long a node must have been empty before it is removed; `10m` by default.
    #[serde(default = "ten_minutes")]
    pub idle: Duration,
    /// The fewest nodes that stay; by default, as many as the scenario has.
    #[serde(default)]
    #[json(omitempty)]
    pub min: Option<u32>,
    /// The most nodes; 1000 by default.
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

/// The limits at which a simulation stops. The timeline's end says which limit was reached.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// The most virtual time from the start; `24h` by default.
    pub time: Duration,
    /// The most steps of the timeline; 200,000 by default.
    pub steps: u32,
    /// The most pods that exist at once; 100,000 by default.
    pub pods: u32,
    /// The most bytes that the timeline takes, as `docs/scenario.md` counts them; 1,000,000,000 by default.
    pub bytes: u64,
}

impl Limits {
    /// The limits of a scenario that gives none.
    pub const DEFAULT: Self =
        Self { time: Duration::seconds(24 * 3600), steps: 200_000, pods: 100_000, bytes: 1_000_000_000 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
