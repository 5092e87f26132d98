//! What a plugin says of a node.

use alloc::borrow::Cow;
use alloc::vec::Vec;

/// The plugins of the default profile that decide here, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plugin {
    /// Cordoned nodes.
    NodeUnschedulable,
    /// Taints and tolerations.
    TaintToleration,
    /// `nodeSelector` and node affinity.
    NodeAffinity,
    /// Ports of the node.
    NodePorts,
    /// Requests, and the number of pods.
    NodeResourcesFit,
    /// Disks and claims that only one pod may use.
    VolumeRestrictions,
    /// Volumes that are tied to nodes.
    VolumeBinding,
    /// Volumes that are tied to zones.
    VolumeZone,
    /// Topology spread constraints.
    PodTopologySpread,
    /// Affinity and anti-affinity between pods.
    InterPodAffinity,
    /// The balance between cpu and memory; it only scores.
    NodeResourcesBalancedAllocation,
    /// Images that a node has already; it only scores.
    ImageLocality,
}

impl Plugin {
    /// The name in the scheduler's configuration.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/names/names.go`
    pub const fn name(self) -> &'static str {
        match self {
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::TaintToleration => "TaintToleration",
            Self::NodeAffinity => "NodeAffinity",
            Self::NodePorts => "NodePorts",
            Self::NodeResourcesFit => "NodeResourcesFit",
            Self::VolumeRestrictions => "VolumeRestrictions",
            Self::VolumeBinding => "VolumeBinding",
            Self::VolumeZone => "VolumeZone",
            Self::PodTopologySpread => "PodTopologySpread",
            Self::InterPodAffinity => "InterPodAffinity",
            Self::NodeResourcesBalancedAllocation => "NodeResourcesBalancedAllocation",
            Self::ImageLocality => "ImageLocality",
        }
    }

    /// How much a score of the plugin counts.
    ///
    /// Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go getDefaultPlugins`
    pub const fn weight(self) -> i64 {
        match self {
            Self::TaintToleration => 3,
            Self::NodeAffinity | Self::PodTopologySpread | Self::InterPodAffinity => 2,
            _ => 1,
        }
    }
}

/// Whether the removal of other pods could help.
///
/// Upstream: `k8s.io/kube-scheduler/framework/interface.go Code`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It could.
    Unschedulable,
    /// It could not.
    UnschedulableAndUnresolvable,
}

/// Why a node does not take a pod.
///
/// Upstream: `k8s.io/kube-scheduler/framework/interface.go Status`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The plugin that gave this status; none for a node that no plugin was asked about.
    pub plugin: Option<Plugin>,
    /// Whether the removal of other pods could help.
    pub code: Code,
    /// The reasons, word for word.
    pub reasons: Vec<Cow<'static, str>>,
}

impl Status {
    /// One reason, which the removal of pods could change.
    pub(super) fn unschedulable(plugin: Plugin, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { plugin: Some(plugin), code: Code::Unschedulable, reasons: Vec::from([reason.into()]) }
    }

    /// One reason, which the removal of pods could not change.
    pub(super) fn unresolvable(plugin: Plugin, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { code: Code::UnschedulableAndUnresolvable, ..Self::unschedulable(plugin, reason) }
    }
}
