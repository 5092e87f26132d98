//! What a sync of a controller saw when it began.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::seen_pods::{PodSource, SeenPods};
use super::step::Actor;
use super::store::Store;
use super::work_queue::SyncRecord;
use crate::controller::{Client, Error, deployment, replica_set};
use crate::json::LiteMap;
use crate::object::{Deployment, Kind, Object, ObjectKey, ReplicaSet};

/// After how many nanoseconds the controller asks to sync the object again, if it does.
pub(super) type SyncResult = Result<Option<i64>, Error>;

/// The object of a sync, with the objects around it.
pub(super) trait Seen {
    /// Whose sync it is.
    fn actor(&self) -> Actor;

    /// The controllers' objects among what is seen.
    fn objects(&self) -> Vec<Object>;

    /// Runs the controller.
    fn sync(&self, client: &mut dyn Client) -> SyncResult;

    /// Whether a sync that has failed is tried again immediately.
    fn has_to_try_again(&self, _: &Store) -> bool {
        false
    }

    /// Keeps what the sync leaves for the next one.
    fn remember(&self, _: &mut SyncRecord) {}
}

/// What a Deployment's sync has seen.
struct SeenDeployment<P> {
    object: Rc<Deployment>,
    replica_sets: Vec<Rc<ReplicaSet>>,
    pods: P,
    /// Pods that have not ended, by the uid of their ReplicaSet.
    running: RefCell<LiteMap<Rc<str>, i32>>,
}

/// What a ReplicaSet's sync has seen.
struct SeenReplicaSet<P> {
    object: Rc<ReplicaSet>,
    pods: SeenPods<P>,
}

/// What a sync of a Deployment or ReplicaSet sees that begins now; none if it is gone. The Deployment controller sees
/// Deployments and ReplicaSets as its cache shows them.
pub(super) fn see(
    store: &RefCell<Store>,
    cache: &RefCell<Store>,
    pods: impl PodSource + 'static,
    key: &ObjectKey,
) -> Option<Box<dyn Seen>> {
    match key.kind {
        Kind::Deployment => {
            let cache = cache.borrow();
            let object = cache.deployment(key)?.clone();
            let replica_sets = cache.replica_sets_for(&object);
            Some(Box::new(SeenDeployment { object, replica_sets, pods, running: RefCell::default() }))
        }
        _ => {
            let object = store.borrow().replica_set(key)?.clone();
            Some(Box::new(SeenReplicaSet { object, pods: SeenPods::new(pods) }))
        }
    }
}

impl<P: PodSource> Seen for SeenReplicaSet<P> {
    fn actor(&self) -> Actor {
        Actor::ReplicaSetController
    }

    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::ReplicaSet(self.object.clone())])
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        replica_set::sync_replica_set(client, &replica_set::View { replica_set: &self.object, pods: &self.pods })
    }

    /// A status that tells the error queues the ReplicaSet.
    fn has_to_try_again(&self, store: &Store) -> bool {
        store.replica_set(&self.object.key()).is_none_or(|now| !Rc::ptr_eq(now, &self.object))
    }
}

impl<P: PodSource> Seen for SeenDeployment<P> {
    fn actor(&self) -> Actor {
        Actor::DeploymentController
    }

    fn objects(&self) -> Vec<Object> {
        let replica_sets = self.replica_sets.iter().cloned().map(Object::ReplicaSet);
        replica_sets.chain([Object::Deployment(self.object.clone())]).collect()
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let running = |replica_set: &ReplicaSet| self.running(replica_set);
        let view = deployment::View { deployment: &self.object, replica_sets: &self.replica_sets, running: &running };
        deployment::sync_deployment(client, &view)
    }
}

impl<P: PodSource> SeenDeployment<P> {
    /// The pods of a ReplicaSet that have not ended, as they were when the sync first counted them.
    fn running(&self, replica_set: &ReplicaSet) -> i32 {
        let uid = &replica_set.metadata.uid;
        let counted = self.running.borrow().get(uid).copied();
        counted.unwrap_or_else(|| {
            let count = self.pods.not_ended(replica_set);
            self.running.borrow_mut().insert(uid.clone(), count);
            count
        })
    }
}
