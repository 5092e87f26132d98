//! What a sync of a controller saw when it began.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::seen_pods::{SeenPods, StoredPods};
use super::step::Actor;
use super::store::Store;
use super::work_queue::WorkQueue;
use crate::controller::{Client, Error, deployment, job, replica_set};
use crate::json::LiteMap;
use crate::object::{Deployment, Job, Kind, Object, ObjectKey, Pod, ReplicaSet};

/// After how many nanoseconds the controller asks to sync the object again, if it does.
pub(super) type SyncResult = Result<Option<i64>, Error>;

/// The object of a sync, with the objects around it.
pub(super) enum Seen {
    Deployment(SeenDeployment),
    ReplicaSet(SeenReplicaSet),
    Job(SeenJob),
    /// A pod that perhaps no Job will count any more.
    OrphanPod(SeenOrphanPod),
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

/// What a Job's sync has seen, and what the controller remembered of the Job.
pub(super) struct SeenJob {
    object: Rc<Job>,
    pods: Vec<Rc<Pod>>,
    before: job::Memory,
    /// What it remembers after the sync.
    after: RefCell<job::Memory>,
}

/// A pod that may be an orphan, and its Job.
pub(super) struct SeenOrphanPod {
    pod: Rc<Pod>,
    job: Option<Rc<Job>>,
}

impl Seen {
    /// What a sync of an object sees that begins now; none if the object is gone.
    pub(super) fn now(store: &Rc<RefCell<Store>>, queue: &mut WorkQueue, key: &ObjectKey) -> Option<Self> {
        let stored = store.borrow();
        match key.kind {
            Kind::Deployment => {
                let object = stored.deployment(key)?.clone();
                let replica_sets = stored.replica_sets_for(&object);
                let (store, running) = (store.clone(), RefCell::default());
                Some(Self::Deployment(SeenDeployment { object, replica_sets, store, running }))
            }
            Kind::Job => {
                let object = stored.job(key)?.clone();
                let owned = stored.uncounted_pods_of(&object.metadata.uid);
                let orphans = stored.orphan_pods().filter(|pod| pod.metadata.namespace == key.namespace);
                let pods = owned.chain(orphans).cloned().collect();
                let before = queue.record(key).memory.clone();
                Some(Self::Job(SeenJob { object, pods, before, after: RefCell::default() }))
            }
            Kind::Pod => {
                let pod = stored.pod(stored.find(key)?)?.clone();
                let job = stored.job_of(&pod).cloned();
                Some(Self::OrphanPod(SeenOrphanPod { pod, job }))
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
            Self::Job(_) | Self::OrphanPod(_) => Actor::JobController,
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
            Self::Job(SeenJob { object, .. }) => Vec::from([Object::Job(object.clone())]),
            Self::OrphanPod(_) => Vec::new(),
        }
    }

    /// Runs the controller.
    pub(super) fn sync(&self, client: &mut dyn Client) -> SyncResult {
        match self {
            Self::Deployment(seen) => seen.sync(client),
            Self::ReplicaSet(SeenReplicaSet { object, pods }) => {
                replica_set::sync_replica_set(client, &replica_set::View { replica_set: object, pods })
            }
            Self::Job(seen) => seen.sync(client),
            Self::OrphanPod(SeenOrphanPod { pod, job }) => {
                job::handle_single_orphan_pod(client, pod, job.as_deref()).map(|()| None)
            }
        }
    }
}

impl SeenJob {
    /// A sync that has to wait runs more than once, each time with what the controller remembered when it began.
    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let mut memory = self.before.clone();
        let result = job::sync_job(client, &job::View { job: &self.object, pods: &self.pods }, &mut memory);
        self.after.replace(memory);
        result
    }

    /// What the controller remembers. It has seen all that it has done: its caches are as fresh as the store.
    pub(super) fn memory(&self) -> job::Memory {
        job::Memory { expectations: None, finalizers: BTreeSet::new(), ..self.after.borrow().clone() }
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
