//! The settings that are typed.

use changeover_core::json::{FromJson, ToJson};

/// A setting that is typed. Addresses and files hold it under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// spec.replicas.
    Replicas,
    /// maxSurge.
    MaxSurge,
    /// maxUnavailable.
    MaxUnavailable,
    /// Seconds from running containers to ready, or `never`.
    ReadyAfter,
    /// Seconds from the request to stop to the end.
    TimeToStop,
    /// terminationGracePeriodSeconds.
    GracePeriod,
    /// minReadySeconds.
    MinReadySeconds,
    /// progressDeadlineSeconds.
    ProgressDeadline,
    /// How much longer than given a span may take, in percent.
    Jitter,
    /// The number of nodes.
    Nodes,
    /// How many pods fit on a node.
    PodsPerNode,
    /// How much CPU the pods of a node may request.
    NodeCpu,
    /// How much memory the pods of a node may request.
    NodeMemory,
    /// How much CPU a pod requests.
    PodCpu,
    /// How much memory a pod requests.
    PodMemory,
    /// Seconds from a waiting pod to a new node; without it, nothing adds nodes.
    AutoscalerStartup,
    /// The most pods that a ResourceQuota allows.
    QuotaPods,
    /// The most CPU that a ResourceQuota allows.
    QuotaCpu,
    /// The most memory that a ResourceQuota allows.
    QuotaMemory,
    /// minAvailable of a PodDisruptionBudget.
    MinAvailable,
    /// The pods of the other Deployments, one number for each.
    OtherPods,
    /// How much CPU their pods request: one amount for all, or one for each.
    OtherCpu,
    /// How much memory their pods request, in the same way.
    OtherMemory,
    /// Seconds from the rollout to that of the other Deployments; without it, they stay as they are.
    OtherRollout,
    /// Seconds to pull the new image, or `never`.
    Pull,
    /// Seconds from running containers to ready with the new image.
    NewReadyAfter,
    /// Seconds that a container with the new image runs until it crashes.
    CrashAfter,
    /// initialDelaySeconds of the probes.
    ProbeDelay,
    /// periodSeconds of the probes.
    ProbePeriod,
    /// failureThreshold of the startup probe.
    ProbeFailures,
    /// Seconds that the preStop hook takes.
    PreStop,
    /// Seconds from the first rollout to a second one.
    SecondRollout,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 32] = [
        Self::Replicas,
        Self::MaxSurge,
        Self::MaxUnavailable,
        Self::ReadyAfter,
        Self::TimeToStop,
        Self::GracePeriod,
        Self::MinReadySeconds,
        Self::ProgressDeadline,
        Self::Jitter,
        Self::Nodes,
        Self::PodsPerNode,
        Self::NodeCpu,
        Self::NodeMemory,
        Self::PodCpu,
        Self::PodMemory,
        Self::AutoscalerStartup,
        Self::QuotaPods,
        Self::QuotaCpu,
        Self::QuotaMemory,
        Self::MinAvailable,
        Self::OtherPods,
        Self::OtherCpu,
        Self::OtherMemory,
        Self::OtherRollout,
        Self::Pull,
        Self::NewReadyAfter,
        Self::CrashAfter,
        Self::ProbeDelay,
        Self::ProbePeriod,
        Self::ProbeFailures,
        Self::PreStop,
        Self::SecondRollout,
    ];

    /// The text before the user types.
    pub const fn initial(self) -> &'static str {
        match self {
            Self::Replicas => "15",
            Self::MaxSurge | Self::MaxUnavailable => "25%",
            Self::ReadyAfter => "6",
            Self::TimeToStop => "5",
            Self::GracePeriod => "30",
            Self::MinReadySeconds | Self::Jitter => "0",
            Self::ProgressDeadline => "600",
            Self::Nodes => "3",
            _ => "",
        }
    }

    /// Its name in a summary.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replicas => "replicas",
            Self::MaxSurge => "maxSurge",
            Self::MaxUnavailable => "maxUnavailable",
            Self::ReadyAfter => "time to start",
            Self::TimeToStop => "time to stop",
            Self::GracePeriod => "grace period",
            Self::MinReadySeconds => "minReadySeconds",
            Self::ProgressDeadline => "progressDeadlineSeconds",
            Self::Jitter => "random delay",
            Self::Nodes => "nodes",
            Self::PodsPerNode => "pods per node",
            Self::NodeCpu => "CPU of a node",
            Self::NodeMemory => "memory of a node",
            Self::PodCpu => "CPU of a pod",
            Self::PodMemory => "memory of a pod",
            Self::AutoscalerStartup => "time to a new node",
            Self::QuotaPods => "quota of pods",
            Self::QuotaCpu => "quota of CPU",
            Self::QuotaMemory => "quota of memory",
            Self::MinAvailable => "minAvailable",
            Self::OtherPods => "pods of other Deployments",
            Self::OtherCpu => "CPU per pod of other Deployments",
            Self::OtherMemory => "memory per pod of other Deployments",
            Self::OtherRollout => "time to the rollouts of other Deployments",
            Self::Pull => "time to pull the image",
            Self::NewReadyAfter => "time to start with the new image",
            Self::CrashAfter => "time until the new image crashes",
            Self::ProbeDelay => "initialDelaySeconds",
            Self::ProbePeriod => "periodSeconds",
            Self::ProbeFailures => "failureThreshold",
            Self::PreStop => "preStop hook",
            Self::SecondRollout => "time to the second rollout",
        }
    }

    /// What it says in a summary if its time is `never`; none if it has to end.
    pub const fn never(self) -> Option<&'static str> {
        match self {
            Self::ReadyAfter => Some("pods never become ready"),
            Self::NewReadyAfter => Some("pods with the new image never become ready"),
            Self::Pull => Some("the image is never pulled"),
            _ => None,
        }
    }

    /// Whether it is a span of time with a unit.
    pub const fn is_duration(self) -> bool {
        matches!(
            self,
            Self::ReadyAfter
                | Self::TimeToStop
                | Self::GracePeriod
                | Self::AutoscalerStartup
                | Self::Pull
                | Self::NewReadyAfter
                | Self::CrashAfter
                | Self::PreStop
                | Self::OtherRollout
                | Self::SecondRollout
        )
    }

    /// Whether manifests contain the setting. Its control then applies only if it can write the value into them.
    pub const fn is_in_manifests(self) -> bool {
        matches!(
            self,
            Self::PodCpu
                | Self::PodMemory
                | Self::QuotaPods
                | Self::QuotaCpu
                | Self::QuotaMemory
                | Self::MinAvailable
                | Self::OtherCpu
                | Self::OtherMemory
                | Self::ProbeDelay
                | Self::ProbePeriod
                | Self::ProbeFailures
        )
    }

    /// Why this control is off for manifests, and where in them to set the value.
    pub const fn source_in_manifests(self) -> &'static str {
        match self {
            Self::QuotaPods | Self::QuotaCpu | Self::QuotaMemory => {
                "There are several ResourceQuotas in your YAML, or one with scopes. Change them there."
            }
            Self::MinAvailable => {
                "There are several disruption budgets in your YAML, or one with maxUnavailable or for other pods. \
                 Change them there."
            }
            Self::OtherPods => "Other Deployments come from your YAML. Change them there.",
            Self::ProbeDelay => "This needs one container with a probe. Change the probes in your YAML.",
            Self::ProbePeriod => "This needs one container with a readiness probe. Change the probes in your YAML.",
            Self::ProbeFailures => "This needs one container with a startup probe. Change the probes in your YAML.",
            Self::PodCpu | Self::PodMemory => "Your pods have several containers. Set their requests in your YAML.",
            Self::OtherCpu | Self::OtherMemory => "Their requests come from your YAML. Set them there.",
            Self::Nodes => {
                "The nodes in your YAML differ in size, there are more than 200, a pod names its node, or you saved what runs now. \
                 Change the nodes in your YAML."
            }
            Self::PreStop => "The preStop hook comes from your YAML. Set it there.",
            _ => "This comes from your YAML. Set it there.",
        }
    }

    /// Whether it is about the cluster around the rollout.
    pub const fn is_of_cluster(self) -> bool {
        !matches!(
            self,
            Self::Replicas
                | Self::MaxSurge
                | Self::MaxUnavailable
                | Self::ReadyAfter
                | Self::TimeToStop
                | Self::GracePeriod
                | Self::MinReadySeconds
                | Self::ProgressDeadline
                | Self::Jitter
        )
    }

    /// Whether it is about other Deployments that are there.
    pub const fn is_of_others(self) -> bool {
        matches!(self, Self::OtherCpu | Self::OtherMemory | Self::OtherRollout)
    }

    /// Whether it is about nodes.
    pub const fn is_of_nodes(self) -> bool {
        matches!(self, Self::Nodes | Self::PodsPerNode | Self::NodeCpu | Self::NodeMemory | Self::AutoscalerStartup)
    }

    /// Whether it is about the pods of the new version.
    pub const fn is_of_new_version(self) -> bool {
        matches!(self, Self::Pull | Self::NewReadyAfter | Self::CrashAfter)
    }

    /// How the path of a problem with the setting ends.
    pub const fn path_end(self) -> &'static str {
        match self {
            Self::Replicas => "deployment.spec.replicas",
            Self::MaxSurge => ".maxSurge",
            Self::MaxUnavailable => ".maxUnavailable",
            Self::ReadyAfter => ".ready",
            Self::TimeToStop => ".terminate",
            Self::GracePeriod => ".terminationGracePeriodSeconds",
            Self::MinReadySeconds => ".minReadySeconds",
            Self::ProgressDeadline => ".progressDeadlineSeconds",
            Self::Jitter => ".jitterPercent",
            Self::Nodes => "nodes",
            Self::PodsPerNode => "].pods",
            Self::NodeCpu => "].cpu",
            Self::NodeMemory => "].memory",
            Self::PodCpu => "requests[cpu]",
            Self::PodMemory => "requests[memory]",
            Self::AutoscalerStartup => ".startup",
            Self::QuotaPods => "hard[pods]",
            Self::QuotaCpu => "hard[requests.cpu]",
            Self::QuotaMemory => "hard[requests.memory]",
            Self::MinAvailable => ".minAvailable",
            Self::OtherPods => "].spec.replicas",
            Self::OtherCpu => "others.requests[cpu]",
            Self::OtherMemory => "others.requests[memory]",
            Self::OtherRollout => "othersRestart.at",
            Self::Pull => ".pull",
            Self::NewReadyAfter => "kubelet[0].ready",
            Self::CrashAfter => ".crash",
            Self::ProbeDelay => ".initialDelaySeconds",
            Self::ProbePeriod => ".periodSeconds",
            Self::ProbeFailures => ".failureThreshold",
            Self::PreStop => ".preStop",
            Self::SecondRollout => ".at",
        }
    }
}
