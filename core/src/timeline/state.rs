use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::cluster::{Id, Index};
use crate::object::{Object, ObjectKey, Pod};
use crate::workload::deployment::Deployment;
use crate::workload::job::Job;
use crate::workload::replica_set::ReplicaSet;

/// All objects at one frame, by namespace and name.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Every key that was ever put in: one that is gone keeps its slot, since a cursor goes back and forth.
    index: Index,
    objects: Vec<Option<Object>>,
}

impl FromIterator<Object> for State {
    fn from_iter<T: IntoIterator<Item = Object>>(objects: T) -> Self {
        let mut state = Self::default();
        for object in objects {
            state.put(&object.key(), Some(object));
        }
        state
    }
}

impl State {
    /// Puts an object in, or takes it out.
    pub fn put(&mut self, key: &ObjectKey, object: Option<Object>) {
        if let Some(slot) = self.index.get(key).and_then(|id| self.objects.get_mut(id.0)) {
            *slot = object;
            return;
        }
        if object.is_some() {
            self.index.insert(key.clone(), Id(self.objects.len()));
            self.objects.push(object);
        }
    }

    /// The object of that key.
    pub fn get(&self, key: &ObjectKey) -> Option<&Object> {
        self.at(*self.index.get(key)?)
    }

    /// All objects, in the order of their kinds, each kind by namespace and name.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.index.values().filter_map(|id| self.at(*id))
    }

    fn at(&self, id: Id) -> Option<&Object> {
        self.objects.get(id.0)?.as_ref()
    }

    /// The Deployments.
    pub fn deployments(&self) -> impl Iterator<Item = &Rc<Deployment>> {
        self.objects().filter_map(Object::typed)
    }

    /// The Jobs.
    pub fn jobs(&self) -> impl Iterator<Item = &Rc<Job>> {
        self.objects().filter_map(Object::typed)
    }

    /// The ReplicaSets.
    pub fn replica_sets(&self) -> impl Iterator<Item = &Rc<ReplicaSet>> {
        self.objects().filter_map(Object::typed)
    }

    /// The Pods.
    pub fn pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.objects().filter_map(Object::typed)
    }

    /// The ReplicaSets whose controller is this Deployment, oldest revision first.
    pub fn replica_sets_of<'a>(&'a self, deployment: &'a Deployment) -> Vec<&'a Rc<ReplicaSet>> {
        let mut owned: Vec<_> = self
            .replica_sets()
            .filter(|replica_set| replica_set.metadata.is_controlled_by(&deployment.metadata))
            .collect();
        let age = |replica_set: &Rc<ReplicaSet>| {
            let revision = replica_set.metadata.annotation(crate::workload::deployment::controller::REVISION);
            (revision.and_then(|text| text.parse::<i64>().ok()), replica_set.metadata.creation_timestamp)
        };
        owned.sort_by_key(|replica_set| age(replica_set));
        owned
    }

    /// The Pods whose controller is this ReplicaSet, by name.
    pub fn pods_of<'a>(&'a self, replica_set: &'a ReplicaSet) -> impl Iterator<Item = &'a Rc<Pod>> {
        self.pods().filter(|pod| pod.metadata.is_controlled_by(&replica_set.metadata))
    }
}
