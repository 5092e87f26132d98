//! Taints of nodes, and pods that tolerate them.

use alloc::string::String;
use alloc::vec::Vec;

use super::status::{Plugin, Status};
use crate::json::{FromJson, ToJson};
use crate::object::Taint;

/// Upstream: `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go TaintToleration.Filter`
pub(crate) const TAINTED: &str = "node(s) had untolerated taint(s)";

/// Upstream: `pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go ErrReasonUnschedulable`
pub(crate) const CORDONED: &str = "node(s) were unschedulable";

/// The taint of a cordoned node.
pub(crate) const UNSCHEDULABLE_TAINT: &str = "node.kubernetes.io/unschedulable";

/// Upstream: `k8s.io/api/core/v1/types.go Toleration`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Toleration {
    #[json(omitempty)]
    key: String,
    #[json(omitempty)]
    operator: String,
    #[json(omitempty)]
    value: String,
    #[json(omitempty)]
    pub(super) effect: String,
}

impl Toleration {
    /// Upstream: `k8s.io/api/core/v1/toleration.go Toleration.ToleratesTaint`
    fn tolerates(&self, taint: &Taint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect)
            && (self.key.is_empty() || self.key == taint.key)
            && match self.operator.as_str() {
                "" | "Equal" => self.value == taint.value,
                "Exists" => true,
                // Comparisons of numbers are behind a feature gate that is off.
                _ => false,
            }
    }
}

/// Upstream: `k8s.io/component-helpers/scheduling/corev1/helpers.go TolerationsTolerateTaint`
fn tolerate(tolerations: &[Toleration], taint: &Taint) -> bool {
    tolerations.iter().any(|toleration| toleration.tolerates(taint))
}

/// Whether a taint keeps a pod away.
pub(super) fn has_untolerated(taints: &[Taint], tolerations: &[Toleration]) -> bool {
    first_untolerated(taints, tolerations).is_some()
}

/// The first taint that keeps a pod away.
pub(super) fn first_untolerated<'a>(taints: &'a [Taint], tolerations: &[Toleration]) -> Option<&'a Taint> {
    first_untolerated_of(taints, tolerations, &["NoSchedule", "NoExecute"])
}

/// Whether there is a taint of these effects that is not tolerated.
pub(super) fn has_untolerated_of(taints: &[Taint], tolerations: &[Toleration], effects: &[&str]) -> bool {
    first_untolerated_of(taints, tolerations, effects).is_some()
}

/// The first taint of these effects that is not tolerated.
///
/// Upstream: `k8s.io/component-helpers/scheduling/corev1/helpers.go FindMatchingUntoleratedTaint`
fn first_untolerated_of<'a>(taints: &'a [Taint], tolerations: &[Toleration], effects: &[&str]) -> Option<&'a Taint> {
    taints.iter().find(|taint| effects.contains(&taint.effect.as_str()) && !tolerate(tolerations, taint))
}

/// Upstream: `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go TaintToleration.Filter`
pub(super) fn filter(taints: &[Taint], tolerations: &[Toleration]) -> Option<Status> {
    has_untolerated(taints, tolerations).then(|| Status::unresolvable(Plugin::TaintToleration, TAINTED))
}

/// A pod that tolerates the taint of cordoned nodes may run on them.
///
/// Upstream: `pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go NodeUnschedulable.Filter`
pub(super) fn filter_unschedulable(unschedulable: bool, tolerations: &[Toleration]) -> Option<Status> {
    let is_kept_away = unschedulable && !tolerate(tolerations, &Taint::new(UNSCHEDULABLE_TAINT, "NoSchedule"));
    is_kept_away.then(|| Status::unresolvable(Plugin::NodeUnschedulable, CORDONED))
}

/// How many taints say that the pod had better not run there.
///
/// Upstream: `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go TaintToleration.Score`
pub(super) fn score(taints: &[Taint], tolerations: &[Toleration]) -> i64 {
    const SOFT: &str = "PreferNoSchedule";
    let soft: Vec<Toleration> =
        tolerations.iter().filter(|its| its.effect.is_empty() || its.effect == SOFT).cloned().collect();
    let count = taints.iter().filter(|taint| taint.effect == SOFT && !tolerate(&soft, taint)).count();
    i64::try_from(count).unwrap_or(i64::MAX)
}
