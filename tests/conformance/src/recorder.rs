//! The store behind one sync. It answers as the API server does, but accepts writes of outdated copies, and records
//! what was written.

use std::collections::BTreeMap;
use std::rc::Rc;

use changeover_core::controller::{ApiError, Client, Decision, Event, Verb, Write};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{Kind, Object, ObjectKey, ObjectMeta, Time};
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::replica_set::ReplicaSet;
use serde_json::{Map, Value, json};

use crate::explained::Explained;
use crate::merge_patch;

/// Upstream: `k8s.io/apiserver/pkg/storage/names/generate.go MaxGeneratedNameLength`
const LONGEST_GENERATED_PREFIX: usize = 58;

/// The prefix of the uids of objects that were created in a case.
const CREATED: &str = "created-";

/// The store, and what was done to it.
pub struct Recorder {
    now: Time,
    gates: FeatureGates,
    objects: BTreeMap<ObjectKey, Object>,
    refusals: Vec<Refusal>,
    /// The kind of the objects that the controller treats as ReplicaSets.
    replica_sets_are: &'static str,
    created: u32,
    /// The successful writes, in the case format.
    pub writes: Vec<Value>,
    /// The events, in the case format.
    pub events: Vec<Value>,
    /// The decisions, including those behind refused writes.
    pub explained: Vec<Explained>,
}

/// Calls that the API server refuses: those that match, after the first `after` of them.
#[derive(Clone, FromJson, ToJson)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    verb: Verb,
    resource: String,
    /// The name of the object; none matches all.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    after: u32,
    code: u16,
    message: String,
    #[serde(default)]
    cause: Option<String>,
}

impl Recorder {
    /// A store with these objects.
    pub fn new(now: Time, gates: FeatureGates, objects: impl IntoIterator<Item = Object>) -> Self {
        let objects = objects.into_iter().map(|object| (object.key(), object)).collect();
        Self {
            now,
            gates,
            objects,
            refusals: Vec::new(),
            replica_sets_are: Kind::ReplicaSet.resource(),
            created: 0,
            writes: Vec::new(),
            events: Vec::new(),
            explained: Vec::new(),
        }
    }

    /// The same store, which refuses these calls.
    pub fn refusing(self, refusals: Option<Vec<Refusal>>) -> Self {
        Self { refusals: refusals.unwrap_or_default(), ..self }
    }

    /// The same store, with ReplicationControllers in the form of ReplicaSets.
    pub fn of_replication_controllers(self) -> Self {
        Self { replica_sets_are: "replicationcontrollers", ..self }
    }

    fn resource(&self, kind: Kind) -> &'static str {
        if kind == Kind::ReplicaSet { self.replica_sets_are } else { kind.resource() }
    }

    /// All current ReplicaSets.
    pub fn replica_sets(&self) -> impl Iterator<Item = &Rc<ReplicaSet>> {
        self.objects.values().filter_map(Object::typed)
    }

    /// The only Deployment.
    pub fn deployment(&self) -> Option<&Rc<Deployment>> {
        self.objects.values().find_map(Object::typed)
    }

    /// The names of the deleted objects, in order.
    pub fn deleted(&self) -> Value {
        let deletions = self.writes.iter().filter(|write| write.get("verb") == Some(&json!("delete")));
        deletions.filter_map(|write| write.get("name")).cloned().collect()
    }

    fn refuse(&mut self, verb: Verb, key: &ObjectKey) -> Result<(), ApiError> {
        let resource = self.resource(key.kind);
        let matches = |refusal: &&mut Refusal| {
            let named = refusal.name.as_ref().is_none_or(|name| **name == *key.name);
            refusal.verb == verb && refusal.resource == resource && named
        };
        let Some(refusal) = self.refusals.iter_mut().find(matches) else { return Ok(()) };
        if let Some(fewer) = refusal.after.checked_sub(1) {
            refusal.after = fewer;
            return Ok(());
        }
        let Refusal { code, message, cause, .. } = refusal.clone();
        let mut error = ApiError::new(code, reason(code, &message), message);
        error.cause = cause;
        Err(error)
    }

    fn create(&mut self, object: &Object) -> Result<Object, ApiError> {
        let key = object.key();
        let generated = key.name.is_empty();
        if !generated && self.objects.contains_key(&key) {
            return Err(ApiError::already_exists(&key));
        }
        self.created = self.created.saturating_add(1);
        let uid = format!("{CREATED}{}", self.created);
        let created = with_metadata(object, |metadata| {
            metadata.uid = uid.as_str().into();
            metadata.creation_timestamp = Some(self.now.truncated());
            metadata.generation = 1;
            if generated {
                // The random suffix of the name is not compared, but the generator shortens the part before it.
                metadata.name =
                    metadata.generate_name.chars().take(LONGEST_GENERATED_PREFIX).collect::<String>().into();
            }
        });
        self.writes.push(json!({"verb": "create", "resource": self.resource(key.kind), "object": as_created(object)}));
        if !generated {
            self.objects.insert(created.key(), created.clone());
        }
        Ok(created)
    }

    fn replace(&mut self, verb: Verb, object: &Object) -> Result<Object, ApiError> {
        let key = object.key();
        let before = self.objects.get(&key).ok_or_else(|| ApiError::not_found(&key))?;
        let after = match verb {
            Verb::UpdateStatus => status_from(before, object),
            _ => spec_from(before, object),
        };
        let mut change = merge_patch::between(&compared(before), &compared(&after));
        forget_created(&mut change);
        self.writes.push(json!({
            "verb": verb, "resource": self.resource(key.kind), "name": &*key.name, "change": change,
        }));
        if is_gone(&after) {
            self.objects.remove(&key);
        } else {
            self.objects.insert(key, after.clone());
        }
        Ok(after)
    }

    fn delete(&mut self, key: &ObjectKey) -> Result<(), ApiError> {
        let object = self.objects.remove(key).ok_or_else(|| ApiError::not_found(key))?;
        if let Some(deleting) = deleting(object, self.now) {
            self.objects.insert(key.clone(), deleting);
        }
        Ok(())
    }
}

/// What remains of an object when it is deleted: a pod on a node, whose containers may still run, or an object with
/// finalizers.
///
/// Upstream: `pkg/registry/core/pod/strategy.go CheckGracefulDelete`
fn deleting(object: Object, now: Time) -> Option<Object> {
    if object.metadata().deletion_timestamp.is_some() {
        return Some(object);
    }
    let grace = match &object {
        Object::Pod(pod) if pod.spec.node_name.is_some() && !pod.is_terminal() => {
            pod.spec.fields.termination_grace_period_seconds.unwrap_or(30)
        }
        _ => 0,
    };
    let deleting = with_metadata(&object, |metadata| {
        metadata.deletion_timestamp = Some(now.plus_seconds(grace).truncated());
        metadata.deletion_grace_period_seconds = Some(grace);
    });
    (!is_gone(&deleting)).then_some(deleting)
}

/// Whether nothing keeps a deleted object any longer.
fn is_gone(object: &Object) -> bool {
    let metadata = object.metadata();
    metadata.deletion_timestamp.is_some()
        && metadata.deletion_grace_period_seconds.unwrap_or(0) == 0
        && metadata.finalizers.is_empty()
}

impl Client for Recorder {
    fn now(&self) -> Time {
        self.now
    }

    fn gates(&self) -> FeatureGates {
        self.gates
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        self.objects.get(key).cloned()
    }

    fn write(&mut self, write: Write, decision: Decision) -> Result<Option<Object>, ApiError> {
        let (verb, key) = (write.verb(), write.key());
        self.explained.push(match &write {
            Write::Create(object) => Explained::created(object, decision.reason()),
            _ => Explained::about(&key.name, decision.reason()),
        });
        self.refuse(verb, &key)?;
        match write {
            Write::Create(object) => self.create(&object).map(Some),
            Write::Update(object) | Write::UpdateStatus(object) | Write::Patch(object) => {
                self.replace(verb, &object).map(Some)
            }
            Write::Delete { key, .. } => {
                self.delete(&key)?;
                self.writes.push(json!({"verb": verb, "resource": self.resource(key.kind), "name": &*key.name}));
                Ok(None)
            }
        }
    }

    fn event(&mut self, _: &ObjectKey, Event { type_, reason, message }: Event) {
        self.events.push(format!("{type_} {reason} {message}").into());
    }

    fn note(&mut self, decision: Decision) {
        self.explained.push(Explained::about(decision.subject(), decision.reason()));
    }
}

/// The API error's reason for an HTTP status.
fn reason(code: u16, message: &str) -> &'static str {
    match code {
        400 => "BadRequest",
        403 => "Forbidden",
        404 => "NotFound",
        409 if message.ends_with("already exists") => "AlreadyExists",
        409 => "Conflict",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "Unknown",
    }
}

fn with_metadata(object: &Object, change: impl FnOnce(&mut ObjectMeta)) -> Object {
    object.clone().with_metadata(change)
}

/// An update: it replaces metadata and spec, and a new spec increases the generation.
fn spec_from(before: &Object, object: &Object) -> Object {
    let generation = before.metadata().generation;
    let generation = if object.has_spec_of(before) { generation } else { generation.saturating_add(1) };
    with_metadata(&object.clone().with_status_of(Some(before)), |metadata| metadata.generation = generation)
}

/// An update of the status: it replaces the status and the annotations.
fn status_from(before: &Object, object: &Object) -> Object {
    with_metadata(&before.clone().with_status_of(Some(object)), |metadata| {
        metadata.annotations = object.metadata().annotations.clone();
    })
}

/// The object as its change is compared: without the fields that every write changes.
fn compared(object: &Object) -> Map<String, Value> {
    without(object, &["generation", "resourceVersion"])
}

/// Removes the fields that the API server sets from the references to Jobs that were created.
fn forget_created(change: &mut Map<String, Value>) {
    let active = change.get_mut("status").and_then(|status| status.get_mut("active")).and_then(Value::as_array_mut);
    for reference in active.into_iter().flatten().filter_map(Value::as_object_mut) {
        if reference.get("uid").and_then(Value::as_str).is_some_and(|uid| uid.starts_with(CREATED)) {
            reference.remove("uid");
            reference.remove("resourceVersion");
        }
    }
}

/// The object as its creation is compared: without the fields that the API server sets.
fn as_created(object: &Object) -> Map<String, Value> {
    let mut map = without(object, &["uid", "resourceVersion", "managedFields", "creationTimestamp"]);
    for key in ["apiVersion", "kind", "status"] {
        map.remove(key);
    }
    map
}

fn without(object: &Object, fields: &[&str]) -> Map<String, Value> {
    let Value::Object(mut map) = object.to_value() else { return Map::new() };
    if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
        metadata.retain(|key, _| !fields.contains(&key.as_str()));
    }
    map
}
