//! The controller manager: each controller syncs the objects that changed, in rounds, until none of them writes.

use alloc::rc::Rc;
use core::cell::RefCell;

use super::api_server::Session;
use super::event_queue::SimEvent;
use super::seen_pods::{SeenPods, StoredPods};
use super::state::Cluster;
use super::step::Actor;
use super::sync_log::SyncLog;
use super::waiting_sync::{Seen, SeenDeployment, SeenReplicaSet, WaitingSync};
use super::work_queue::back_off;
use crate::controller::{Error, deployment, replica_set};
use crate::object::{Kind, Object, ObjectKey, ReplicaSet, Time};

/// After how many nanoseconds the controller asks to sync the object again, if it does.
type SyncResult = Result<Option<i64>, Error>;

/// Upstream: `pkg/controller/deployment/deployment_controller.go maxRetries`
const DEPLOYMENT_RETRIES: u32 = 15;

/// How many objects of a kind are synced at the same time.
///
/// Upstream: `--concurrent-deployment-syncs` and `--concurrent-replicaset-syncs`
const CONCURRENT_SYNCS: usize = 5;

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
    fn run_round(&mut self, kind: Kind, sync: fn(&mut Self, &ObjectKey) -> Option<SyncResult>) {
        let mut keys = self.work_queue.take(kind);
        keys.sort_by(|a, b| (self.created_at(a), a).cmp(&(self.created_at(b), b)));
        for key in keys {
            // An earlier sync of this round may have queued it again: it is synced now, as it is now.
            self.work_queue.remove(&key);
            if self.recorder.is_stopped() {
                return;
            }
            if self.work_queue.busy(kind) >= CONCURRENT_SYNCS {
                self.work_queue.hold(key);
                continue;
            }
            if let Some(result) = sync(self, &key) {
                self.after_sync(&key, result);
            }
        }
    }

    fn created_at(&self, key: &ObjectKey) -> Option<Time> {
        self.store.borrow().get(key).and_then(|object| object.metadata().creation_timestamp)
    }

    fn sync_deployment(&mut self, key: &ObjectKey) -> Option<SyncResult> {
        let (object, replica_sets) = {
            let store = self.store.borrow();
            let Some(object) = store.deployment(key).cloned() else { return Some(Ok(None)) };
            let replica_sets = store.replica_sets_for(&object);
            (object, replica_sets)
        };
        let seen = replica_sets.iter().cloned().map(Object::ReplicaSet).chain([Object::Deployment(object.clone())]);
        let log = self.throttling.is_some().then(|| SyncLog::new(self.now, seen));
        self.run_deployment_sync(key, SeenDeployment { object, replica_sets, running: RefCell::default() }, log)
    }

    fn run_deployment_sync(
        &mut self,
        key: &ObjectKey,
        seen: SeenDeployment,
        mut log: Option<SyncLog>,
    ) -> Option<SyncResult> {
        let store = self.store.clone();
        let running = |replica_set: &ReplicaSet| {
            let uid = &replica_set.metadata.uid;
            *seen.running.borrow_mut().entry(uid.clone()).or_insert_with(|| {
                let store = store.borrow();
                let count = store.pods_owned_by(uid).filter(|pod| !pod.is_terminal()).count();
                i32::try_from(count).unwrap_or(i32::MAX)
            })
        };
        let view =
            deployment::View { deployment: &seen.object, replica_sets: seen.replica_sets.clone(), running: &running };
        let mut client =
            Session { cluster: self, actor: Actor::DeploymentController, about: key.clone(), log: log.as_mut() };
        let result = deployment::sync_deployment(&mut client, &view);
        if let Some(log) = log.filter(|log| log.waits_until().is_some()) {
            self.wait_for_token(key, Seen::Deployment(seen), log);
            return None;
        }
        Some(result)
    }

    fn sync_replica_set(&mut self, key: &ObjectKey) -> Option<SyncResult> {
        let Some(object) = self.store.borrow().replica_set(key).cloned() else { return Some(Ok(None)) };
        let seen = [Object::ReplicaSet(object.clone())].into_iter();
        let log = self.throttling.is_some().then(|| SyncLog::new(self.now, seen));
        let pods = SeenPods::new(StoredPods(self.store.clone()));
        self.run_replica_set_sync(key, SeenReplicaSet { object, pods }, log)
    }

    fn run_replica_set_sync(
        &mut self,
        key: &ObjectKey,
        seen: SeenReplicaSet,
        mut log: Option<SyncLog>,
    ) -> Option<SyncResult> {
        let SeenReplicaSet { object, pods } = &seen;
        let view = replica_set::View { replica_set: object, pods };
        let mut client =
            Session { cluster: self, actor: Actor::ReplicaSetController, about: key.clone(), log: log.as_mut() };
        let result = replica_set::sync_replica_set(&mut client, &view);
        if let Some(log) = log.filter(|log| log.waits_until().is_some()) {
            self.wait_for_token(key, Seen::ReplicaSet(seen), log);
            return None;
        }
        // A status with the error queues the ReplicaSet: its controller tries again immediately.
        if result.is_err() && self.store.borrow().replica_set(key).is_none_or(|now| !Rc::ptr_eq(now, object)) {
            self.work_queue.add(key.clone());
        }
        Some(result)
    }

    /// A sync has a request that may be sent later. Until then its object is not synced by anyone else.
    fn wait_for_token(&mut self, key: &ObjectKey, seen: Seen, log: SyncLog) {
        if let Some(until) = log.waits_until() {
            self.events.push(until, SimEvent::ResumeSync(key.clone()));
            self.work_queue.set_busy(key);
            self.waiting_syncs.push(WaitingSync { key: key.clone(), seen, log });
        }
    }

    /// The request of a sync that waits may be sent.
    pub(super) fn resume_sync(&mut self, key: &ObjectKey) {
        let now = self.now;
        // The controllers may have been restarted, and the sync begun again, since then.
        let is_due = |sync: &WaitingSync| sync.key == *key && sync.log.waits_until().is_some_and(|until| until <= now);
        let Some(index) = self.waiting_syncs.iter().position(is_due) else { return };
        let WaitingSync { key, seen, mut log } = self.waiting_syncs.remove(index);
        log.restart();
        self.work_queue.set_idle(&key);
        let result = match seen {
            Seen::Deployment(seen) => self.run_deployment_sync(&key, seen, Some(log)),
            Seen::ReplicaSet(seen) => self.run_replica_set_sync(&key, seen, Some(log)),
        };
        if let Some(result) = result {
            self.after_sync(&key, result);
        }
    }

    /// A controller has recorded an event about its object, and will send it.
    pub(super) fn queue_event_request(&mut self, about: &ObjectKey) {
        let sent = self.throttling.as_mut().and_then(|throttling| throttling.queue_event(about, self.now));
        self.plan_event_sent(about.kind, sent);
    }

    /// A kind's controller has sent an event.
    pub(super) fn send_next_event(&mut self, kind: Kind) {
        let sent = self.throttling.as_mut().and_then(|throttling| throttling.next_event(kind, self.now));
        self.plan_event_sent(kind, sent);
    }

    fn plan_event_sent(&mut self, kind: Kind, sent: Option<Time>) {
        if let Some(time) = sent {
            self.events.push(time, SimEvent::EventSent(kind));
        }
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
