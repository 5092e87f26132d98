//! The controllers' work queues: the objects to sync, and what each sync leaves for the next one of the same object.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::mem;

use super::controllers::{Memory, Queue};
use super::step::Actor;
use crate::cluster::decision::Decision;
use crate::object::{Kind, ObjectKey, Time};

/// The work queues of all controllers.
#[derive(Debug, Default)]
pub(super) struct WorkQueues {
    queues: BTreeMap<(Actor, Kind), WorkQueue>,
    /// The last decisions about an object that wrote nothing, one of each topic, and when they were made.
    notes: BTreeMap<ObjectKey, Vec<(Time, Decision)>>,
}

impl WorkQueues {
    /// A queue with what is in it.
    pub(super) fn of(&mut self, queue: &Queue) -> &mut WorkQueue {
        self.queues.entry((queue.controller.actor(), queue.kind)).or_default()
    }

    /// A queue that has had something in it.
    #[cfg_attr(not(feature = "jobs"), allow(dead_code, reason = "only controllers of Jobs have a memory and timers"))]
    pub(super) fn find(&self, queue: &Queue) -> Option<&WorkQueue> {
        self.queues.get(&(queue.controller.actor(), queue.kind))
    }

    /// Whether a queue has an object to sync.
    pub(super) fn has_keys(&self, queue: &Queue) -> bool {
        self.queues.get(&(queue.controller.actor(), queue.kind)).is_some_and(|queue| !queue.keys.is_empty())
    }

    pub(super) fn notes(&mut self, about: &ObjectKey) -> &mut Vec<(Time, Decision)> {
        self.notes.entry(about.clone()).or_default()
    }

    /// Forgets the notes about an earlier object with a name.
    pub(super) fn forget_notes_of(&mut self, about: &ObjectKey, name: &str) {
        if let Some(notes) = self.notes.get_mut(about) {
            notes.retain(|(_, note)| !matches!(note, Decision::Controller(note) if **note.subject() == *name));
        }
    }
}

/// The objects of one kind that a controller must sync, each once.
#[derive(Debug, Default)]
pub(super) struct WorkQueue {
    /// Sorted: of an owner's pods, which come in the order of their names, each is the last one.
    keys: Vec<ObjectKey>,
    /// Objects whose sync waits in the middle.
    busy: Vec<ObjectKey>,
    /// Those of them that are to be synced again after it.
    again: Vec<ObjectKey>,
    /// Objects for which no worker is free, in the order of creation: of a fleet's first sync, nearly all.
    held: BTreeSet<Created>,
    records: BTreeMap<ObjectKey, SyncRecord>,
}

/// An object and when it was created; none if it is gone.
pub(super) type Created = (Option<Time>, ObjectKey);

/// The outcome of an object's last syncs.
#[derive(Debug, Default)]
pub(super) struct SyncRecord {
    /// How often in a row its sync failed.
    pub(super) failures: u32,
    /// Since when each sync has asked for another one immediately.
    pub(super) busy_since: Option<Time>,
    /// When it is synced again.
    pub(super) planned: Option<Time>,
    /// What the controller remembers of it.
    pub(super) memory: Memory,
}

impl WorkQueue {
    pub(super) fn add(&mut self, key: ObjectKey) {
        if self.busy.contains(&key) {
            self.sync_again(key);
        } else if let Err(position) = self.keys.binary_search(&key) {
            self.keys.insert(position, key);
        }
    }

    fn sync_again(&mut self, key: ObjectKey) {
        if !self.again.contains(&key) {
            self.again.push(key);
        }
    }

    /// The object's sync waits in the middle.
    pub(super) fn set_busy(&mut self, key: &ObjectKey) {
        self.busy.push(key.clone());
        if self.keys.binary_search(key).is_ok() {
            self.remove(key);
            self.sync_again(key.clone());
        }
    }

    /// The object's sync goes on.
    pub(super) fn set_idle(&mut self, key: &ObjectKey) {
        self.busy.retain(|busy| busy != key);
        if let Some(index) = self.again.iter().position(|again| again == key) {
            let key = self.again.swap_remove(index);
            self.add(key);
        }
    }

    /// The object is synced once a worker is free.
    pub(super) fn hold(&mut self, object: Created) {
        self.held.insert(object);
    }

    /// The first object that waits for a worker.
    pub(super) fn first_held(&self) -> Option<&Created> {
        self.held.first()
    }

    /// The object waits for a worker no longer.
    pub(super) fn release(&mut self, object: &Created) {
        self.held.remove(object);
    }

    /// Whether an object is to be synced, or waits for a worker.
    pub(super) fn has_work(&self) -> bool {
        !self.keys.is_empty() || !self.held.is_empty()
    }

    /// How many objects have a sync that waits.
    pub(super) const fn busy(&self) -> usize {
        self.busy.len()
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        if let Ok(position) = self.keys.binary_search(key) {
            self.keys.remove(position);
        }
    }

    /// Takes out the objects.
    pub(super) fn take(&mut self) -> Vec<ObjectKey> {
        mem::take(&mut self.keys)
    }

    /// The object is gone: nothing failed, it asks for nothing, and the controller forgets it.
    pub(super) fn forget(&mut self, key: &ObjectKey) {
        let record = self.record(key);
        record.failures = 0;
        record.busy_since = None;
        record.memory = Memory::default();
    }

    /// What the controller remembers of an object.
    #[cfg_attr(not(feature = "jobs"), allow(dead_code, reason = "only controllers of Jobs have a memory and timers"))]
    pub(super) fn memory(&self, key: &ObjectKey) -> Option<&Memory> {
        self.records.get(key).map(|record| &record.memory)
    }

    /// The outcome of an object's last syncs.
    pub(super) fn record(&mut self, key: &ObjectKey) -> &mut SyncRecord {
        self.records.entry(key.clone()).or_default()
    }
}
