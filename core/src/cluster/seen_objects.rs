//! What a sync of a controller saw when it began.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::seen_pods::{SeenPods, StoredPods};
use super::step::Actor;
use super::store::Store;
use crate::controller::{Client, Error, deployment, replica_set};
use crate::json::LiteMap;
use crate::object::{Deployment, Kind, Object, ObjectKey, ReplicaSet};

/// After how many nanoseconds the controller asks to sync the object again, if it does.
pub(super) type SyncResult = Result<Option<i64>, Error>;

/// The object of a sync, with the objects around it.
pub(super) enum Seen {
    Deployment(SeenDeployment),
    ReplicaSet(SeenReplicaSet),
}

/// What a Deployment's sync has seen.
pub(super) struct SeenDeployment {
    object: Rc<Deployment>,
    replica_sets: Vec<Rc<ReplicaSet>>,
    store: Rc<RefCell<Store>>,
    /// Pods that have not ended, by the uid of their ReplicaSet.
    running: RefCell<LiteMap<Rc<str>, i32>>,
}

/// What a ReplicaSet's sync has seen.
pub(super) struct SeenReplicaSet {
    pub(super) object: Rc<ReplicaSet>,
    pods: SeenPods,
}

impl Seen {
    /// What a sync of an object sees that begins now; none if the object is gone.
    pub(super) fn now(store: &Rc<RefCell<Store>>, key: &ObjectKey) -> Option<Self> {
        let stored = store.borrow();
        match key.kind {
            Kind::Deployment => {
                let object = stored.deployment(key)?.clone();
                let replica_sets = stored.replica_sets_for(&object);
                let (store, running) = (store.clone(), RefCell::default());
                Some(Self::Deployment(SeenDeployment { object, replica_sets, store, running }))
            }
            _ => {
                let object = stored.replica_set(key)?.clone();
                let pods = SeenPods::new(StoredPods(store.clone()));
                Some(Self::ReplicaSet(SeenReplicaSet { object, pods }))
            }
        }
    }

    /// Whose sync it is.
    pub(super) const fn actor(&self) -> Actor {
        match self {
            Self::Deployment(_) => Actor::DeploymentController,
            Self::ReplicaSet(_) => Actor::ReplicaSetController,
        }
    }

    /// The controllers' objects among what is seen.
    pub(super) fn objects(&self) -> Vec<Object> {
        match self {
            Self::Deployment(SeenDeployment { object, replica_sets, .. }) => {
                let replica_sets = replica_sets.iter().cloned().map(Object::ReplicaSet);
                replica_sets.chain([Object::Deployment(object.clone())]).collect()
            }
            Self::ReplicaSet(SeenReplicaSet { object, .. }) => Vec::from([Object::ReplicaSet(object.clone())]),
        }
    }

    /// Runs the controller.
    pub(super) fn sync(&self, client: &mut dyn Client) -> SyncResult {
        match self {
            Self::Deployment(seen) => seen.sync(client),
            Self::ReplicaSet(SeenReplicaSet { object, pods }) => {
                replica_set::sync_replica_set(client, &replica_set::View { replica_set: object, pods })
            }
        }
    }
}

impl SeenDeployment {
    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let running = |replica_set: &ReplicaSet| self.running(replica_set);
        let view =
            deployment::View { deployment: &self.object, replica_sets: self.replica_sets.clone(), running: &running };
        deployment::sync_deployment(client, &view)
    }

    /// The pods of a ReplicaSet that have not ended, as they were when the sync first counted them.
    fn running(&self, replica_set: &ReplicaSet) -> i32 {
        let uid = &replica_set.metadata.uid;
        let counted = self.running.borrow().get(uid).copied();
        counted.unwrap_or_else(|| {
            let store = self.store.borrow();
            let count = store.pods_owned_by(uid).filter(|pod| !pod.is_terminal()).count();
            let count = i32::try_from(count).unwrap_or(i32::MAX);
            self.running.borrow_mut().insert(uid.clone(), count);
            count
        })
    }
}
