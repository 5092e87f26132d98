//! Reads a recording of `tests/controlplane`: the stored objects and the requests.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::rc::Rc;

use changeover_core::controller::ApiError;
use changeover_core::json::decode;
use changeover_core::object::{Kind, Object, Time};
use changeover_core::workload::replication_controller::ReplicationController;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::compare::{as_created, normal};

/// The maximum delay between a write and its watch event.
pub const WATCH_LAG: i64 = Time::SECOND;

/// The beginning of a request's line. All other lines are versions.
const REQUEST: &str = "{\"request\":";

/// The recording of one namespace.
pub struct Recording {
    /// The scenario's name and the number of the run, as in `rolling-2`.
    pub name: String,
    /// A sentence about what it shows.
    pub about: String,
    /// When it began.
    pub start: Time,
    /// The kubectl commands, in order.
    pub commands: Vec<Command>,
    /// The versions of each object by kind and name (`ReplicaSet/web-5d`), the oldest first.
    pub stored: BTreeMap<String, Vec<Stored>>,
    /// The requests, in the order in which they were received.
    pub requests: Vec<Rc<Request>>,
}

/// An action of the user.
pub struct Command {
    /// When it started.
    pub at: Time,
    /// The arguments of `kubectl`, or `lose NODE` and `return NODE`.
    pub arguments: Vec<String>,
}

/// An object as it was stored at a resource version.
pub struct Stored {
    /// Its resource version: etcd's revision, which orders the writes of all objects.
    pub version: i64,
    /// When a watch reported it, shortly after it was stored.
    pub at: Time,
    /// The object; none if it was deleted.
    pub value: Option<Value>,
    /// The typed object, if the core has its kind.
    pub object: Option<Object>,
}

impl Stored {
    /// The object's uid.
    pub fn uid(&self) -> Option<&str> {
        self.value.as_ref()?.pointer("/metadata/uid")?.as_str()
    }

    /// Whether the object is gone or terminating.
    pub fn is_deleted(&self) -> bool {
        self.value.as_ref().is_none_or(|value| value.pointer("/metadata/deletionTimestamp").is_some())
    }
}

/// A write as a client sent it.
#[derive(Clone, Debug)]
pub struct Request {
    /// The verb.
    pub verb: Verb,
    /// The sender: the last part of a service account's name, like `deployment-controller`.
    pub user: String,
    /// Kind and name of the object. For a creation, the name is the generated one.
    pub object: String,
    /// The resource version in the sent object.
    pub named: Option<i64>,
    /// The body; for an update, the whole object with that resource version.
    pub sent: Value,
    /// When the API server received it.
    pub received: Time,
    /// When it was answered.
    pub answered: Time,
    /// The response.
    pub answer: Answer,
}

impl Request {
    /// The version that the request wrote, if the response to it contains that version. Those of patches and deletions
    /// were found by their time.
    pub fn answered_version(&self) -> Option<i64> {
        match (self.verb, &self.answer) {
            (Verb::Create | Verb::Update | Verb::UpdateStatus, Answer::Written(version)) => Some(*version),
            _ => None,
        }
    }

    /// The resource version in an update of a status, which is that of the cached object.
    pub fn status_version(&self) -> Option<String> {
        self.named.filter(|_| self.verb == Verb::UpdateStatus).map(|version| version.to_string())
    }
}

/// The verb of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A new object.
    Create,
    /// Metadata and spec.
    Update,
    /// Status.
    UpdateStatus,
    /// Some fields.
    Patch,
    /// Deletion.
    Delete,
    /// A verb that no controller of the core uses.
    Other,
}

/// The response to a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The object was written, at this resource version.
    Written(i64),
    /// The object was unchanged.
    Unchanged,
    /// The request was refused.
    Refused(ApiError),
}

#[derive(Deserialize)]
struct Header {
    scenario: String,
    about: String,
    run: u32,
    start: String,
    kubectl: Option<Vec<CommandLine>>,
}

#[derive(Deserialize)]
struct CommandLine {
    at: i64,
    /// None for what is done without kubectl, in recordings of an earlier version.
    arguments: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct VersionLine {
    version: i64,
    at: i64,
    object: String,
    #[serde(default)]
    deleted: bool,
    #[serde(default)]
    change: Value,
}

#[derive(Deserialize)]
struct RequestLine {
    request: String,
    at: i64,
    took: i64,
    user: String,
    object: String,
    #[serde(default)]
    subresource: String,
    named: Option<i64>,
    #[serde(default)]
    sent: Value,
    code: u16,
    refused: Option<Refused>,
    version: Option<i64>,
    uid: Option<String>,
}

#[derive(Deserialize)]
struct Refused {
    reason: Option<String>,
    message: Option<String>,
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    causes: Vec<Cause>,
}

#[derive(Deserialize)]
struct Cause {
    reason: Option<String>,
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// With the file and the line that can't be read.
    pub fn read(path: &Path) -> Result<Self, String> {
        let error = |what: &dyn ToString| format!("{}: {}", path.display(), what.to_string());
        let file = File::open(path).map_err(|problem| error(&problem))?;
        let mut lines = BufReader::new(GzDecoder::new(file)).lines();
        let first = lines.next().ok_or_else(|| error(&"is empty"))?.map_err(|problem| error(&problem))?;
        let header: Header = serde_json::from_str(&first).map_err(|problem| error(&problem))?;
        let start = Time::parse(&header.start).ok_or_else(|| error(&"start: must be a time"))?;
        let name = format!("{}-{}", header.scenario, header.run);
        let command = |CommandLine { at, arguments }| Command {
            at: start.plus(at.saturating_mul(1000)),
            arguments: arguments.unwrap_or_default(),
        };
        let mut recording = Self {
            commands: header.kubectl.into_iter().flatten().map(command).collect(),
            name,
            about: header.about,
            start,
            stored: BTreeMap::new(),
            requests: Vec::new(),
        };
        let mut sent = Vec::new();
        for (number, line) in lines.enumerate() {
            let place = number.saturating_add(2);
            let line = line.map_err(|problem| error(&problem))?;
            let problem = |problem: &dyn ToString| error(&format!("line {place}: {}", problem.to_string()));
            if line.starts_with(REQUEST) {
                sent.push(serde_json::from_str(&line).map_err(|error| problem(&error))?);
            } else {
                let version = serde_json::from_str(&line).map_err(|error| problem(&error))?;
                recording.store(version, start).map_err(|error| problem(&error))?;
            }
        }
        for line in sent {
            let request = recording.request(line, start);
            recording.requests.push(Rc::new(request));
        }
        Ok(recording)
    }

    /// The scenario's name.
    pub fn scenario(&self) -> &str {
        self.name.rsplit_once('-').map_or(&self.name, |(scenario, _)| scenario)
    }

    /// An object at a version.
    pub fn at(&self, object: &str, version: i64) -> Option<&Stored> {
        let versions = self.stored.get(object)?;
        versions.get(versions.binary_search_by_key(&version, |stored| stored.version).ok()?)
    }

    /// An object's last version before a resource version.
    pub fn before(&self, object: &str, version: i64) -> Option<&Stored> {
        let versions = self.stored.get(object)?;
        versions.get(versions.partition_point(|stored| stored.version < version).checked_sub(1)?)
    }

    /// An object as a read at that time would have returned it.
    pub fn at_time(&self, object: &str, time: Time) -> Option<&Object> {
        self.last_before(object, time)?.object.as_ref()
    }

    /// The version of an object that watches had reported last at that time.
    pub fn last_before(&self, object: &str, time: Time) -> Option<&Stored> {
        let versions = self.stored.get(object)?;
        versions.get(versions.partition_point(|stored| stored.at <= time).checked_sub(1)?)
    }

    /// The last version of a pod that watches had reported at that time; 0 if there was none.
    pub fn pods_known_at(&self, time: Time) -> i64 {
        let pods = self.stored.iter().filter(|(key, _)| key.starts_with("Pod/")).flat_map(|(_, versions)| versions);
        pods.filter(|stored| stored.at <= time).map(|stored| stored.version).max().unwrap_or(0)
    }

    fn store(&mut self, line: VersionLine, start: Time) -> Result<(), String> {
        let versions = self.stored.entry(line.object.clone()).or_default();
        let value = (!line.deleted).then(|| {
            let mut value = versions.last().and_then(|last| last.value.clone()).unwrap_or(Value::Object(Map::new()));
            json_patch::merge(&mut value, &line.change);
            if let Some(Value::Object(metadata)) = value.get_mut("metadata") {
                metadata.insert("resourceVersion".into(), line.version.to_string().into());
            }
            value
        });
        let object = value.as_ref().map(|value| typed(&line.object, value)).transpose()?.flatten();
        versions.push(Stored { version: line.version, at: start.plus(line.at.saturating_mul(1000)), value, object });
        Ok(())
    }

    fn request(&self, line: RequestLine, start: Time) -> Request {
        let received = start.plus(line.at.saturating_mul(1000));
        let verb = match (&*line.request, &*line.subresource) {
            ("create", "") => Verb::Create,
            ("update", "") => Verb::Update,
            ("update", "status") => Verb::UpdateStatus,
            ("patch", "") => Verb::Patch,
            ("delete", "") => Verb::Delete,
            _ => Verb::Other,
        };
        let mut sent = line.sent;
        if let (Verb::Update | Verb::UpdateStatus, Some(named)) = (verb, line.named) {
            let whole = self.at(&line.object, named).and_then(|stored| stored.value.clone());
            if let Some(mut whole) = whole {
                json_patch::merge(&mut whole, &sent);
                sent = whole;
            }
            if let Some(Value::Object(metadata)) = sent.get_mut("metadata") {
                metadata.insert("resourceVersion".into(), named.to_string().into());
            }
        }
        let answer = match (line.refused, verb) {
            (Some(refused), _) => {
                let reason = refused.reason.unwrap_or_default();
                let mut error = ApiError::new(line.code, &reason, refused.message.unwrap_or_default());
                error.cause = refused.details.and_then(|details| details.causes.into_iter().next()?.reason);
                Answer::Refused(error)
            }
            (None, Verb::Delete) => self.deletion(&line.object, line.uid.as_deref(), received),
            (None, Verb::Patch) => {
                let until = received.plus(line.took.saturating_mul(1000)).plus(WATCH_LAG);
                line.version.map_or(Answer::Unchanged, |made| self.patched(&line.object, made, (received, until)))
            }
            (None, _) => {
                line.version.filter(|made| line.named != Some(*made)).map_or(Answer::Unchanged, Answer::Written)
            }
        };
        Request {
            verb,
            user: line.user,
            object: line.object,
            named: line.named,
            sent: if verb == Verb::Create { as_created(normal(&sent)) } else { normal(&sent) },
            received,
            answered: received.plus(line.took.saturating_mul(1000)),
            answer,
        }
    }

    /// The version that a patch wrote. If a patch removes the last finalizer of a terminating object, the response
    /// contains the version before, and the write is the deletion.
    fn patched(&self, object: &str, answered: i64, (received, until): (Time, Time)) -> Answer {
        let versions = self.stored.get(object).map(Vec::as_slice).unwrap_or_default();
        let since = versions.iter().skip_while(|stored| stored.version < answered);
        let written = since.into_iter().find(|stored| stored.at >= received).filter(|stored| stored.at <= until);
        written.map_or(Answer::Unchanged, |written| Answer::Written(written.version))
    }

    /// The version that a deletion wrote: the first one that is terminating or deleted, unless it was before, or another request
    /// wrote it.
    fn deletion(&self, object: &str, uid: Option<&str>, received: Time) -> Answer {
        let versions = self.stored.get(object).map(Vec::as_slice).unwrap_or_default();
        let of_it = versions.iter().skip_while(|stored| uid.is_some() && stored.uid() != uid);
        let first = of_it.into_iter().find(|stored| stored.is_deleted());
        let wrote = |request: &Rc<Request>, version: i64| {
            request.object == object && matches!(request.answer, Answer::Written(written) if written == version)
        };
        let is_new = |first: &&Stored| {
            first.at >= received && !self.requests.iter().any(|request| wrote(request, first.version))
        };
        first.filter(is_new).map_or(Answer::Unchanged, |first| Answer::Written(first.version))
    }

    /// A resource version that was created after a request was received, so no cache had seen it: the request's own.
    /// A refused or unchanged request has none, so this is the first version that was certainly created later: by a request
    /// that was received later, or reported by a watch well after the response.
    pub(crate) fn horizon(&self, request: &Request) -> i64 {
        if let Answer::Written(version) = request.answer {
            return version;
        }
        let received_later = self.requests.iter().filter(|other| other.received > request.received);
        let written_later = received_later.filter_map(|other| other.answered_version());
        let later = request.answered.plus(WATCH_LAG);
        let stored = self.stored.values().flatten().filter(|stored| stored.at > later);
        stored.map(|stored| stored.version).chain(written_later).min().unwrap_or(i64::MAX)
    }
}

/// The typed object, if the core has its kind. A ReplicationController has the form of a ReplicaSet, as in its controller.
fn typed(object: &str, value: &Value) -> Result<Option<Object>, String> {
    let name = object.split('/').next().unwrap_or_default();
    if name == Kind::ReplicationController.name() {
        let controller: ReplicationController = decode(value, "").map_err(|problem| problem.to_string())?;
        return Ok(Some(controller.to_replica_set().into()));
    }
    let Some(kind) = Object::KINDS.iter().find(|kind| kind.name() == name) else { return Ok(None) };
    Object::read(*kind, value, "").map_err(|problem| problem.to_string())
}
