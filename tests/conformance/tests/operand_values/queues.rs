//! When a controller retries after an error: the back-off of its work queue.

use changeover_core::controller::Verb;
use changeover_core::object::{Kind, Time};
use changeover_core::timeline::Step;

/// How often a Deployment is retried.
const DEPLOYMENT_RETRIES: u32 = 15;

/// The queue's state for an object.
#[derive(Default)]
pub struct Queue {
    /// The number of consecutive failed syncs.
    failures: u32,
    /// When the next sync is planned.
    planned: Option<Time>,
    sync: Option<Sync>,
}

/// A sync, as far as the timeline shows it: its last step writes the object's status.
struct Sync {
    time: Time,
    kind: Kind,
    failed: bool,
    over: bool,
}

impl Queue {
    /// The controller takes a step of a sync.
    pub fn begin(&mut self, step: &Step) {
        if self.sync.as_ref().is_none_or(|sync| sync.time != step.time || sync.over) {
            self.finish();
            self.planned = self.planned.filter(|planned| *planned > step.time);
            self.sync = Some(Sync { time: step.time, kind: step.about.kind, failed: false, over: false });
        }
        let Some(sync) = &mut self.sync else { return };
        sync.failed |= step.reason().rule.id.starts_with("quota.");
        sync.over = step.change.as_ref().is_some_and(|it| it.key == step.about && it.verb == Verb::UpdateStatus);
    }

    /// The sync is over.
    pub fn finish(&mut self) {
        let back_off = self.back_off();
        let Some(sync) = self.sync.take() else { return };
        let gives_up = sync.kind == Kind::Deployment && self.failures >= DEPLOYMENT_RETRIES;
        if !sync.failed || gives_up {
            self.failures = 0;
            return;
        }
        let time = sync.time.plus(back_off);
        self.planned = Some(self.planned.map_or(time, |planned| planned.min(time)));
        self.failures += 1;
    }

    /// Whether a failure now is the last: a Deployment is not retried again unless a sync is already planned.
    pub fn gives_up(&self) -> bool {
        let is_deployment = self.sync.as_ref().is_some_and(|sync| sync.kind == Kind::Deployment);
        is_deployment && self.planned.is_none() && self.failures >= DEPLOYMENT_RETRIES
    }

    /// 5 ms, doubled with each failure, up to 1000 s; for Jobs 1 s, up to 60 s.
    fn back_off(&self) -> i64 {
        let is_job = self.sync.as_ref().is_some_and(|sync| sync.kind == Kind::Job);
        let (first, longest) = if is_job { (Time::SECOND, 60) } else { (5_000_000, 1_000) };
        (first << self.failures.min(30)).min(longest * Time::SECOND)
    }

    /// The Job controller batches changes of a Job's pods and status for a second.
    pub fn gather(&mut self, now: Time) {
        let time = now.plus(Time::SECOND);
        self.planned = Some(self.planned.filter(|planned| *planned > now).map_or(time, |planned| planned.min(time)));
    }

    /// How long after a failure now the next sync comes: an earlier one may already be planned.
    pub fn next_try(&self, now: Time) -> i64 {
        self.planned.map_or(self.back_off(), |planned| planned.since(now).min(self.back_off()))
    }
}
