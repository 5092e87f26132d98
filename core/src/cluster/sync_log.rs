//! How a sync waits for a request. Controllers are plain functions, which can't be halted in the middle: where a request must
//! wait, the rest of the sync goes nowhere, and when it may be sent the sync runs once more from its beginning. It sees what it
//! saw and is answered what it was answered, so it decides the same up to there, and nothing is done twice.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::controller::ApiError;
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
    /// The batches of requests that it has begun.
    batches: Vec<Batch>,
    /// How many of them this run has come to.
    begun: usize,
    /// When the next requests may be sent, as far as their tokens are taken.
    reserved: VecDeque<Time>,
    /// The objects as the controller has last seen them.
    seen: Vec<(ObjectKey, Object)>,
    /// The time for the controller.
    clock: Time,
    began: Time,
    /// Until when the sync waits. What it does after that goes nowhere.
    waits_until: Option<Time>,
    /// Whether a step says that the sync waits.
    pub(super) is_noted: bool,
    /// Whether a request was refused.
    has_refusal: bool,
}

/// How many answers and records there were before the requests of a batch.
struct Batch {
    answers: usize,
    records: usize,
}

struct Answer {
    time: Time,
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
            batches: Vec::new(),
            begun: 0,
            reserved: VecDeque::new(),
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
    /// through all of them each time. Where a request was refused, the sync needs every answer again.
    pub(super) fn begin_batch(&mut self, count: i32, now: Time, reserve: impl FnMut() -> Time) -> Range<i32> {
        if self.waits_until.is_some() {
            return 0..0;
        }
        let index = self.begun;
        self.begun = index.saturating_add(1);
        if index >= self.batches.len() {
            self.batches.push(Batch { answers: self.given, records: self.passed });
            self.reserve_all(count, reserve);
        } else if self.has_refusal {
            return 0..count;
        }
        let next = self.batches.get(self.begun);
        let (answers, records) = next.map_or((self.answers.len(), self.records), |next| (next.answers, next.records));
        let sent = i32::try_from(answers.saturating_sub(self.given)).unwrap_or(i32::MAX);
        if let Some(last) = answers.checked_sub(1).and_then(|last| self.answers.get(last)).filter(|_| sent > 0) {
            self.clock = last.time;
            self.given = answers;
            self.passed = records;
        }
        let due = self.reserved.iter().take_while(|time| **time <= now).count();
        let tried = i32::try_from(due.saturating_add(1)).unwrap_or(i32::MAX);
        sent..count.min(sent.saturating_add(tried))
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

    /// Whether the controller has seen the object as it is stored. It has, where it saw none.
    pub(super) fn is_up_to_date(&self, key: &ObjectKey, stored: Option<&Object>) -> bool {
        let seen = self.seen.iter().find(|(seen, _)| seen == key);
        match (seen, stored) {
            (Some((_, seen)), Some(stored)) => seen.is_same_version(stored),
            _ => true,
        }
    }

    /// Keeps the answer to a write.
    pub(super) fn keep_write(&mut self, now: Time, answer: &WriteAnswer) {
        if let Ok(Some(object)) = answer {
            self.see(object);
        }
        self.has_refusal |= answer.is_err();
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
        self.answers.push(Answer { time: now, content });
        self.given = self.answers.len();
    }

    fn see(&mut self, object: &Object) {
        // Pods are created by the hundred, and none of them is updated.
        if matches!(object, Object::Pod(_)) {
            return;
        }
        let key = object.key();
        match self.seen.iter_mut().find(|(seen, _)| *seen == key) {
            Some((_, seen)) => *seen = object.clone(),
            None => self.seen.push((key, object.clone())),
        }
    }
}
