//! What the simulated cluster holds, as etcd and the informers' indexes do. Few kinds of maps, since each costs bytes.

use alloc::rc::Rc;
use alloc::vec::Vec;

use litemap::LiteMap;

use super::tally::Group;
use crate::object::{Deployment, Kind, Object, ObjectKey, Pod, ReplicaSet, Time};
use crate::timeline::{Id, Index, State};

/// The uid of an owner that there is not.
const NOBODY: &str = "";

/// Each object that there is or was; another one that has its name later has a place of its own. What changes an object, and that is most writes, touches no index.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<Place>);

#[derive(Debug)]
struct Place {
    object: Option<Object>,
    life: Life,
}

/// What is known of a pod besides its object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// Its number among the pods of its owner, from 1.
    pub(super) number: u64,
    /// When it was first told to stop.
    pub(super) asked_to_stop: Option<Time>,
    /// How often its container has crashed.
    pub(super) crashes: u32,
    /// How long its kubelet waits before it tries again, to pull an image or to start a container, in nanoseconds.
    pub(super) back_off: i64,
    /// When the container was last started again.
    pub(super) restarted: Time,
}

impl Life {
    const BEGIN: Self = Self { number: 0, asked_to_stop: None, crashes: 0, back_off: 0, restarted: Time(i64::MAX) };
}

impl Places {
    pub(super) fn get(&self, id: Id) -> Option<&Object> {
        self.0.get(id.0)?.object.as_ref()
    }

    pub(super) fn pod(&self, id: Id) -> Option<&Rc<Pod>> {
        as_pod(self.get(id)?)
    }
}

/// All objects, with the indexes that keep a sync from walking over what is not its business.
#[derive(Debug, Default)]
pub(super) struct Store {
    places: Places,
    /// Deployments and ReplicaSets, apart from the many pods: they are looked for with almost every write.
    controllers: Index,
    pods: Index,
    /// ReplicaSets and Pods, by the uid of their controller.
    groups: LiteMap<Rc<str>, Group>,
    /// Those without one. (Not under an empty uid: to compare with a text of no bytes costs some processors more than
    /// all else in a sync.)
    orphans: Group,
}

impl Store {
    pub(super) fn find(&self, key: &ObjectKey) -> Option<Id> {
        self.index(key.kind).get(key).copied()
    }

    const fn index(&self, kind: Kind) -> &Index {
        if matches!(kind, Kind::Pod) { &self.pods } else { &self.controllers }
    }

    const fn index_mut(&mut self, kind: Kind) -> &mut Index {
        if matches!(kind, Kind::Pod) { &mut self.pods } else { &mut self.controllers }
    }

    pub(super) fn at(&self, id: Id) -> Option<&Object> {
        self.places.get(id)
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Object> {
        self.at(self.find(key)?)
    }

    pub(super) fn deployment(&self, key: &ObjectKey) -> Option<&Rc<Deployment>> {
        match self.get(key)? {
            Object::Deployment(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn replica_set(&self, key: &ObjectKey) -> Option<&Rc<ReplicaSet>> {
        as_replica_set(self.get(key)?)
    }

    pub(super) fn pod(&self, id: Id) -> Option<&Rc<Pod>> {
        self.places.pod(id)
    }

    /// What is known of a pod, also of one that has just gone.
    pub(super) fn life(&mut self, id: Id) -> Option<&mut Life> {
        self.places.0.get_mut(id.0).map(|place| &mut place.life)
    }

    /// Whether there are more pods than so many.
    pub(super) fn has_more_pods_than(&self, limit: u32) -> bool {
        u32::try_from(self.pods.len()).map_or(true, |count| count > limit)
    }

    /// The objects of a kind in a namespace, by name.
    pub(super) fn of_kind<'a>(&'a self, kind: Kind, namespace: &'a Rc<str>) -> impl Iterator<Item = &'a Object> {
        let first = ObjectKey { kind, namespace: namespace.clone(), name: "".into() };
        self.index(kind)
            .range(first..)
            .take_while(move |(key, _)| key.kind == kind && key.namespace == *namespace)
            .filter_map(|(_, id)| self.at(*id))
    }

    /// The ReplicaSets that a Deployment owns or could adopt, by name.
    pub(super) fn replica_sets_for(&self, deployment: &Deployment) -> Vec<Rc<ReplicaSet>> {
        let metadata = &deployment.metadata;
        let mut replica_sets = Vec::new();
        for owner in [&*metadata.uid, NOBODY] {
            let owned = self.group_of(owner).into_iter().flat_map(Group::replica_sets);
            let owned = owned.filter_map(|id| as_replica_set(self.at(id)?));
            replica_sets.extend(owned.filter(|owned| owned.metadata.namespace == metadata.namespace).cloned());
        }
        replica_sets.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        replica_sets
    }

    /// The keys of all Deployments and ReplicaSets.
    pub(super) fn controllers(&self) -> impl Iterator<Item = &ObjectKey> {
        self.controllers.keys()
    }

    /// The objects whose controller has this uid, ReplicaSets before Pods, by name.
    pub(super) fn owned_by(&self, uid: &str) -> Vec<Object> {
        self.members(uid).filter_map(|id| self.at(id)).cloned().collect()
    }

    /// Whether a controller of this uid owns anything.
    pub(super) fn owns(&self, uid: &str) -> bool {
        self.group_of(uid).is_some_and(|group| !group.is_empty())
    }

    fn group_of(&self, uid: &str) -> Option<&Group> {
        if uid.is_empty() { Some(&self.orphans) } else { self.groups.get(uid) }
    }

    fn group_of_mut(&mut self, uid: &str) -> Option<&mut Group> {
        if uid.is_empty() { Some(&mut self.orphans) } else { self.groups.get_mut(uid) }
    }

    fn members(&self, uid: &str) -> impl Iterator<Item = Id> {
        self.group_of(uid).into_iter().flat_map(Group::members)
    }

    /// All pods, by namespace and name.
    pub(super) fn pods(&self) -> impl Iterator<Item = (Id, &Rc<Pod>)> {
        self.pods.values().filter_map(|id| Some((*id, self.pod(*id)?)))
    }

    /// The pods whose controller has this uid, by name.
    pub(super) fn pods_owned_by(&self, uid: &str) -> impl Iterator<Item = &Rc<Pod>> {
        self.members(uid).filter_map(|id| self.pod(id))
    }

    /// The objects whose controller has this uid, with the counts of its pods; and where the objects are.
    pub(super) fn group(&mut self, uid: &str) -> Option<(&mut Group, &Places)> {
        Some((self.groups.get_mut(uid)?, &self.places))
    }

    /// Whether there are objects without a controller.
    pub(super) fn has_orphans(&self) -> bool {
        self.owns(NOBODY)
    }

    /// The pods without a controller, by namespace and name.
    pub(super) fn orphan_pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.pods_owned_by(NOBODY)
    }

    /// Puts an object where one of its key is, or to a place of its own: which one.
    pub(super) fn put(&mut self, place: Option<Id>, key: &ObjectKey, object: Object) -> Id {
        if let Some(id) = place
            && let Some(there) = self.places.0.get_mut(id.0)
            && let Some(before) = there.object.replace(object.clone())
        {
            if is_same_owner(&before, &object) {
                if let Some(group) = self.group_of_mut(owner_of(&object)) {
                    group.change(id, &before, &object);
                }
            } else {
                self.leave(key, id, &before);
                self.join(key, id, &object);
            }
            return id;
        }
        let id = Id(self.places.0.len());
        self.places.0.push(Place { object: Some(object.clone()), life: Life::BEGIN });
        self.index_mut(key.kind).insert(key.clone(), id);
        self.join(key, id, &object);
        id
    }

    /// Takes an object out.
    pub(super) fn remove(&mut self, key: &ObjectKey) {
        let Some(id) = self.index_mut(key.kind).remove(key) else { return };
        let Some(before) = self.places.0.get_mut(id.0).and_then(|place| place.object.take()) else { return };
        self.leave(key, id, &before);
        let uid = &before.metadata().uid;
        if !self.owns(uid) {
            self.groups.remove(uid);
        }
    }

    fn join(&mut self, key: &ObjectKey, id: Id, object: &Object) {
        if key.kind == Kind::Deployment {
            return;
        }
        let owner = owner_of(object);
        if self.group_of(owner).is_none() {
            self.groups.insert(owner.into(), Group::default());
        }
        if let Some(group) = self.group_of_mut(owner) {
            group.insert(key, id, object);
        }
    }

    fn leave(&mut self, key: &ObjectKey, id: Id, object: &Object) {
        if let Some(group) = self.group_of_mut(owner_of(object)) {
            group.remove(key, id, object);
        }
    }

    /// All objects, for a timeline's first frame.
    pub(super) fn state(&self) -> State {
        let mut state = State::default();
        for (key, id) in self.controllers.iter().chain(&self.pods) {
            state.put(key, self.at(*id).cloned());
        }
        state
    }
}

fn owner_of(object: &Object) -> &str {
    object.metadata().controller().map_or(NOBODY, |owner| &owner.uid)
}

fn is_same_owner(one: &Object, other: &Object) -> bool {
    match (one.metadata().controller(), other.metadata().controller()) {
        (None, None) => true,
        (Some(one), Some(other)) => one.uid == other.uid,
        _ => false,
    }
}

const fn as_replica_set(object: &Object) -> Option<&Rc<ReplicaSet>> {
    match object {
        Object::ReplicaSet(object) => Some(object),
        _ => None,
    }
}

pub(super) const fn as_pod(object: &Object) -> Option<&Rc<Pod>> {
    match object {
        Object::Pod(pod) => Some(pod),
        _ => None,
    }
}
