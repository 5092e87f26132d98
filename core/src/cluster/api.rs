//! The API server's answer to a write, and the step it leaves in the timeline.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::queue::Happening;
use super::{Cluster, Stop};
use crate::Problem;
use crate::apiserver::FieldError;
use crate::controller::{ApiError, Client, Decision, Event, Verb, Write};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Kind, Object, ObjectKey, ObjectMeta, PodPhase, Time};
use crate::reason::Reason;
use crate::timeline::{Actor, Change, Id, Step, size_of_event, size_of_step};

/// The client of one actor for one of its syncs.
pub(super) struct Session<'a> {
    pub(super) cluster: &'a mut Cluster,
    pub(super) actor: Actor,
    pub(super) about: ObjectKey,
}

impl Client for Session<'_> {
    fn now(&self) -> Time {
        self.cluster.now
    }

    fn gates(&self) -> FeatureGates {
        self.cluster.gates.controller_manager
    }

    fn get(&self, key: &ObjectKey) -> Option<Object> {
        self.cluster.store.borrow().get(key).cloned()
    }

    fn write(&mut self, write: Write, decision: Decision) -> Result<Option<Object>, ApiError> {
        self.cluster.write(self.actor, &self.about, write, crate::explain::explain(&decision))
    }

    fn event(&mut self, about: &ObjectKey, event: Event) {
        self.cluster.event(about, event);
    }

    fn note(&mut self, decision: Decision) {
        self.cluster.note(self.actor, &self.about, crate::explain::explain(&decision));
    }
}

impl Cluster {
    /// Carries out a write. One that changes nothing leaves no trace, as in etcd.
    pub(super) fn write(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        write: Write,
        reason: Reason,
    ) -> Result<Option<Object>, ApiError> {
        let verb = write.verb();
        let (key, before, after) = match write {
            Write::Create(object) => {
                let (key, after) = self.created(actor, about, object)?;
                (key, None, after)
            }
            Write::Update(object) | Write::Patch(object) => {
                let key = object.key();
                let before = self.stored(&key)?;
                let after = updated(&before.1, object);
                (key, Some(before), Some(after))
            }
            Write::UpdateStatus(object) => {
                let key = object.key();
                let before = self.stored(&key)?;
                let after = with_status(&before.1, object, self.gates.apiserver);
                (key, Some(before), Some(after))
            }
            Write::Delete(key) => {
                let before = self.stored(&key)?;
                let after = self.deleted(&before.1, None);
                (key, Some(before), after)
            }
        };
        self.replace(actor, about, verb, key, before, after.clone(), reason);
        Ok(after)
    }

    fn stored(&self, key: &ObjectKey) -> Result<(Id, Object), ApiError> {
        self.find_with_place(key).ok_or_else(|| ApiError::not_found(key))
    }

    fn find_with_place(&self, key: &ObjectKey) -> Option<(Id, Object)> {
        let store = self.store.borrow();
        let id = store.find(key)?;
        Some((id, store.at(id)?.clone()))
    }

    /// Stores an object (or takes it out), as a step of the timeline, and wakes whoever watches it.
    pub(super) fn commit(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        verb: Verb,
        key: &ObjectKey,
        after: Option<Object>,
        reason: Reason,
    ) {
        let before = self.find_with_place(key);
        self.replace(actor, about, verb, key.clone(), before, after, reason);
    }

    /// As [`Cluster::commit`], where the object as it is stored is known, and its place.
    #[expect(clippy::too_many_arguments, reason = "all that a step holds")]
    pub(super) fn replace(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        verb: Verb,
        key: ObjectKey,
        before: Option<(Id, Object)>,
        after: Option<Object>,
        reason: Reason,
    ) {
        let (place, before) = before.unzip();
        if let (Some(before), Some(after)) = (&before, &after)
            && after.equals(before)
        {
            return;
        }
        let place = match &after {
            Some(object) => Some(self.store.borrow_mut().put(place, &key, object.clone())),
            None => {
                self.store.borrow_mut().remove(&key);
                None
            }
        };
        self.watch(actor, &key, before.as_ref(), after.as_ref());
        if let (Some(id), None, Some(Object::Pod(pod))) = (place, &before, &after) {
            self.queue_scheduling(id, pod);
        }
        let change = Change { verb, key, before, after };
        self.push(Step {
            time: self.now,
            actor,
            about: about.clone(),
            change: Some(change),
            events: Vec::new(),
            reason,
        });
        if self.store.borrow().has_more_pods_than(self.scenario.limits.pods) {
            self.stop.get_or_insert(Stop::Pods);
        }
    }

    /// A decision that wrote nothing. It is said again only when its numbers differ from the last time.
    pub(super) fn note(&mut self, actor: Actor, about: &ObjectKey, reason: Reason) {
        if !self.keeps_notes {
            return;
        }
        let said = &mut self.memory(about).said;
        if said.contains(&reason) {
            return;
        }
        // The first value is the name of what waits: two that wait for the same reason both stay said.
        said.retain(|other| other.rule != reason.rule || other.values.first() != reason.values.first());
        said.push(reason.clone());
        self.tell(actor, about, reason);
    }

    /// Something that happens without a write to an object of the store.
    pub(super) fn tell(&mut self, actor: Actor, about: &ObjectKey, reason: Reason) {
        self.push(Step { time: self.now, actor, about: about.clone(), change: None, events: Vec::new(), reason });
    }

    /// Records an event, with the last step.
    pub(super) fn event(&mut self, about: &ObjectKey, event: Event) {
        if let Some(step) = self.steps.last_mut() {
            self.bytes = self.bytes.saturating_add(size_of_event(&event));
            step.events.push((about.clone(), event));
        }
    }

    fn push(&mut self, step: Step) {
        if self.steps.len() >= usize::try_from(self.scenario.limits.steps).unwrap_or(usize::MAX) {
            self.stop.get_or_insert(Stop::Steps);
            return;
        }
        self.bytes = self.bytes.saturating_add(size_of_step(&step));
        if self.bytes > self.scenario.limits.bytes {
            self.stop.get_or_insert(Stop::Bytes);
            return;
        }
        self.steps.push(step);
    }

    /// An object as it is after its creation: with name, uid, times and generation.
    pub(super) fn created(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        object: Object,
    ) -> Result<(ObjectKey, Option<Object>), ApiError> {
        let uid = self.random.uid();
        let now = self.now.truncated();
        let mut name = object.metadata().name.clone();
        if name.is_empty() {
            name = self.random.name(&object.metadata().generate_name);
        }
        let key = ObjectKey { name: name.clone(), ..object.key() };
        if self.store.borrow().get(&key).is_some() {
            return Err(ApiError::already_exists(&key));
        }
        let mut object = object.with_status_of(None).with_metadata(|metadata| {
            metadata.name = name;
            metadata.uid = uid;
            metadata.creation_timestamp = Some(now);
            metadata.generation = 1;
        });
        if let Object::Pod(pod) = &mut object {
            Rc::make_mut(pod).status.phase = PodPhase::Pending;
        }
        (self.around.admit)(self, actor, about, &object)?;
        Ok((key, Some(object)))
    }

    /// An object after a request to delete it: gone, or for a pod that runs with the time at which it will be.
    ///
    /// Upstream: `k8s.io/apiserver/pkg/registry/rest/delete.go BeforeDelete`, `pkg/registry/core/pod/strategy.go
    /// CheckGracefulDelete`
    pub(super) fn deleted(&mut self, object: &Object, grace: Option<i64>) -> Option<Object> {
        let Object::Pod(pod) = object else {
            self.queue_collection(object);
            return None;
        };
        let asked = grace.or(pod.spec.fields.termination_grace_period_seconds).unwrap_or(30);
        let grace = match asked {
            _ if pod.spec.node_name.is_none() || pod.is_terminal() => 0,
            // Less than nothing is taken for a second.
            ..0 => 1,
            asked => asked,
        };
        if grace == 0 {
            return None;
        }
        let until = self.now.plus_seconds(grace);
        // A second request may only shorten the time that is left.
        if pod.metadata.deletion_timestamp.is_some_and(|current| current <= until.truncated()) {
            return Some(object.clone());
        }
        let mut pod = (**pod).clone();
        let metadata = Rc::make_mut(&mut pod.metadata);
        metadata.deletion_timestamp = Some(until.truncated());
        metadata.deletion_grace_period_seconds = Some(grace);
        let id = self.store.borrow().find(&pod.metadata.key(Kind::Pod));
        if let Some(id) = id {
            (self.around.terminate)(self, id, &pod, grace);
        }
        Some(pod.into())
    }

    /// Wakes the controllers that watch an object.
    fn watch(&mut self, actor: Actor, key: &ObjectKey, before: Option<&Object>, after: Option<&Object>) {
        match key.kind {
            Kind::Deployment => {
                self.touch(key.clone());
            }
            Kind::ReplicaSet => {
                // Its own controller writes a status, and reads nothing of it but whether it must be written.
                if actor != Actor::ReplicaSetController {
                    self.touch(key.clone());
                }
                self.wake_owners(Kind::Deployment, key, before, after);
            }
            Kind::Pod => {
                self.wake_owners(Kind::ReplicaSet, key, before, after);
                if after.is_none() {
                    self.wake_deployment_of_pod(before);
                    self.leave_node(before);
                }
            }
            _ => {}
        }
    }

    /// The controllers of an object before and after; for an orphan, all that could adopt it.
    fn wake_owners(&mut self, kind: Kind, key: &ObjectKey, before: Option<&Object>, after: Option<&Object>) {
        for object in [before, after].into_iter().flatten() {
            match object.metadata().controller() {
                Some(owner) if *owner.kind == *kind.name() => {
                    self.touch(ObjectKey { kind, namespace: key.namespace.clone(), name: owner.name.clone() });
                }
                Some(_) => {}
                None => {
                    let keys: Vec<ObjectKey> =
                        self.store.borrow().of_kind(kind, &key.namespace).map(Object::key).collect();
                    keys.into_iter().for_each(|key| self.touch(key));
                }
            }
        }
    }

    /// A Deployment with the strategy Recreate waits for pods themselves, not only for what ReplicaSets say of them.
    ///
    /// Upstream: `pkg/controller/deployment/deployment_controller.go deletePod`
    fn wake_deployment_of_pod(&mut self, pod: Option<&Object>) {
        let Some(pod) = pod else { return };
        let namespace = &pod.metadata().namespace;
        let Some(owner) = pod.metadata().controller() else { return };
        let key = |kind, name: &Rc<str>| ObjectKey { kind, namespace: namespace.clone(), name: name.clone() };
        let deployment =
            self.store.borrow().replica_set(&key(Kind::ReplicaSet, &owner.name)).and_then(|replica_set| {
                replica_set.metadata.controller().map(|owner| key(Kind::Deployment, &owner.name))
            });
        if let Some(deployment) = deployment {
            self.touch(deployment);
        }
    }

    /// The objects of a deleted owner follow it.
    pub(super) fn queue_collection(&mut self, owner: &Object) {
        let metadata = owner.metadata();
        let happening = Happening::Collect {
            uid: metadata.uid.clone(),
            owner: alloc::format!("{} {}", owner.kind(), metadata.name),
        };
        self.queue.push(self.now, happening);
    }
}

/// The object after an update of metadata and spec: what only the store writes stays.
fn updated(before: &Object, new: Object) -> Object {
    let old = before.metadata();
    let changed = i64::from(!new.has_spec_of(before));
    new.with_status_of(Some(before)).with_metadata(|metadata| {
        metadata.uid = old.uid.clone();
        metadata.creation_timestamp = old.creation_timestamp;
        metadata.deletion_timestamp = old.deletion_timestamp;
        metadata.generation = old.generation.saturating_add(changed);
    })
}

/// The object after an update of its status: annotations come along, spec and labels do not.
fn with_status(before: &Object, new: Object, gates: FeatureGates) -> Object {
    // Most often the writer has seen what is stored: then it is what it wrote.
    let same = new.metadata() == before.metadata() && new.has_spec_of(before);
    let mut after = if same {
        new
    } else {
        let annotations = new.metadata().annotations.clone();
        let metadata = ObjectMeta { annotations, ..(**before.metadata()).clone() };
        new.with_spec_of(before).with_metadata(|new| *new = metadata)
    };
    drop_disabled_status_fields(&mut after, before, gates);
    after
}

/// Drops the count of terminating pods while its gate is off, unless the old object has it.
///
/// Upstream: `pkg/registry/apps/deployment/strategy.go dropDisabledStatusFields`, and
/// `pkg/registry/apps/replicaset/strategy.go dropDisabledStatusFields`
fn drop_disabled_status_fields(object: &mut Object, old: &Object, gates: FeatureGates) {
    if gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas) {
        return;
    }
    match (object, old) {
        (Object::Deployment(new), Object::Deployment(old)) if old.status.terminating_replicas.is_none() => {
            Rc::make_mut(new).status.terminating_replicas = None;
        }
        (Object::ReplicaSet(new), Object::ReplicaSet(old)) if old.status.terminating_replicas.is_none() => {
            Rc::make_mut(new).status.terminating_replicas = None;
        }
        _ => {}
    }
}

/// What the API server refused of the object at `path`: the first field's path, and all its sentences in one.
pub(super) fn refused(path: &str, errors: &[FieldError]) -> Problem {
    let Some((first, rest)) = errors.split_first() else { return Problem::new(path, "is refused") };
    let below = if first.path.is_empty() { String::from(path) } else { alloc::format!("{path}.{}", first.path) };
    let text = first.to_string();
    let own = text.strip_prefix(first.path.as_str()).and_then(|text| text.strip_prefix(": ")).unwrap_or(&text);
    let mut message = String::from(own);
    for error in rest {
        message.push_str(&alloc::format!("; {path}.{error}"));
    }
    Problem::new(below, message)
}
