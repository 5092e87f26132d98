//! The objects of the simulated cluster, as in etcd and the informers' indexes.

mod availability_queue;
mod index;
mod object_slots;
mod pod_counts;
#[cfg(feature = "sets")]
mod pod_list;
mod ranked_pods;

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

pub(crate) use availability_queue::AvailabilityQueue;
pub use index::{Id, Index};
pub(crate) use object_slots::{ObjectSlots, PodRuntime};
use pod_counts::OwnedObjects;
use ranked_pods::PodsByLabels;

use crate::controller::rank::Choice;
use crate::feature_gates::FeatureGates;
#[cfg(feature = "sets")]
use crate::object::ObjectMeta;
use crate::object::{ControllerRevision, Kind, LabelSelector, Object, ObjectKey, Pod, Time, Typed};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::sort_replica_sets;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::stateful_set::STATEFUL_SET_REVISION_LABEL;

/// The owner's uid of objects without an owner.
const NO_OWNER: &str = "";

/// All objects, with indexes so that a sync walks only over its own.
#[derive(Debug, Default)]
pub(crate) struct Store {
    slots: ObjectSlots,
    /// Workloads, apart from the many pods: they are looked for with almost every write.
    controllers: Index,
    pods: Index,
    /// Objects by the uid of their controller.
    groups: BTreeMap<Rc<str>, OwnedObjects>,
    /// ReplicaSets and Pods without one, which can be adopted.
    orphans: OwnedObjects,
    /// All active pods, once there was a choice between pods that are not alike.
    by_labels: Option<PodsByLabels>,
    /// Whether choices come without their ranking: each takes the memory of hundreds of pods, and time.
    pub(crate) omits_rankings: bool,
}

impl Store {
    pub(crate) fn find(&self, key: &ObjectKey) -> Option<Id> {
        self.index(key.kind).get(key).copied()
    }

    const fn index(&self, kind: Kind) -> &Index {
        if matches!(kind, Kind::Pod) { &self.pods } else { &self.controllers }
    }

    const fn index_mut(&mut self, kind: Kind) -> &mut Index {
        if matches!(kind, Kind::Pod) { &mut self.pods } else { &mut self.controllers }
    }

    pub(crate) fn at(&self, id: Id) -> Option<&Object> {
        self.slots.get(id)
    }

    /// The key of an object, which its steps share.
    pub(crate) fn key(&self, id: Id) -> Option<&Rc<ObjectKey>> {
        self.slots.key(id)
    }

    /// The same, by the key itself: a new one for what is not in the store.
    pub(crate) fn shared_key(&self, key: &ObjectKey) -> Rc<ObjectKey> {
        self.find(key).and_then(|id| self.key(id)).map_or_else(|| Rc::new(key.clone()), Rc::clone)
    }

    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Object> {
        self.at(self.find(key)?)
    }

    /// The object of that key, which is of this kind.
    pub(crate) fn typed<T: Typed>(&self, key: &ObjectKey) -> Option<&Rc<T>> {
        self.get(key)?.typed()
    }

    /// The pod's controller, if it is of this kind.
    ///
    /// Upstream: `pkg/controller/replicaset/replica_set.go resolveControllerRef`
    pub(crate) fn controller_of<T: Typed>(&self, pod: &Pod) -> Option<&Rc<T>> {
        let owner = pod.metadata.controller().filter(|owner| *owner.kind == *T::KIND.name())?;
        let object = self.get(&pod.metadata.controller_key(T::KIND)?)?;
        object.typed().filter(|_| object.metadata().uid == owner.uid)
    }

    /// The revision of a StatefulSet's or a DaemonSet's pod.
    pub(crate) fn revision_of(&self, pod: &Pod) -> Option<&Rc<ControllerRevision>> {
        let label = pod.metadata.labels.get(STATEFUL_SET_REVISION_LABEL)?;
        // The pods of a DaemonSet have only the hash.
        let set = pod.metadata.controller().filter(|owner| *owner.kind == *Kind::DaemonSet.name());
        let name = set.map_or_else(|| label.clone(), |set| [&*set.name, "-", label].concat());
        self.typed(&ObjectKey::new(Kind::ControllerRevision, pod.metadata.namespace.clone(), name))
    }

    pub(crate) fn pod(&self, id: Id) -> Option<&Rc<Pod>> {
        self.slots.pod(id)
    }

    /// The runtime state of a pod, also of one that was just removed.
    pub(crate) fn pod_runtime(&mut self, id: Id) -> Option<&mut PodRuntime> {
        self.slots.pod_runtime(id)
    }

    /// Whether there are more pods than `limit`.
    pub(crate) fn has_more_pods_than(&self, limit: u32) -> bool {
        u32::try_from(self.pods.len()).map_or(true, |count| count > limit)
    }

    /// The objects of this kind in a namespace, by name.
    pub(crate) fn all_in<'a, T: Typed + 'a>(&'a self, namespace: &'a Rc<str>) -> impl Iterator<Item = &'a Rc<T>> {
        self.of_kind(T::KIND, namespace).filter_map(Object::typed)
    }

    /// The objects of a kind in a namespace, by name.
    pub(crate) fn of_kind<'a>(&'a self, kind: Kind, namespace: &'a Rc<str>) -> impl Iterator<Item = &'a Object> {
        let first = ObjectKey::new(kind, namespace.clone(), "");
        self.index(kind)
            .range(first..)
            .take_while(move |(key, _)| key.kind == kind && key.namespace == *namespace)
            .filter_map(|(_, id)| self.at(*id))
    }

    /// All objects of a kind, by namespace and name.
    pub(crate) fn all_of(&self, kind: Kind) -> impl Iterator<Item = &Object> {
        self.index(kind)
            .range(ObjectKey::new(kind, "", "")..)
            .take_while(move |(key, _)| key.kind == kind)
            .filter_map(|(_, id)| self.at(*id))
    }

    /// The ReplicaSets that a Deployment owns or could adopt, by name.
    pub(crate) fn replica_sets_for(&self, deployment: &Deployment) -> Vec<Rc<ReplicaSet>> {
        let metadata = &deployment.metadata;
        let mut replica_sets = Vec::new();
        for owner in [&*metadata.uid, NO_OWNER] {
            let owned = self.group_of(owner).into_iter().flat_map(OwnedObjects::controllers);
            let owned = owned.filter_map(|id| self.at(id)?.typed::<ReplicaSet>());
            replica_sets.extend(owned.filter(|owned| owned.metadata.namespace == metadata.namespace).cloned());
        }
        sort_replica_sets(&mut replica_sets, |a, b| a.metadata.name.cmp(&b.metadata.name));
        replica_sets
    }

    /// The objects whose controller has this uid, Jobs and ReplicaSets before Pods, by name.
    pub(crate) fn owned_by(&self, uid: &str) -> Vec<Object> {
        let all = self.group_of(uid).into_iter().flat_map(OwnedObjects::all_members);
        all.filter_map(|id| self.at(id)).cloned().collect()
    }

    /// Whether there are objects that stop a controller of this uid from going when it is deleted in the foreground.
    ///
    /// Upstream: `pkg/controller/garbagecollector/graph.go node.blockingDependents`
    pub(crate) fn has_blocking_dependents(&self, uid: &str) -> bool {
        let mut owned = self.group_of(uid).into_iter().flat_map(OwnedObjects::all_members);
        owned.any(|id| self.at(id).is_some_and(blocks_owner_deletion))
    }

    /// Whether a controller of this uid owns anything.
    pub(crate) fn owns(&self, uid: &str) -> bool {
        self.group_of(uid).is_some_and(|group| !group.is_empty())
    }

    fn group_of(&self, uid: &str) -> Option<&OwnedObjects> {
        if uid.is_empty() { Some(&self.orphans) } else { self.groups.get(uid) }
    }

    fn group_of_mut(&mut self, uid: &str) -> Option<&mut OwnedObjects> {
        if uid.is_empty() { Some(&mut self.orphans) } else { self.groups.get_mut(uid) }
    }

    fn members(&self, uid: &str) -> impl Iterator<Item = Id> {
        self.group_of(uid).into_iter().flat_map(OwnedObjects::members)
    }

    /// All pods, by namespace and name.
    pub(crate) fn pods(&self) -> impl Iterator<Item = (Id, &Rc<Pod>)> {
        self.pods.values().filter_map(|id| Some((*id, self.pod(*id)?)))
    }

    /// The pods whose controller has this uid, by name, without those that a Job has counted as succeeded.
    pub(crate) fn pods_owned_by(&self, uid: &str) -> impl Iterator<Item = &Rc<Pod>> {
        self.members(uid).filter_map(|id| self.pod(id))
    }

    /// The pods that a sync of a controller sees: those that it owns by name, then those of its namespace that have no controller, by
    /// name.
    #[cfg(feature = "sets")]
    pub(crate) fn pods_for(&self, controller: &ObjectMeta) -> Rc<Vec<Rc<Pod>>> {
        let owned = self.groups.get(&controller.uid).map(|group| group.pods(&self.slots)).unwrap_or_default();
        let mut orphans = self.orphan_pods().filter(|pod| pod.metadata.namespace == controller.namespace).peekable();
        if orphans.peek().is_none() {
            return owned;
        }
        Rc::new(owned.iter().chain(orphans).cloned().collect())
    }

    /// The objects whose controller has this uid, with the counts of its pods; and where the objects are.
    pub(crate) fn group(&mut self, uid: &str) -> Option<(&mut OwnedObjects, &ObjectSlots)> {
        Some((self.groups.get_mut(uid)?, &self.slots))
    }

    /// Which pods a ReplicaSet deletes: `diff` of its active pods whose labels match. None if no pod would stay.
    pub(crate) fn choose_pods_to_delete(
        &mut self,
        replica_set: &ReplicaSet,
        diff: usize,
        now: Time,
        gates: FeatureGates,
    ) -> Option<Choice> {
        let siblings = self.selectors_of_siblings(replica_set);
        let Self { slots, pods, groups, by_labels, omits_rankings, .. } = self;
        let ranked = groups.get_mut(&replica_set.metadata.uid)?.ranked(slots, replica_set)?;
        if ranked.len() <= diff {
            return None;
        }
        let all = by_labels.get_or_insert_with(|| PodsByLabels::of(pods.values().filter_map(|id| slots.pod(*id))));
        Some(ranked.choose(all, replica_set, siblings, diff, now, gates, !*omits_rankings))
    }

    /// The selectors of the ReplicaSets with the same controller; none for one without a controller.
    ///
    /// Upstream: `pkg/controller/replicaset/replica_set.go getReplicaSetsWithSameController`
    fn selectors_of_siblings(&self, replica_set: &ReplicaSet) -> Vec<Option<Rc<LabelSelector>>> {
        let Some(controller) = replica_set.metadata.controller() else { return Vec::new() };
        let owned = self.group_of(&controller.uid).into_iter().flat_map(OwnedObjects::controllers);
        let siblings = owned.filter_map(|id| self.at(id)?.typed::<ReplicaSet>()).filter(|sibling| {
            sibling.metadata.namespace == replica_set.metadata.namespace
                && sibling.metadata.controller().is_some_and(|owner| owner.uid == controller.uid)
        });
        siblings.map(|sibling| sibling.spec.selector.clone()).collect()
    }

    /// Whether there are objects without a controller.
    pub(crate) fn has_orphans(&self) -> bool {
        self.owns(NO_OWNER)
    }

    /// The pods without a controller, by namespace and name.
    pub(crate) fn orphan_pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.pods_owned_by(NO_OWNER)
    }

    /// Puts an object into the slot of the one before it, or into a slot of its own: which one.
    pub(crate) fn put(&mut self, slot: Option<Id>, key: &Rc<ObjectKey>, object: Object) -> Id {
        if let Some(id) = slot
            && let Some(there) = self.slots.object_mut(id)
            && let Some(before) = there.replace(object.clone())
        {
            if let Some(all) = &mut self.by_labels {
                all.change(pod_of(&before), pod_of(&object));
            }
            if is_same_owner(&before, &object) {
                if let Some(group) = self.group_of_mut(owner_of(&object)) {
                    group.change(key, id, &before, &object);
                }
            } else {
                self.leave(key, id, &before);
                self.join(key, id, &object);
            }
            return id;
        }
        if let Some(all) = &mut self.by_labels {
            all.change(None, pod_of(&object));
        }
        let id = self.slots.add(key.clone(), object.clone());
        self.index_mut(key.kind).insert((**key).clone(), id);
        self.join(key, id, &object);
        id
    }

    /// Takes an object out.
    pub(crate) fn remove(&mut self, key: &ObjectKey) {
        let Some(id) = self.index_mut(key.kind).remove(key) else { return };
        let Some(before) = self.slots.object_mut(id).and_then(Option::take) else { return };
        if let Some(all) = &mut self.by_labels {
            all.change(pod_of(&before), None);
        }
        self.leave(key, id, &before);
        let uid = &before.metadata().uid;
        if !self.owns(uid) {
            self.groups.remove(uid);
        }
    }

    fn join(&mut self, key: &ObjectKey, id: Id, object: &Object) {
        let owner = owner_of(object);
        if owner == NO_OWNER && !key.kind.facts().is_adopted {
            return;
        }
        if self.group_of(owner).is_none() {
            self.groups.insert(owner.into(), OwnedObjects::default());
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

    /// All objects, in the order of their kinds, each kind by namespace and name.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Object> {
        self.controllers.values().chain(self.pods.values()).filter_map(|id| self.at(*id))
    }
}

fn pod_of(object: &Object) -> Option<&Pod> {
    object.typed::<Pod>().map(|pod| &**pod)
}

fn owner_of(object: &Object) -> &str {
    object.metadata().controller().map_or(NO_OWNER, |owner| &owner.uid)
}

/// Whether the object's controller stays until the object is gone, when it is deleted in the foreground.
pub(crate) fn blocks_owner_deletion(object: &Object) -> bool {
    object.metadata().controller().is_some_and(|owner| owner.block_owner_deletion == Some(true))
}

fn is_same_owner(one: &Object, other: &Object) -> bool {
    match (one.metadata().controller(), other.metadata().controller()) {
        (None, None) => true,
        (Some(one), Some(other)) => one.uid == other.uid,
        _ => false,
    }
}
