//! The controller manager: each controller syncs the objects that changed, in rounds, until none of them writes.

use alloc::vec::IntoIter;
use core::iter::Peekable;

use super::event_queue::SimEvent;
use super::seen_objects::{Seen, SyncResult};
use super::state::Cluster;
use super::work_queue::{back_off, gives_up};
use crate::object::{Kind, ObjectKey, Time};

/// After this time, a deadline that was less than a second away has certainly passed: stored times are whole seconds.
const PATIENCE: i64 = 2 * Time::SECOND;

impl Cluster {
    /// Lets the controllers run at this instant until nothing changes any more.
    pub(super) fn run_controllers(&mut self) {
        loop {
            self.run_round(Kind::Deployment);
            self.run_round(Kind::ReplicaSet);
            self.run_round(Kind::CronJob);
            self.run_round(Kind::Job);
            self.run_round(Kind::Pod);
            self.environment.after_round(self);
            if self.work_queue.is_empty() || self.recorder.is_stopped() {
                return;
            }
        }
    }

    /// Each object of a kind that changed is synced once, in the order of creation, as long as a worker is free.
    fn run_round(&mut self, kind: Kind) {
        if !self.work_queue.has_work(kind) {
            return;
        }
        let mut keys = self.work_queue.take(kind);
        keys.sort_by_cached_key(|key| (self.created_at(key), key.clone()));
        let mut keys = keys.into_iter().peekable();
        while !self.recorder.is_stopped() {
            if self.throttling.as_ref().is_some_and(|clients| clients.are_busy(self.work_queue.busy(kind))) {
                for key in keys {
                    self.work_queue.hold((self.created_at(&key), key));
                }
                return;
            }
            let Some(key) = self.next_key(kind, &mut keys) else { return };
            // An earlier sync of this round may have queued it again: it is synced now, as it is now.
            self.work_queue.remove(&key);
            self.sync(&key);
        }
    }

    /// Takes the first object of a round, or one that has waited for a worker and was created before.
    fn next_key(&mut self, kind: Kind, round: &mut Peekable<IntoIter<ObjectKey>>) -> Option<ObjectKey> {
        let Some(held) = self.work_queue.first_held(kind) else { return round.next() };
        let held = held.clone();
        let first = round.peek().map(|key| (self.created_at(key), key.clone()));
        match first {
            Some(first) if first <= held => {
                self.work_queue.release(&first);
                round.next()
            }
            _ => {
                self.work_queue.release(&held);
                Some(held.1)
            }
        }
    }

    pub(super) fn created_at(&self, key: &ObjectKey) -> Option<Time> {
        self.store.borrow().get(key).and_then(|object| object.metadata().creation_timestamp)
    }

    fn sync(&mut self, key: &ObjectKey) {
        match self.environment.see(self, key) {
            Some(seen) => self.environment.run_sync(self, key, seen),
            None => self.work_queue.forget(key),
        }
    }

    /// Runs a sync to its end.
    pub(super) fn run_sync(&mut self, key: &ObjectKey, seen: &dyn Seen) {
        let result = seen.sync(&mut self.session(key, seen));
        self.after_sync(key, seen, result);
    }

    /// Plans the next sync: where the controller asked for one, and after an error at the queue's pace.
    ///
    /// Upstream: `pkg/controller/deployment/deployment_controller.go handleErr`,
    /// `pkg/controller/replicaset/replica_set.go processNextWorkItem`,
    /// `pkg/controller/job/job_controller.go processNextWorkItem` and `processNextOrphanPod`,
    /// `pkg/controller/cronjob/cronjob_controllerv2.go processNextWorkItem`
    pub(super) fn after_sync(&mut self, key: &ObjectKey, seen: &dyn Seen, result: SyncResult) {
        if result.is_err() && seen.has_to_try_again(&self.store.borrow()) {
            self.work_queue.add(key.clone());
        }
        let now = self.now;
        let record = self.work_queue.record(key);
        seen.remember(record);
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
                back_off(key.kind, 0)
            }
            // Upstream adds a second to a Deployment's deadline, so that it has passed for certain.
            (Ok(Some(after)), Kind::Deployment) => after.saturating_add(Time::SECOND),
            (Ok(Some(after)), _) => after,
            (Err(_), kind) if gives_up(kind, failures) => return,
            (Err(_), _) => {
                record.failures = failures.saturating_add(1);
                back_off(key.kind, failures)
            }
        };
        self.enqueue_after(key, after);
    }

    /// Plans a sync for that many nanoseconds from now. A queue has an object once, with the earliest time that was
    /// requested.
    ///
    /// Upstream: `k8s.io/client-go/util/workqueue/delaying_queue.go insert`
    pub(super) fn enqueue_after(&mut self, key: &ObjectKey, nanoseconds: i64) {
        let time = self.now.plus(nanoseconds);
        let record = self.work_queue.record(key);
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
