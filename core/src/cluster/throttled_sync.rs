//! Syncs whose requests may have to wait, where the scenario limits the controllers' clients.

use alloc::boxed::Box;
use core::ops::Range;

use super::api_server::Session;
use super::client_throttling::{ClientThrottling, WaitingSync};
use super::controllers::{Queue, Seen};
use super::decision::ThrottlingDecision;
use super::event_queue::SimEvent;
use super::state::Cluster;
use super::step::Actor;
use super::sync_log::{SyncLog, WriteAnswer};
use crate::controller::{ApiError, Client, Decision, Event, Write};
use crate::feature_gates::FeatureGates;
use crate::object::{Kind, Object, ObjectKey, Time};
use crate::scenario::{ControllerManager, Duration};

/// The client of a controller for one of its syncs, with what that has done so far.
struct ThrottledSession<'a> {
    session: Session<'a>,
    log: &'a mut SyncLog,
    seen: &'a dyn Seen,
}

impl ThrottledSession<'_> {
    /// Whether the controller has seen the object as it is stored. It has, where it saw none.
    fn is_up_to_date(&mut self, key: &ObjectKey) -> bool {
        let Some(stored) = self.session.get(key) else { return true };
        match self.log.seen(key) {
            Some(seen) => seen.is_same_version(&stored),
            None => self.seen.find(key).is_none_or(|seen| seen.is_same_version(&stored)),
        }
    }

    /// Whether the next request may be sent now. If not, a step says so.
    fn may_send(&mut self) -> bool {
        let Session { cluster, actor, about } = &mut self.session;
        let now = cluster.now;
        let Some(throttling) = &mut cluster.throttling else { return true };
        let may_send = self.log.may_send(now, || throttling.reserve(*actor, now));
        let wait = |until: Time| until.since(now).saturating_sub(throttling.request_time());
        if let Some(wait) = self.log.waits_until().map(wait).filter(|wait| *wait > 0)
            && !core::mem::replace(&mut self.log.is_noted, true)
        {
            let ControllerManager { qps, burst, .. } = throttling.limit;
            let wait = Duration(wait);
            let decision = ThrottlingDecision { kind: about.kind, name: about.name.clone(), wait, qps, burst };
            cluster.report(*actor, about, decision);
        }
        may_send
    }
}

impl Client for ThrottledSession<'_> {
    fn now(&self) -> Time {
        self.log.clock()
    }

    fn gates(&self) -> FeatureGates {
        self.session.gates()
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        if let Some(object) = self.log.get_again() {
            return object;
        }
        // A pod is only read in the cache, after a conflict.
        if key.kind != Kind::Pod && !self.may_send() {
            return None;
        }
        let object = self.session.get(key);
        self.log.keep_get(self.session.now(), object.as_ref());
        object
    }

    fn stored(&mut self, key: &ObjectKey) -> Option<Object> {
        self.session.get(key)
    }

    fn write(&mut self, write: Write, decision: Decision) -> WriteAnswer {
        if self.log.plans() {
            self.log.plan(write, decision);
            return Ok(None);
        }
        if let Some(answer) = self.log.write_again() {
            return answer;
        }
        if !self.may_send() {
            return Err(SyncLog::waiting());
        }
        let answer = match &write {
            // The object names the version that it was made from.
            Write::Update(object) | Write::UpdateStatus(object) if !self.is_up_to_date(&object.key()) => {
                Err(ApiError::conflict(&object.key()))
            }
            _ => self.session.write(write, decision),
        };
        self.log.keep_write(self.session.now(), &answer);
        answer
    }

    fn event(&mut self, about: &ObjectKey, event: Event) {
        // With a planned write, its event is recorded.
        if !self.log.plans() && self.log.is_new_record() {
            self.session.event(about, event);
            self.session.queue_event_request(about);
        }
    }

    fn wordless_event(&mut self, about: &ObjectKey) {
        if !self.log.plans() && self.log.is_new_record() {
            self.session.queue_event_request(about);
        }
    }

    fn note(&mut self, decision: Decision) {
        if self.log.is_new_record() {
            self.session.note(decision);
        }
    }

    fn in_parallel(&mut self, count: i32) {
        let Session { cluster, actor, .. } = &mut self.session;
        let now = cluster.now;
        if let Some(throttling) = &mut cluster.throttling
            && self.log.is_new_record()
        {
            self.log.reserve_all(count, || throttling.reserve(*actor, now));
        }
    }

    fn in_batch(&mut self, count: i32) -> Range<i32> {
        let Session { cluster, actor, .. } = &mut self.session;
        let now = cluster.now;
        let may_refuse = cluster.environment.may_refuse_pods();
        let Some(throttling) = &mut cluster.throttling else { return 0..count };
        let reserve = || throttling.reserve(*actor, now);
        if may_refuse { self.log.begin_batch(count, now, reserve) } else { self.log.plan_batch(count, now, reserve) }
    }
}

impl Session<'_> {
    /// The controller has recorded an event, and will send it.
    fn queue_event_request(&mut self, about: &ObjectKey) {
        let Self { cluster, actor, .. } = self;
        let now = cluster.now;
        let sent = cluster.throttling.as_mut().and_then(|throttling| throttling.queue_event(*actor, about, now));
        cluster.plan_event_sent(*actor, sent);
    }
}

impl Cluster {
    /// The controllers' clients have sent nothing yet, and their caches show what there is.
    pub(super) fn start_clients(&mut self) {
        self.throttling = self.scenario.clients().map(|limit| ClientThrottling::new(limit, self.now));
        self.fill_caches();
    }

    /// Begins a sync, whose requests may have to wait.
    pub(super) fn begin_sync(&mut self, queue: &'static Queue, key: &ObjectKey, seen: Box<dyn Seen>) {
        if self.throttling.is_some() {
            let log = SyncLog::new(self.now, seen.objects());
            self.run_throttled_sync(WaitingSync { queue, key: key.clone(), seen, log });
        } else {
            self.run_sync(queue, key, &*seen);
        }
    }

    /// Runs a sync until its end, or until a request of it must wait.
    fn run_throttled_sync(&mut self, mut sync: WaitingSync) {
        let WaitingSync { queue, key, seen, log } = &mut sync;
        let session = self.session(queue.controller, key);
        let result = seen.sync(&mut ThrottledSession { session, log, seen: &**seen });
        match log.waits_until() {
            Some(until) => self.wait_for_token(until, sync),
            None => self.after_sync(queue, key, &**seen, result),
        }
    }

    /// A sync has a request that may be sent later. Until then its object is not synced by anyone else.
    fn wait_for_token(&mut self, until: Time, sync: WaitingSync) {
        self.work_queues.of(sync.queue).set_busy(&sync.key);
        self.plan_resumption(until, sync);
    }

    fn plan_resumption(&mut self, until: Time, sync: WaitingSync) {
        self.events.push(until, SimEvent::ResumeSync(sync.queue, sync.key.clone()));
        if let Some(throttling) = &mut self.throttling {
            throttling.waiting_syncs.push(sync);
        }
    }

    /// The request of a sync that waits may be sent.
    pub(super) fn resume_sync(&mut self, queue: &Queue, key: &ObjectKey) {
        let now = self.now;
        // The controllers may have been restarted, and the sync begun again, since then.
        let due = self.throttling.as_mut().and_then(|throttling| throttling.take_due_sync(queue, key, now));
        let Some(mut sync) = due else { return };
        if let Some(next) = self.send_planned(&mut sync) {
            self.plan_resumption(next, sync);
            return;
        }
        sync.log.restart();
        self.work_queues.of(queue).set_idle(key);
        self.run_throttled_sync(sync);
    }

    /// Carries out the planned writes whose time has come, each with its event. Says when the next one follows.
    fn send_planned(&mut self, sync: &mut WaitingSync) -> Option<Time> {
        let WaitingSync { queue, key, log, .. } = sync;
        while let Some(planned) = log.next_planned(self.now) {
            let mut session = self.session(queue.controller, key);
            let answer = session.write(planned.write, planned.decision);
            session.queue_event_request(key);
            log.keep_write(self.now, &answer);
        }
        log.wait_for_planned()
    }

    /// A controller has sent an event.
    pub(super) fn send_next_event(&mut self, controller: Actor) {
        let sent = self.throttling.as_mut().and_then(|throttling| throttling.next_event(controller, self.now));
        self.plan_event_sent(controller, sent);
    }

    fn plan_event_sent(&mut self, controller: Actor, sent: Option<Time>) {
        if let Some(time) = sent {
            self.events.push(time, SimEvent::EventSent(controller));
        }
    }
}
