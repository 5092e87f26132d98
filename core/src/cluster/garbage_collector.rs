//! The garbage collector: what an owner leaves behind.

use alloc::rc::Rc;

use super::state::{Cluster, ForegroundDeletion};
use super::step::Actor;
use super::store::blocks_owner_deletion;
use crate::cluster::decision::{Decision, GarbageCollectorDecision};
use crate::controller::{DeletionPropagation, Verb, Write};
use crate::object::{Kind, Object, ObjectKey};

impl Cluster {
    /// Deletes an object, and with it what it owns, as the request says.
    pub(super) fn delete_owner(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        object: &Object,
        propagation: DeletionPropagation,
        decision: Decision,
    ) {
        let key = object.key();
        match propagation {
            // A claim owns nothing, and stays as long as a pod uses it.
            DeletionPropagation::Foreground if key.kind == Kind::PersistentVolumeClaim => {
                self.delete_owner(actor, about, object, DeletionPropagation::Background, decision);
            }
            DeletionPropagation::Background => {
                let after = self.deleted(object, None);
                self.commit(actor, about, Verb::Delete, &key, after, decision);
            }
            DeletionPropagation::Foreground => self.begin_foreground_deletion(actor, about, object, decision),
            DeletionPropagation::Orphan => {
                self.commit(actor, about, Verb::Delete, &key, None, decision);
                self.orphan_dependents(&object.metadata().uid, &Rc::new(key));
            }
        }
    }

    /// Deletes what an owner that is gone has left behind.
    pub(super) fn collect_garbage(&mut self, uid: &str, owner: &Rc<ObjectKey>) {
        let left = self.store.borrow().owned_by(uid);
        for object in left {
            let key = object.key();
            let about = self.store.borrow().shared_key(&key);
            let decision = GarbageCollectorDecision::Collect { object: about.clone(), owner: owner.clone() };
            // It may be gone already.
            let delete = Write::Delete { key, propagation: DeletionPropagation::Background };
            let _ = self.write(Actor::GarbageCollector, &about, delete, decision);
        }
    }

    /// Takes an owner's reference from the objects it leaves behind.
    fn orphan_dependents(&mut self, uid: &str, owner: &Rc<ObjectKey>) {
        let left = self.store.borrow().owned_by(uid);
        for object in left {
            let key = self.store.borrow().shared_key(&object.key());
            let decision = GarbageCollectorDecision::Orphan { object: key.clone(), owner: owner.clone() };
            let object = object.with_metadata(|metadata| {
                Rc::make_mut(&mut metadata.owner_references).retain(|owner| &*owner.uid != uid);
            });
            self.commit(Actor::GarbageCollector, &key, Verb::Patch, &key, Some(object), decision);
        }
    }

    /// Remembers that the owner of an object that is gone has one dependent less.
    ///
    /// Upstream: `pkg/controller/garbagecollector/graph_builder.go processGraphChanges`, which queues the owner
    pub(super) fn note_lost_dependent(&mut self, gone: &Object) {
        let Some(owner) = gone.metadata().controller() else { return };
        for deletion in self.foreground_deletions.iter_mut().filter(|deletion| deletion.uid == owner.uid) {
            deletion.lost_dependent = true;
        }
    }

    /// Lets foreground deletions go on: an owner goes when all dependents are gone that block its deletion. Dependents
    /// that were created after the deletion began are deleted as soon as an earlier one is gone.
    ///
    /// Upstream: `pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem`
    pub(super) fn finish_foreground_deletions(&mut self) {
        for mut deletion in core::mem::take(&mut self.foreground_deletions) {
            // Another object may have its name by now.
            let object = self.find(&deletion.key).filter(|object| object.metadata().deletion_timestamp.is_some());
            let Some(object) = object else { continue };
            if core::mem::take(&mut deletion.lost_dependent) {
                self.delete_blocking_dependents(&object);
            }
            if self.store.borrow().has_blocking_dependents(&deletion.uid) {
                self.foreground_deletions.push(deletion);
                continue;
            }
            let decision = GarbageCollectorDecision::Foreground { object: Rc::new(deletion.key.clone()) };
            // Of what does not block it.
            self.queue_garbage_collection(&object);
            self.commit(Actor::GarbageCollector, &deletion.key, Verb::Delete, &deletion.key, None, decision);
        }
    }

    /// Begins a foreground deletion: the owner stays, marked, until everything it owns is gone.
    fn begin_foreground_deletion(&mut self, actor: Actor, about: &ObjectKey, object: &Object, decision: Decision) {
        let key = object.key();
        if self.foreground_deletions.iter().any(|deletion| deletion.key == key) {
            return;
        }
        let now = self.now.truncated();
        let marked = object.clone().with_metadata(|metadata| {
            metadata.deletion_timestamp = Some(now);
            metadata.finalizers.push("foregroundDeletion".into());
        });
        self.commit(actor, about, Verb::Delete, &key, Some(marked), decision);
        let uid = object.metadata().uid.clone();
        self.foreground_deletions.push(ForegroundDeletion { key, uid, lost_dependent: false });
        self.delete_blocking_dependents(object);
    }

    /// Deletes the dependents that block an owner's deletion, except for those that are being deleted already. Only what has dependents
    /// goes after them.
    ///
    /// Upstream: `pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem`
    fn delete_blocking_dependents(&mut self, owner: &Object) {
        let owned = self.store.borrow().owned_by(&owner.metadata().uid);
        let owner = Rc::new(owner.key());
        let is_left =
            |dependent: &Object| blocks_owner_deletion(dependent) && dependent.metadata().deletion_timestamp.is_none();
        for dependent in owned.into_iter().filter(is_left) {
            let key = dependent.key();
            let about = self.store.borrow().shared_key(&key);
            let decision = GarbageCollectorDecision::Collect { object: about.clone(), owner: owner.clone() };
            let propagation = match self.store.borrow().owns(&dependent.metadata().uid) {
                true => DeletionPropagation::Foreground,
                false => DeletionPropagation::Background,
            };
            let delete = Write::Delete { key, propagation };
            let _ = self.write(Actor::GarbageCollector, &about, delete, decision);
        }
    }
}
