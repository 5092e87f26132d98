//! The API server of one sync: it answers what the real one answered, as long as the core asks what was asked.

use std::rc::Rc;

use changeover_core::apiserver;
use changeover_core::controller::{self, ApiError, Client, Decision, Event, Write};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Kind, Object, ObjectKey, Time};
use serde_json::{Map, Value};

use crate::compare::{Difference, as_created, difference, normal};
use crate::recording::{Answer, Recording, Request, Verb};

/// How a controller's clock goes on within a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Each write was decided just before it was received.
    Prompt,
    /// Each write was decided just after the answer to the one before, and waited for its client's rate limit.
    Throttled,
}

/// An event that a controller records.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    /// Kind and name of the object.
    pub about: String,
    /// `Normal` or `Warning`.
    pub type_: String,
    /// Its reason.
    pub reason: String,
    /// Its text.
    pub message: String,
}

/// Where the core writes something else than what was sent.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// How many requests were explained before.
    pub after: usize,
    /// What the core decided instead.
    pub decision: Decision,
    /// The first difference, if the core writes to the same object.
    pub difference: Option<Difference>,
}

/// The API server of one sync.
pub struct Replay<'a> {
    recording: &'a Recording,
    requests: &'a [Rc<Request>],
    used: Vec<bool>,
    now: Time,
    pace: Pace,
    gates: FeatureGates,
    /// What was created last, and as it is sent.
    created: Option<(Object, Rc<Value>)>,
    /// The events of the sync.
    pub events: Vec<Said>,
    /// The first write that is not what was sent.
    pub mismatch: Option<Mismatch>,
    /// Whether it chose between pods where the rules leave that open.
    pub open_choice: bool,
}

impl<'a> Replay<'a> {
    /// The API server of a sync that begins at that time, and whose writes are the first of these requests.
    pub fn new(
        recording: &'a Recording,
        requests: &'a [Rc<Request>],
        now: Time,
        pace: Pace,
        gates: FeatureGates,
    ) -> Self {
        Self {
            recording,
            requests,
            used: Vec::new(),
            now,
            pace,
            gates,
            created: None,
            events: Vec::new(),
            mismatch: None,
            open_choice: false,
        }
    }

    /// How many requests the sync explains. None where it writes something else, or leaves one out between others.
    pub fn explained(&self) -> Option<usize> {
        let used = self.used.iter().filter(|used| **used).count();
        (self.mismatch.is_none() && used == self.first_unused()).then_some(used)
    }

    /// The requests that the sync has used.
    pub fn used(&self) -> impl Iterator<Item = &'a Rc<Request>> {
        self.requests.iter().zip(&self.used).filter(|(_, used)| **used).map(|(request, _)| request)
    }

    /// The deletions of pods that come next, after patches if there are some.
    pub fn deletions(&self) -> impl Iterator<Item = &'a Rc<Request>> {
        let next = self.requests.iter().skip(self.first_unused());
        let deletions = next.skip_while(|request| request.verb == Verb::Patch);
        deletions.take_while(|request| request.verb == Verb::Delete)
    }

    /// The resource version of the first deletion, if a patch comes before it.
    pub fn deletion_after_patch(&self) -> Option<i64> {
        self.requests.get(self.first_unused()).filter(|first| first.verb == Verb::Patch)?;
        match self.deletions().next()?.answer {
            Answer::Written(version) => Some(version),
            _ => None,
        }
    }

    fn first_unused(&self) -> usize {
        self.used.iter().position(|used| !used).unwrap_or(self.used.len())
    }

    fn is_used(&self, index: usize) -> bool {
        self.used.get(index).copied().unwrap_or(false)
    }

    fn take(&mut self, index: usize) {
        if self.used.len() <= index {
            self.used.resize(index.saturating_add(1), false);
        }
        if let Some(used) = self.used.get_mut(index) {
            *used = true;
        }
        let next = self.requests.get(self.first_unused());
        let request = self.requests.get(index);
        let time = match self.pace {
            Pace::Prompt => next.map(|next| next.received),
            Pace::Throttled => None,
        };
        self.now = time.or(request.map(|request| request.answered)).unwrap_or(self.now).max(self.now);
    }

    /// The request that is this write, or the difference to the one that is in its place.
    fn find(&self, write: &Write, core: &Value) -> Result<usize, Option<Difference>> {
        let verb = verb(write);
        let key = write.key();
        let first = self.first_unused();
        let at_once = key.kind == Kind::Pod;
        let mut nearest = None;
        // Writes to pods are sent at once, and arrive in any order.
        let candidates = self.requests.iter().enumerate().skip(first).take(if at_once { usize::MAX } else { 1 });
        for (index, request) in candidates {
            let same_kind = request.object.split('/').next() == Some(key.kind.name());
            // A Job's pod is patched, then deleted, by a goroutine of its own.
            let goes = |verb: Verb| at_once && matches!(verb, Verb::Patch | Verb::Delete);
            if !same_kind || (request.verb != verb && !(goes(verb) && goes(request.verb))) {
                break;
            }
            if self.is_used(index) || request.verb != verb {
                continue;
            }
            let object = object_name(&key);
            if verb != Verb::Create && request.object != object {
                nearest.get_or_insert(Difference {
                    pointer: String::new(),
                    sent: request.object.as_str().into(),
                    core: object.into(),
                });
                continue;
            }
            match self.compare(write, core, request) {
                None => return Ok(index),
                Some(difference) => drop(nearest.get_or_insert(difference)),
            }
        }
        Err(nearest)
    }

    /// What a write sends: an object that is to be created with the defaults that decoding fills in, as the audit log has
    /// it; of a patch what it is about; of a deletion nothing.
    fn sent_by(&mut self, write: &Write) -> Rc<Value> {
        match write {
            Write::Create(object) => {
                // Many pods that are alike come one after the other.
                if let Some((_, value)) = self.created.as_ref().filter(|(last, _)| last == object) {
                    return value.clone();
                }
                let mut value = object.to_value();
                if let Some(strategy) = apiserver::strategy_of(&value) {
                    apiserver::default(&mut value, strategy, &self.gates);
                }
                let value = Rc::new(as_created(normal(&value)));
                self.created = Some((object.clone(), value.clone()));
                value
            }
            Write::Update(object) | Write::UpdateStatus(object) => Rc::new(normal(&object.to_value())),
            Write::Patch(object) => Rc::new(claims(&object.to_value())),
            Write::Delete { .. } => Rc::new(Value::Null),
        }
    }

    fn compare(&self, write: &Write, core: &Value, request: &Request) -> Option<Difference> {
        match write {
            Write::UpdateStatus(Object::Job(_)) => {
                difference(&with_sorted_uids(&request.sent), &with_sorted_uids(core))
            }
            Write::Create(_) | Write::Update(_) | Write::UpdateStatus(_) => difference(&request.sent, core),
            // A patch is what it leaves.
            Write::Patch(_) => {
                let Answer::Written(version) = request.answer else { return None };
                match self.recording.at(&request.object, version).and_then(|stored| stored.value.as_ref()) {
                    Some(left) => difference(&claims(left), core),
                    // It let the object go, which no finalizer keeps any more.
                    None => core.get("finalizers").map(|core| Difference {
                        pointer: "/finalizers".into(),
                        sent: Value::Null,
                        core: core.clone(),
                    }),
                }
            }
            Write::Delete { .. } => None,
        }
    }
}

impl Client for Replay<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn gates(&self) -> FeatureGates {
        self.gates
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        let object = object_name(key);
        let next = self.requests.get(self.first_unused()).filter(|request| request.object == object);
        match next.and_then(|request| request.named) {
            Some(named) => self.recording.at(&object, named)?.object.clone(),
            None => self.recording.at_time(&object, self.now).cloned(),
        }
    }

    fn write(&mut self, write: Write, decision: Decision) -> Result<Option<Object>, ApiError> {
        if self.mismatch.is_some() {
            return Err(unexplained());
        }
        let core = self.sent_by(&write);
        let index = match self.find(&write, &core) {
            Ok(index) => index,
            Err(difference) => {
                self.mismatch = Some(Mismatch { after: self.first_unused(), decision, difference });
                return Err(unexplained());
            }
        };
        self.take(index);
        let Some(request) = self.requests.get(index) else { return Err(unexplained()) };
        match &request.answer {
            Answer::Refused(error) => Err(error.clone()),
            Answer::Written(version) => {
                Ok(self.recording.at(&request.object, *version).and_then(|stored| stored.object.clone()))
            }
            Answer::Unchanged => {
                let named = request.named.and_then(|named| self.recording.at(&request.object, named));
                Ok(named.and_then(|stored| stored.object.clone()))
            }
        }
    }

    fn event(&mut self, about: &ObjectKey, Event { type_, reason, message }: Event) {
        let message = message.to_string();
        self.events.push(Said { about: object_name(about), type_: type_.into(), reason: reason.into(), message });
    }

    fn note(&mut self, _: Decision) {}
}

fn object_name(key: &ObjectKey) -> String {
    format!("{}/{}", key.kind.name(), key.name)
}

/// The answer to a write that the real controller did not send. It ends the sync.
fn unexplained() -> ApiError {
    ApiError { code: 500, reason: "Unexplained".into(), message: "nothing like it was sent".into(), cause: None }
}

const fn verb(write: &Write) -> Verb {
    match write.verb() {
        controller::Verb::Create => Verb::Create,
        controller::Verb::Update => Verb::Update,
        controller::Verb::UpdateStatus => Verb::UpdateStatus,
        controller::Verb::Patch => Verb::Patch,
        controller::Verb::Delete => Verb::Delete,
    }
}

/// What a controller patches.
fn claims(object: &Value) -> Value {
    let metadata = object.get("metadata");
    let fields = ["ownerReferences", "finalizers"];
    let kept = fields.into_iter().filter_map(|field| Some((field.to_owned(), metadata?.get(field)?.clone())));
    normal(&Value::Object(kept.collect::<Map<_, _>>()))
}

/// A Job whose uncounted pods are in one order: upstream finds them in that of a Go map.
fn with_sorted_uids(job: &Value) -> Value {
    let mut job = job.clone();
    for ended in ["succeeded", "failed"] {
        if let Some(Value::Array(uids)) = job.pointer_mut(&format!("/status/uncountedTerminatedPods/{ended}")) {
            uids.sort_by(|first, second| first.as_str().cmp(&second.as_str()));
        }
    }
    job
}
