//! Affinity and anti-affinity between pods.

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use super::affinity_term::{AffinityTerm, Side};
use super::node_info::PodGroup;
use super::node_resources::MAX_SCORE;
use super::pod_shape::PodShape;
use super::snapshot::{Domains, Snapshot};
use super::status::{Plugin, Status};
use crate::go::{from_f64, to_f64};

/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go ErrReasonAffinityRulesNotMatch`
pub(crate) const NO_AFFINITY: &str = "node(s) didn't match pod affinity rules";

/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go ErrReasonAntiAffinityRulesNotMatch`
pub(crate) const ANTI_AFFINITY: &str = "node(s) didn't match pod anti-affinity rules";

/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go ErrReasonExistingAntiAffinityRulesNotMatch`
pub(crate) const EXISTING_ANTI_AFFINITY: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

/// How much an affinity that another pod requires counts.
///
/// Upstream: `pkg/scheduler/apis/config/v1/defaults.go SetDefaults_InterPodAffinityArgs`
const HARD_POD_AFFINITY_WEIGHT: i64 = 1;

/// A number for each domain, by the label that makes them.
///
/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go topologyToMatchedTermCount`
#[derive(Clone, Debug, Default)]
struct TermCounts<'a>(Vec<Count<'a>>);

/// The numbers by one label: there are few labels, and many nodes.
#[derive(Clone, Debug)]
struct Count<'a> {
    key: &'a str,
    domains: Rc<Domains>,
    of_domains: Vec<i64>,
}

impl Count<'_> {
    fn of_node(&self, index: usize) -> i64 {
        self.domains.of(index).and_then(|domain| self.of_domains.get(domain)).copied().unwrap_or(0)
    }
}

impl<'a> TermCounts<'a> {
    /// Adds to the domain of a node; without the label, it is in none.
    fn add(&mut self, snapshot: &Snapshot, key: &'a str, index: usize, by: i64) {
        let position = self.0.iter().position(|count| count.key == key).unwrap_or_else(|| {
            let domains = snapshot.domains(key);
            self.0.push(Count { key, of_domains: vec![0; domains.count], domains });
            self.0.len().saturating_sub(1)
        });
        let Some(Count { domains, of_domains, .. }) = self.0.get_mut(position) else { return };
        if let Some(count) = domains.of(index).and_then(|domain| of_domains.get_mut(domain)) {
            *count = count.saturating_add(by);
        }
    }

    fn of_node(&self, key: &str, index: usize) -> i64 {
        self.0.iter().find(|count| count.key == key).map_or(0, |count| count.of_node(index))
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|count| count.of_domains.iter().all(|count| *count == 0))
    }
}

/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go preFilterState`
#[derive(Clone, Debug)]
pub(super) struct AffinityState<'a> {
    /// Pods that keep the pod away.
    existing: TermCounts<'a>,
    /// Pods that the pod wants near itself.
    affinity: TermCounts<'a>,
    /// Pods that it keeps away from.
    anti_affinity: TermCounts<'a>,
    matches_itself: bool,
}

/// Whether a pod is meant by a term of the one that looks for a node.
fn is_meant(snapshot: &Snapshot, shape: &PodShape, term: &AffinityTerm, other: &PodShape) -> bool {
    let namespaces = &snapshot.surroundings.namespaces;
    term.matches(Side::Incoming, &shape.namespace, (&other.namespace, &other.labels), namespaces)
}

/// Whether the one that looks for a node is meant by a term of another pod.
fn means(snapshot: &Snapshot, shape: &PodShape, term: &AffinityTerm, other: &PodShape) -> bool {
    let namespaces = &snapshot.surroundings.namespaces;
    term.matches(Side::Existing, &other.namespace, (&shape.namespace, &shape.labels), namespaces)
}

/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go podMatchesAllAffinityTerms`
fn matches_all(snapshot: &Snapshot, shape: &PodShape, other: &PodShape) -> bool {
    !shape.affinity.is_empty() && shape.affinity.iter().all(|term| is_meant(snapshot, shape, term, other))
}

/// The labels whose domains a pod of some shape counts in.
#[derive(Clone, Debug, Default)]
struct Keys<'a> {
    existing: Vec<&'a str>,
    affinity: Vec<&'a str>,
    anti_affinity: Vec<&'a str>,
}

impl<'a> Keys<'a> {
    fn of(snapshot: &Snapshot, shape: &'a PodShape, other: &'a PodShape) -> Self {
        let key = |term: &'a AffinityTerm| term.topology_key.as_str();
        let existing = other.anti_affinity.iter().filter(|term| means(snapshot, shape, term, other));
        let anti_affinity = shape.anti_affinity.iter().filter(|term| is_meant(snapshot, shape, term, other));
        let affinity = match matches_all(snapshot, shape, other) {
            true => shape.affinity.as_slice(),
            false => &[],
        };
        Self {
            existing: existing.map(key).collect(),
            affinity: affinity.iter().map(key).collect(),
            anti_affinity: anti_affinity.map(key).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.existing.is_empty() && self.affinity.is_empty() && self.anti_affinity.is_empty()
    }
}

impl<'a> AffinityState<'a> {
    /// None where nothing can keep the pod from a node.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go InterPodAffinity.PreFilter`
    pub(super) fn new(snapshot: &'a Snapshot, shape: &'a PodShape) -> Option<Self> {
        let has_terms = !shape.affinity.is_empty() || !shape.anti_affinity.is_empty();
        if !has_terms && !snapshot.has_anti_affinity() {
            return None;
        }
        let mut state = Self {
            existing: TermCounts::default(),
            affinity: TermCounts::default(),
            anti_affinity: TermCounts::default(),
            matches_itself: matches_all(snapshot, shape, shape),
        };
        let mut keys: Vec<Option<Keys<'a>>> = vec![None; snapshot.shape_count()];
        for (index, info) in snapshot.in_order() {
            for group in &info.groups {
                if !has_terms && !group.shape.has_required_anti_affinity() {
                    continue;
                }
                let Some(known) = keys.get_mut(group.id) else { continue };
                let known = known.get_or_insert_with(|| Keys::of(snapshot, shape, &group.shape));
                if !known.is_empty() {
                    state.count(snapshot, known, index, group.all().into());
                }
            }
        }
        (has_terms || !state.existing.is_empty()).then_some(state)
    }

    fn count(&mut self, snapshot: &Snapshot, keys: &Keys<'a>, index: usize, by: i64) {
        keys.existing.iter().for_each(|key| self.existing.add(snapshot, key, index, by));
        keys.affinity.iter().for_each(|key| self.affinity.add(snapshot, key, index, by));
        keys.anti_affinity.iter().for_each(|key| self.anti_affinity.add(snapshot, key, index, by));
    }

    /// Counts a pod of a node, or counts it no more.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go preFilterState.updateWithPod`
    pub(super) fn update_with_pod(
        &mut self,
        snapshot: &Snapshot,
        shape: &'a PodShape,
        other: &'a PodShape,
        index: usize,
        by: i64,
    ) {
        self.count(snapshot, &Keys::of(snapshot, shape, other), index, by);
    }

    /// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go InterPodAffinity.Filter`
    pub(super) fn filter(&self, snapshot: &Snapshot, shape: &PodShape, index: usize) -> Option<Status> {
        if !self.satisfies_affinity(snapshot, shape, index) {
            return Some(Status::unresolvable(Plugin::InterPodAffinity, NO_AFFINITY));
        }
        if shape.anti_affinity.iter().any(|term| self.anti_affinity.of_node(&term.topology_key, index) > 0) {
            return Some(Status::unschedulable(Plugin::InterPodAffinity, ANTI_AFFINITY));
        }
        if self.existing.0.iter().any(|count| count.of_node(index) > 0) {
            return Some(Status::unschedulable(Plugin::InterPodAffinity, EXISTING_ANTI_AFFINITY));
        }
        None
    }

    /// The first pod of several that want to be together may start anywhere.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go nodeTopologyMatchesAffinity`,
    /// `satisfiesSelfAffinityCheck`
    fn satisfies_affinity(&self, snapshot: &Snapshot, shape: &PodShape, index: usize) -> bool {
        let terms = &shape.affinity;
        terms.iter().all(|term| snapshot.domains(&term.topology_key).of(index).is_some())
            && (terms.iter().all(|term| self.affinity.of_node(&term.topology_key, index) > 0)
                || (self.affinity.is_empty() && self.matches_itself))
    }
}

/// The terms of both sides that are only preferred, and the labels whose domains they are about, with their weights.
///
/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/scoring.go InterPodAffinity.processExistingPod`
fn weights<'a>(snapshot: &Snapshot, shape: &'a PodShape, other: &'a PodShape) -> Vec<(&'a str, i64)> {
    let mut weights = Vec::new();
    let signs = [
        (&shape.preferred_affinity, &other.preferred_affinity, 1_i64),
        (&shape.preferred_anti_affinity, &other.preferred_anti_affinity, -1),
    ];
    for (own, others, sign) in signs {
        for its in own.iter().filter(|its| is_meant(snapshot, shape, &its.pod_affinity_term, other)) {
            weights.push((its.pod_affinity_term.topology_key.as_str(), its.weight.saturating_mul(sign)));
        }
        for its in others.iter().filter(|its| means(snapshot, shape, &its.pod_affinity_term, other)) {
            weights.push((its.pod_affinity_term.topology_key.as_str(), its.weight.saturating_mul(sign)));
        }
    }
    let required = other.affinity.iter().filter(|term| means(snapshot, shape, term, other));
    weights.extend(required.map(|term| (term.topology_key.as_str(), HARD_POD_AFFINITY_WEIGHT)));
    weights
}

fn has_any_terms(shape: &PodShape) -> bool {
    !(shape.affinity.is_empty() && shape.preferred_affinity.is_empty() && shape.preferred_anti_affinity.is_empty())
}

/// The scores of nodes that would take the pod, before and after they are brought to 0 to 100; none if nothing is preferred.
///
/// Upstream: `pkg/scheduler/framework/plugins/interpodaffinity/scoring.go InterPodAffinity.PreScore`, `InterPodAffinity.Score`
/// and `InterPodAffinity.NormalizeScore`
pub(super) fn scores<'a>(
    snapshot: &'a Snapshot,
    shape: &'a PodShape,
    feasible: &[usize],
) -> Option<(Vec<i64>, Vec<i64>)> {
    let prefers = !shape.preferred_affinity.is_empty() || !shape.preferred_anti_affinity.is_empty();
    let mut known: Vec<Option<Vec<(usize, i64)>>> = vec![None; snapshot.shape_count()];
    // The labels that terms are about, with a sum for each domain.
    let mut keys: Vec<&str> = Vec::new();
    let mut sums: Vec<(Rc<Domains>, Vec<i64>)> = Vec::new();
    let mut has_any = false;
    let matters = |group: &&PodGroup| prefers || has_any_terms(&group.shape);
    for (index, info) in snapshot.in_order() {
        for group in info.groups.iter().filter(matters) {
            let Some(known) = known.get_mut(group.id) else { continue };
            let weights = known.get_or_insert_with(|| {
                let number = |(key, weight): (&'a str, i64)| {
                    let number = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
                        let domains = snapshot.domains(key);
                        let none = vec![0; domains.count];
                        keys.push(key);
                        sums.push((domains, none));
                        keys.len().saturating_sub(1)
                    });
                    (number, weight)
                };
                weights(snapshot, shape, &group.shape).into_iter().map(number).collect()
            });
            for (number, weight) in weights {
                let Some((domains, sums)) = sums.get_mut(*number) else { continue };
                if let Some(sum) = domains.of(index).and_then(|domain| sums.get_mut(domain)) {
                    has_any = true;
                    *sum = sum.saturating_add(weight.saturating_mul(group.all().into()));
                }
            }
        }
    }
    if !has_any {
        return None;
    }
    let of_node = |index: usize| {
        let of_key = |(domains, sums): &(Rc<Domains>, Vec<i64>)| sums.get(domains.of(index)?).copied();
        sums.iter().filter_map(of_key).fold(0, i64::saturating_add)
    };
    let raw: Vec<i64> = feasible.iter().map(|index| of_node(*index)).collect();
    let (least, most) = (raw.iter().min().copied().unwrap_or(0), raw.iter().max().copied().unwrap_or(0));
    let range = most.saturating_sub(least);
    let normalize = |score: &i64| match range {
        0 => 0,
        _ => from_f64(to_f64(MAX_SCORE) * (to_f64(score.saturating_sub(least)) / to_f64(range))),
    };
    let normalized = raw.iter().map(normalize).collect();
    Some((raw, normalized))
}
