//! What the simulated cluster holds, as etcd and the informers' indexes do.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::tally::Group;
use crate::object::{Deployment, Kind, Object, ObjectKey, Pod, ReplicaSet};
use crate::timeline::State;

/// All objects, with the indexes that keep a sync from walking over what is not its business.
#[derive(Debug, Default)]
pub(super) struct Store {
    objects: BTreeMap<ObjectKey, Stored>,
    /// ReplicaSets by the uid of their controller.
    replica_sets: BTreeMap<Rc<str>, BTreeSet<ObjectKey>>,
    /// Pods by the uid of their controller.
    groups: BTreeMap<Rc<str>, Group>,
    /// Pods without a controller.
    orphan_pods: BTreeSet<ObjectKey>,
    pods: u32,
    created: u64,
}

#[derive(Debug)]
struct Stored {
    object: Object,
    /// The order of creation.
    order: u64,
}

impl Store {
    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Object> {
        self.objects.get(key).map(|stored| &stored.object)
    }

    pub(super) fn deployment(&self, key: &ObjectKey) -> Option<&Rc<Deployment>> {
        match self.get(key)? {
            Object::Deployment(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn replica_set(&self, key: &ObjectKey) -> Option<&Rc<ReplicaSet>> {
        match self.get(key)? {
            Object::ReplicaSet(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn pod(&self, key: &ObjectKey) -> Option<&Rc<Pod>> {
        match self.get(key)? {
            Object::Pod(object) => Some(object),
            _ => None,
        }
    }

    /// The place of an object in the order of creation.
    pub(super) fn order(&self, key: &ObjectKey) -> u64 {
        self.objects.get(key).map_or(u64::MAX, |stored| stored.order)
    }

    /// How many pods there are.
    pub(super) const fn pod_count(&self) -> u32 {
        self.pods
    }

    /// The objects of a kind in a namespace, by name.
    pub(super) fn of_kind<'a>(&'a self, kind: Kind, namespace: &'a Rc<str>) -> impl Iterator<Item = &'a Object> {
        let first = ObjectKey { kind, namespace: namespace.clone(), name: "".into() };
        self.objects
            .range(first..)
            .take_while(move |(key, _)| key.kind == kind && key.namespace == *namespace)
            .map(|(_, stored)| &stored.object)
    }

    /// The keys of all Deployments and ReplicaSets.
    pub(super) fn controllers(&self) -> Vec<ObjectKey> {
        self.objects.keys().filter(|key| key.kind != Kind::Pod).cloned().collect()
    }

    /// The objects whose controller has this uid, ReplicaSets before Pods, by name.
    pub(super) fn owned_by(&self, uid: &str) -> impl Iterator<Item = Object> {
        let replica_sets = self.replica_sets.get(uid).into_iter().flatten().filter_map(|key| self.get(key)).cloned();
        replica_sets.chain(self.pods_owned_by(uid).map(|pod| Object::Pod(pod.clone())))
    }

    /// The pods whose controller has this uid, by name.
    pub(super) fn pods_owned_by(&self, uid: &str) -> impl Iterator<Item = &Rc<Pod>> {
        self.groups.get(uid).into_iter().flat_map(Group::pods)
    }

    /// The pods whose controller has this uid, with their counts.
    pub(super) fn group(&mut self, uid: &str) -> Option<&mut Group> {
        self.groups.get_mut(uid)
    }

    /// The pods without a controller, by namespace and name.
    pub(super) fn orphan_pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.orphan_pods.iter().filter_map(|key| self.pod(key))
    }

    /// Puts an object in, or takes it out.
    pub(super) fn put(&mut self, key: &ObjectKey, object: Option<Object>) {
        let before = self.objects.remove(key);
        if let Some(before) = &before {
            self.unindex(key, &before.object);
        }
        let Some(object) = object else {
            if let Some(before) = &before {
                self.tidy(&before.object.metadata().uid);
            }
            return;
        };
        let order = before.map_or_else(
            || {
                self.created = self.created.saturating_add(1);
                self.created
            },
            |before| before.order,
        );
        self.index(key, &object);
        self.objects.insert(key.clone(), Stored { object, order });
    }

    fn index(&mut self, key: &ObjectKey, object: &Object) {
        match (object, object.metadata().controller()) {
            (Object::Pod(pod), Some(owner)) => self.groups.entry(owner.uid.clone()).or_default().insert(pod),
            (Object::Pod(_), None) => {
                self.orphan_pods.insert(key.clone());
            }
            (Object::ReplicaSet(_), Some(owner)) => {
                self.replica_sets.entry(owner.uid.clone()).or_default().insert(key.clone());
            }
            _ => {}
        }
        if key.kind == Kind::Pod {
            self.pods = self.pods.saturating_add(1);
        }
    }

    fn unindex(&mut self, key: &ObjectKey, object: &Object) {
        if key.kind == Kind::Pod {
            self.pods = self.pods.saturating_sub(1);
            self.orphan_pods.remove(key);
        }
        let Some(owner) = object.metadata().controller() else { return };
        if let Some(keys) = self.replica_sets.get_mut(&owner.uid) {
            keys.remove(key);
        }
        if let Some(group) = self.groups.get_mut(&owner.uid) {
            group.remove(&key.name);
        }
    }

    /// Forgets owners of which nothing is left.
    fn tidy(&mut self, uid: &str) {
        if self.groups.get(uid).is_some_and(Group::is_empty) {
            self.groups.remove(uid);
        }
        if self.replica_sets.get(uid).is_some_and(BTreeSet::is_empty) {
            self.replica_sets.remove(uid);
        }
    }

    /// All objects, for a timeline's first frame.
    pub(super) fn state(&self) -> State {
        let mut state = State::default();
        for (key, stored) in &self.objects {
            state.put(key, Some(stored.object.clone()));
        }
        state
    }
}
