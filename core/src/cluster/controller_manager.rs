//! The controller manager: each controller syncs the objects that changed, in rounds, until none of them writes.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::api_server::Session;
use super::event_queue::SimEvent;
use super::state::Cluster;
use super::step::Actor;
use super::store::Store;
use super::work_queue::back_off;
use crate::controller::replica_set::{PodCounts, Pods, get_indirectly_related_pods};
use crate::controller::{Error, deployment, replica_set};
use crate::object::{Kind, LabelSelector, Object, ObjectKey, Pod, ReplicaSet, Time};

/// After how many nanoseconds the controller asks to sync the object again, if it does.
type SyncResult = Result<Option<i64>, Error>;

/// Upstream: `pkg/controller/deployment/deployment_controller.go maxRetries`
const DEPLOYMENT_RETRIES: u32 = 15;

/// After this time, a deadline that was less than a second away has certainly passed: stored times are whole seconds.
const PATIENCE: i64 = 2 * Time::SECOND;

impl Cluster {
    /// Lets the controllers run at this instant until nothing changes any more.
    pub(super) fn run_controllers(&mut self) {
        while !self.work_queue.is_empty() && !self.recorder.is_stopped() {
            self.run_round(Kind::Deployment, Self::sync_deployment);
            self.run_round(Kind::ReplicaSet, Self::sync_replica_set);
            self.finish_foreground_deletions();
        }
    }

    /// Each object of a kind that changed is synced once, in the order of creation.
    fn run_round(&mut self, kind: Kind, sync: fn(&mut Self, &ObjectKey) -> SyncResult) {
        let mut keys = self.work_queue.take(kind);
        keys.sort_by(|a, b| (self.created_at(a), a).cmp(&(self.created_at(b), b)));
        for key in keys {
            // An earlier sync of this round may have queued it again: it is synced now, as it is now.
            self.work_queue.remove(&key);
            if self.recorder.is_stopped() {
                return;
            }
            let result = sync(self, &key);
            self.after_sync(&key, result);
        }
    }

    fn created_at(&self, key: &ObjectKey) -> Option<Time> {
        self.store.borrow().get(key).and_then(|object| object.metadata().creation_timestamp)
    }

    fn sync_deployment(&mut self, key: &ObjectKey) -> SyncResult {
        let store = self.store.clone();
        let (object, replica_sets) = {
            let store = store.borrow();
            let Some(object) = store.deployment(key).cloned() else { return Ok(None) };
            let replica_sets = store.replica_sets_for(&object);
            (object, replica_sets)
        };
        let running = |replica_set: &ReplicaSet| {
            let store = store.borrow();
            let count = store.pods_owned_by(&replica_set.metadata.uid).filter(|pod| !pod.is_terminal()).count();
            i32::try_from(count).unwrap_or(i32::MAX)
        };
        let view = deployment::View { deployment: &object, replica_sets, running: &running };
        let mut client = Session { cluster: self, actor: Actor::DeploymentController, about: key.clone() };
        deployment::sync_deployment(&mut client, &view)
    }

    fn sync_replica_set(&mut self, key: &ObjectKey) -> SyncResult {
        let store = self.store.clone();
        let Some(object) = store.borrow().replica_set(key).cloned() else { return Ok(None) };
        let view = replica_set::View { replica_set: &object, pods: &StoredPods(store.clone()) };
        let mut client = Session { cluster: self, actor: Actor::ReplicaSetController, about: key.clone() };
        let result = replica_set::sync_replica_set(&mut client, &view);
        // A status with the error queues the ReplicaSet: its controller tries again immediately.
        if result.is_err() && store.borrow().replica_set(key).is_none_or(|now| !Rc::ptr_eq(now, &object)) {
            self.work_queue.add(key.clone());
        }
        result
    }

    /// Plans the next sync: where the controller asked for one, and after an error at the queue's pace.
    ///
    /// Upstream: `k8s.io/client-go/util/workqueue/delaying_queue.go insert`
    fn after_sync(&mut self, key: &ObjectKey, result: SyncResult) {
        let now = self.now;
        let record = self.work_queue.record(key);
        let failures = record.failures;
        record.failures = 0;
        let busy_since = record.busy_since.take();
        let after = match (result, key.kind) {
            (Ok(None), _) => return,
            // A Deployment asks for another sync immediately when its deadline is less than a second away, or past. One that
            // was complete before is never stuck, and upstream would ask forever.
            (Ok(Some(0)), _) if busy_since.is_some_and(|since| now.since(since) > PATIENCE) => return,
            (Ok(Some(0)), _) => {
                record.busy_since = Some(busy_since.unwrap_or(now));
                back_off(0)
            }
            // Upstream adds a second to a Deployment's deadline, so that it has passed for certain.
            (Ok(Some(after)), Kind::Deployment) => after.saturating_add(Time::SECOND),
            (Ok(Some(after)), _) => after,
            (Err(_), Kind::Deployment) if failures >= DEPLOYMENT_RETRIES => return,
            (Err(_), _) => {
                record.failures = failures.saturating_add(1);
                back_off(failures)
            }
        };
        // A queue has an object once, with the earliest time that was requested.
        let time = now.plus(after);
        if record.planned.is_some_and(|planned| planned <= time) {
            return;
        }
        record.planned = Some(time);
        self.events.push(time, SimEvent::Sync(key.clone()));
    }

    /// The time has come for which a sync was planned, unless another one was planned for an earlier time.
    pub(super) fn enqueue_planned(&mut self, key: ObjectKey) {
        let now = self.now;
        if self.work_queue.record(&key).planned.take_if(|planned| *planned <= now).is_some() {
            self.work_queue.add(key);
        }
    }
}

/// The pods as a ReplicaSet's sync sees them, from the store's indexes.
struct StoredPods(Rc<RefCell<Store>>);

impl Pods for StoredPods {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let mut store = self.0.borrow_mut();
        let group = store.group(&replica_set.metadata.uid);
        group.map_or_else(PodCounts::default, |(group, slots)| group.counts(slots, replica_set, now))
    }

    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let mut store = self.0.borrow_mut();
        let (uid, namespace) = (&replica_set.metadata.uid, &replica_set.metadata.namespace);
        let has_unmatched = store.group(uid).is_some_and(|(group, slots)| group.has_unmatched(slots, replica_set));
        if !has_unmatched && !store.has_orphans() {
            return Vec::new();
        }
        let Ok(selector) = LabelSelector::to_selector(replica_set.spec.selector.as_deref()) else {
            return Vec::new();
        };
        let owned = has_unmatched.then(|| store.pods_owned_by(uid)).into_iter().flatten();
        owned
            .filter(|pod| !selector.matches(&pod.metadata.labels))
            .chain(store.orphan_pods().filter(|pod| pod.metadata.namespace == *namespace))
            .filter(|pod| pod.is_active())
            .cloned()
            .collect()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let Ok(selector) = LabelSelector::to_selector(replica_set.spec.selector.as_deref()) else {
            return Vec::new();
        };
        let store = self.0.borrow();
        store
            .pods_owned_by(&replica_set.metadata.uid)
            .filter(|pod| pod.is_active() && selector.matches(&pod.metadata.labels))
            .cloned()
            .collect()
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        let mut store = self.0.borrow_mut();
        let (group, slots) = store.group(&replica_set.metadata.uid)?;
        group.first_alike(slots, replica_set, count)
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let store = self.0.borrow();
        let namespace = &replica_set.metadata.namespace;
        let replica_sets = store.of_kind(Kind::ReplicaSet, namespace).filter_map(|object| match object {
            Object::ReplicaSet(replica_set) => Some(replica_set),
            _ => None,
        });
        let pods = store.of_kind(Kind::Pod, namespace).filter_map(|object| match object {
            Object::Pod(pod) => Some(pod),
            _ => None,
        });
        get_indirectly_related_pods(replica_set, replica_sets, pods)
    }
}
