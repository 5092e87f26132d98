//! What ranks a ReplicaSet's pods for deletion, kept up to date with each write, so that a scale-down need not read all pods again.
//! Nothing is kept before a ReplicaSet first has to choose between pods that are not alike.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::controller::first_ranked::{Heads, choose_unranked};
use crate::controller::rank::{Choice, Circumstances, ListedPod, choose_listed};
use crate::feature_gates::FeatureGates;
use crate::object::{LabelSelector, Pod, StringMap, Strings, Time};
use crate::workload::replica_set::ReplicaSet;

/// How many active pods have the same labels, on each node.
#[derive(Debug, Default)]
pub(super) struct PodsByLabels {
    numbers: BTreeMap<(Rc<str>, StringMap), usize>,
    /// In the order of their numbers.
    sets: Vec<LabelSet>,
    /// The numbers of the sets with a label, in order.
    with_label: BTreeMap<(String, String), Vec<usize>>,
    /// The numbers of the nodes. Pods on no node count as being on one.
    nodes: BTreeMap<Option<Rc<str>>, usize>,
}

/// The pods of a namespace that have these labels.
#[derive(Debug)]
struct LabelSet {
    namespace: Rc<str>,
    labels: StringMap,
    /// How many of them are active, by the number of their node.
    active: BTreeMap<usize, usize>,
}

/// The active pods of a ReplicaSet, by name, and those that are related to them.
#[derive(Debug, Default)]
pub(super) struct RankedPods {
    pods: Vec<ListedPod>,
    /// What decides between most of them; none since one was added or moved.
    heads: Option<Heads>,
    /// How many of them have left the list. Taking out each at once would move all behind it.
    gone: usize,
    related: RelatedPods,
}

/// Which pods the ReplicaSets of one owner take.
#[derive(Debug, Default)]
struct RelatedPods {
    siblings: Vec<Option<Rc<LabelSelector>>>,
    /// How many sets of labels have been looked at, and those of them that a sibling takes.
    seen: usize,
    taken: BTreeSet<usize>,
}

impl PodsByLabels {
    pub(super) fn of<'a>(pods: impl Iterator<Item = &'a Rc<Pod>>) -> Self {
        let mut counted = Self::default();
        pods.for_each(|pod| counted.change(None, Some(pod)));
        counted
    }

    /// A pod is written, comes or goes.
    pub(super) fn change(&mut self, before: Option<&Pod>, after: Option<&Pod>) {
        let [before, after] = [before, after].map(|pod| pod.filter(|pod| pod.is_active()));
        let counts_the_same = |(before, after): (&Pod, &Pod)| {
            Rc::ptr_eq(&before.metadata.labels, &after.metadata.labels) && before.spec.node_name == after.spec.node_name
        };
        if before.zip(after).is_some_and(counts_the_same) {
            return;
        }
        if let Some(pod) = before {
            self.count(pod, |active| active.saturating_sub(1));
        }
        if let Some(pod) = after {
            self.count(pod, |active| active.saturating_add(1));
        }
    }

    fn node(&mut self, name: Option<&Rc<str>>) -> usize {
        let next = self.nodes.len();
        *self.nodes.entry(name.cloned()).or_insert(next)
    }

    /// Changes how many active pods have the labels of this one, on its node.
    fn count(&mut self, pod: &Pod, change: fn(usize) -> usize) {
        let node = self.node(pod.spec.node_name.as_ref());
        let (namespace, labels) = (&pod.metadata.namespace, &pod.metadata.labels);
        let next = self.sets.len();
        let number = *self.numbers.entry((namespace.clone(), labels.clone())).or_insert(next);
        if number == next {
            self.sets.push(LabelSet { namespace: namespace.clone(), labels: labels.clone(), active: BTreeMap::new() });
            for (key, value) in labels.iter() {
                self.with_label.entry((key.clone(), value.clone())).or_default().push(number);
            }
        }
        if let Some(set) = self.sets.get_mut(number) {
            let active = set.active.entry(node).or_default();
            *active = change(*active);
        }
    }

    /// The sets that have all of these labels or only some of them, from a number on.
    fn candidates(&self, labels: &Strings, from: usize) -> impl Iterator<Item = (usize, &LabelSet)> {
        let with_label = |(key, value): (&String, &String)| {
            self.with_label.get(&(key.clone(), value.clone())).map_or(&[][..], Vec::as_slice)
        };
        let rarest = labels.iter().map(with_label).min_by_key(|numbers| numbers.len());
        let all = if rarest.is_none() { from..self.sets.len() } else { 0..0 };
        let rarest = rarest.unwrap_or_default();
        let numbers = rarest.get(rarest.partition_point(|number| *number < from)..).unwrap_or_default();
        all.chain(numbers.iter().copied()).filter_map(|number| Some((number, self.sets.get(number)?)))
    }
}

impl RankedPods {
    pub(super) fn of<'a>(pods: impl Iterator<Item = &'a Rc<Pod>>) -> Self {
        Self { pods: pods.map(|pod| ListedPod::new(pod.clone(), None)).collect(), ..Self::default() }
    }

    fn position(&self, pod: &Pod) -> Result<usize, usize> {
        let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
        self.pods.binary_search_by(|ListedPod { pod, .. }| {
            (&pod.metadata.namespace, &pod.metadata.name).cmp(&(namespace, name))
        })
    }

    /// A pod is active now.
    pub(super) fn add(&mut self, pod: &Rc<Pod>) {
        match self.position(pod) {
            Ok(position) => {
                let Some(there) = self.pods.get_mut(position) else { return };
                self.gone = self.gone.saturating_sub(there.is_gone.into());
                let node = there.node.filter(|_| there.pod.spec.node_name == pod.spec.node_name);
                *there = ListedPod::new(pod.clone(), node);
                match &mut self.heads {
                    Some(heads) if node.is_some() => heads.replace(position, there),
                    heads => *heads = None,
                }
            }
            Err(position) => {
                self.pods.insert(position, ListedPod::new(pod.clone(), None));
                self.heads = None;
            }
        }
    }

    /// A pod is no longer active.
    pub(super) fn remove(&mut self, pod: &Pod) {
        if let Ok(position) = self.position(pod)
            && let Some(there) = self.pods.get_mut(position)
        {
            there.is_gone = true;
            if let Some(heads) = &mut self.heads {
                heads.remove(position);
            }
            self.gone = self.gone.saturating_add(1);
        }
        if self.gone > self.pods.len() / 2 {
            self.pods.retain(|listed| !listed.is_gone);
            self.heads = None;
            self.gone = 0;
        }
    }

    /// How many pods there are.
    pub(super) const fn len(&self) -> usize {
        self.pods.len().saturating_sub(self.gone)
    }

    /// The pods that go where the others stay, if they are wanted with their ranking.
    #[expect(clippy::too_many_arguments, reason = "those of upstream, and what is kept")]
    pub(super) fn choose(
        &mut self,
        all: &mut PodsByLabels,
        replica_set: &ReplicaSet,
        siblings: Vec<Option<Rc<LabelSelector>>>,
        diff: usize,
        now: Time,
        gates: FeatureGates,
        with_ranking: bool,
    ) -> Choice {
        let Self { pods, heads, related, .. } = self;
        let heads = heads.get_or_insert_with(|| {
            for listed in pods.iter_mut().filter(|listed| listed.node.is_none()) {
                listed.node = Some(all.node(listed.pod.spec.node_name.as_ref()));
            }
            Heads::of(pods)
        });
        let related = related.count(all, &replica_set.metadata.namespace, siblings);
        let circumstances = Circumstances { related: &related, now: Some(now), gates };
        if with_ranking {
            choose_listed(pods, diff, circumstances)
        } else {
            choose_unranked(pods, heads, diff, circumstances)
        }
    }
}

impl RelatedPods {
    /// How many active pods the siblings take, by the numbers of the nodes.
    ///
    /// Upstream: `pkg/controller/replicaset/replica_set.go getIndirectlyRelatedPods` and `getPodsRankedByRelatedPodsOnSameNode`
    fn count(&mut self, all: &PodsByLabels, namespace: &str, siblings: Vec<Option<Rc<LabelSelector>>>) -> Vec<usize> {
        if self.siblings != siblings {
            *self = Self { siblings, ..Self::default() };
        }
        for sibling in self.siblings.iter().flatten() {
            let Ok(selector) = LabelSelector::to_selector(Some(sibling)) else { continue };
            let candidates = all.candidates(&sibling.match_labels, self.seen);
            let is_taken = |set: &LabelSet| *set.namespace == *namespace && selector.matches(&set.labels);
            self.taken.extend(candidates.filter(|(_, set)| is_taken(set)).map(|(number, _)| number));
        }
        self.seen = all.sets.len();
        let mut counts = alloc::vec![0_usize; all.nodes.len()];
        for set in self.taken.iter().filter_map(|number| all.sets.get(*number)) {
            for (node, active) in &set.active {
                if let Some(count) = counts.get_mut(*node) {
                    *count = count.saturating_add(*active);
                }
            }
        }
        counts
    }
}
