//! Pods that a pod wants near itself, or far away.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::json::{FromJson, ToJson};
use crate::object::{LabelSelector, LabelSelectorRequirement, Strings};

/// Upstream: `k8s.io/api/core/v1/types.go PodAffinityTerm`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AffinityTerm {
    #[json(omitempty)]
    label_selector: Option<LabelSelector>,
    #[json(omitempty)]
    namespaces: Vec<String>,
    #[json(omitempty)]
    namespace_selector: Option<LabelSelector>,
    pub(super) topology_key: String,
    #[json(omitempty)]
    match_label_keys: Vec<String>,
    #[json(omitempty)]
    mismatch_label_keys: Vec<String>,
}

/// Upstream: `k8s.io/api/core/v1/types.go WeightedPodAffinityTerm`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WeightedTerm {
    pub(super) weight: i64,
    pub(super) pod_affinity_term: AffinityTerm,
}

/// Upstream: `k8s.io/api/core/v1/types.go PodAffinity`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PodAffinity {
    #[json(omitempty)]
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub(super) required: Vec<AffinityTerm>,
    #[json(omitempty)]
    #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
    pub(super) preferred: Vec<WeightedTerm>,
}

/// The namespaces of the cluster, with their labels.
pub type Namespaces = Vec<(Rc<str>, Strings)>;

/// Whether an optional selector takes these labels: without one it takes nothing.
pub(super) fn selects(selector: Option<&LabelSelector>, labels: &Strings) -> bool {
    LabelSelector::to_selector(selector).is_ok_and(|selector| selector.matches(labels))
}

/// Whose terms are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Those of the pod that looks for a node: a selector of namespaces finds those that the scheduler knows.
    Incoming,
    /// Those of a pod that has one: the selector is asked about the labels of the other pod's namespace, if they are known.
    Existing,
}

impl AffinityTerm {
    /// Restricts the selector to pods with the same values of some labels, or with others. The API server does so when it stores a
    /// pod; doing it again changes nothing.
    ///
    /// Upstream: `pkg/registry/core/pod/strategy.go applyMatchLabelKeysAndMismatchLabelKeys`
    pub(super) fn merge_keys(&mut self, labels: &Strings) {
        let Some(selector) = &mut self.label_selector else { return };
        for (keys, operator) in [(&mut self.match_label_keys, "In"), (&mut self.mismatch_label_keys, "NotIn")] {
            for key in core::mem::take(keys) {
                if let Some(value) = labels.get(key.as_str()) {
                    let values = Vec::from([value.clone()]);
                    selector.match_expressions.push(LabelSelectorRequirement {
                        key,
                        operator: operator.into(),
                        values,
                    });
                }
            }
        }
    }

    /// Whether a term of a pod in the namespace `own` is about pods of the other namespace.
    ///
    /// Upstream: `k8s.io/kube-scheduler/framework/types.go AffinityTerm.Matches`, `getNamespacesFromPodAffinityTerm`,
    /// `pkg/scheduler/framework/plugins/interpodaffinity/plugin.go InterPodAffinity.mergeAffinityTermNamespacesIfNotEmpty`
    fn covers(&self, side: Side, own: &str, other: &str, namespaces: &Namespaces) -> bool {
        if self.namespaces.is_empty() && self.namespace_selector.is_none() {
            return own == other;
        }
        if self.namespaces.iter().any(|name| name == other) {
            return true;
        }
        let Some(selector) = &self.namespace_selector else { return false };
        match (namespaces.iter().find(|(name, _)| **name == *other), side) {
            (Some((_, labels)), _) => selects(Some(selector), labels),
            (None, Side::Existing) => selects(Some(selector), &Strings::default()),
            (None, Side::Incoming) => selector.match_labels.is_empty() && selector.match_expressions.is_empty(),
        }
    }

    /// Whether a term of a pod in the namespace `own` is about a pod with these labels in the other namespace.
    pub(super) fn matches(
        &self,
        side: Side,
        own: &str,
        (other, labels): (&str, &Strings),
        namespaces: &Namespaces,
    ) -> bool {
        self.covers(side, own, other, namespaces) && selects(self.label_selector.as_ref(), labels)
    }
}
