//! What the simulated cluster holds, as etcd and the informers' indexes do. Few kinds of maps, since each costs bytes.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::tally::Group;
use crate::object::{Deployment, Kind, Object, ObjectKey, Pod, ReplicaSet};
use crate::timeline::{Objects, State};

/// The uid under which objects without a controller are grouped.
const NOBODY: &str = "";

/// All objects, with the indexes that keep a sync from walking over what is not its business.
#[derive(Debug, Default)]
pub(super) struct Store {
    objects: Objects,
    /// ReplicaSets and Pods, by the uid of their controller.
    groups: BTreeMap<Rc<str>, Group>,
    pods: u32,
}

impl Store {
    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Object> {
        self.objects.get(key)
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
            .map(|(_, object)| object)
    }

    /// The ReplicaSets that a Deployment owns or could adopt, by name.
    pub(super) fn replica_sets_for(&self, deployment: &Deployment) -> Vec<Rc<ReplicaSet>> {
        let metadata = &deployment.metadata;
        let of = |owner: &str| self.groups.get(owner).into_iter().flat_map(Group::replica_sets);
        let orphans = of(NOBODY).filter(|orphan| orphan.metadata.namespace == metadata.namespace);
        let mut replica_sets: Vec<_> = of(&metadata.uid).chain(orphans).cloned().collect();
        crate::sort::sort_by(&mut replica_sets, &|a, b| a.metadata.name.cmp(&b.metadata.name));
        replica_sets
    }

    /// The keys of all Deployments and ReplicaSets.
    pub(super) fn controllers(&self) -> impl Iterator<Item = &ObjectKey> {
        self.objects.keys().filter(|key| key.kind != Kind::Pod)
    }

    /// The objects whose controller has this uid, ReplicaSets before Pods, by name.
    pub(super) fn owned_by(&self, uid: &str) -> Vec<Object> {
        self.groups.get(uid).into_iter().flat_map(Group::objects).cloned().collect()
    }

    /// Whether a controller of this uid owns anything.
    pub(super) fn owns(&self, uid: &str) -> bool {
        self.groups.get(uid).is_some_and(|group| !group.is_empty())
    }

    /// All pods, by namespace and name.
    pub(super) fn pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.objects.values().filter_map(|object| match object {
            Object::Pod(pod) => Some(pod),
            _ => None,
        })
    }

    /// The pods whose controller has this uid, by name.
    pub(super) fn pods_owned_by(&self, uid: &str) -> impl Iterator<Item = &Rc<Pod>> {
        self.groups.get(uid).into_iter().flat_map(Group::pods)
    }

    /// The objects whose controller has this uid, with the counts of its pods.
    pub(super) fn group(&mut self, uid: &str) -> Option<&mut Group> {
        self.groups.get_mut(uid)
    }

    /// The pods without a controller, by namespace and name.
    pub(super) fn orphan_pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.pods_owned_by(NOBODY)
    }

    /// Puts an object in, or takes it out.
    pub(super) fn put(&mut self, key: &ObjectKey, object: Option<Object>) {
        let is_pod = u32::from(key.kind == Kind::Pod);
        let Some(object) = object else {
            let Some(before) = self.objects.remove(key) else { return };
            self.leave(key, &before);
            self.pods = self.pods.saturating_sub(is_pod);
            let uid = &before.metadata().uid;
            if !self.owns(uid) {
                self.groups.remove(uid);
            }
            return;
        };
        let before = self.objects.insert(key.clone(), object.clone());
        match before {
            Some(before) if owner_of(&before) != owner_of(&object) => self.leave(key, &before),
            Some(_) => {}
            None => self.pods = self.pods.saturating_add(is_pod),
        }
        if key.kind == Kind::Deployment {
            return;
        }
        let owner = owner_of(&object);
        if let Some(group) = self.groups.get_mut(owner) {
            group.insert(key, object);
        } else {
            self.groups.entry(owner.into()).or_default().insert(key, object);
        }
    }

    fn leave(&mut self, key: &ObjectKey, object: &Object) {
        if let Some(group) = self.groups.get_mut(owner_of(object)) {
            group.remove(key);
        }
    }

    /// All objects, for a timeline's first frame.
    pub(super) fn state(&self) -> State {
        State::of(self.objects.clone())
    }
}

fn owner_of(object: &Object) -> &str {
    object.metadata().controller().map_or(NOBODY, |owner| &owner.uid)
}
