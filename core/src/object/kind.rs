use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;

use serde_json::Value;

use super::kind_facts::{KindFacts, PodReplacementPolicyField, Predicted, Runs, WorkloadFacts};
use super::unstructured::{name, namespace, string};
use crate::Problem;
use crate::problem::shortened;
use crate::workload::cron_job::kind as cron_job;
use crate::workload::daemon_set::kind as daemon_set;
use crate::workload::deployment::kind as deployment;
use crate::workload::job::kind as job;
use crate::workload::replica_set::kind as replica_set;
use crate::workload::replication_controller::kind as replication_controller;
use crate::workload::stateful_set::kind as stateful_set;

/// The kinds of the Kubernetes API that are known here: those that are validated, those that the simulated cluster
/// has, or both. Owners come before what they own, and so do their objects in the simulated cluster's store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are Kubernetes' own")]
pub enum Kind {
    CronJob,
    Job,
    DaemonSet,
    StatefulSet,
    Deployment,
    ReplicaSet,
    ReplicationController,
    ControllerRevision,
    PodTemplate,
    Pod,
    Node,
    ResourceQuota,
    LimitRange,
    PodDisruptionBudget,
    PersistentVolumeClaim,
    Namespace,
    PersistentVolume,
    PriorityClass,
    Service,
    StorageClass,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::CronJob,
        Self::Job,
        Self::DaemonSet,
        Self::StatefulSet,
        Self::Deployment,
        Self::ReplicaSet,
        Self::ReplicationController,
        Self::ControllerRevision,
        Self::PodTemplate,
        Self::Pod,
        Self::Node,
        Self::ResourceQuota,
        Self::LimitRange,
        Self::PodDisruptionBudget,
        Self::PersistentVolumeClaim,
        Self::Namespace,
        Self::PersistentVolume,
        Self::PriorityClass,
        Self::Service,
        Self::StorageClass,
    ];

    /// The kind of this API group (empty for the core group), version and name; none for one that is not known here.
    pub fn new(group: &str, version: &str, name: &str) -> Option<Self> {
        let is_it = |kind: &Self| kind.name() == name && group_version(kind.api_version()) == (group, version);
        Self::ALL.into_iter().find(is_it)
    }

    /// The kind that an object names itself.
    pub fn of(object: &Value) -> Option<Self> {
        let (group, version) = group_version(string(object, "apiVersion"));
        Self::new(group, version, string(object, "kind"))
    }

    /// The kind with this name, in any version of its group.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Like `apps/v1`.
    pub const fn api_version(self) -> &'static str {
        self.facts().api_version
    }

    /// How the API server calls its objects in an error: `pods`, `replicasets.apps`.
    ///
    /// Upstream: `k8s.io/apimachinery/pkg/runtime/schema/group_version.go GroupResource`
    pub(crate) fn group_resource(self) -> String {
        let mut text = String::from(self.resource());
        let (group, _) = group_version(self.api_version());
        if !group.is_empty() {
            text.extend([".", group]);
        }
        text
    }

    /// Whether kubectl takes this word for the kind: `deploy`, `deployment`, `deployments`, `deployments.apps`.
    pub fn is_named(self, word: &str) -> bool {
        let (word, group) = word.split_once('.').unwrap_or((word, ""));
        let (its_group, _) = group_version(self.api_version());
        let is_its_group = group.is_empty() || group == its_group;
        let is_it = word == self.resource() || word.eq_ignore_ascii_case(self.name());
        is_its_group && (is_it || self.facts().short_name == Some(word))
    }

    /// Like `Deployment`.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Like `deployments`.
    pub const fn resource(self) -> &'static str {
        self.facts().resource
    }

    /// The field path of its pod template; none for a kind without one.
    pub const fn pod_template(self) -> Option<&'static [&'static str]> {
        self.facts().pod_template
    }

    /// The field of its podReplacementPolicy; none for a kind without one.
    pub(crate) fn pod_replacement_policy(self) -> Option<&'static PodReplacementPolicyField> {
        self.workload()?.pod_replacement_policy.as_ref()
    }

    /// What distinguishes it among the kinds of workloads; none for another kind.
    pub(crate) const fn workload(self) -> Option<&'static WorkloadFacts> {
        self.facts().workload.as_ref()
    }

    /// The kind that its controller creates; none for a kind that is no workload.
    pub fn creates(self) -> Option<Self> {
        Self::from_name(self.workload()?.creates)
    }

    /// Whether other pods replace those of an older template: a Deployment, a StatefulSet or a DaemonSet.
    pub fn rolls_out(self) -> bool {
        self.predicted() == Some(Predicted::AsRollout)
    }

    /// Whether it rolls out pods that it creates itself: a StatefulSet or a DaemonSet.
    pub(crate) fn rolls_out_own_pods(self) -> bool {
        self.rolls_out() && self.creates() == Some(Self::Pod)
    }

    /// Whether a prediction shows each of its objects.
    pub(crate) fn is_predicted(self) -> bool {
        matches!(self.predicted(), Some(Predicted::AsRollout | Predicted::AsReplicas | Predicted::AsRun))
    }

    /// How a prediction shows it; none for a kind that is no workload.
    pub(crate) fn predicted(self) -> Option<Predicted> {
        self.workload().map(|workload| workload.predicted)
    }

    /// Whether its objects have spec.replicas, which a Scale sets.
    pub(crate) fn has_replicas(self) -> bool {
        matches!(self.workload(), Some(WorkloadFacts { runs: Runs::Field(["spec", "replicas"]), .. }))
    }

    /// Whether its objects are in no namespace.
    pub(crate) const fn is_of_cluster(self) -> bool {
        matches!(self, Self::Namespace | Self::Node | Self::PersistentVolume | Self::PriorityClass | Self::StorageClass)
    }

    /// Whether the API server makes something of its spec from its uid.
    pub(crate) fn has_uid_in_spec(self) -> bool {
        self.workload().is_some_and(|workload| workload.has_uid_in_spec)
    }

    pub(crate) const fn facts(self) -> &'static KindFacts {
        match self {
            Self::CronJob => &cron_job::KIND,
            Self::Job => &job::KIND,
            Self::DaemonSet => &daemon_set::KIND,
            Self::StatefulSet => &stateful_set::KIND,
            Self::Deployment => &deployment::KIND,
            Self::ReplicaSet => &replica_set::KIND,
            Self::ReplicationController => &replication_controller::KIND,
            Self::ControllerRevision => &CONTROLLER_REVISION,
            Self::PodTemplate => &POD_TEMPLATE,
            Self::Pod => &POD,
            Self::Node => &NODE,
            Self::ResourceQuota => &RESOURCE_QUOTA,
            Self::LimitRange => &LIMIT_RANGE,
            Self::PodDisruptionBudget => &POD_DISRUPTION_BUDGET,
            Self::PersistentVolumeClaim => &PERSISTENT_VOLUME_CLAIM,
            Self::Namespace => &NAMESPACE,
            Self::PersistentVolume => &PERSISTENT_VOLUME,
            Self::PriorityClass => &PRIORITY_CLASS,
            Self::Service => &SERVICE,
            Self::StorageClass => &STORAGE_CLASS,
        }
    }
}

const CONTROLLER_REVISION: KindFacts =
    KindFacts { is_adopted: true, ..KindFacts::of_other("apps/v1", "ControllerRevision", "controllerrevisions", None) };
const POD_TEMPLATE: KindFacts =
    KindFacts { pod_template: Some(&["template"]), ..KindFacts::of_other("v1", "PodTemplate", "podtemplates", None) };
const POD: KindFacts = KindFacts { is_adopted: true, ..KindFacts::of_other("v1", "Pod", "pods", Some("po")) };
const NODE: KindFacts = KindFacts::of_other("v1", "Node", "nodes", Some("no"));
const RESOURCE_QUOTA: KindFacts = KindFacts::of_other("v1", "ResourceQuota", "resourcequotas", Some("quota"));
const LIMIT_RANGE: KindFacts = KindFacts::of_other("v1", "LimitRange", "limitranges", Some("limits"));
const POD_DISRUPTION_BUDGET: KindFacts =
    KindFacts::of_other("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", Some("pdb"));
const PERSISTENT_VOLUME_CLAIM: KindFacts =
    KindFacts::of_other("v1", "PersistentVolumeClaim", "persistentvolumeclaims", Some("pvc"));
const NAMESPACE: KindFacts = KindFacts::of_other("v1", "Namespace", "namespaces", Some("ns"));
const PERSISTENT_VOLUME: KindFacts = KindFacts::of_other("v1", "PersistentVolume", "persistentvolumes", Some("pv"));
const PRIORITY_CLASS: KindFacts =
    KindFacts::of_other("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", Some("pc"));
const SERVICE: KindFacts = KindFacts::of_other("v1", "Service", "services", Some("svc"));
const STORAGE_CLASS: KindFacts = KindFacts::of_other("storage.k8s.io/v1", "StorageClass", "storageclasses", Some("sc"));

/// Upstream: `k8s.io/apimachinery/pkg/runtime/schema/group_version.go ParseGroupVersion`
fn group_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Refuses an object without a kind: nothing says what it is.
///
/// # Errors
/// The problem, at the object's path.
pub fn require_kind(object: &Value, path: &str) -> Result<(), Problem> {
    if !string(object, "kind").is_empty() {
        return Ok(());
    }
    Err(Problem::new(path, format!("Invalid value: {}: must be an object with a kind", shortened(object))))
}

/// Which object: its kind, namespace and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectKey {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: Rc<str>,
    /// Its name.
    pub name: Rc<str>,
}

impl ObjectKey {
    /// The key of an object; its namespace is empty for a kind that has none.
    pub fn new(kind: Kind, namespace: impl Into<Rc<str>>, name: impl Into<Rc<str>>) -> Self {
        Self { kind, namespace: namespace.into(), name: name.into() }
    }

    /// The key of a manifest of this kind, which is in `default` if it names no namespace.
    pub fn of_manifest(kind: Kind, manifest: &Value) -> Self {
        let namespace = if kind.is_of_cluster() { "" } else { namespace(manifest).unwrap_or("default") };
        Self::new(kind, namespace, name(manifest))
    }
}

impl Ord for ObjectKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_kind = self.kind.cmp(&other.kind);
        by_kind.then_with(|| compare(&self.namespace, &other.namespace)).then_with(|| compare(&self.name, &other.name))
    }
}

/// Compares texts that are often shared: then their letters are not read.
fn compare(one: &Rc<str>, other: &Rc<str>) -> Ordering {
    if Rc::ptr_eq(one, other) { Ordering::Equal } else { one.cmp(other) }
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.kind, self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Kind, ObjectKey};

    #[test]
    fn a_manifest_without_a_namespace_is_in_default() {
        for (metadata, namespace) in [
            (json!({ "name": "web" }), "default"),
            (json!({ "name": "web", "namespace": null }), "default"),
            (json!({ "name": "web", "namespace": "" }), "default"),
            (json!({ "name": "web", "namespace": "shop" }), "shop"),
        ] {
            let key = ObjectKey::of_manifest(Kind::Deployment, &json!({ "metadata": metadata }));
            assert_eq!(key, ObjectKey::new(Kind::Deployment, namespace, "web"));
        }
    }
}
