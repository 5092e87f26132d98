use serde_json::Value;

use super::value;

/// The kinds that bear on replicas, rollouts, replacement and deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are Kubernetes' own")]
pub enum Kind {
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    Pod,
    PodTemplate,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
}

impl Kind {
    /// All of them, sorted by name.
    pub const ALL: [Self; 9] = [
        Self::CronJob,
        Self::DaemonSet,
        Self::Deployment,
        Self::Job,
        Self::Pod,
        Self::PodTemplate,
        Self::ReplicaSet,
        Self::ReplicationController,
        Self::StatefulSet,
    ];

    /// The kind of this API group (empty for the core group), version and name; none for all that is not looked at.
    pub fn new(group: &str, version: &str, name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name && kind.group() == group && version == "v1")
    }

    /// The kind that an object names itself.
    pub fn of(object: &Value) -> Option<Self> {
        let api_version = value::string(object, "apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self::new(group, version, value::string(object, "kind"))
    }

    /// Kubernetes' name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CronJob => "CronJob",
            Self::DaemonSet => "DaemonSet",
            Self::Deployment => "Deployment",
            Self::Job => "Job",
            Self::Pod => "Pod",
            Self::PodTemplate => "PodTemplate",
            Self::ReplicaSet => "ReplicaSet",
            Self::ReplicationController => "ReplicationController",
            Self::StatefulSet => "StatefulSet",
        }
    }

    /// Its API group; empty for the core group.
    pub const fn group(self) -> &'static str {
        match self {
            Self::CronJob | Self::Job => "batch",
            Self::DaemonSet | Self::Deployment | Self::ReplicaSet | Self::StatefulSet => "apps",
            Self::Pod | Self::PodTemplate | Self::ReplicationController => "",
        }
    }

    /// Where its pod template is; none for a Pod.
    pub const fn template(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Pod => None,
            Self::PodTemplate => Some(&["template"]),
            Self::CronJob => Some(&["spec", "jobTemplate", "spec", "template"]),
            _ => Some(&["spec", "template"]),
        }
    }

    /// Where its podReplacementPolicy is; none where there is no such thing.
    pub const fn pod_replacement_policy(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Deployment | Self::Job => Some(&["spec", "podReplacementPolicy"]),
            Self::CronJob => Some(&["spec", "jobTemplate", "spec", "podReplacementPolicy"]),
            _ => None,
        }
    }
}
