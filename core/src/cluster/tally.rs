//! The counts of a ReplicaSet's pods, kept up to date with each write, so that a sync need not walk over the pods.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;

use crate::controller::replica_set::PodCounts;
use crate::object::{LabelSelector, Object, ObjectKey, Pod, ReplicaSet, StringMap, Time};
use crate::timeline::Objects;

/// The objects of one controller.
#[derive(Debug, Default)]
pub(super) struct Group {
    objects: Objects,
    tally: Option<Tally>,
    /// How many pods it has had.
    created: u64,
}

/// Counts, and what of the ReplicaSet they depend on.
#[derive(Debug)]
struct Tally {
    depends: Depends,
    counts: PodCounts,
    /// Active pods that the selector does not take.
    unmatched: i32,
    /// Ready pods that are not available yet, by the time at which they will be.
    waiting: BTreeSet<(Time, Rc<str>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Depends {
    selector: Option<Rc<LabelSelector>>,
    labels: StringMap,
    min_ready_seconds: i32,
}

impl Group {
    pub(super) fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.values()
    }

    pub(super) fn pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.objects.values().filter_map(as_pod)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Counts one more pod: its number, from 1.
    pub(super) const fn count_created(&mut self) -> u64 {
        self.created = self.created.saturating_add(1);
        self.created
    }

    pub(super) fn insert(&mut self, key: &ObjectKey, object: &Object) {
        if let (Some(tally), Some(pod)) = (&mut self.tally, as_pod(object)) {
            tally.add(pod);
        }
        self.objects.insert(key.clone(), object.clone());
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        let removed = self.objects.remove(key);
        if let (Some(tally), Some(pod)) = (&mut self.tally, removed.as_ref().and_then(as_pod)) {
            tally.subtract(pod);
        }
    }

    /// The counts as that ReplicaSet's status has them.
    pub(super) fn counts(&mut self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let tally = self.tally(replica_set);
        tally.pass(now);
        let next = tally.waiting.first().map(|(time, _)| time.since(now));
        PodCounts { next_available_in: next, ..tally.counts }
    }

    /// Whether there are active pods that the ReplicaSet's selector does not take.
    pub(super) fn has_unmatched(&mut self, replica_set: &ReplicaSet) -> bool {
        self.tally(replica_set).unmatched > 0
    }

    /// The tally for that ReplicaSet: made anew where something that it depends on has changed.
    fn tally(&mut self, replica_set: &ReplicaSet) -> &mut Tally {
        let depends = Depends {
            selector: replica_set.spec.selector.clone(),
            labels: replica_set.spec.template.metadata.labels.clone(),
            min_ready_seconds: replica_set.spec.min_ready_seconds,
        };
        let fresh = self.tally.take_if(|tally| tally.depends != depends).is_some() || self.tally.is_none();
        let tally = self.tally.get_or_insert_with(|| Tally {
            depends,
            counts: PodCounts::default(),
            unmatched: 0,
            waiting: BTreeSet::new(),
        });
        if fresh {
            self.objects.values().filter_map(as_pod).for_each(|pod| tally.add(pod));
        }
        tally
    }
}

const fn as_pod(object: &Object) -> Option<&Rc<Pod>> {
    match object {
        Object::Pod(pod) => Some(pod),
        _ => None,
    }
}

/// What one pod adds to the counts.
struct Share {
    active: bool,
    matches: bool,
    fully_labeled: bool,
    ready: bool,
    terminating: bool,
    available_at: Option<Time>,
}

impl Tally {
    fn share(&self, pod: &Pod) -> Share {
        let labels = &pod.metadata.labels;
        let same = Rc::ptr_eq(&self.depends.labels, labels);
        let matches =
            LabelSelector::to_selector(self.depends.selector.as_deref()).is_ok_and(|selector| selector.matches(labels));
        let ready = pod.is_ready();
        let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
        let available_at = match self.depends.min_ready_seconds {
            0 => Some(Time(i64::MIN)),
            seconds => since.map(|since| since.plus_seconds(i64::from(seconds))),
        };
        Share {
            active: pod.is_active(),
            matches,
            fully_labeled: same || self.depends.labels.iter().all(|(key, value)| labels.get(key) == Some(value)),
            ready,
            terminating: pod.is_terminating(),
            available_at: available_at.filter(|_| ready),
        }
    }

    fn add(&mut self, pod: &Pod) {
        let share = self.share(pod);
        self.count(&share, 1);
        if let Some(time) = share.available_at.filter(|_| share.active && share.matches) {
            // Counted as available once its time has come.
            self.waiting.insert((time, pod.metadata.name.clone()));
        }
    }

    fn subtract(&mut self, pod: &Pod) {
        let share = self.share(pod);
        self.count(&share, -1);
        if let Some(time) = share.available_at.filter(|_| share.active && share.matches)
            && !self.waiting.remove(&(time, pod.metadata.name.clone()))
        {
            self.counts.available = self.counts.available.wrapping_sub(1);
        }
    }

    fn count(&mut self, share: &Share, by: i32) {
        let add = |count: &mut i32, when: bool| {
            if when {
                *count = count.wrapping_add(by);
            }
        };
        let taken = share.matches && share.active;
        add(&mut self.unmatched, share.active && !share.matches);
        add(&mut self.counts.terminating, share.matches && share.terminating);
        add(&mut self.counts.active, taken);
        add(&mut self.counts.fully_labeled, taken && share.fully_labeled);
        add(&mut self.counts.ready, taken && share.ready);
    }

    /// Counts the pods that have become available by now.
    fn pass(&mut self, now: Time) {
        while self.waiting.first().is_some_and(|(time, _)| *time <= now) {
            self.waiting.pop_first();
            self.counts.available = self.counts.available.wrapping_add(1);
        }
    }
}
