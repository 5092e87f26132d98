//! The ReplicaSet controller.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::controller::rank::{Choice, Comparison, Deletion, compare};
use changeover_core::controller::{Client, Error, Write};
use changeover_core::feature_gates::{Feature, FeatureGates};
use changeover_core::object::{Kind, LabelSelector, Object, Pod, Time};
use changeover_core::workload::replica_set::ReplicaSet;
use changeover_core::workload::replica_set::controller::{
    PodCounts, Pods, View, calculate_status, get_indirectly_related_pods, sync_replica_set,
};
use changeover_core::workload::replica_set::decision::Decision;
use changeover_core::workload::replication_controller::controller::sync_replication_controller;

use crate::pod_choice::PodChoice;
use crate::recording::{Answer, Request, Verb};
use crate::replay::Replay;
use crate::search::{Caches, Clock, Controller, combinations, times};
use crate::world::{Timeline, World, is_claimable, within};

/// The controller of one ReplicaSet or ReplicationController. That of ReplicaSets has StaleControllerConsistency: its caches are not
/// older than its last writes.
pub struct ReplicaSetController<'a> {
    world: &'a World,
    kind: Kind,
    /// The objects of its kind.
    sets: &'a Timeline<ReplicaSet>,
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
    /// The pods that it created or deleted and may not have observed: its expectations.
    expected: Vec<i64>,
}

impl<'a> ReplicaSetController<'a> {
    /// The controller of the object with this kind and uid.
    pub fn new(world: &'a World, kind: Kind, uid: &str) -> Self {
        let sets = match kind {
            Kind::ReplicationController => &world.replication_controllers,
            _ => &world.replica_sets,
        };
        Self {
            world,
            kind,
            sets,
            uid: uid.into(),
            own: sets.positions(|set| *set.metadata.uid == *uid),
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
        let (replica_sets, pods) = (self.sets, &self.world.pods);
        let newest = replica_sets.before(horizon);
        let own = within(&self.own, before.own.max(replica_sets.up_to(memory.status)), newest);
        let own = replica_sets.in_version(own, &self.uid, first.status_version().as_deref());
        let (seen, clock) = match first.verb {
            Verb::Delete => (&self.all_pods, Clock::Ages),
            _ => (&self.pods, Clock::Seconds),
        };
        // An event handler may run later than the cache changes, so a created pod that is listed may still be expected.
        let unhandled = memory.expected.iter().map(|version| pods.up_to(*version).saturating_sub(1));
        let unhandled = unhandled.min().filter(|_| first.verb == Verb::UpdateStatus);
        let pods = within(seen, before.pods.max(pods.up_to(memory.pod)), pods.before(horizon));
        let times = times(before.now, first.received, clock);
        let handled = combinations(times.clone(), own.clone(), vec![newest], pods.clone());
        let Some(unhandled) = unhandled else { return handled };
        let lagging = combinations(times, own, vec![newest], pods).filter(move |caches| unhandled < caches.pods);
        Box::new(handled.chain(lagging.map(move |caches| Caches { handled: unhandled, ..caches })))
    }

    fn sync(&self, caches: &Caches, memory: &mut Memory, client: &mut Replay<'_>) -> Result<(), Error> {
        let Some(replica_set) = self.sets.find(caches.own, &self.uid) else { return Ok(()) };
        // The related pods are listed again before pods are deleted, which is later if pods are adopted first.
        let pods = &self.world.pods;
        let later = client.deletion_after_patch().map_or(caches.pods, |version| pods.before(version));
        let listed = Listed {
            pods: pods.at(caches.pods),
            related: pods.at(later),
            // The index of ReplicaSets by owner contains no ReplicationControllers, so no pods are related to theirs.
            replica_sets: if self.kind == Kind::ReplicaSet { self.sets.at(caches.owned) } else { &[] },
            deleted: client.deletions().filter_map(|request| request.object.strip_prefix("Pod/")).collect(),
            replica_set,
            now: client.now(),
            gates: client.gates(),
            choice: Cell::new(None),
        };
        memory.expected.retain(|version| self.world.pods.up_to(*version) > caches.handled);
        client.renamed = (self.kind == Kind::ReplicationController).then_some(self.kind);
        let view = View { replica_set, pods: &listed };
        let result = match (memory.expected.is_empty(), self.kind) {
            (true, Kind::ReplicationController) => sync_replication_controller(client, &view).map(drop),
            (true, _) => sync_replica_set(client, &view).map(drop),
            (false, kind) => only_status(client, replica_set, &listed, kind),
        };
        client.choice = listed.choice.into_inner();
        let waits = self.kind == Kind::ReplicaSet;
        for request in client.used() {
            match (request.verb, &request.answer) {
                (Verb::UpdateStatus, Answer::Written(version)) if waits => memory.status = *version,
                (Verb::Patch, Answer::Written(version)) if waits => memory.pod = memory.pod.max(*version),
                (Verb::Create, Answer::Written(version)) => {
                    if waits {
                        memory.pod = memory.pod.max(*version);
                    }
                    memory.expected.push(*version);
                }
                (Verb::Delete, Answer::Written(version)) => memory.expected.push(*version),
                _ => {}
            }
        }
        result
    }
}

/// A sync while a creation or a deletion is expected: it does not manage pods. The core's controller has no such syncs, since the
/// simulated cluster shows them at once.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go syncReplicaSet`, `rsNeedsSync`
fn only_status(
    client: &mut Replay<'_>,
    replica_set: &Rc<ReplicaSet>,
    pods: &Listed<'_>,
    kind: Kind,
) -> Result<(), Error> {
    let reports_terminating = kind == Kind::ReplicaSet;
    let (now, gates) = (client.now(), client.gates());
    let gates = gates.with(Feature::DeploymentReplicaSetTerminatingReplicas, reports_terminating);
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

/// Whether the pod has the labels that the ReplicaSet selects.
fn is_selected(replica_set: &ReplicaSet, pod: &Pod) -> bool {
    LabelSelector::to_selector(replica_set.spec.selector.as_deref())
        .is_ok_and(|selector| selector.matches(&pod.metadata.labels))
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
    /// The pods from which the deleted ones were chosen, if the choice is legal.
    choice: Cell<Option<PodChoice>>,
}

impl Listed<'_> {
    /// The pods that the ReplicaSet owns, whose labels match or don't.
    fn owned(&self, replica_set: &ReplicaSet, matching: bool) -> impl Iterator<Item = &Rc<Pod>> {
        self.pods.iter().filter(move |pod| {
            pod.metadata.is_controlled_by(&replica_set.metadata) && is_selected(replica_set, pod) == matching
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

    /// The active pods, also those that this sync adopts, with the number of related pods on their nodes.
    fn pod_choice(&self) -> PodChoice {
        let ranks = self.ranks(self.replica_set);
        let is_adopted = |pod: &Rc<Pod>| pod.metadata.controller().is_none() && is_selected(self.replica_set, pod);
        let adopted = self.unclaimed(self.replica_set).into_iter().filter(is_adopted);
        let ranked = self.active(self.replica_set).into_iter().chain(adopted).map(|pod| {
            let rank = ranks.get(&pod.spec.node_name).copied().unwrap_or_default();
            (pod, rank)
        });
        let (count, now, gates) = (self.deleted.len(), self.now, self.gates);
        PodChoice { pods: ranked.collect(), count, now, gates, is_open: false }
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

    /// The choice that was made, if upstream's sort can make it ([`PodChoice::is_legal`]). Pods that this sync has
    /// adopted come last in the core's list, but anywhere in upstream's.
    fn remember_choice(&self, choose: &dyn Fn() -> Choice) -> Rc<Choice> {
        let chosen = choose();
        if chosen.deletions.len() != self.deleted.len() {
            return Rc::new(chosen);
        }
        let mut choice = self.pod_choice();
        if chosen.deletions.iter().all(|deletion| self.is_deleted(&deletion.pod)) {
            self.choice.set(Some(choice));
            return Rc::new(chosen);
        }
        let [gone, kept] = choice.partition(|pod| self.is_deleted(pod));
        if gone.len() != chosen.deletions.len() || !choice.is_legal(&gone, &kept) {
            return Rc::new(chosen);
        }
        let deletions = gone.into_iter().map(|(pod, _)| Deletion { pod: pod.clone(), why: None }).collect();
        choice.is_open = true;
        self.choice.set(Some(choice));
        Rc::new(Choice { deletions, ranking: None })
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        get_indirectly_related_pods(replica_set, self.replica_sets.iter(), self.related.iter())
    }
}
