//! Events that may help a pod which has been rejected.

use super::affinity_term::{AffinityTerm, Namespaces, Side};
use super::pod_shape::PodShape;
use super::status::Plugin;

/// Whether a pod that some plugins have rejected may get a node because another one has got one.
///
/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/plugin.go PodTopologySpread.isSchedulableAfterAssignedPodChange`,
/// `pkg/scheduler/framework/plugins/interpodaffinity/plugin.go InterPodAffinity.isSchedulableAfterAssignedPodChange`
pub(crate) fn helps_once_bound(
    waiting: &PodShape,
    plugins: &[Plugin],
    bound: &PodShape,
    namespaces: &Namespaces,
) -> bool {
    let is_wanted = || {
        let other = (&*bound.namespace, &*bound.labels);
        let means =
            |side| waiting.affinity.iter().all(|term| term.matches(side, &waiting.namespace, other, namespaces));
        !waiting.affinity.is_empty() && (means(Side::Existing) || means(Side::Incoming))
    };
    (plugins.contains(&Plugin::PodTopologySpread) && is_counted(waiting, bound))
        || (plugins.contains(&Plugin::InterPodAffinity) && is_wanted())
}

/// Whether a pod that some plugins have rejected may get a node because another one is gone.
///
/// Upstream: `pkg/scheduler/framework/plugins/nodeports/node_ports.go NodePorts.isSchedulableAfterAssignedPodDeleted`, and what the
/// other plugins have in its place
pub(crate) fn helps_once_gone(
    waiting: &PodShape,
    plugins: &[Plugin],
    gone: &PodShape,
    namespaces: &Namespaces,
) -> bool {
    let keeps_away = |one: &PodShape, other: &PodShape| {
        let is_meant = |term: &AffinityTerm, side| {
            term.matches(side, &one.namespace, (&*other.namespace, &*other.labels), namespaces)
        };
        one.anti_affinity.iter().any(|term| is_meant(term, Side::Existing) || is_meant(term, Side::Incoming))
    };
    plugins.iter().any(|plugin| match plugin {
        Plugin::NodeResourcesFit | Plugin::VolumeRestrictions => true,
        Plugin::NodePorts => waiting.ports.iter().any(|port| gone.ports.iter().any(|its| port.clashes_with(its))),
        Plugin::PodTopologySpread => is_counted(waiting, gone),
        Plugin::InterPodAffinity => keeps_away(waiting, gone) || keeps_away(gone, waiting),
        Plugin::NodeUnschedulable
        | Plugin::TaintToleration
        | Plugin::NodeAffinity
        | Plugin::VolumeBinding
        | Plugin::VolumeZone
        | Plugin::NodeResourcesBalancedAllocation
        | Plugin::ImageLocality => false,
    })
}

/// Whether a required topology spread constraint of a pod counts another one.
pub(crate) fn is_counted(waiting: &PodShape, other: &PodShape) -> bool {
    let mut hard = waiting.spread.iter().filter(|constraint| constraint.is_hard());
    other.namespace == waiting.namespace && hard.any(|constraint| constraint.selects(&other.labels))
}
