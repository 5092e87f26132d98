//! Events that may help a pod which has been rejected.

use super::affinity_term::{Namespaces, Side};
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
    let is_counted = || {
        let mut hard = waiting.spread.iter().filter(|constraint| constraint.is_hard());
        bound.namespace == waiting.namespace && hard.any(|constraint| constraint.selects(&bound.labels))
    };
    let is_wanted = || {
        let other = (&*bound.namespace, &*bound.labels);
        let means =
            |side| waiting.affinity.iter().all(|term| term.matches(side, &waiting.namespace, other, namespaces));
        !waiting.affinity.is_empty() && (means(Side::Existing) || means(Side::Incoming))
    };
    (plugins.contains(&Plugin::PodTopologySpread) && is_counted())
        || (plugins.contains(&Plugin::InterPodAffinity) && is_wanted())
}
