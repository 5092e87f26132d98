use alloc::collections::BTreeMap;
use alloc::rc::Rc;

use crate::object::{Deployment, Object, ObjectKey, Pod, ReplicaSet};

/// All objects at one frame, by namespace and name.
#[derive(Clone, Debug, Default)]
pub struct State {
    objects: BTreeMap<ObjectKey, Object>,
}

impl State {
    /// Puts an object in, or takes it out.
    pub fn put(&mut self, key: &ObjectKey, object: Option<Object>) {
        match object {
            Some(object) => self.objects.insert(key.clone(), object),
            None => self.objects.remove(key),
        };
    }

    /// The object of that key.
    pub fn get(&self, key: &ObjectKey) -> Option<&Object> {
        self.objects.get(key)
    }

    /// All objects: Deployments, ReplicaSets, Pods, each by namespace and name.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.values()
    }

    /// The Deployments.
    pub fn deployments(&self) -> impl Iterator<Item = &Rc<Deployment>> {
        self.objects.values().filter_map(|object| match object {
            Object::Deployment(object) => Some(object),
            _ => None,
        })
    }

    /// The ReplicaSets.
    pub fn replica_sets(&self) -> impl Iterator<Item = &Rc<ReplicaSet>> {
        self.objects.values().filter_map(|object| match object {
            Object::ReplicaSet(object) => Some(object),
            _ => None,
        })
    }

    /// The Pods.
    pub fn pods(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.objects.values().filter_map(|object| match object {
            Object::Pod(object) => Some(object),
            _ => None,
        })
    }

    /// The ReplicaSets whose controller is this Deployment, oldest revision first.
    pub fn replica_sets_of<'a>(&'a self, deployment: &'a Deployment) -> alloc::vec::Vec<&'a Rc<ReplicaSet>> {
        let mut owned: alloc::vec::Vec<_> = self
            .replica_sets()
            .filter(|replica_set| replica_set.metadata.is_controlled_by(&deployment.metadata))
            .collect();
        let age = |replica_set: &Rc<ReplicaSet>| {
            let revision = replica_set.metadata.annotation(crate::controller::deployment::REVISION);
            (revision.and_then(|text| text.parse::<i64>().ok()), replica_set.metadata.creation_timestamp)
        };
        crate::sort::sort_by(&mut owned, &|first, second| age(first).cmp(&age(second)));
        owned
    }

    /// The Pods whose controller is this ReplicaSet, by name.
    pub fn pods_of<'a>(&'a self, replica_set: &'a ReplicaSet) -> impl Iterator<Item = &'a Rc<Pod>> {
        self.pods().filter(|pod| pod.metadata.is_controlled_by(&replica_set.metadata))
    }
}
