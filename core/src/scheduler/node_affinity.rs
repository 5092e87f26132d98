//! Nodes that a pod selects by their labels and names.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::node::Node;
use super::status::{Plugin, Status};
use crate::collect_tree::CollectTree;
use crate::json::{FromJson, ToJson};
use crate::object::Strings;

/// Upstream: `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go ErrReasonPod`
pub(crate) const NOT_SELECTED: &str = "node(s) didn't match Pod's node affinity/selector";

/// Upstream: `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go errReasonConflict`
const CONFLICT: &str = "pod affinity terms conflict";

/// The one field of nodes that can be selected.
const NAME: &str = "metadata.name";

/// Upstream: `k8s.io/api/core/v1/types.go NodeSelectorRequirement`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
struct Requirement {
    key: String,
    operator: String,
    #[json(omitempty)]
    values: Vec<String>,
}

/// Upstream: `k8s.io/api/core/v1/types.go NodeSelectorTerm`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Term {
    #[json(omitempty)]
    match_expressions: Vec<Requirement>,
    #[json(omitempty)]
    match_fields: Vec<Requirement>,
}

/// Upstream: `k8s.io/api/core/v1/types.go NodeSelector`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NodeSelector {
    pub(super) node_selector_terms: Vec<Term>,
}

/// Upstream: `k8s.io/api/core/v1/types.go PreferredSchedulingTerm`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PreferredTerm {
    pub(super) weight: i64,
    pub(super) preference: Term,
}

/// Which nodes a pod may run on.
///
/// Upstream: `k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go RequiredNodeAffinity`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RequiredNodeAffinity {
    pub(super) selector: Strings,
    pub(super) terms: Option<NodeSelector>,
}

impl Requirement {
    /// Upstream: `k8s.io/apimachinery/pkg/labels/selector.go Requirement.Matches`; none where `NewRequirement` fails
    fn matches(&self, labels: &Strings) -> Option<bool> {
        let value = labels.get(self.key.as_str());
        let number = |text: &String| text.parse::<i64>().ok();
        Some(match self.operator.as_str() {
            "In" if !self.values.is_empty() => value.is_some_and(|value| self.values.contains(value)),
            "NotIn" if !self.values.is_empty() => value.is_none_or(|value| !self.values.contains(value)),
            "Exists" if self.values.is_empty() => value.is_some(),
            "DoesNotExist" if self.values.is_empty() => value.is_none(),
            "Gt" | "Lt" => {
                let [bound] = self.values.as_slice() else { return None };
                let bound = number(bound)?;
                let more = self.operator == "Gt";
                value.and_then(number).is_some_and(|value| if more { value > bound } else { value < bound })
            }
            _ => return None,
        })
    }

    /// Upstream: `k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go nodeSelectorRequirementsAsFieldSelector`
    fn matches_field(&self, node_name: &str) -> Option<bool> {
        let [value] = self.values.as_slice() else { return None };
        let is_equal = value == if self.key == NAME { node_name } else { "" };
        match self.operator.as_str() {
            "In" => Some(is_equal),
            "NotIn" => Some(!is_equal),
            _ => None,
        }
    }
}

impl Term {
    /// Whether a node matches. An empty term and one that can't be read match none.
    ///
    /// Upstream: `k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go nodeSelectorTerm.match`
    pub(super) fn matches(&self, node: &Node) -> bool {
        self.matches_labels(&node.labels, Some(&node.name))
    }

    /// The same for labels, and a name where there is one.
    pub(super) fn matches_labels(&self, labels: &Strings, name: Option<&str>) -> bool {
        let all = |results: Vec<Option<bool>>| {
            let read: Option<Vec<bool>> = results.into_iter().collect();
            read.is_some_and(|results| results.into_iter().all(|matches| matches))
        };
        let expressions = self.match_expressions.iter().map(|expression| expression.matches(labels));
        let fields = self
            .match_fields
            .iter()
            .map(|field| field.matches_field(name.unwrap_or_default()).map(|is| is || name.is_none()));
        !(self.match_expressions.is_empty() && self.match_fields.is_empty()) && all(expressions.chain(fields).collect())
    }

    /// The nodes that the term names, if it does.
    fn node_names(&self) -> Option<BTreeSet<&str>> {
        let named = self.match_fields.iter().filter(|field| field.key == NAME && field.operator == "In");
        let sets = named.map(|field| field.values.iter().map(String::as_str).collect_tree::<BTreeSet<_>>());
        sets.reduce(|all, names| all.intersection(&names).copied().collect_tree())
    }
}

impl RequiredNodeAffinity {
    /// Whether all nodes match.
    pub(super) fn is_empty(&self) -> bool {
        self.selector.is_empty() && self.terms.is_none()
    }

    /// Upstream: `k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go RequiredNodeAffinity.Match`
    pub(super) fn matches(&self, node: &Node) -> bool {
        self.selector.iter().all(|(key, value)| node.labels.get(key.as_str()) == Some(value))
            && self.terms.as_ref().is_none_or(|terms| terms.node_selector_terms.iter().any(|term| term.matches(node)))
    }

    /// The only nodes that are looked at; none if all of them are.
    ///
    /// # Errors
    /// Terms that exclude each other.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go NodeAffinity.PreFilter`
    pub(super) fn pre_filter(&self) -> Result<Option<BTreeSet<&str>>, Status> {
        let terms = self.terms.as_ref().map_or(&[][..], |terms| terms.node_selector_terms.as_slice());
        let mut names = BTreeSet::new();
        for term in terms {
            match term.node_names() {
                Some(its) => names.extend(its),
                None => return Ok(None),
            }
        }
        match (terms.is_empty(), names.is_empty()) {
            (true, _) => Ok(None),
            (false, true) => Err(Status::unresolvable(Plugin::NodeAffinity, CONFLICT)),
            (false, false) => Ok(Some(names)),
        }
    }

    /// Upstream: `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go NodeAffinity.Filter`
    pub(super) fn filter(&self, node: &Node) -> Option<Status> {
        (!self.matches(node)).then(|| Status::unresolvable(Plugin::NodeAffinity, NOT_SELECTED))
    }
}

/// The sum of the weights of the terms that a node matches.
///
/// Upstream: `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go NodeAffinity.Score`
pub(super) fn score(terms: &[PreferredTerm], node: &Node) -> i64 {
    terms.iter().filter(|term| term.preference.matches(node)).map(|term| term.weight).fold(0, i64::saturating_add)
}
