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
        if let Some(before) = self.objects.remove(key) {
            if let Some(group) = self.groups.get_mut(&*owner_of(&before)) {
                group.remove(key);
            }
            self.pods = self.pods.saturating_sub(u32::from(key.kind == Kind::Pod));
            if object.is_none() && !self.owns(&before.metadata().uid) {
                self.groups.remove(&before.metadata().uid);
            }
        }
        let Some(object) = object else { return };
        if key.kind != Kind::Deployment {
            self.groups.entry(owner_of(&object)).or_default().insert(key, &object);
        }
        self.pods = self.pods.saturating_add(u32::from(key.kind == Kind::Pod));
        self.objects.insert(key.clone(), object);
    }

    /// All objects, for a timeline's first frame.
    pub(super) fn state(&self) -> State {
        State::of(self.objects.clone())
    }
}

fn owner_of(object: &Object) -> Rc<str> {
    object.metadata().controller().map_or_else(|| NOBODY.into(), |owner| owner.uid.clone())
}
