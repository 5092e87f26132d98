//! The ReplicaSet controller.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::controller::decision::replica_set::Decision;
use changeover_core::controller::rank::{Choice, Comparison, Criterion, Deletion, compare};
use changeover_core::controller::replica_set::{
    PodCounts, Pods, View, calculate_status, get_indirectly_related_pods, sync_replica_set,
};
use changeover_core::controller::{Client, Error, Write};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{LabelSelector, Object, Pod, ReplicaSet, Time};

use crate::recording::{Answer, Request, Verb};
use crate::replay::Replay;
use crate::search::{Caches, Clock, Controller, combinations, times};
use crate::world::{World, is_claimable, within};

/// Up to this length, Go uses insertion sort, which keeps the order of equal elements.
const INSERTION_SORT: usize = 12;

/// The controller of one ReplicaSet. It has StaleControllerConsistency: its caches are not older than its last writes.
pub struct ReplicaSetController<'a> {
    world: &'a World,
    uid: String,
    /// The changes of the ReplicaSet.
    own: Vec<usize>,
    /// The changes of the pods that it owns or could adopt.
    pods: Vec<usize>,
    /// The changes of any pods: the choice of those to delete also depends on pods of sibling ReplicaSets.
    all_pods: Vec<usize>,
}

/// The controller's memory between syncs, as resource versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Its last status write.
    status: i64,
    /// The last pod that it created or patched.
    pod: i64,
    /// The pods that it deleted and may not have observed to be gone: its expectations.
    deletions: Vec<i64>,
}

impl<'a> ReplicaSetController<'a> {
    /// The controller of the ReplicaSet with this uid.
    pub fn new(world: &'a World, uid: &str) -> Self {
        Self {
            world,
            uid: uid.into(),
            own: world.replica_sets.positions(|set| *set.metadata.uid == *uid),
            pods: world.pods.positions(|pod| is_claimable(&pod.metadata, uid)),
            all_pods: world.pods.positions(|_| true),
        }
    }
}

impl Controller for ReplicaSetController<'_> {
    type Memory = Memory;

    fn attempts<'a>(
        &'a self,
        before: &Caches,
        memory: &Memory,
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a> {
        let World { replica_sets, pods, .. } = self.world;
        let newest = replica_sets.before(horizon);
        let mut own = within(&self.own, before.own.max(replica_sets.up_to(memory.status)), newest);
        let named = first.status_version();
        own.retain(|position| {
            let Some(set) = replica_sets.find(*position, &self.uid) else { return false };
            named.as_deref().is_none_or(|version| *set.metadata.resource_version == *version)
        });
        let (seen, clock) = match first.verb {
            Verb::Delete => (&self.all_pods, Clock::Ages),
            _ => (&self.pods, Clock::Seconds),
        };
        let pods = within(seen, before.pods.max(pods.up_to(memory.pod)), pods.before(horizon));
        combinations(times(before.now, first.received, clock), own, vec![newest], pods)
    }

    fn sync(&self, caches: &Caches, memory: &mut Memory, client: &mut Replay<'_>) -> Result<(), Error> {
        let Some(replica_set) = self.world.replica_sets.find(caches.own, &self.uid) else { return Ok(()) };
        // The related pods are listed again before pods are deleted, which is later if pods are adopted first.
        let pods = &self.world.pods;
        let later = client.deletion_after_patch().map_or(caches.pods, |version| pods.before(version));
        let listed = Listed {
            pods: pods.at(caches.pods),
            related: pods.at(later),
            replica_sets: self.world.replica_sets.at(caches.owned),
            deleted: client.deletions().filter_map(|request| request.object.strip_prefix("Pod/")).collect(),
            replica_set,
            now: client.now(),
            gates: client.gates(),
            open_choice: Cell::new(false),
        };
        memory.deletions.retain(|version| self.world.pods.up_to(*version) > caches.pods);
        let result = if memory.deletions.is_empty() {
            sync_replica_set(client, &View { replica_set, pods: &listed }).map(drop)
        } else {
            only_status(client, replica_set, &listed)
        };
        client.open_choice = listed.open_choice.get();
        for request in client.used() {
            match (request.verb, &request.answer) {
                (Verb::UpdateStatus, Answer::Written(version)) => memory.status = *version,
                (Verb::Create | Verb::Patch, Answer::Written(version)) => memory.pod = memory.pod.max(*version),
                (Verb::Delete, Answer::Written(version)) => memory.deletions.push(*version),
                _ => {}
            }
        }
        result
    }
}

/// A sync while a deletion is expected: it does not manage pods. The core's controller has no such syncs, since the
/// simulated cluster shows every deletion at once.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go syncReplicaSet`, `rsNeedsSync`
fn only_status(client: &mut Replay<'_>, replica_set: &Rc<ReplicaSet>, pods: &Listed<'_>) -> Result<(), Error> {
    let (now, gates) = (client.now(), client.gates());
    let counts = pods.counts(replica_set, now);
    let mut status = calculate_status(replica_set, &counts, None, gates, now).status;
    let generation = replica_set.metadata.generation;
    if status == replica_set.status && replica_set.status.observed_generation == generation {
        return Ok(());
    }
    status.observed_generation = generation;
    let object = ReplicaSet { status, ..(**replica_set).clone() };
    let decision = Decision::Observed { replica_set: replica_set.metadata.name.clone(), generation };
    client
        .write(Write::UpdateStatus(Object::ReplicaSet(Rc::new(object))), decision.into())
        .map(drop)
        .map_err(Error::from)
}

/// The pods of a namespace in a cache.
struct Listed<'a> {
    pods: &'a [Rc<Pod>],
    related: &'a [Rc<Pod>],
    replica_sets: &'a [Rc<ReplicaSet>],
    /// The pods that were actually deleted.
    deleted: BTreeSet<&'a str>,
    replica_set: &'a Rc<ReplicaSet>,
    now: Time,
    gates: FeatureGates,
    /// Whether Go's sort could also have made another choice between the pods.
    open_choice: Cell<bool>,
}

impl Listed<'_> {
    /// The pods that the ReplicaSet owns, whose labels match or don't.
    fn owned(&self, replica_set: &ReplicaSet, matching: bool) -> impl Iterator<Item = &Rc<Pod>> {
        self.pods.iter().filter(move |pod| {
            pod.metadata.is_controlled_by(&replica_set.metadata)
                && LabelSelector::to_selector(replica_set.spec.selector.as_deref())
                    .is_ok_and(|selector| selector.matches(&pod.metadata.labels))
                    == matching
        })
    }
}

impl Listed<'_> {
    fn is_deleted(&self, pod: &Pod) -> bool {
        self.deleted.contains(&*pod.metadata.name)
    }

    /// The number of active related pods on each node.
    ///
    /// Upstream: `pkg/controller/replicaset/replica_set.go getPodsRankedByRelatedPodsOnSameNode`
    fn ranks(&self, replica_set: &ReplicaSet) -> BTreeMap<Option<Rc<str>>, usize> {
        let mut ranks: BTreeMap<Option<Rc<str>>, usize> = BTreeMap::new();
        for pod in self.related(replica_set).iter().filter(|pod| pod.is_active()) {
            let count = ranks.entry(pod.spec.node_name.clone()).or_default();
            *count = count.saturating_add(1);
        }
        ranks
    }

    fn compare(&self, ranks: &BTreeMap<Option<Rc<str>>, usize>, first: &Pod, second: &Pod) -> Comparison {
        let rank = |pod: &Pod| ranks.get(&pod.spec.node_name).copied().unwrap_or_default();
        compare((first, rank(first)), (second, rank(second)), Some(self.now), self.gates)
    }
}

impl Pods for Listed<'_> {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let mut counts = PodCounts::default();
        self.owned(replica_set, true).for_each(|pod| counts.count(pod, replica_set, now));
        counts
    }

    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let orphans = self.pods.iter().filter(|pod| pod.metadata.controller().is_none());
        self.owned(replica_set, false).chain(orphans).filter(|pod| pod.is_active()).cloned().collect()
    }

    /// Upstream lists them in the order of a Go map, so any order is possible, and the choice between equal pods is
    /// open. Here they are in the order of deletion, and among equal pods the deleted ones come first: Go's sort then
    /// moves none.
    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let mut pods: Vec<_> = self.owned(replica_set, true).filter(|pod| pod.is_active()).cloned().collect();
        let surplus = pods.len().checked_sub(usize::try_from(replica_set.spec.replicas).unwrap_or(0));
        if surplus != Some(self.deleted.len()) {
            return pods; // Whatever the order, another number of pods goes.
        }
        let ranks = self.ranks(replica_set);
        let goes_first = |first: &Pod, second: &Pod| {
            self.compare(&ranks, first, second).less
                || (self.is_deleted(first) && !self.is_deleted(second) && !self.compare(&ranks, second, first).less)
        };
        pods.sort_by_key(|pod| !self.is_deleted(pod));
        // Not the standard library's sort: the rules are not a total order.
        for end in 1..pods.len() {
            let mut place = end;
            while let Some(before) = place.checked_sub(1) {
                match (pods.get(place), pods.get(before)) {
                    (Some(pod), Some(other)) if goes_first(pod, other) => pods.swap(place, before),
                    _ => break,
                }
                place = before;
            }
        }
        pods
    }

    /// The choice that was made, if upstream's sort can make it.
    ///
    /// Ages are compared by their order of magnitude, and within one magnitude by uid, but equal times are compared by
    /// another age. So three pods can form a cycle in which each must come before the next, and the result of Go's sort
    /// depends on the order of a map. For a short list, which uses insertion sort, the result can be any order in which
    /// no pod must come before the one in front of it. For a long list, we only check that no rule before the ages is
    /// broken. Pods that this sync has adopted come last in the core's list, but anywhere in upstream's.
    fn remember_choice(&self, choose: &dyn Fn() -> Choice) -> Rc<Choice> {
        let chosen = choose();
        let deletions = &chosen.deletions;
        if deletions.len() != self.deleted.len() || deletions.iter().all(|deletion| self.is_deleted(&deletion.pod)) {
            return Rc::new(chosen);
        }
        let ranks = self.ranks(self.replica_set);
        let adopted = self.unclaimed(self.replica_set).into_iter().filter(|pod| pod.metadata.controller().is_none());
        let all = self.active(self.replica_set).into_iter().chain(adopted);
        let (gone, kept): (Vec<_>, Vec<_>) = all.partition(|pod| self.is_deleted(pod));
        let is_legal = if gone.len().saturating_add(kept.len()) <= INSERTION_SORT {
            can_stand(&gone, &kept, |first, second| self.compare(&ranks, first, second).less)
        } else {
            let breaks = |stays: &Rc<Pod>, goes: &Rc<Pod>| {
                let comparison = self.compare(&ranks, stays, goes);
                comparison.less && comparison.criterion < Criterion::ReadyTime
            };
            !gone.iter().any(|goes| kept.iter().any(|stays| breaks(stays, goes)))
        };
        if gone.len() != chosen.deletions.len() || !is_legal {
            return Rc::new(chosen);
        }
        self.open_choice.set(true);
        let deletions = gone.into_iter().map(|pod| Deletion { pod, why: None }).collect();
        Rc::new(Choice { deletions, ranking: None })
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        get_indirectly_related_pods(replica_set, self.replica_sets.iter(), self.related.iter())
    }
}

/// Whether the pods can be ordered, with the deleted ones before the kept ones, so that none must come before the one
/// in front of it.
fn can_stand<T>(gone: &[T], kept: &[T], less: impl Fn(&T, &T) -> bool) -> bool {
    let all: Vec<&T> = gone.iter().chain(kept).collect();
    let mut seen = BTreeSet::new();
    let mut rows: Vec<(BTreeSet<usize>, usize)> = (0..gone.len()).map(|last| (BTreeSet::from([last]), last)).collect();
    while let Some((row, last)) = rows.pop() {
        if row.len() == all.len() {
            return true;
        }
        if !seen.insert((row.clone(), last)) {
            continue;
        }
        let next = if row.len() < gone.len() { 0..gone.len() } else { gone.len()..all.len() };
        for index in next.filter(|index| !row.contains(index)) {
            let stands = all.get(index).zip(all.get(last)).is_some_and(|(next, last)| !less(next, last));
            if stands {
                let mut longer = row.clone();
                longer.insert(index);
                rows.push((longer, index));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::can_stand;

    #[test]
    fn in_a_cycle_any_may_go_first() {
        let less = |first: &u8, second: &u8| matches!((first, second), (0, 1) | (1, 2) | (2, 0));
        assert!(can_stand(&[0], &[1, 2], less) && can_stand(&[1], &[0, 2], less) && can_stand(&[2], &[0, 1], less));
    }

    #[test]
    fn in_order_only_the_first_go() {
        let less = |first: &u8, second: &u8| first < second;
        assert!(can_stand(&[1, 0], &[3, 2], less));
        assert!(!can_stand(&[0, 2], &[1, 3], less));
    }

    #[test]
    fn among_equals_any_may_go() {
        let less = |first: &(u8, char), second: &(u8, char)| first.0 < second.0;
        assert!(can_stand(&[(0, 'c')], &[(0, 'a'), (0, 'b'), (1, 'd')], less));
        assert!(!can_stand(&[(1, 'd')], &[(0, 'a'), (0, 'b'), (0, 'c')], less));
    }
}
