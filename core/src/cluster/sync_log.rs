//! How a sync waits for a request. Controllers are plain functions, which can't be halted in the middle: where a request must
//! wait, the rest of the sync goes nowhere, and when it may be sent the sync runs once more from its beginning. It sees what it
//! saw and is answered what it was answered, so it decides the same up to there, and nothing is done twice.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::controller::{ApiError, Decision, Write};
use crate::object::{Object, ObjectKey, Time};

/// The answer to a write: the object as it is stored, if there still is one.
pub(super) type WriteAnswer = Result<Option<Object>, ApiError>;

/// What one sync has done so far.
pub(super) struct SyncLog {
    answers: Vec<Answer>,
    /// How many of them this run has been given.
    given: usize,
    /// How many events, notes and announcements there were.
    records: usize,
    /// How many of them this run has come to.
    passed: usize,
    /// How many batches of requests it has begun.
    batches: usize,
    /// How many of them this run has come to.
    begun: usize,
    /// The number of the first answer behind the last batch of this run.
    batch_end: usize,
    /// When the next requests may be sent, as far as their tokens are taken.
    reserved: VecDeque<Time>,
    /// How many of the next writes are planned, and not carried out while the sync runs.
    to_plan: usize,
    /// Writes that can't be refused, which are carried out at their times without running the sync again for each.
    planned: VecDeque<PlannedWrite>,
    /// The objects as the controller has last seen them.
    seen: Vec<(ObjectKey, Object)>,
    /// The time for the controller.
    clock: Time,
    began: Time,
    /// Until when the sync waits. What it does after that goes nowhere.
    waits_until: Option<Time>,
    /// Whether a step says that the sync waits.
    pub(super) is_noted: bool,
    /// Whether a request of a batch was refused.
    has_refusal: bool,
}

/// A write that waits for its token.
pub(super) struct PlannedWrite {
    time: Time,
    pub(super) write: Write,
    pub(super) decision: Decision,
}

struct Answer {
    time: Time,
    /// How many records came before the request.
    records: usize,
    content: AnswerContent,
}

enum AnswerContent {
    Write(WriteAnswer),
    Get(Option<Object>),
}

impl SyncLog {
    /// A sync that begins, with the objects that it sees.
    pub(super) fn new(now: Time, seen: Vec<Object>) -> Self {
        Self {
            answers: Vec::new(),
            given: 0,
            records: 0,
            passed: 0,
            batches: 0,
            begun: 0,
            batch_end: 0,
            reserved: VecDeque::new(),
            to_plan: 0,
            planned: VecDeque::new(),
            seen: seen.into_iter().map(|object| (object.key(), object)).collect(),
            clock: now,
            began: now,
            waits_until: None,
            is_noted: false,
            has_refusal: false,
        }
    }

    /// The sync runs once more.
    pub(super) const fn restart(&mut self) {
        self.given = 0;
        self.passed = 0;
        self.begun = 0;
        self.clock = self.began;
        self.waits_until = None;
    }

    pub(super) const fn clock(&self) -> Time {
        self.clock
    }

    pub(super) const fn waits_until(&self) -> Option<Time> {
        self.waits_until
    }

    /// The answer that this write got in an earlier run; while the sync waits, any error.
    pub(super) fn write_again(&mut self) -> Option<WriteAnswer> {
        if self.waits_until.is_some() {
            return Some(Err(Self::waiting()));
        }
        match self.next_answer()? {
            AnswerContent::Write(answer) => Some(answer.clone()),
            AnswerContent::Get(_) => None,
        }
    }

    /// What this read gave in an earlier run; while the sync waits, nothing.
    pub(super) fn get_again(&mut self) -> Option<Option<Object>> {
        if self.waits_until.is_some() {
            return Some(None);
        }
        match self.next_answer()? {
            AnswerContent::Get(object) => Some(object.clone()),
            AnswerContent::Write(_) => None,
        }
    }

    fn next_answer(&mut self) -> Option<&AnswerContent> {
        let answer = self.answers.get(self.given)?;
        self.given = self.given.saturating_add(1);
        self.clock = answer.time;
        Some(&answer.content)
    }

    /// What a request gets that waits. The sync goes nowhere after it.
    pub(super) const fn waiting() -> ApiError {
        ApiError { code: 0, reason: String::new(), message: String::new(), cause: None }
    }

    /// Whether the next request may be sent now. If not, the sync waits. `reserve` takes a token.
    pub(super) fn may_send(&mut self, now: Time, reserve: impl FnOnce() -> Time) -> bool {
        let time = self.reserved.pop_front().unwrap_or_else(reserve);
        if time > now {
            self.reserved.push_front(time);
            self.waits_until = Some(time);
        }
        time <= now
    }

    /// Takes the tokens of requests that are sent at once.
    pub(super) fn reserve_all(&mut self, count: i32, mut reserve: impl FnMut() -> Time) {
        for _ in 0..count {
            self.reserved.push_back(reserve());
        }
    }

    /// Takes the tokens of `count` requests that are alike and sent at once, and says which of them to send: the first ones were
    /// answered in earlier runs, and of those whose time has not come the next one waits for all. A run would otherwise go
    /// through all of them each time. Where one of them was refused, the sync needs every answer again.
    pub(super) fn begin_batch(&mut self, count: i32, now: Time, reserve: impl FnMut() -> Time) -> Range<i32> {
        if self.waits_until.is_some() {
            return 0..0;
        }
        self.begun = self.begun.saturating_add(1);
        let is_new = self.begun > self.batches;
        self.batch_end = self.given.saturating_add(usize::try_from(count).unwrap_or(0));
        if is_new {
            self.batches = self.begun;
            self.reserve_all(count, reserve);
        } else if self.has_refusal {
            return 0..count;
        }
        let answered = self.batch_end.min(self.answers.len());
        let sent = i32::try_from(answered.saturating_sub(self.given)).unwrap_or(i32::MAX);
        if let Some(last) = answered.checked_sub(1).and_then(|last| self.answers.get(last)).filter(|_| sent > 0) {
            self.clock = last.time;
            self.given = answered;
            self.passed = self.answers.get(answered).map_or(self.records, |next| next.records);
        }
        let due = self.reserved.iter().take_while(|time| **time <= now).count();
        let tried = i32::try_from(due.saturating_add(1)).unwrap_or(i32::MAX);
        sent..count.min(sent.saturating_add(tried))
    }

    /// As [`SyncLog::begin_batch`], for requests that can't be refused: all that are left are planned.
    pub(super) fn plan_batch(&mut self, count: i32, now: Time, reserve: impl FnMut() -> Time) -> Range<i32> {
        let left = self.begin_batch(count, now, reserve);
        if left.is_empty() {
            return left;
        }
        let left = left.start..count;
        self.to_plan = left.len();
        left
    }

    /// Whether the next write is planned.
    pub(super) const fn plans(&self) -> bool {
        self.to_plan > 0
    }

    /// Plans a write. After the last one of its batch the sync waits.
    pub(super) fn plan(&mut self, write: Write, decision: Decision) {
        if let Some(time) = self.reserved.pop_front() {
            self.planned.push_back(PlannedWrite { time, write, decision });
        }
        self.to_plan = self.to_plan.saturating_sub(1);
        if self.to_plan == 0 {
            let _ = self.wait_for_planned();
        }
    }

    /// Takes out the next planned write, if its time has come.
    pub(super) fn next_planned(&mut self, now: Time) -> Option<PlannedWrite> {
        self.planned.pop_front_if(|planned| planned.time <= now)
    }

    /// Waits for the next planned write; none if all have been carried out.
    pub(super) fn wait_for_planned(&mut self) -> Option<Time> {
        let next = self.planned.front()?.time;
        self.waits_until = Some(next);
        Some(next)
    }

    /// Whether this event, note or announcement is new, and not of an earlier run.
    pub(super) const fn is_new_record(&mut self) -> bool {
        if self.waits_until.is_some() {
            return false;
        }
        self.passed = self.passed.saturating_add(1);
        if self.passed <= self.records {
            return false;
        }
        self.records = self.passed;
        true
    }

    /// The object as the sync has written or read it; a pod only as it was read after a conflict.
    pub(super) fn seen(&self, key: &ObjectKey) -> Option<&Object> {
        self.seen.iter().find(|(seen, _)| seen == key).map(|(_, seen)| seen)
    }

    /// Keeps the answer to a write.
    pub(super) fn keep_write(&mut self, now: Time, answer: &WriteAnswer) {
        // Pods are created by the hundred.
        if let Ok(Some(object)) = answer
            && !matches!(object, Object::Pod(_))
        {
            self.see(object);
        }
        self.has_refusal |= answer.is_err() && self.answers.len() < self.batch_end;
        self.keep(now, AnswerContent::Write(answer.clone()));
    }

    /// Keeps what a read gave.
    pub(super) fn keep_get(&mut self, now: Time, object: Option<&Object>) {
        if let Some(object) = object {
            self.see(object);
        }
        self.keep(now, AnswerContent::Get(object.cloned()));
    }

    fn keep(&mut self, now: Time, content: AnswerContent) {
        self.clock = now;
        self.answers.push(Answer { time: now, records: self.records, content });
        self.given = self.answers.len();
    }

    fn see(&mut self, object: &Object) {
        let key = object.key();
        match self.seen.iter_mut().find(|(seen, _)| *seen == key) {
            Some((_, seen)) => *seen = object.clone(),
            None => self.seen.push((key, object.clone())),
        }
    }
}
