//! Syncs whose requests may have to wait, where the scenario limits the controllers' clients.

use alloc::boxed::Box;
use core::ops::Range;

use super::api_server::Session;
use super::client_throttling::{ClientThrottling, WaitingSync};
use super::decision::ThrottlingDecision;
use super::event_queue::SimEvent;
use super::seen_objects::Seen;
use super::state::Cluster;
use super::sync_log::{SyncLog, WriteAnswer};
use crate::controller::{ApiError, Client, Decision, Event, Write};
use crate::feature_gates::FeatureGates;
use crate::object::{Kind, Object, ObjectKey, Time};
use crate::scenario::{ControllerManager, Duration};

/// The client of a controller for one of its syncs, with what that has done so far.
struct ThrottledSession<'a> {
    session: Session<'a>,
    log: &'a mut SyncLog,
}

impl ThrottledSession<'_> {
    /// Whether the next request may be sent now. If not, a step says so.
    fn may_send(&mut self) -> bool {
        let Session { cluster, actor, about } = &mut self.session;
        let now = cluster.now;
        let Some(throttling) = &mut cluster.throttling else { return true };
        let may_send = self.log.may_send(now, || throttling.reserve(about.kind, now));
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
        // Pods are only read to be patched, which the API server does.
        if key.kind == Kind::Pod {
            return self.session.get(key);
        }
        if let Some(object) = self.log.get_again() {
            return object;
        }
        if !self.may_send() {
            return None;
        }
        let object = self.session.get(key);
        self.log.keep_get(self.session.now(), object.as_ref());
        object
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
            Write::Update(object) | Write::UpdateStatus(object)
                if !self.log.is_up_to_date(&object.key(), self.session.get(&object.key()).as_ref()) =>
            {
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
            self.session.cluster.queue_event_request(about);
        }
    }

    fn wordless_event(&mut self, about: &ObjectKey) {
        if !self.log.plans() && self.log.is_new_record() {
            self.session.cluster.queue_event_request(about);
        }
    }

    fn note(&mut self, decision: Decision) {
        if self.log.is_new_record() {
            self.session.note(decision);
        }
    }

    fn in_parallel(&mut self, count: i32) {
        let Session { cluster, about, .. } = &mut self.session;
        let now = cluster.now;
        if let Some(throttling) = &mut cluster.throttling
            && self.log.is_new_record()
        {
            self.log.reserve_all(count, || throttling.reserve(about.kind, now));
        }
    }

    fn in_batch(&mut self, count: i32) -> Range<i32> {
        let Session { cluster, about, .. } = &mut self.session;
        let now = cluster.now;
        let may_refuse = cluster.environment.may_refuse_pods();
        let Some(throttling) = &mut cluster.throttling else { return 0..count };
        let reserve = || throttling.reserve(about.kind, now);
        if may_refuse { self.log.begin_batch(count, now, reserve) } else { self.log.plan_batch(count, now, reserve) }
    }
}

impl Cluster {
    /// The controllers' clients have sent nothing yet, and their caches show what there is.
    pub(super) fn start_clients(&mut self) {
        self.throttling = self.scenario.clients().map(|limit| ClientThrottling::new(limit, self.now));
        self.fill_caches();
    }

    /// Begins a sync, whose requests may have to wait.
    pub(super) fn begin_sync(&mut self, key: &ObjectKey, seen: Box<dyn Seen>) {
        if self.throttling.is_some() {
            let log = SyncLog::new(self.now, seen.objects());
            self.run_throttled_sync(key, seen, log);
        } else {
            self.run_sync(key, &*seen);
        }
    }

    /// Runs a sync until its end, or until a request of it must wait.
    pub(super) fn run_throttled_sync(&mut self, key: &ObjectKey, seen: Box<dyn Seen>, mut log: SyncLog) {
        let session = self.session(key, &*seen);
        let result = seen.sync(&mut ThrottledSession { session, log: &mut log });
        match log.waits_until() {
            Some(until) => self.wait_for_token(until, WaitingSync { key: key.clone(), seen, log }),
            None => self.after_sync(key, &*seen, result),
        }
    }

    /// A sync has a request that may be sent later. Until then its object is not synced by anyone else.
    fn wait_for_token(&mut self, until: Time, sync: WaitingSync) {
        self.work_queue.set_busy(&sync.key);
        self.plan_resumption(until, sync);
    }

    fn plan_resumption(&mut self, until: Time, sync: WaitingSync) {
        self.events.push(until, SimEvent::ResumeSync(sync.key.clone()));
        if let Some(throttling) = &mut self.throttling {
            throttling.waiting_syncs.push(sync);
        }
    }

    /// The request of a sync that waits may be sent.
    pub(super) fn resume_sync(&mut self, key: &ObjectKey) {
        let now = self.now;
        // The controllers may have been restarted, and the sync begun again, since then.
        let Some(WaitingSync { key, seen, mut log }) =
            self.throttling.as_mut().and_then(|throttling| throttling.take_due_sync(key, now))
        else {
            return;
        };
        if let Some(next) = self.send_planned(&key, &*seen, &mut log) {
            self.plan_resumption(next, WaitingSync { key, seen, log });
            return;
        }
        log.restart();
        self.work_queue.set_idle(&key);
        self.run_throttled_sync(&key, seen, log);
    }

    /// Carries out the planned writes whose time has come, each with its event. Says when the next one follows.
    fn send_planned(&mut self, key: &ObjectKey, seen: &dyn Seen, log: &mut SyncLog) -> Option<Time> {
        while let Some(planned) = log.next_planned(self.now) {
            let mut session = self.session(key, seen);
            let answer = session.write(planned.write, planned.decision);
            self.queue_event_request(key);
            log.keep_write(self.now, &answer);
        }
        log.wait_for_planned()
    }

    /// A controller has recorded an event about its object, and will send it.
    fn queue_event_request(&mut self, about: &ObjectKey) {
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
}
