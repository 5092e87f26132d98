//! Topology spread constraints as they are written.

use alloc::string::String;
use alloc::vec::Vec;

use super::affinity_term::selects;
use crate::json::{FromJson, ToJson};
use crate::object::{LabelSelector, LabelSelectorRequirement, Strings};

/// Upstream: `k8s.io/api/core/v1/types.go TopologySpreadConstraint`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SpreadConstraint {
    pub(super) max_skew: i64,
    pub(super) topology_key: String,
    when_unsatisfiable: String,
    #[json(omitempty)]
    pub(super) label_selector: Option<LabelSelector>,
    #[json(omitempty)]
    min_domains: Option<i64>,
    #[json(omitempty)]
    node_affinity_policy: Option<String>,
    #[json(omitempty)]
    node_taints_policy: Option<String>,
    #[json(omitempty)]
    match_label_keys: Vec<String>,
}

impl SpreadConstraint {
    /// One of the constraints of pods that have none.
    pub(super) fn default_of(topology_key: &str, max_skew: i64, selector: LabelSelector) -> Self {
        Self {
            max_skew,
            topology_key: topology_key.into(),
            when_unsatisfiable: "ScheduleAnyway".into(),
            label_selector: Some(selector),
            ..Self::default()
        }
    }

    /// Whether a node that does not satisfy it takes no pod.
    pub(super) fn is_hard(&self) -> bool {
        self.when_unsatisfiable == "DoNotSchedule"
    }

    /// Whether it is only preferred.
    pub(super) fn is_soft(&self) -> bool {
        self.when_unsatisfiable == "ScheduleAnyway"
    }

    /// With fewer domains, the least number of pods counts as 0.
    pub(super) fn min_domains(&self) -> i64 {
        self.min_domains.unwrap_or(1)
    }

    /// Whether only nodes that the pod selects are counted.
    pub(super) fn honors_affinity(&self) -> bool {
        self.node_affinity_policy.as_deref().is_none_or(|policy| policy == "Honor")
    }

    /// Whether only nodes are counted whose taints the pod tolerates.
    pub(super) fn honors_taints(&self) -> bool {
        self.node_taints_policy.as_deref() == Some("Honor")
    }

    /// Whether pods with these labels are counted.
    pub(super) fn selects(&self, labels: &Strings) -> bool {
        selects(self.label_selector.as_ref(), labels)
    }

    /// Whether no pods are counted because the selector takes all.
    pub(super) fn counts_nothing(&self) -> bool {
        self.label_selector.as_ref().is_none_or(|all| all.match_labels.is_empty() && all.match_expressions.is_empty())
    }

    /// Restricts the selector to pods with the same values of some labels. The API server has done so for most pods.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/common.go PodTopologySpread.filterTopologySpreadConstraints`
    pub(super) fn merge_keys(&mut self, labels: &Strings) {
        let Some(selector) = &mut self.label_selector else { return };
        for key in core::mem::take(&mut self.match_label_keys) {
            if let Some(value) = labels.get(key.as_str()) {
                let values = Vec::from([value.clone()]);
                selector.match_expressions.push(LabelSelectorRequirement { key, operator: "In".into(), values });
            }
        }
    }
}
