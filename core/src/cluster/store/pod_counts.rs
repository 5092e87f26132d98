//! The objects that a controller owns, and the counts of its pods, kept up to date with each write, so that a sync need not walk over the pods.

use alloc::rc::Rc;
use alloc::vec::Vec;
#[cfg(feature = "sets")]
use core::cell::RefCell;
use core::ops::Bound;

use super::availability_queue::AvailabilityQueue;
use super::index::{Id, Index};
use super::object_slots::ObjectSlots;
#[cfg(feature = "sets")]
use super::pod_list::PodList;
use super::ranked_pods::RankedPods;
use crate::controller::rank::alike;
use crate::json::LiteMap;
use crate::object::{Kind, LabelSelector, Object, ObjectKey, Pod, PodPhase, StringMap, Time};
use crate::workload::job::controller::has_job_tracking_finalizer;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replica_set::controller::PodCounts;

/// The objects of one controller.
#[derive(Debug, Default)]
pub(crate) struct OwnedObjects {
    /// All but the counted pods.
    members: Index,
    /// Pods that a Job has counted as succeeded. Nothing changes them any more, and no sync has to look at them.
    counted_by_job: Index,
    /// No pod before this one is active: terminating pods gather before it, and are skipped.
    first_active: Option<ObjectKey>,
    counted: Option<CountedPods>,
    /// The members that are pods, once a sync has listed them.
    #[cfg(feature = "sets")]
    listed: RefCell<Option<PodList>>,
    /// How many pods it has had.
    created: u64,
    /// The same for each completion index of a Job.
    created_by_index: LiteMap<i64, u64>,
}

/// The counts of the pods, and what of the ReplicaSet they depend on.
#[derive(Debug)]
struct CountedPods {
    criteria: Criteria,
    counts: PodCounts,
    /// Active pods that the selector does not take.
    unmatched: i32,
    /// Ready pods that are not available yet.
    not_yet_available: AvailabilityQueue,
    /// One of the active pods, or one that was active. `alike` counts the pods that the ranking can't distinguish from it.
    model: Option<Rc<Pod>>,
    alike: i32,
    /// Once there was a choice between pods that are not alike.
    ranked: Option<RankedPods>,
}

/// What decides whether and as what a pod is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Criteria {
    selector: Option<Rc<LabelSelector>>,
    labels: StringMap,
    min_ready_seconds: i32,
}

impl OwnedObjects {
    /// Where the objects are that a sync has to look at, Jobs and ReplicaSets before Pods: all but the pods that a Job has counted as
    /// succeeded.
    pub(crate) fn members(&self) -> impl Iterator<Item = Id> {
        self.members.values().copied()
    }

    /// Where all its objects are, last the pods that a Job has counted as succeeded.
    pub(crate) fn all_members(&self) -> impl Iterator<Item = Id> {
        self.members.values().chain(self.counted_by_job.values()).copied()
    }

    /// Where its Jobs or ReplicaSets are.
    pub(crate) fn controllers(&self) -> impl Iterator<Item = Id> {
        self.members.iter().take_while(|(key, _)| key.kind != Kind::Pod).map(|(_, id)| *id)
    }

    /// The members that are pods, by name.
    #[cfg(feature = "sets")]
    pub(crate) fn pods(&self, slots: &ObjectSlots) -> Rc<Vec<Rc<Pod>>> {
        let mut listed = self.listed.borrow_mut();
        let all = || PodList::of(self.members().filter_map(|id| slots.pod(id)).cloned().collect());
        listed.get_or_insert_with(all).get()
    }

    /// A pod has come or has changed, or is gone.
    #[cfg(feature = "sets")]
    fn update_list(&mut self, object: &Object, update: fn(&mut PodList, &Rc<Pod>)) {
        if let (Some(listed), Some(pod)) = (self.listed.get_mut(), object.typed()) {
            update(listed, pod);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.counted_by_job.is_empty()
    }

    /// Counts one more pod: its number, from 1; for a pod with a completion index, its number among those of the index.
    pub(crate) fn count_created(&mut self, index: Option<i64>) -> u64 {
        let Some(index) = index else {
            self.created = self.created.saturating_add(1);
            return self.created;
        };
        let created = self.created_by_index.get(&index).map_or(1, |created| created.saturating_add(1));
        self.created_by_index.insert(index, created);
        created
    }

    pub(crate) fn insert(&mut self, key: &ObjectKey, id: Id, object: &Object) {
        self.members.insert(key.clone(), id);
        if self.first_active.as_ref().is_some_and(|first| key < first) {
            self.first_active = None;
        }
        self.count(id, object, CountedPods::add);
        #[cfg(feature = "sets")]
        self.update_list(object, PodList::put);
    }

    pub(crate) fn remove(&mut self, key: &ObjectKey, id: Id, object: &Object) {
        if self.members.remove(key).is_none() {
            self.counted_by_job.remove(key);
        }
        self.count(id, object, CountedPods::subtract);
        #[cfg(feature = "sets")]
        self.update_list(object, |listed, pod| listed.remove(pod));
    }

    /// One of the objects changes, and keeps its owner.
    pub(crate) fn change(&mut self, key: &ObjectKey, id: Id, before: &Object, after: &Object) {
        if was_counted_by_job(before, after) {
            self.members.remove(key);
            self.counted_by_job.insert(key.clone(), id);
        } else if !self.counted_by_job.is_empty() && self.counted_by_job.remove(key).is_some() {
            self.members.insert(key.clone(), id);
        }
        let active = |object: &Object| object.typed::<Pod>().is_some_and(|pod| pod.is_active());
        if active(after) && !active(before) {
            self.first_active = None;
        }
        self.count(id, before, CountedPods::subtract);
        self.count(id, after, CountedPods::add);
        #[cfg(feature = "sets")]
        self.update_list(after, PodList::put);
    }

    fn count(&mut self, id: Id, object: &Object, how: fn(&mut CountedPods, Id, &Rc<Pod>)) {
        if let (Some(counted), Some(pod)) = (&mut self.counted, object.typed()) {
            how(counted, id, pod);
        }
    }

    /// The counts as that ReplicaSet's status has them.
    pub(crate) fn counts(&mut self, slots: &ObjectSlots, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let counted = self.counted(slots, replica_set);
        counted.pass(now);
        let next = counted.not_yet_available.next().map(|time| time.since(now));
        PodCounts { next_available_in: next, ..counted.counts }
    }

    /// The first active pods by name, if the ranking can't distinguish any two of them; at most `count`.
    pub(crate) fn first_alike(
        &mut self,
        slots: &ObjectSlots,
        replica_set: &ReplicaSet,
        count: usize,
    ) -> Option<Vec<Rc<Pod>>> {
        self.counted(slots, replica_set);
        let counted = self.counted.as_mut()?;
        let pods = || self.members.values().filter_map(|id| slots.pod(*id));
        if counted.alike == 0 {
            // The last of those like the model has gone: the others need another model.
            counted.model = None;
            for pod in pods() {
                if counted.criteria.takes(pod) {
                    counted.compare(pod, 1);
                }
            }
        }
        if counted.alike != counted.counts.active {
            return None;
        }
        let mut first = Vec::with_capacity(count);
        let mut first_active = None;
        let from = self.first_active.as_ref().map_or(Bound::Unbounded, Bound::Included);
        for (key, id) in self.members.range::<ObjectKey, _>((from, Bound::Unbounded)) {
            let Some(pod) = slots.pod(*id).filter(|pod| pod.is_active()) else { continue };
            first_active.get_or_insert(key);
            if counted.criteria.matches(&pod.metadata.labels) {
                first.push(pod.clone());
                if first.len() >= count {
                    break;
                }
            }
        }
        self.first_active = first_active.cloned();
        Some(first)
    }

    /// The active pods that the ReplicaSet counts, to be ranked.
    pub(super) fn ranked(&mut self, slots: &ObjectSlots, replica_set: &ReplicaSet) -> Option<&mut RankedPods> {
        self.counted(slots, replica_set);
        let counted = self.counted.as_mut()?;
        let pods = self.members.values().filter_map(|id| slots.pod(*id));
        let criteria = &counted.criteria;
        Some(counted.ranked.get_or_insert_with(|| RankedPods::of(pods.filter(|pod| criteria.takes(pod)))))
    }

    /// Whether there are active pods that the ReplicaSet's selector does not take.
    pub(crate) fn has_unmatched(&mut self, slots: &ObjectSlots, replica_set: &ReplicaSet) -> bool {
        self.counted(slots, replica_set).unmatched > 0
    }

    /// The counts for that ReplicaSet: made again when something that they depend on has changed.
    fn counted(&mut self, slots: &ObjectSlots, replica_set: &ReplicaSet) -> &mut CountedPods {
        let criteria = Criteria {
            selector: replica_set.spec.selector.clone(),
            labels: replica_set.spec.template.metadata.labels.clone(),
            min_ready_seconds: replica_set.spec.min_ready_seconds,
        };
        if self.counted.as_ref().is_some_and(|counted| counted.criteria != criteria) {
            self.counted = None;
        }
        self.counted.get_or_insert_with(|| {
            let mut counted = CountedPods::new(criteria);
            for id in self.members.values() {
                if let Some(pod) = slots.pod(*id) {
                    counted.add(*id, pod);
                }
            }
            counted
        })
    }
}

/// Whether a Job has let go of a pod that succeeded.
fn was_counted_by_job(before: &Object, after: &Object) -> bool {
    let (Some(before), Some(after)) = (before.typed::<Pod>(), after.typed::<Pod>()) else { return false };
    after.status.phase == PodPhase::Succeeded
        && has_job_tracking_finalizer(before)
        && !has_job_tracking_finalizer(after)
}

impl Criteria {
    /// Whether the selector takes a pod with these labels. It takes those of the template, as the API server sees to.
    fn matches(&self, labels: &StringMap) -> bool {
        let selector = LabelSelector::to_selector(self.selector.as_deref());
        selector.is_ok_and(|selector| Rc::ptr_eq(&self.labels, labels) || selector.matches(labels))
    }

    /// Whether the pod is one of those that the ReplicaSet counts.
    fn takes(&self, pod: &Pod) -> bool {
        pod.is_active() && self.matches(&pod.metadata.labels)
    }
}

/// Since when a ready pod is available where none need be ready for long.
const ALWAYS: Time = Time(i64::MIN);

/// What one pod adds to the counts.
struct Contribution {
    active: bool,
    matches: bool,
    fully_labeled: bool,
    ready: bool,
    terminating: bool,
    available_at: Option<Time>,
}

impl CountedPods {
    fn new(criteria: Criteria) -> Self {
        Self {
            criteria,
            counts: PodCounts::default(),
            unmatched: 0,
            not_yet_available: AvailabilityQueue::default(),
            model: None,
            alike: 0,
            ranked: None,
        }
    }

    fn contribution(&self, pod: &Pod) -> Contribution {
        let labels = &pod.metadata.labels;
        let same = Rc::ptr_eq(&self.criteria.labels, labels);
        let ready = pod.is_ready();
        let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
        let available_at = match self.criteria.min_ready_seconds {
            0 => Some(ALWAYS),
            seconds => since.map(|since| since.plus_seconds(i64::from(seconds))),
        };
        Contribution {
            active: pod.is_active(),
            matches: self.criteria.matches(labels),
            fully_labeled: same || self.criteria.labels.iter().all(|(key, value)| labels.get(key) == Some(value)),
            ready,
            terminating: pod.is_terminating(),
            available_at: available_at.filter(|_| ready),
        }
    }

    fn add(&mut self, id: Id, pod: &Rc<Pod>) {
        let contribution = self.contribution(pod);
        self.count(&contribution, 1);
        if contribution.active && contribution.matches {
            self.compare(pod, 1);
            if let Some(ranked) = &mut self.ranked {
                ranked.add(pod);
            }
        }
        match contribution.available_at.filter(|_| contribution.active && contribution.matches) {
            None => {}
            Some(ALWAYS) => self.counts.available = self.counts.available.wrapping_add(1),
            // Counted as available once its time has come.
            Some(time) => self.not_yet_available.insert(time, id),
        }
    }

    fn subtract(&mut self, id: Id, pod: &Rc<Pod>) {
        let contribution = self.contribution(pod);
        self.count(&contribution, -1);
        if contribution.active && contribution.matches {
            self.compare(pod, -1);
            if let Some(ranked) = &mut self.ranked {
                ranked.remove(pod);
            }
        }
        if let Some(time) = contribution.available_at.filter(|_| contribution.active && contribution.matches)
            && (time == ALWAYS || !self.not_yet_available.remove(time, id))
        {
            self.counts.available = self.counts.available.wrapping_sub(1);
        }
    }

    /// Counts one more, or one less, of the pods that are like the model; the first is the model.
    fn compare(&mut self, pod: &Rc<Pod>, by: i32) {
        if alike(self.model.get_or_insert_with(|| pod.clone()), pod) {
            self.alike = self.alike.wrapping_add(by);
        }
    }

    fn count(&mut self, contribution: &Contribution, by: i32) {
        let add = |count: &mut i32, when: bool| {
            if when {
                *count = count.wrapping_add(by);
            }
        };
        let taken = contribution.matches && contribution.active;
        add(&mut self.unmatched, contribution.active && !contribution.matches);
        add(&mut self.counts.terminating, contribution.matches && contribution.terminating);
        add(&mut self.counts.active, taken);
        add(&mut self.counts.fully_labeled, taken && contribution.fully_labeled);
        add(&mut self.counts.ready, taken && contribution.ready);
    }

    /// Counts the pods that have become available by now.
    fn pass(&mut self, now: Time) {
        while self.not_yet_available.pop(now).is_some() {
            self.counts.available = self.counts.available.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::rc::Rc;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::json;

    use crate::cluster::store::Store;
    use crate::controller::rank::get_pods_to_delete;
    use crate::feature_gates::FeatureGates;
    use crate::object::{Object, Pod, Time};
    use crate::workload::replica_set::ReplicaSet;

    fn replica_set() -> ReplicaSet {
        let labels = json!({ "app": "web" });
        let template = json!({ "metadata": { "labels": labels } });
        let spec = json!({ "selector": { "matchLabels": labels }, "template": template });
        serde_json::from_value(json!({ "metadata": { "name": "web", "uid": "w" }, "spec": spec })).unwrap()
    }

    /// A pod of one of a few looks; look 0 is the commonest.
    fn pod(name: u8, look: u8) -> Pod {
        let metadata = json!({
            "name": format!("p{name:03}"),
            "uid": format!("u{}", name.reverse_bits()),
            "labels": { "app": if look == 5 { "other" } else { "web" } },
            "creationTimestamp": if look == 1 { "2026-01-01T00:00:01Z" } else { "2026-01-01T00:00:00Z" },
            "deletionTimestamp": if look == 4 { json!("2026-01-01T00:01:00Z") } else { json!(null) },
            "annotations": { "controller.kubernetes.io/pod-deletion-cost": if look == 3 { "7" } else { "0" } },
        });
        let node = if look == 2 { "b" } else { "a" };
        serde_json::from_value(
            json!({ "metadata": metadata, "spec": { "nodeName": node }, "status": { "phase": "Running" } }),
        )
        .unwrap()
    }

    proptest! {
        /// The pods chosen without a ranking are those that a ranking of all would choose.
        #[test]
        fn pods_that_are_alike_are_ranked_by_name(
            changes in prop::collection::vec((0_u8..30, prop::option::weighted(0.7, prop_oneof![6 => Just(0_u8), 1 => 1_u8..6])), 0..120),
            count in 1_usize..9,
        ) {
            let (replica_set, now) = (replica_set(), Time::parse("2026-01-01T01:00:00Z").unwrap());
            let mut store = Store::default();
            let mut known = Vec::new();
            for (name, look) in changes {
                let object = Object::from(pod(name, look.unwrap_or(0)));
                known.retain(|(other, _)| *other != name);
                match look {
                    Some(look) => {
                        known.push((name, look));
                        let key = object.key();
                        store.put(store.find(&key), &store.shared_key(&key), object);
                    }
                    None => store.remove(&object.key()),
                }
                known.sort_unstable();
                let active: Vec<Rc<Pod>> =
                    known.iter().filter(|(_, look)| *look < 4).map(|(name, look)| Rc::new(pod(*name, *look))).collect();
                let alike = known.iter().filter(|(_, look)| *look < 4).all(|(_, look)| Some(*look) == known.iter().map(|(_, look)| *look).find(|look| *look < 4));
                let first = store.group("").map(|(group, slots)| group.first_alike(slots, &replica_set, count.saturating_add(1)));
                let Some(first) = first else { continue };
                prop_assert_eq!(first.is_some(), alike);
                if let Some(first) = first {
                    let gates = FeatureGates::default();
                    let ranked = get_pods_to_delete(&active, &active, count, now, gates);
                    prop_assert_eq!(get_pods_to_delete(&first, &[], count, now, gates), ranked);
                }
            }
        }
    }
}
