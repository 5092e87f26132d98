//! The controller manager: each controller syncs the objects that changed, in rounds, until none of them writes.

use alloc::vec::IntoIter;
use core::iter::Peekable;
use core::mem;

use super::api_server::Session;
use super::controllers::{Controller, Queue, Seen, SyncResult};
use super::event_queue::SimEvent;
use super::state::Cluster;
use super::step::{Actor, Change};
use super::work_queue::WorkQueues;
use crate::object::{Duration, Kind, ObjectKey, Time};

/// After this time, a deadline that was less than a second away has certainly passed: stored times are whole seconds.
const PATIENCE: i64 = 2 * Time::SECOND;

impl Cluster {
    fn controllers(&self) -> impl Iterator<Item = &'static dyn Controller> + use<> {
        self.environment.workloads().iter().flat_map(|workload| workload.controllers()).copied()
    }

    /// The controllers start: they remember nothing, and their informers report every object.
    pub(super) fn restart_controllers(&mut self) {
        self.work_queues = WorkQueues::default();
        self.start_clients();
        for controller in self.controllers() {
            controller.started(&mut self.desk(controller));
        }
    }

    /// Tells the controllers of a change that they watch.
    pub(super) fn observe(&mut self, writer: Actor, change: &Change) {
        let kind = change.key.kind;
        for controller in self.controllers().filter(|controller| controller.watches().contains(&kind)) {
            controller.observe(&mut self.desk(controller), writer, change);
        }
    }

    /// The time has come for which a controller has planned to look at an object.
    pub(super) fn wake(&mut self, actor: Actor, key: &ObjectKey) {
        if let Some(controller) = self.controllers().find(|controller| controller.actor() == actor) {
            controller.wake(&mut self.desk(controller), key);
        }
    }

    /// The queue from which a controller takes objects of a kind; none for what is no controller with such a queue.
    pub(super) fn queue_of(&self, actor: Actor, kind: Kind) -> Option<&'static Queue> {
        let controller = self.controllers().find(|controller| controller.actor() == actor)?;
        controller.queues().iter().find(|queue| queue.kind == kind).copied()
    }

    /// Lets the controllers run at this instant until nothing changes any more.
    pub(super) fn run_controllers(&mut self) {
        loop {
            for queue in self.controllers().flat_map(|controller| controller.queues()) {
                if !self.has_to_wait(queue) {
                    self.run_round(queue);
                }
            }
            self.environment.after_round(self);
            let mut queues = self.controllers().flat_map(|controller| controller.queues());
            let has_work = queues.any(|queue| !self.has_to_wait(queue) && self.work_queues.has_keys(queue));
            if !has_work || self.recorder.is_stopped() {
                return;
            }
        }
    }

    /// Whether a queue waits for what else happens in this instant.
    fn has_to_wait(&self, queue: &Queue) -> bool {
        queue.controller.merges_instants() && self.events.next_time() == Some(self.now)
    }

    /// Each object of a queue is synced once, in the order of creation, as long as a worker is free.
    fn run_round(&mut self, queue: &'static Queue) {
        if !self.work_queues.of(queue).has_work() {
            return;
        }
        let mut keys = self.work_queues.of(queue).take();
        keys.sort_by_cached_key(|key| (self.created_at(key), key.clone()));
        let mut keys = keys.into_iter().peekable();
        while !self.recorder.is_stopped() {
            let busy = self.work_queues.of(queue).busy();
            if self.throttling.as_ref().is_some_and(|clients| clients.are_busy(queue, busy)) {
                for key in keys {
                    let created = self.created_at(&key);
                    self.work_queues.of(queue).hold((created, key));
                }
                return;
            }
            let Some(key) = self.next_key(queue, &mut keys) else { return };
            // An earlier sync of this round may have queued it again: it is synced now, as it is now.
            self.work_queues.of(queue).remove(&key);
            self.sync(queue, &key);
        }
    }

    /// Takes the first object of a round, or one that has waited for a worker and was created before.
    fn next_key(&mut self, queue: &Queue, round: &mut Peekable<IntoIter<ObjectKey>>) -> Option<ObjectKey> {
        let Some(held) = self.work_queues.of(queue).first_held().cloned() else { return round.next() };
        let first = round.peek().map(|key| (self.created_at(key), key.clone()));
        match first {
            Some(first) if first <= held => {
                self.work_queues.of(queue).release(&first);
                round.next()
            }
            _ => {
                self.work_queues.of(queue).release(&held);
                Some(held.1)
            }
        }
    }

    pub(super) fn created_at(&self, key: &ObjectKey) -> Option<Time> {
        self.store.borrow().get(key).and_then(|object| object.metadata().creation_timestamp)
    }

    fn sync(&mut self, queue: &'static Queue, key: &ObjectKey) {
        match queue.controller.see(&self.desk(queue.controller), key) {
            Some(seen) => self.environment.run_sync(self, queue, key, seen),
            None => self.work_queues.of(queue).forget(key),
        }
        // One instant may have thousands of syncs.
        self.scenario.pause.take();
    }

    /// A controller's client, for a sync of an object or for something else that it does about it.
    pub(super) fn session(&mut self, controller: &dyn Controller, about: &ObjectKey) -> Session<'_> {
        let about = self.store.borrow().shared_key(about);
        Session { cluster: self, actor: controller.actor(), about }
    }

    /// Runs a sync to its end.
    pub(super) fn run_sync(&mut self, queue: &'static Queue, key: &ObjectKey, seen: &dyn Seen) {
        let result = seen.sync(&mut self.session(queue.controller, key));
        self.after_sync(queue, key, seen, result);
    }

    /// Plans the next sync: where the controller asked for one, and after an error at the queue's pace.
    ///
    /// Upstream: `pkg/controller/deployment/deployment_controller.go handleErr`,
    /// `pkg/controller/replicaset/replica_set.go processNextWorkItem`,
    /// `pkg/controller/job/job_controller.go processNextWorkItem` and `processNextOrphanPod`,
    /// `pkg/controller/cronjob/cronjob_controllerv2.go processNextWorkItem`
    pub(super) fn after_sync(&mut self, queue: &'static Queue, key: &ObjectKey, seen: &dyn Seen, result: SyncResult) {
        let now = self.now;
        let work = self.work_queues.of(queue);
        if result.is_err() && seen.has_to_try_again(&self.store.borrow()) {
            work.add(key.clone());
        }
        let record = work.record(key);
        seen.remember(&mut record.memory);
        let failures = mem::take(&mut record.failures);
        let busy_since = record.busy_since.take();
        let after = match result {
            Ok(None) => return,
            // A Deployment asks for another sync immediately when its deadline is less than a second away, or past. One that
            // was complete before is never stuck, and upstream would ask forever.
            Ok(Some(Duration(0))) if busy_since.is_some_and(|since| now.since(since) > PATIENCE) => return,
            Ok(Some(Duration(0))) => {
                record.busy_since = Some(busy_since.unwrap_or(now));
                queue.retry.after(0)
            }
            Ok(Some(asked)) => queue.controller.pause(asked),
            Err(_) if queue.retry.gives_up(failures) => return,
            Err(_) => {
                record.failures = failures.saturating_add(1);
                queue.retry.after(failures)
            }
        };
        self.enqueue_after(queue, key, after);
    }

    /// Plans a sync after this time. A queue has an object once, with the earliest time that was
    /// requested.
    ///
    /// Upstream: `k8s.io/client-go/util/workqueue/delaying_queue.go insert`
    pub(super) fn enqueue_after(&mut self, queue: &'static Queue, key: &ObjectKey, after: Duration) {
        let time = self.now.plus(after.0);
        let record = self.work_queues.of(queue).record(key);
        if record.planned.is_some_and(|planned| planned <= time) {
            return;
        }
        record.planned = Some(time);
        self.events.push(time, SimEvent::Sync(queue, key.clone()));
    }

    /// The time has come for which a sync was planned, unless another one was planned for an earlier time.
    pub(super) fn enqueue_planned(&mut self, queue: &Queue, key: ObjectKey) {
        let now = self.now;
        let work = self.work_queues.of(queue);
        if work.record(&key).planned.take_if(|planned| *planned <= now).is_some() {
            work.add(key);
        }
    }
}
