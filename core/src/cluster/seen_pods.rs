//! The pods as a sync of a ReplicaSet sees them.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{OnceCell, RefCell};

use super::store::Store;
use crate::controller::rank::Choice;
use crate::controller::replica_set::{PodCounts, Pods, for_neighbors, get_indirectly_related_pods};
use crate::object::{Kind, LabelSelector, Object, Pod, ReplicaSet, Time};

/// The pods as they were when a sync began, and what it chose then: it keeps to that when it has waited.
pub(super) struct SeenPods {
    source: Rc<dyn PodSource>,
    counts: OnceCell<PodCounts>,
    unclaimed: OnceCell<Vec<Rc<Pod>>>,
    choice: OnceCell<Rc<Choice>>,
}

/// Where the pods are.
pub(super) trait PodSource: Pods {
    /// How many pods of a ReplicaSet have not ended, terminating ones included.
    fn not_ended(&self, replica_set: &ReplicaSet) -> i32;
}

impl SeenPods {
    pub(super) const fn new(source: Rc<dyn PodSource>) -> Self {
        Self { source, counts: OnceCell::new(), unclaimed: OnceCell::new(), choice: OnceCell::new() }
    }
}

impl Pods for SeenPods {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        *self.counts.get_or_init(|| self.source.counts(replica_set, now))
    }

    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.unclaimed.get_or_init(|| self.source.unclaimed(replica_set)).clone()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.source.active(replica_set)
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        self.source.first_alike(replica_set, count)
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.source.related(replica_set)
    }

    fn remember_choice(&self, choose: &dyn Fn() -> Choice) -> Rc<Choice> {
        self.choice.get_or_init(|| Rc::new(choose())).clone()
    }
}

/// The pods as a ReplicaSet's sync sees them, from the store's indexes.
pub(super) struct StoredPods(pub(super) Rc<RefCell<Store>>);

impl PodSource for StoredPods {
    fn not_ended(&self, replica_set: &ReplicaSet) -> i32 {
        let store = self.0.borrow();
        let count = store.pods_owned_by(&replica_set.metadata.uid).filter(|pod| !pod.is_terminal()).count();
        i32::try_from(count).unwrap_or(i32::MAX)
    }
}

impl Pods for StoredPods {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let mut store = self.0.borrow_mut();
        let group = store.group(&replica_set.metadata.uid);
        group.map_or_else(PodCounts::default, |(group, slots)| group.counts(slots, replica_set, now))
    }

    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let mut store = self.0.borrow_mut();
        let (uid, namespace) = (&replica_set.metadata.uid, &replica_set.metadata.namespace);
        let has_unmatched = store.group(uid).is_some_and(|(group, slots)| group.has_unmatched(slots, replica_set));
        if !has_unmatched && !store.has_orphans() {
            return Vec::new();
        }
        let Ok(selector) = LabelSelector::to_selector(replica_set.spec.selector.as_deref()) else {
            return Vec::new();
        };
        let owned = has_unmatched.then(|| store.pods_owned_by(uid)).into_iter().flatten();
        owned
            .filter(|pod| !selector.matches(&pod.metadata.labels))
            .chain(store.orphan_pods().filter(|pod| pod.metadata.namespace == *namespace))
            .filter(|pod| pod.is_active())
            .cloned()
            .collect()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let Ok(selector) = LabelSelector::to_selector(replica_set.spec.selector.as_deref()) else {
            return Vec::new();
        };
        let store = self.0.borrow();
        let mut is_selected = for_neighbors(|labels| selector.matches(labels));
        store
            .pods_owned_by(&replica_set.metadata.uid)
            .filter(|pod| pod.is_active() && is_selected(&pod.metadata.labels))
            .cloned()
            .collect()
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        let mut store = self.0.borrow_mut();
        let (group, slots) = store.group(&replica_set.metadata.uid)?;
        group.first_alike(slots, replica_set, count)
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let store = self.0.borrow();
        let namespace = &replica_set.metadata.namespace;
        let replica_sets = store.of_kind(Kind::ReplicaSet, namespace).filter_map(|object| match object {
            Object::ReplicaSet(replica_set) => Some(replica_set),
            _ => None,
        });
        let pods = store.of_kind(Kind::Pod, namespace).filter_map(|object| match object {
            Object::Pod(pod) => Some(pod),
            _ => None,
        });
        get_indirectly_related_pods(replica_set, replica_sets, pods)
    }
}
