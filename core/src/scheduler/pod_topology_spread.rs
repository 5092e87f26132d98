//! Pods that are spread over zones, hosts and the like.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use super::node::{HOSTNAME, Node, ZONE};
use super::node_info::NodeInfo;
use super::node_resources::MAX_SCORE;
use super::pod_shape::PodShape;
use super::snapshot::{Domains, Snapshot};
use super::spread_constraint::SpreadConstraint;
use super::status::{Plugin, Status};
use super::taint_toleration::has_untolerated;
use crate::go::{log, round, to_f64};
use crate::object::{LabelSelector, LabelSelectorRequirement, Strings};

/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/plugin.go ErrReasonConstraintsNotMatch`
pub(crate) const UNEVEN: &str = "node(s) didn't match pod topology spread constraints";

/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/plugin.go ErrReasonNodeLabelNotMatch`
pub(crate) const NO_DOMAIN: &str = "node(s) didn't match pod topology spread constraints (missing required label)";

/// The constraints of pods that have none, and their maxSkew.
///
/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/plugin.go systemDefaultConstraints`
const DEFAULT_CONSTRAINTS: [(&str, i64); 2] = [(HOSTNAME, 3), (ZONE, 5)];

/// Which shapes a constraint counts, by their number: each is asked once.
struct Selected(Vec<Option<bool>>);

impl Selected {
    fn new(snapshot: &Snapshot) -> Self {
        Self(vec![None; snapshot.shape_count()])
    }

    /// How many pods of a node are counted.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/common.go countPodsMatchSelector`
    fn count(&mut self, constraint: &SpreadConstraint, namespace: &str, info: &NodeInfo) -> i64 {
        let mut count = 0_i64;
        for group in info.groups.iter().filter(|group| group.active > 0) {
            let is_selected = || *group.shape.namespace == *namespace && constraint.selects(&group.shape.labels);
            let known = match self.0.get_mut(group.id) {
                Some(known) => *known.get_or_insert_with(is_selected),
                None => is_selected(),
            };
            if known && !constraint.counts_nothing() {
                count = count.saturating_add(group.active.into());
            }
        }
        count
    }
}

/// Whether the pods of a node count for a constraint.
///
/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/common.go topologySpreadConstraint.matchNodeInclusionPolicies`
fn includes(constraint: &SpreadConstraint, shape: &PodShape, node: &Node) -> bool {
    (!constraint.honors_affinity() || shape.node_affinity.matches(node))
        && (!constraint.honors_taints() || !has_untolerated(&node.taints, &shape.tolerations))
}

/// A constraint that no node may violate, and how many pods there are in each domain.
#[derive(Clone, Debug)]
struct Hard<'a> {
    constraint: &'a SpreadConstraint,
    domains: Rc<Domains>,
    /// None for a domain without any node that counts.
    counts: Vec<Option<i64>>,
    /// The least of them.
    least: i64,
    selects_itself: bool,
}

impl Hard<'_> {
    /// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go preFilterState.minMatchNum`
    fn update_least(&mut self) {
        let counted = self.counts.iter().flatten();
        let domains = i64::try_from(counted.clone().count()).unwrap_or(i64::MAX);
        let least = counted.min().copied().unwrap_or(0);
        self.least = if domains < self.constraint.min_domains() { 0 } else { least };
    }
}

/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go preFilterState`
#[derive(Clone, Debug)]
pub(super) struct SpreadState<'a> {
    hard: Vec<Hard<'a>>,
}

impl<'a> SpreadState<'a> {
    /// None where the pod has no such constraints: those of pods without any are only preferred.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go PodTopologySpread.calPreFilterState`
    pub(super) fn new(snapshot: &Snapshot, shape: &'a PodShape) -> Option<Self> {
        let hard = |constraint: &'a SpreadConstraint| {
            let domains = snapshot.domains(&constraint.topology_key);
            let selects_itself = constraint.selects(&shape.labels);
            Hard { constraint, counts: vec![None; domains.count], domains, least: 0, selects_itself }
        };
        let mut hard: Vec<Hard<'a>> = shape.spread.iter().filter(|its| its.is_hard()).map(hard).collect();
        if hard.is_empty() {
            return None;
        }
        let keys: Vec<Rc<Domains>> = hard.iter().map(|its| its.domains.clone()).collect();
        for Hard { constraint, domains, counts, .. } in &mut hard {
            let mut selected = Selected::new(snapshot);
            for (index, info) in snapshot.in_order() {
                let has_all_keys = keys.iter().all(|domains| domains.of(index).is_some());
                let Some(domain) = domains.of(index).filter(|_| has_all_keys) else { continue };
                if includes(constraint, shape, &info.node)
                    && let Some(count) = counts.get_mut(domain)
                {
                    let pods = selected.count(constraint, &shape.namespace, info);
                    *count = Some(count.unwrap_or(0).saturating_add(pods));
                }
            }
        }
        hard.iter_mut().for_each(Hard::update_least);
        Some(Self { hard })
    }

    /// Counts a pod of a node, or counts it no more.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go PodTopologySpread.updateWithPod`
    pub(super) fn update_with_pod(
        &mut self,
        shape: &PodShape,
        other: &PodShape,
        (index, node): (usize, &Node),
        by: i64,
    ) {
        if other.namespace != shape.namespace || self.hard.iter().any(|its| its.domains.of(index).is_none()) {
            return;
        }
        for hard in &mut self.hard {
            if hard.constraint.selects(&other.labels)
                && includes(hard.constraint, shape, node)
                && let Some(count) = hard.domains.of(index).and_then(|domain| hard.counts.get_mut(domain))
            {
                *count = Some(count.unwrap_or(0).saturating_add(by));
                hard.update_least();
            }
        }
    }

    /// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/filtering.go PodTopologySpread.Filter`
    pub(super) fn filter(&self, index: usize) -> Option<Status> {
        for hard in &self.hard {
            let Some(domain) = hard.domains.of(index) else {
                return Some(Status::unresolvable(Plugin::PodTopologySpread, NO_DOMAIN));
            };
            let matching = hard.counts.get(domain).copied().flatten().unwrap_or(0);
            let skew = matching.saturating_add(i64::from(hard.selects_itself)).saturating_sub(hard.least);
            if skew > hard.constraint.max_skew {
                return Some(Status::unschedulable(Plugin::PodTopologySpread, UNEVEN));
            }
        }
        None
    }
}

/// What the Services of a pod and its controller select.
///
/// Upstream: `pkg/scheduler/framework/plugins/helper/spread.go DefaultSelector`
fn default_selector(snapshot: &Snapshot, shape: &PodShape) -> LabelSelector {
    let mut selector = LabelSelector::default();
    let surroundings = &snapshot.surroundings;
    let takes = |selector: &Strings| selector.iter().all(|(key, value)| shape.labels.get(key.as_str()) == Some(value));
    for (_, its) in surroundings.services.iter().filter(|(namespace, its)| *namespace == shape.namespace && takes(its))
    {
        selector.match_labels.extend(its.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    let Some(owner) = &shape.owner else { return selector };
    let is_owner = |kind: &str| match kind {
        "ReplicationController" => &*owner.api_version == "v1",
        _ => &*owner.api_version == "apps/v1",
    };
    let found = surroundings.owners.iter().find(|(its, _)| {
        its.kind == owner.kind && its.namespace == shape.namespace && its.name == owner.name && is_owner(&its.kind)
    });
    if let Some((_, its)) = found {
        let equal = |(key, value): (&_, &_)| LabelSelectorRequirement {
            key: Clone::clone(key),
            operator: "In".into(),
            values: Vec::from([Clone::clone(value)]),
        };
        selector.match_expressions.extend(its.match_labels.iter().map(equal));
        selector.match_expressions.extend(its.match_expressions.iter().cloned());
    }
    selector
}

/// The constraints that are only preferred.
///
/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/scoring.go PodTopologySpread.initPreScoreState`
fn soft_constraints<'a>(snapshot: &Snapshot, shape: &'a PodShape) -> Vec<Cow<'a, SpreadConstraint>> {
    if !shape.spread.is_empty() {
        return shape.spread.iter().filter(|its| its.is_soft()).map(Cow::Borrowed).collect();
    }
    let selector = default_selector(snapshot, shape);
    if selector.match_labels.is_empty() && selector.match_expressions.is_empty() {
        return Vec::new();
    }
    let constraint = |(key, skew): (&str, i64)| SpreadConstraint::default_of(key, skew, selector.clone());
    DEFAULT_CONSTRAINTS.into_iter().map(|given| Cow::Owned(constraint(given))).collect()
}

/// The scores of nodes that would take the pod, before and after they are brought to 0 to 100; none if nothing is preferred.
///
/// Upstream: `pkg/scheduler/framework/plugins/podtopologyspread/scoring.go PodTopologySpread.PreScore`,
/// `PodTopologySpread.Score` and `PodTopologySpread.NormalizeScore`
pub(super) fn scores(snapshot: &Snapshot, shape: &PodShape, feasible: &[usize]) -> Option<(Vec<i64>, Vec<i64>)> {
    let constraints = soft_constraints(snapshot, shape);
    if constraints.is_empty() {
        return None;
    }
    let all_keys = !shape.spread.is_empty();
    let domains: Vec<Rc<Domains>> = constraints.iter().map(|its| snapshot.domains(&its.topology_key)).collect();
    let is_ignored = |index: usize| all_keys && domains.iter().any(|domains| domains.of(index).is_none());
    let scored = feasible.iter().filter(|index| !is_ignored(**index)).count();
    let mut sums = vec![0.0_f64; feasible.len()];
    for (constraint, domains) in constraints.iter().zip(&domains) {
        let mut selected = Selected::new(snapshot);
        let is_host = constraint.topology_key == HOSTNAME;
        // The last one is for nodes without the label.
        let none = domains.count;
        let mut counts: Vec<Option<i64>> = vec![None; none.saturating_add(1)];
        let mut size = scored;
        if !is_host {
            for index in feasible.iter().filter(|index| !is_ignored(**index)) {
                if let Some(count) = counts.get_mut(domains.of(*index).unwrap_or(none)) {
                    *count = Some(0);
                }
            }
            size = counts.iter().flatten().count();
            for (index, info) in snapshot.in_order().filter(|(index, _)| !is_ignored(*index)) {
                let count = counts.get_mut(domains.of(index).unwrap_or(none)).and_then(Option::as_mut);
                if let Some(count) = count.filter(|_| includes(constraint, shape, &info.node)) {
                    *count = count.saturating_add(selected.count(constraint, &shape.namespace, info));
                }
            }
        }
        let weight = log(to_f64(i64::try_from(size.saturating_add(2)).unwrap_or(i64::MAX)));
        for (index, sum) in feasible.iter().zip(&mut sums).filter(|(index, _)| !is_ignored(**index)) {
            let (Some(domain), Some(info)) = (domains.of(*index), snapshot.node(*index)) else { continue };
            let count = match is_host {
                true => selected.count(constraint, &shape.namespace, info),
                false => counts.get(domain).copied().flatten().unwrap_or(0),
            };
            *sum += to_f64(count) * weight + to_f64(constraint.max_skew.saturating_sub(1));
        }
    }
    let raw: Vec<i64> = sums.into_iter().map(round).collect();
    let counted = || feasible.iter().zip(&raw).filter(|(index, _)| !is_ignored(**index)).map(|(_, score)| *score);
    let (least, most) = (counted().min().unwrap_or(i64::MAX), counted().max().unwrap_or(0).max(0));
    let normalize = |(index, score): (&usize, &i64)| match most {
        _ if is_ignored(*index) => 0,
        0 => MAX_SCORE,
        _ => MAX_SCORE.saturating_mul(most.saturating_add(least).saturating_sub(*score)).checked_div(most).unwrap_or(0),
    };
    let normalized = feasible.iter().zip(&raw).map(normalize).collect();
    Some((raw, normalized))
}
