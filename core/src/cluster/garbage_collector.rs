//! The garbage collector: what an owner leaves behind.

use alloc::format;
use alloc::rc::Rc;

use super::state::Cluster;
use super::step::Actor;
use crate::cluster::decision::{Decision, GarbageCollectorDecision};
use crate::controller::{Verb, Write};
use crate::object::{Kind, Object};

impl Cluster {
    /// Deletes what an owner that is gone has left behind.
    pub(super) fn collect_garbage(&mut self, uid: &str, owner: &str) {
        let left = self.store.borrow().owned_by(uid);
        for object in left {
            let decision = GarbageCollectorDecision::Collect { object: kind_and_name(&object), owner: owner.into() };
            let key = object.key();
            let about = self.store.borrow().shared_key(&key);
            // It may be gone already.
            let _ = self.write(Actor::GarbageCollector, &about, Write::Delete(key), decision);
        }
    }

    /// Takes an owner's reference from the objects it leaves behind.
    pub(super) fn orphan_dependents(&mut self, uid: &str, owner: &str) {
        let left = self.store.borrow().owned_by(uid);
        for object in left {
            let decision = GarbageCollectorDecision::Orphan { object: kind_and_name(&object), owner: owner.into() };
            let key = object.key();
            let object = object.with_metadata(|metadata| {
                Rc::make_mut(&mut metadata.owner_references).retain(|owner| &*owner.uid != uid);
            });
            self.commit(Actor::GarbageCollector, &key, Verb::Patch, &key, Some(object), decision);
        }
    }

    /// Lets a foreground deletion go on: an owner whose dependents are all gone goes.
    pub(super) fn finish_foreground_deletions(&mut self) {
        for key in core::mem::take(&mut self.foreground_deletions) {
            let Some(object) = self.find(&key) else { continue };
            if self.store.borrow().owns(&object.metadata().uid) {
                self.foreground_deletions.push(key);
                continue;
            }
            let decision = GarbageCollectorDecision::Foreground { object: kind_and_name(&object) };
            self.commit(Actor::GarbageCollector, &key, Verb::Delete, &key, None, decision);
        }
    }

    /// Begins a foreground deletion: the owner stays, marked, until everything it owns is gone.
    pub(super) fn begin_foreground_deletion(&mut self, object: &Object, actor: Actor, decision: Decision) {
        let key = object.key();
        let now = self.now.truncated();
        let marked = object.clone().with_metadata(|metadata| {
            metadata.deletion_timestamp = Some(now);
            metadata.finalizers.push("foregroundDeletion".into());
        });
        self.commit(actor, &key, Verb::Delete, &key, Some(marked), decision);
        self.foreground_deletions.push(key);
        let owner = kind_and_name(object);
        let owned = self.store.borrow().owned_by(&object.metadata().uid);
        for dependent in owned {
            let decision =
                GarbageCollectorDecision::Collect { object: kind_and_name(&dependent), owner: owner.clone() };
            if dependent.kind() == Kind::Pod {
                let key = dependent.key();
                let about = self.store.borrow().shared_key(&key);
                let _ = self.write(Actor::GarbageCollector, &about, Write::Delete(key), decision);
            } else {
                self.begin_foreground_deletion(&dependent, Actor::GarbageCollector, decision.into());
            }
        }
    }
}

/// Like `ReplicaSet web-7d4b9c`.
fn kind_and_name(object: &Object) -> Rc<str> {
    format!("{} {}", object.kind(), object.metadata().name).into()
}
