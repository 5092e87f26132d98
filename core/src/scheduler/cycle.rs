//! One attempt to find a node for a pod.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::fit_error::FitError;
use super::inter_pod_affinity::{self, AffinityState};
use super::node_info::NodeInfo;
use super::node_resources::{
    MAX_SCORE, balanced_allocation_score, filter as filter_resources, is_best_effort, least_allocated_score,
};
use super::pod_shape::PodShape;
use super::pod_topology_spread::{self, SpreadState};
use super::snapshot::{Nominated, Shape, Snapshot};
use super::status::{Code, Plugin, Status};
use super::volume_binding::BindingState;
use super::volume_restrictions::RestrictionState;
use super::volume_zone::ZoneState;
use super::{image_locality, node_affinity, node_ports, taint_toleration};

/// The reason for nodes that are skipped because the pod names others.
///
/// Upstream: `pkg/scheduler/schedule_one.go Scheduler.findNodesThatFitPod`
pub(crate) const NOT_NAMED: &str = "node(s) didn't satisfy plugin(s) [NodeAffinity]";

/// The same, if another plugin has rejected the nominated node: then the reason names that plugin, too.
fn not_named(also: Option<Plugin>) -> Cow<'static, str> {
    let mut names = Vec::from([Plugin::NodeAffinity.name()]);
    names.extend(also.filter(|plugin| *plugin != Plugin::NodeAffinity).map(Plugin::name));
    names.sort_unstable();
    format!("node(s) didn't satisfy plugin(s) [{}]", names.join(" ")).into()
}

/// The scores of one plugin, in the order of the nodes that were scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginScores {
    /// The plugin.
    pub plugin: Plugin,
    /// As the plugin counts.
    pub raw: Vec<i64>,
    /// From 0 to 100.
    pub normalized: Vec<i64>,
}

/// The nodes that would take a pod, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// All of them, in the order in which they are looked at.
    pub feasible: Vec<usize>,
    /// What the plugins say of them; empty if there is only one.
    pub scores: Vec<PluginScores>,
    /// The sum of what they say, each weighted.
    pub totals: Vec<i64>,
    /// The status of each node that would not take it, as far as they were looked at.
    pub rejected: Vec<(usize, Status)>,
}

impl Placement {
    /// The best ones.
    pub fn best(&self) -> impl Iterator<Item = usize> {
        let most = self.totals.iter().max();
        let all = self.feasible.iter().enumerate();
        all.filter(move |(index, _)| self.totals.get(*index) == most).map(|(_, node)| *node)
    }
}

/// What changes as pods are added to nodes and removed from them.
#[derive(Clone, Debug)]
pub(super) struct CycleState<'a> {
    restrictions: Option<RestrictionState<'a>>,
    spread: Option<SpreadState<'a>>,
    affinity: Option<AffinityState<'a>>,
}

/// An attempt to find a node for a pod.
#[derive(Clone, Debug)]
pub struct Cycle<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) shape: &'a PodShape,
    /// The pod itself, if it has been promised a node.
    key: &'a str,
    names: Option<BTreeSet<&'a str>>,
    binding: BindingState<'a>,
    zones: ZoneState<'a>,
    pub(super) state: CycleState<'a>,
}

impl<'a> Cycle<'a> {
    /// Looks at all nodes once, where a plugin has to.
    ///
    /// # Errors
    /// Why no node can take the pod.
    ///
    /// Upstream: `pkg/scheduler/framework/runtime/framework.go frameworkImpl.RunPreFilterPlugins`
    pub fn new(snapshot: &'a Snapshot, shape: &'a Shape, key: &'a str) -> Result<Self, Status> {
        let shape = &*shape.shape;
        let names = shape.node_affinity.pre_filter()?;
        let restrictions = RestrictionState::new(snapshot, shape)?;
        let binding = BindingState::new(snapshot, shape)?;
        let zones = ZoneState::new(snapshot, shape)?;
        let state = CycleState {
            restrictions,
            spread: SpreadState::new(snapshot, shape),
            affinity: AffinityState::new(snapshot, shape),
        };
        Ok(Self { snapshot, shape, key, names, binding, zones, state })
    }

    /// The first plugin that keeps the pod from a node.
    ///
    /// Upstream: `pkg/scheduler/framework/runtime/framework.go frameworkImpl.RunFilterPlugins`
    fn run_filter_plugins(&self, state: &CycleState<'a>, index: usize, info: &NodeInfo) -> Option<Status> {
        let (shape, node) = (self.shape, &info.node);
        taint_toleration::filter_unschedulable(node.unschedulable, &shape.tolerations)
            .or_else(|| taint_toleration::filter(&node.taints, &shape.tolerations))
            .or_else(|| if shape.node_affinity.is_empty() { None } else { shape.node_affinity.filter(node) })
            .or_else(|| if shape.ports.is_empty() { None } else { node_ports::filter(&shape.ports, info.ports()) })
            .or_else(|| filter_resources(shape, info))
            .or_else(|| state.restrictions.as_ref()?.filter(shape, info))
            .or_else(|| self.binding.filter(node))
            .or_else(|| self.zones.filter(node))
            .or_else(|| state.spread.as_ref()?.filter(index))
            .or_else(|| state.affinity.as_ref()?.filter(self.snapshot, shape, index))
    }

    /// The first plugin that keeps the pod from a node, also if the pods come that have been promised the node and are as important.
    ///
    /// Upstream: `pkg/scheduler/framework/runtime/framework.go frameworkImpl.RunFilterPluginsWithNominatedPods`
    pub(super) fn filter(&self, state: &CycleState<'a>, index: usize, info: &NodeInfo) -> Option<Status> {
        let comes = |its: &&Nominated| {
            its.node == index && its.shape.shape.priority >= self.shape.priority && *its.key != *self.key
        };
        let mut coming = self.snapshot.nominated.iter().filter(comes).peekable();
        if coming.peek().is_some() {
            let (mut state, mut info) = (state.clone(), info.clone());
            for Nominated { shape, .. } in coming {
                info.add_pod(&shape.shape, shape.id, false);
                self.update_with_pod(&mut state, &shape.shape, index, 1);
            }
            if let Some(status) = self.run_filter_plugins(&state, index, &info) {
                return Some(status);
            }
        }
        self.run_filter_plugins(state, index, info)
    }

    /// Counts a pod of a node, or counts it no more.
    ///
    /// Upstream: `pkg/scheduler/framework/runtime/framework.go frameworkImpl.RunPreFilterExtensionAddPod` and
    /// `frameworkImpl.RunPreFilterExtensionRemovePod`
    pub(super) fn update_with_pod(&self, state: &mut CycleState<'a>, other: &'a PodShape, index: usize, by: i64) {
        let Some(info) = self.snapshot.node(index) else { return };
        if let Some(restrictions) = &mut state.restrictions {
            restrictions.update_with_pod(other, by);
        }
        if let Some(spread) = &mut state.spread {
            spread.update_with_pod(self.shape, other, (index, &info.node), by);
        }
        if let Some(affinity) = &mut state.affinity {
            affinity.update_with_pod(self.snapshot, self.shape, other, index, by);
        }
    }

    /// The node that exists and that is the only one which the pod names.
    fn only_named_node(&self) -> Option<usize> {
        let names = self.names.as_ref().filter(|names| names.len() == 1)?;
        let index = self.snapshot.find(names.first()?)?;
        self.snapshot.node(index).filter(|info| info.exists).map(|_| index)
    }

    /// What keeps the pod from a node that exists; none if the node takes it.
    pub fn status(&self, index: usize) -> Option<Status> {
        let info = self.snapshot.node(index)?;
        if self.names.as_ref().is_some_and(|names| !names.contains(&*info.node.name)) {
            return Some(Status {
                plugin: None,
                code: Code::UnschedulableAndUnresolvable,
                reasons: Vec::from([NOT_NAMED.into()]),
            });
        }
        self.filter(&self.state, index, info)
    }

    /// What the plugins say of nodes that would take the pod.
    ///
    /// Upstream: `pkg/scheduler/framework/runtime/framework.go frameworkImpl.RunScorePlugins`
    pub fn scores(&self, feasible: &[usize]) -> Vec<PluginScores> {
        let (snapshot, shape) = (self.snapshot, self.shape);
        let infos = || feasible.iter().filter_map(|index| snapshot.node(*index));
        let mut scores = Vec::new();
        let mut put = |plugin, raw: Vec<i64>, normalized| scores.push(PluginScores { plugin, raw, normalized });
        let taints: Vec<i64> =
            infos().map(|info| taint_toleration::score(&info.node.taints, &shape.tolerations)).collect();
        let normalized = default_normalize_score(true, &taints);
        put(Plugin::TaintToleration, taints, normalized);
        if let Some(terms) = &shape.preferred_nodes {
            let raw: Vec<i64> = infos().map(|info| node_affinity::score(terms, &info.node)).collect();
            let normalized = default_normalize_score(false, &raw);
            put(Plugin::NodeAffinity, raw, normalized);
        }
        let least: Vec<i64> = infos().map(|info| least_allocated_score(shape, info)).collect();
        put(Plugin::NodeResourcesFit, least.clone(), least);
        if let Some((raw, normalized)) = pod_topology_spread::scores(snapshot, shape, feasible) {
            put(Plugin::PodTopologySpread, raw, normalized);
        }
        if let Some((raw, normalized)) = inter_pod_affinity::scores(snapshot, shape, feasible) {
            put(Plugin::InterPodAffinity, raw, normalized);
        }
        if !is_best_effort(shape) {
            let balanced: Vec<i64> = infos().map(|info| balanced_allocation_score(shape, info)).collect();
            put(Plugin::NodeResourcesBalancedAllocation, balanced.clone(), balanced);
        }
        let images = image_locality::scores(snapshot, shape, feasible);
        put(Plugin::ImageLocality, images.clone(), images);
        scores
    }

    /// The scores of some nodes, and their sums.
    pub fn prioritize(&self, feasible: Vec<usize>) -> Placement {
        let scores = self.scores(&feasible);
        let mut totals = vec![0_i64; feasible.len()];
        for PluginScores { plugin, normalized, .. } in &scores {
            for (total, score) in totals.iter_mut().zip(normalized) {
                *total = total.saturating_add(score.saturating_mul(plugin.weight()));
            }
        }
        Placement { feasible, scores, totals, rejected: Vec::new() }
    }
}

/// Upstream: `pkg/scheduler/framework/plugins/helper/normalize_score.go DefaultNormalizeScore`
fn default_normalize_score(reverse: bool, scores: &[i64]) -> Vec<i64> {
    let most = scores.iter().max().copied().unwrap_or(0).max(0);
    let normalize = |score: &i64| match (MAX_SCORE.saturating_mul(*score).checked_div(most), reverse) {
        (None, true) => MAX_SCORE,
        (None, false) => *score,
        (Some(share), true) => MAX_SCORE.saturating_sub(share),
        (Some(share), false) => share,
    };
    scores.iter().map(normalize).collect()
}

/// The nodes that would take a pod. `nominated` is the node that the pod has been promised: it is tried first.
///
/// # Errors
/// Why no node takes the pod.
///
/// Upstream: `pkg/scheduler/schedule_one.go Scheduler.schedulePod` and `Scheduler.findNodesThatFitPod`
pub fn schedule_pod(
    snapshot: &Snapshot,
    shape: &Shape,
    key: &str,
    nominated: Option<usize>,
) -> Result<Placement, FitError> {
    let mut error = FitError::new(snapshot.node_count());
    if snapshot.node_count() == 0 {
        return Err(error);
    }
    let cycle = match Cycle::new(snapshot, shape, key) {
        Ok(cycle) => cycle,
        Err(status) => {
            error.pre_filter = Some(status);
            return Err(error);
        }
    };
    error.names_nodes = cycle.names.is_some();
    let only =
        |index: usize| Placement { feasible: Vec::from([index]), totals: Vec::from([0]), ..Placement::default() };
    if let Some(index) = nominated.filter(|index| snapshot.node(*index).is_some_and(|info| info.exists))
        && let Some(info) = snapshot.node(index)
    {
        match cycle.filter(&cycle.state, index, info) {
            None => return Ok(only(index)),
            // Keep its status for the message, even if the pod names other nodes.
            Some(status) => error.statuses.push((index, status)),
        }
    }
    let tried = error.statuses.first().map(|(index, status)| (*index, status.plugin));
    // A pod of a DaemonSet names its node: only if that does not take it, there is something to say of the others.
    if let (Some(index), None) = (cycle.only_named_node(), tried)
        && cycle.status(index).is_none()
    {
        return Ok(only(index));
    }
    let mut feasible = Vec::new();
    for (index, _) in snapshot.in_order().filter(|(index, _)| tried.is_none_or(|(tried, _)| *index != tried)) {
        match cycle.status(index) {
            Some(mut status) => {
                if let (None, Some((_, plugin))) = (status.plugin, tried) {
                    status.reasons = Vec::from([not_named(plugin)]);
                }
                error.statuses.push((index, status));
            }
            None => feasible.push(index),
        }
    }
    match feasible.as_slice() {
        [] => Err(error),
        [index] => Ok(Placement { rejected: error.statuses, ..only(*index) }),
        _ => Ok(Placement { rejected: error.statuses, ..cycle.prioritize(feasible) }),
    }
}
