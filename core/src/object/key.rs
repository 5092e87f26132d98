use alloc::rc::Rc;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;

use crate::json::{FromJson, ToJson};

/// The kinds that the simulated cluster holds, and those that steps are about: it holds no [`Object`] of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Kind {
    /// apps/v1 Deployment
    Deployment,
    /// apps/v1 ReplicaSet
    ReplicaSet,
    /// v1 Pod
    Pod,
    /// v1 Node
    Node,
    /// v1 ResourceQuota
    ResourceQuota,
    /// policy/v1 PodDisruptionBudget
    PodDisruptionBudget,
    /// v1 PersistentVolumeClaim
    PersistentVolumeClaim,
}

impl Kind {
    /// Like `apps/v1`.
    pub const fn api_version(self) -> &'static str {
        match self {
            Self::Deployment | Self::ReplicaSet => "apps/v1",
            Self::PodDisruptionBudget => "policy/v1",
            Self::Pod | Self::Node | Self::ResourceQuota | Self::PersistentVolumeClaim => "v1",
        }
    }

    /// How the API server calls its objects in an error: `pods`, `replicasets.apps`.
    ///
    /// Upstream: `k8s.io/apimachinery/pkg/runtime/schema/group_version.go GroupResource`
    pub fn group_resource(self) -> String {
        let mut text = String::from(self.resource());
        if let Some((group, _)) = self.api_version().split_once('/') {
            text.push('.');
            text.push_str(group);
        }
        text
    }

    /// Like `Deployment`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deployment => "Deployment",
            Self::ReplicaSet => "ReplicaSet",
            Self::Pod => "Pod",
            Self::Node => "Node",
            Self::ResourceQuota => "ResourceQuota",
            Self::PodDisruptionBudget => "PodDisruptionBudget",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
        }
    }

    /// Like `deployments`.
    pub const fn resource(self) -> &'static str {
        match self {
            Self::Deployment => "deployments",
            Self::ReplicaSet => "replicasets",
            Self::Pod => "pods",
            Self::Node => "nodes",
            Self::ResourceQuota => "resourcequotas",
            Self::PodDisruptionBudget => "poddisruptionbudgets",
            Self::PersistentVolumeClaim => "persistentvolumeclaims",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
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
    /// The key of an object; what has no namespace, like a Node, has an empty one.
    pub fn new(kind: Kind, namespace: impl Into<Rc<str>>, name: impl Into<Rc<str>>) -> Self {
        Self { kind, namespace: namespace.into(), name: name.into() }
    }
}

impl Ord for ObjectKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let same_namespace = Rc::ptr_eq(&self.namespace, &other.namespace);
        let by_namespace = if same_namespace { Ordering::Equal } else { self.namespace.cmp(&other.namespace) };
        self.kind.cmp(&other.kind).then(by_namespace).then_with(|| self.name.cmp(&other.name))
    }
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
