//! The API server's answer to a write, and the step that the write leaves in the timeline.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::decision::Decision;
use super::event_queue::SimEvent;
use super::recorder::Limit;
use super::state::Cluster;
use super::step::{Actor, Change, Step};
use super::store::Id;
use super::sync_log::WriteAnswer;
use crate::controller::{self, ApiError, Client, DeletionPropagation, Event, Verb, Write};
use crate::feature_gates::FeatureGates;
use crate::object::{Kind, Object, ObjectKey, ObjectMeta, Pod, PodPhase, Time};

/// How often the API server draws a name until there is no object of that name.
///
/// Upstream: `k8s.io/apiserver/pkg/registry/generic/registry/store.go maxNameGenerationCreateAttempts`
const MAX_NAME_GENERATION_CREATE_ATTEMPTS: u32 = 8;

/// The client of one actor for what it does about an object.
pub(super) struct Session<'a> {
    pub(super) cluster: &'a mut Cluster,
    pub(super) actor: Actor,
    pub(super) about: Rc<ObjectKey>,
}

impl Client for Session<'_> {
    fn now(&self) -> Time {
        self.cluster.now
    }

    fn gates(&self) -> FeatureGates {
        self.cluster.gates.controller_manager
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        self.cluster.find(key)
    }

    fn write(&mut self, write: Write, decision: controller::Decision) -> WriteAnswer {
        self.cluster.environment.write(self.cluster, self.actor, &self.about, write, decision)
    }

    fn event(&mut self, about: &ObjectKey, event: Event) {
        self.cluster.event(about, event);
    }

    fn note(&mut self, decision: controller::Decision) {
        self.cluster.note(self.actor, &self.about, decision);
    }
}

impl Cluster {
    /// Carries out a write. One that changes nothing leaves no trace, as in etcd.
    pub(super) fn write(
        &mut self,
        actor: Actor,
        about: &Rc<ObjectKey>,
        write: Write,
        decision: impl Into<Decision>,
    ) -> WriteAnswer {
        let verb = write.verb();
        let (slot, key, before, after) = match write {
            Write::Create(object) => {
                let uid = self.names.uid();
                let object = self.environment.complete(self, object, &uid)?;
                let (key, after) = self.created(actor, about, object, uid)?;
                (None, Rc::new(key), None, Some(after))
            }
            Write::Update(object) | Write::Patch(object) => {
                let (id, key, before) = self.stored(&object.key())?;
                let after = updated(&before, object);
                let after = Some(after).filter(|after| !is_gone_after_update(&before, after));
                (Some(id), key, Some(before), after)
            }
            Write::UpdateStatus(object) => {
                let (id, key, before) = self.stored(&object.key())?;
                let mut after = with_status(&before, object);
                if let Some(workload) = self.environment.workload(after.kind()) {
                    workload.drop_disabled_status_fields(&mut after, &before, self.gates.apiserver);
                }
                (Some(id), key, Some(before), Some(after))
            }
            Write::Delete { key, propagation } => {
                let (id, key, before) = self.stored(&key)?;
                if key.kind != Kind::Pod && propagation != DeletionPropagation::Background {
                    self.environment.delete_owner(self, actor, about, &before, propagation, decision.into());
                    return Ok(self.find(&key));
                }
                let after = self.deleted(&before, None);
                (Some(id), key, Some(before), after)
            }
        };
        let change = Change { verb, key, before, after: after.clone() };
        self.replace(actor, about.clone(), slot, change, decision.into());
        Ok(after)
    }

    /// An object's slot, its shared key, and the object.
    fn stored(&self, key: &ObjectKey) -> Result<(Id, Rc<ObjectKey>, Object), ApiError> {
        let store = self.store.borrow();
        let found = store.find(key).and_then(|id| Some((id, store.key(id)?.clone(), store.at(id)?.clone())));
        found.ok_or_else(|| ApiError::not_found(key))
    }

    /// Stores an object (or takes it out), as a step of the timeline, and informs its watchers.
    pub(super) fn commit(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        verb: Verb,
        key: &ObjectKey,
        after: Option<Object>,
        decision: impl Into<Decision>,
    ) {
        let about = self.store.borrow().shared_key(about);
        let (slot, key, before) = match self.stored(key) {
            Ok((id, key, before)) => (Some(id), key, Some(before)),
            Err(_) => (None, Rc::new(key.clone()), None),
        };
        self.replace(actor, about, slot, Change { verb, key, before, after }, decision.into());
    }

    /// As [`Cluster::commit`], for a pod as it is stored.
    pub(super) fn commit_pod(
        &mut self,
        actor: Actor,
        verb: Verb,
        id: Id,
        before: Rc<Pod>,
        after: Option<Pod>,
        decision: impl Into<Decision>,
    ) {
        let key = self.store.borrow().key(id).map_or_else(|| Rc::new(before.key()), Rc::clone);
        let before = Some(Object::Pod(before));
        let change = Change { verb, key: key.clone(), before, after: after.map(Object::from) };
        self.replace(actor, key, Some(id), change, decision.into());
    }

    /// As [`Cluster::commit`], where the object as it is stored is known, and its slot.
    fn replace(&mut self, actor: Actor, about: Rc<ObjectKey>, slot: Option<Id>, change: Change, decision: Decision) {
        if let (Some(before), Some(after)) = (&change.before, &change.after)
            && after.equals(before)
        {
            return;
        }
        let slot = match &change.after {
            Some(object) => Some(self.store.borrow_mut().put(slot, &change.key, object.clone())),
            None => {
                self.store.borrow_mut().remove(&change.key);
                None
            }
        };
        self.inform_controllers(actor, &change);
        match (&change.before, &change.after) {
            (None, Some(Object::Pod(pod))) => {
                // A pod of a StatefulSet has the name of the one before it.
                self.work_queues.forget_notes_of(&about, &pod.metadata.name);
                if let Some(id) = slot {
                    if let Some(node) = &pod.spec.node_name {
                        self.count_on_node(node, pod, 1);
                    }
                    self.environment.pod_added(self, id, pod);
                }
            }
            (Some(Object::Pod(pod)), after) if !pod.is_terminal() && !runs(after) => {
                self.environment.pod_ended(self, pod)
            }
            (Some(Object::Pod(before)), Some(Object::Pod(after))) if !before.is_terminal() => {
                if let Some(id) = slot {
                    self.environment.pod_changed(self, id, before, after);
                }
            }
            _ => {}
        }
        if let Change { before: Some(gone), after: None, .. } = &change {
            self.note_lost_dependent(gone);
            if matches!(gone, Object::Pod(_)) && self.store.borrow().owns(&gone.metadata().uid) {
                self.queue_garbage_collection(gone);
            }
        }
        self.push_step(actor, about, Some(change), decision);
        if self.store.borrow().has_more_pods_than(self.scenario.limits.pods) {
            self.recorder.stop(Limit::Pods);
        }
    }

    /// Records a decision that wrote nothing, once: again only when its numbers differ from the last time. Says whether it was
    /// recorded.
    pub(super) fn note(&mut self, actor: Actor, about: &Rc<ObjectKey>, decision: impl Into<Decision>) -> bool {
        // Notes are only of use where decisions are explained.
        if !cfg!(feature = "explain") || !self.keeps_notes {
            return false;
        }
        let (now, decision) = (self.now, decision.into());
        let notes = self.work_queues.notes(about);
        if notes.iter().any(|(time, earlier)| decision.repeats(earlier, now.since(*time))) {
            return false;
        }
        notes.retain(|(_, other)| !other.has_topic_of(&decision));
        notes.push((now, decision.clone()));
        self.push_step(actor, about.clone(), None, decision)
    }

    /// Records something that happens without a write to an object of the store.
    pub(super) fn report(&mut self, actor: Actor, about: &ObjectKey, decision: impl Into<Decision>) {
        let about = self.store.borrow().shared_key(about);
        self.push_step(actor, about, None, decision.into());
    }

    /// Records an event, with the last step.
    pub(super) fn event(&mut self, about: &ObjectKey, event: Event) {
        let about = self.store.borrow().shared_key(about);
        self.recorder.push_event(about, event);
    }

    fn push_step(&mut self, actor: Actor, about: Rc<ObjectKey>, change: Option<Change>, decision: Decision) -> bool {
        self.recorder.push(Step { time: self.now, actor, about, change, events: Vec::new(), decision })
    }

    /// An object as it is after its creation: with name, this uid, times and generation.
    pub(super) fn created(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        object: Object,
        uid: Rc<str>,
    ) -> Result<(ObjectKey, Object), ApiError> {
        let now = self.now.truncated();
        let mut key = object.key();
        if key.name.is_empty() {
            for _ in 0..MAX_NAME_GENERATION_CREATE_ATTEMPTS {
                key.name = self.names.generate(&object.metadata().generate_name);
                if self.store.borrow().get(&key).is_none() {
                    break;
                }
            }
        }
        if self.store.borrow().get(&key).is_some() {
            return Err(ApiError::already_exists(&key));
        }
        let mut object = object.with_status_of(None).with_metadata(|metadata| {
            metadata.name = key.name.clone();
            metadata.uid = uid;
            metadata.creation_timestamp = Some(now);
            metadata.generation = 1;
        });
        if let Object::Pod(pod) = &mut object {
            Rc::make_mut(pod).status.phase = PodPhase::Pending;
        }
        self.environment.admit(self, actor, about, &object)?;
        Ok((key, object))
    }

    /// An object after a request to delete it: gone, or for a pod that runs with the time at which it will be. A pod with
    /// finalizers stays until they are gone.
    ///
    /// Upstream: `k8s.io/apiserver/pkg/registry/rest/delete.go BeforeDelete`, `pkg/registry/core/pod/strategy.go
    /// CheckGracefulDelete`
    pub(super) fn deleted(&mut self, object: &Object, grace: Option<i64>) -> Option<Object> {
        let pod = match object {
            Object::Pod(pod) => pod,
            Object::PersistentVolumeClaim(claim) => return self.environment.deleted_claim(self, claim),
            _ => {
                self.queue_garbage_collection(object);
                return None;
            }
        };
        let asked = grace.or(pod.spec.fields.termination_grace_period_seconds).unwrap_or(30);
        let grace = match asked {
            _ if pod.spec.node_name.is_none() || pod.is_terminal() => 0,
            // A negative grace period counts as a second.
            ..0 => 1,
            asked => asked,
        };
        if grace == 0 {
            return self.deleted_at_once(pod);
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
        let id = self.store.borrow().find(&pod.key());
        if let Some(id) = id {
            self.environment.pod_terminates(self, id, &pod, grace);
        }
        Some(pod.into())
    }

    /// A pod after a request to delete it without a grace period: gone, unless its finalizers keep it.
    ///
    /// Upstream: `k8s.io/apiserver/pkg/registry/generic/registry/store.go markAsDeleting`
    pub(super) fn deleted_at_once(&mut self, pod: &Rc<Pod>) -> Option<Object> {
        if pod.metadata.finalizers.is_empty() {
            return None;
        }
        let is_marked = pod.metadata.deletion_timestamp.is_some();
        if is_marked && pod.metadata.deletion_grace_period_seconds == Some(0) {
            return Some(Object::Pod(pod.clone()));
        }
        let id = self.store.borrow().find(&pod.key());
        let mut pod = (**pod).clone();
        let metadata = Rc::make_mut(&mut pod.metadata);
        metadata.deletion_timestamp = Some(self.now.truncated());
        metadata.deletion_grace_period_seconds = Some(0);
        if let Some(id) = id.filter(|_| !pod.is_terminal()) {
            self.environment.pod_terminates(self, id, &pod, 0);
        }
        Some(pod.into())
    }

    /// The objects of a deleted owner follow it.
    pub(super) fn queue_garbage_collection(&mut self, owner: &Object) {
        let event = SimEvent::CollectGarbage { uid: owner.metadata().uid.clone(), owner: Rc::new(owner.key()) };
        self.plan(0, event);
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
        metadata.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
        metadata.generation = old.generation.saturating_add(changed);
    })
}

/// Whether the pod is there and has not ended.
fn runs(pod: &Option<Object>) -> bool {
    matches!(pod, Some(Object::Pod(pod)) if !pod.is_terminal())
}

/// Whether an update removes the object: it is being deleted, and the update takes its last finalizer.
///
/// Upstream: `k8s.io/apiserver/pkg/registry/generic/registry/store.go ShouldDeleteDuringUpdate`
fn is_gone_after_update(before: &Object, after: &Object) -> bool {
    let old = before.metadata();
    !old.finalizers.is_empty()
        && after.metadata().finalizers.is_empty()
        && old.deletion_timestamp.is_some()
        && old.deletion_grace_period_seconds.unwrap_or(0) == 0
}

/// The object after an update of its status: annotations come along, spec and labels do not.
fn with_status(before: &Object, new: Object) -> Object {
    // Most often the writer has seen the stored object: then the result is what it wrote.
    let same = new.metadata() == before.metadata() && new.has_spec_of(before);
    if same {
        new
    } else {
        let annotations = new.metadata().annotations.clone();
        let metadata = ObjectMeta { annotations, ..(**before.metadata()).clone() };
        new.with_spec_of(before).with_metadata(|new| *new = metadata)
    }
}
