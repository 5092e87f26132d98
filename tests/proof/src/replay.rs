//! The API server of one sync: it gives the recorded responses as long as the core sends the recorded requests.

use std::cell::Cell;
use std::rc::Rc;

use changeover_core::apiserver;
use changeover_core::controller::{self, ApiError, Client, Decision, Event, Write};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Kind, Object, ObjectKey, Time};
use serde_json::{Map, Value};

use crate::compare::{Difference, as_created, difference, normal};
use crate::pod_choice::PodChoice;
use crate::recording::{Answer, Recording, Request, Verb};

/// How a controller's clock advances within a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Each write was decided just before it was received.
    Prompt,
    /// Each write was decided just after the previous response, and then waited for the client's rate limit.
    Throttled,
}

impl Pace {
    /// All paces, the usual one first.
    pub const ALL: [Self; 2] = [Self::Prompt, Self::Throttled];
}

/// An event that a controller records.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedEvent {
    /// Kind and name of the object.
    pub about: String,
    /// `Normal` or `Warning`.
    pub type_: String,
    /// Its reason.
    pub reason: String,
    /// Its message.
    pub message: String,
}

/// A difference between the core's write and the recorded request.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// How many requests were explained before it.
    pub after: usize,
    /// The core's decision.
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
    /// How many requests the sync has explained.
    explained: Rc<Cell<usize>>,
    /// What the ReplicaSets that the core writes are, if not ReplicaSets.
    pub renamed: Option<Kind>,
    /// The last created object, and how it is sent.
    created: Option<(Object, Rc<Value>)>,
    /// The events of the sync.
    pub events: Vec<RecordedEvent>,
    /// The first write that differs from the recorded request.
    pub mismatch: Option<Mismatch>,
    /// The pods from which it chose those to delete.
    pub choice: Option<PodChoice>,
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
            explained: Rc::default(),
            renamed: None,
            created: None,
            events: Vec::new(),
            mismatch: None,
            choice: None,
        }
    }

    /// How many requests the sync explains. None if it writes something else, or skips a request.
    pub fn explained(&self) -> Option<usize> {
        let used = self.used.iter().filter(|used| **used).count();
        (self.mismatch.is_none() && used == self.first_unused()).then_some(used)
    }

    /// The requests that the sync explains.
    pub fn used(&self) -> impl Iterator<Item = &'a Rc<Request>> {
        self.requests.iter().zip(&self.used).filter(|(_, used)| **used).map(|(request, _)| request)
    }

    /// The requests, and how many of them the sync has explained, also while it goes on.
    pub fn progress(&self) -> (&'a [Rc<Request>], Rc<Cell<usize>>) {
        (self.requests, self.explained.clone())
    }

    /// The next creations and deletions of pods.
    pub fn next_of_pods(&self) -> impl Iterator<Item = &'a Rc<Request>> {
        let next = self.requests.iter().skip(self.first_unused());
        let of_pods = next.skip_while(|request| !request.object.starts_with("Pod/"));
        of_pods.take_while(|request| request.object.starts_with("Pod/"))
    }

    /// The next deletions of pods, after any patches.
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

    /// The recorded kind of an object that the core knows as one of this kind.
    fn kind(&self, kind: Kind) -> Kind {
        self.renamed.filter(|_| kind == Kind::ReplicaSet).unwrap_or(kind)
    }

    fn object_name(&self, key: &ObjectKey) -> String {
        format!("{}/{}", self.kind(key.kind).name(), key.name)
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
        self.explained.set(self.first_unused());
        let time = match self.pace {
            Pace::Prompt => next.map(|next| next.received),
            Pace::Throttled => None,
        };
        self.now = time.or(request.map(|request| request.answered)).unwrap_or(self.now).max(self.now);
    }

    /// The request for this write, or the difference to the request that was sent instead.
    fn find(&self, write: &Write, core: &Value) -> Result<usize, Option<Difference>> {
        let verb = verb(write);
        let key = write.key();
        let first = self.first_unused();
        let at_once = key.kind == Kind::Pod;
        let mut nearest = None;
        // Writes to pods are sent concurrently, and arrive in any order.
        let candidates = self.requests.iter().enumerate().skip(first).take(if at_once { usize::MAX } else { 1 });
        for (index, request) in candidates {
            let same_kind = request.object.split('/').next() == Some(self.kind(key.kind).name());
            // A separate goroutine patches and then deletes each pod of a Job.
            let goes = |verb: Verb| at_once && matches!(verb, Verb::Patch | Verb::Delete);
            if !same_kind || (request.verb != verb && !(goes(verb) && goes(request.verb))) {
                break;
            }
            if self.is_used(index) || request.verb != verb {
                continue;
            }
            let object = self.object_name(&key);
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

    /// The body of a write: a new object with the defaults that decoding sets, as in the audit log; for a patch, the
    /// patched part; for a deletion, what happens to the objects that it owns.
    fn sent_by(&mut self, write: &Write) -> Rc<Value> {
        match write {
            Write::Create(object) => {
                // Often, many equal pods are created in a row.
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
            Write::Update(object) | Write::UpdateStatus(object) => {
                let mut value = object.to_value();
                // A ReplicationController's selector is a map of labels.
                if let (Some(_), Object::ReplicaSet(_)) = (self.renamed, object)
                    && let Some(selector) = value.pointer_mut("/spec/selector")
                {
                    *selector = selector.get("matchLabels").cloned().unwrap_or_default();
                }
                Rc::new(normal(&value))
            }
            Write::Patch(object) => Rc::new(claims(&object.to_value())),
            Write::Delete { propagation, .. } => Rc::new(format!("{propagation:?}").into()),
        }
    }

    fn compare(&self, write: &Write, core: &Value, request: &Request) -> Option<Difference> {
        match write {
            Write::UpdateStatus(Object::Job(_)) => {
                difference(&with_sorted_uids(&request.sent), &with_sorted_uids(core))
            }
            Write::Create(_) | Write::Update(_) | Write::UpdateStatus(_) => difference(&request.sent, core),
            // A patch is compared by its content, and by its result.
            Write::Patch(_) => {
                let before = match request.answer {
                    Answer::Written(version) => self.recording.before(&request.object, version),
                    _ => self.recording.last_before(&request.object, request.received),
                };
                let before = before.and_then(|stored| stored.value.as_ref()).map(claims).unwrap_or_default();
                let contradiction = contradiction(&request.sent, &before, core);
                let Answer::Written(version) = request.answer else { return contradiction };
                contradiction.or_else(|| {
                    match self.recording.at(&request.object, version).and_then(|stored| stored.value.as_ref()) {
                        Some(left) => difference(&claims(left), core),
                        // It removed the last finalizer, so the object is gone.
                        None => core.get("finalizers").map(|core| Difference {
                            pointer: "/finalizers".into(),
                            sent: Value::Null,
                            core: core.clone(),
                        }),
                    }
                })
            }
            Write::Delete { .. } => {
                // In the group apps, objects are deleted in the background by default. Pods own nothing.
                let policy = request.sent.get("propagationPolicy").cloned().unwrap_or_else(|| "Background".into());
                (policy != *core).then(|| Difference {
                    pointer: "/propagationPolicy".into(),
                    sent: policy,
                    core: core.clone(),
                })
            }
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
        let object = self.object_name(key);
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
        self.events.push(RecordedEvent {
            about: self.object_name(about),
            type_: type_.into(),
            reason: reason.into(),
            message,
        });
    }

    fn note(&mut self, _: Decision) {}
}

/// The response to a write that the real controller did not send. It ends the sync.
fn unexplained() -> ApiError {
    ApiError::new(500, "Unexplained", "nothing like it was sent")
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

/// The fields that controllers patch.
fn claims(object: &Value) -> Value {
    let metadata = object.get("metadata");
    let fields = ["uid", "ownerReferences", "finalizers"];
    let kept = fields.into_iter().filter_map(|field| Some((field.to_owned(), metadata?.get(field)?.clone())));
    normal(&Value::Object(kept.collect::<Map<_, _>>()))
}

/// The first part of a strategic merge patch that does not lead from one object to the other. Controllers patch only these
/// fields.
fn contradiction(patch: &Value, before: &Value, after: &Value) -> Option<Difference> {
    const REMOVED_FINALIZERS: &str = "$deleteFromPrimitiveList/finalizers";
    let items = |object: &Value, field: &str| match object.get(field) {
        Some(Value::Array(items)) => items.clone(),
        _ => Vec::new(),
    };
    let has_finalizer = |object: &Value, item: &Value| items(object, "finalizers").contains(item);
    let has_owner = |object: &Value, item: &Value| {
        items(object, "ownerReferences").iter().any(|owner| owner.get("uid") == item.get("uid"))
    };
    let is_done = |field: &str, item: &Value| match (field, item.get("$patch").and_then(Value::as_str)) {
        (REMOVED_FINALIZERS, _) => has_finalizer(before, item) && !has_finalizer(after, item),
        ("ownerReferences", Some("delete")) => has_owner(before, item) && !has_owner(after, item),
        (field, _) => items(after, field).contains(item),
    };
    patch.get("metadata")?.as_object()?.iter().find_map(|(field, sent)| {
        let core = after.get(field).cloned().unwrap_or_default();
        let differs = match sent {
            Value::Array(items) => !items.iter().all(|item| is_done(field, item)),
            sent => core != *sent,
        };
        differs.then(|| Difference { pointer: format!("/metadata/{field}"), sent: sent.clone(), core })
    })
}

/// A Job with its uncounted pods sorted: upstream lists them in the order of a Go map.
fn with_sorted_uids(job: &Value) -> Value {
    let mut job = job.clone();
    for ended in ["succeeded", "failed"] {
        if let Some(Value::Array(uids)) = job.pointer_mut(&format!("/status/uncountedTerminatedPods/{ended}")) {
            uids.sort_by(|first, second| first.as_str().cmp(&second.as_str()));
        }
    }
    job
}
