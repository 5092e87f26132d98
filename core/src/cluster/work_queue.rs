//! The controllers' work queue: the objects to sync, and what each sync leaves for the next one of the same object.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::cluster::decision::Decision;
use crate::controller::job;
use crate::object::{Kind, ObjectKey, Time};

/// Upstream: `pkg/controller/deployment/deployment_controller.go maxRetries`
const DEPLOYMENT_RETRIES: u32 = 15;

/// Objects that a controller must sync, each once. A Pod among them may be one that no Job will count any more.
#[derive(Debug, Default)]
pub(super) struct WorkQueue {
    /// Sorted: of an owner's pods, which come in the order of their names, each is the last one.
    keys: Vec<ObjectKey>,
    /// Objects whose sync waits in the middle.
    busy: Vec<ObjectKey>,
    /// Those of them that are to be synced again after it.
    again: Vec<ObjectKey>,
    /// Objects for which no worker is free, in the order of creation: of a fleet's first sync, nearly all.
    held: BTreeMap<Kind, BTreeSet<Created>>,
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
    /// The last decisions that wrote nothing, one of each topic, and when they were made.
    pub(super) notes: Vec<(Time, Decision)>,
    /// What the Job controller remembers of its object.
    pub(super) memory: job::Memory,
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
        self.held.entry(object.1.kind).or_default().insert(object);
    }

    /// The first object of a kind that waits for a worker.
    pub(super) fn first_held(&self, kind: Kind) -> Option<&Created> {
        self.held.get(&kind)?.first()
    }

    /// The object waits for a worker no longer.
    pub(super) fn release(&mut self, object: &Created) {
        if let Some(held) = self.held.get_mut(&object.1.kind) {
            held.remove(object);
        }
    }

    /// Whether an object of a kind is to be synced, or waits for a worker.
    pub(super) fn has_work(&self, kind: Kind) -> bool {
        self.keys.iter().any(|key| key.kind == kind) || self.first_held(kind).is_some()
    }

    /// How many objects of a kind have a sync that waits.
    pub(super) fn busy(&self, kind: Kind) -> usize {
        self.busy.iter().filter(|key| key.kind == kind).count()
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        if let Ok(position) = self.keys.binary_search(key) {
            self.keys.remove(position);
        }
    }

    /// Takes out the objects of a kind.
    pub(super) fn take(&mut self, kind: Kind) -> Vec<ObjectKey> {
        self.keys.extract_if(.., |key| key.kind == kind).collect()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The controllers have just started: they remember nothing, and sync every object. The keys are sorted.
    pub(super) fn restart(&mut self, keys: Vec<ObjectKey>) {
        *self = Self { keys, ..Self::default() };
    }

    /// The object is gone: nothing failed, it asks for nothing, and the Job controller forgets it.
    pub(super) fn forget(&mut self, key: &ObjectKey) {
        let record = self.record(key);
        record.failures = 0;
        record.busy_since = None;
        record.memory = job::Memory::default();
    }

    /// The outcome of an object's last syncs.
    pub(super) fn record(&mut self, key: &ObjectKey) -> &mut SyncRecord {
        self.records.entry(key.clone()).or_default()
    }
}

/// Whether a sync that fails now, after that many failures in a row, is not tried again until something changes.
///
/// Upstream: `pkg/controller/deployment/deployment_controller.go handleErr`
pub(super) const fn gives_up(kind: Kind, failures: u32) -> bool {
    matches!(kind, Kind::Deployment) && failures >= DEPLOYMENT_RETRIES
}

/// How long a kind's sync that has failed waits until it is tried again: 5 ms, doubling up to 1000 s; for a Job and its
/// orphans 1 s, doubling up to 60 s.
///
/// Upstream: `k8s.io/client-go/util/workqueue/default_rate_limiters.go ItemExponentialFailureRateLimiter`, and
/// `pkg/controller/job/job_controller.go DefaultJobApiBackOff` and `MaxJobApiBackOff`
pub(crate) fn back_off(kind: Kind, failures: u32) -> i64 {
    let (base, max) = match kind {
        Kind::Job | Kind::Pod => (Time::SECOND, 60 * Time::SECOND),
        _ => (5_000_000, 1_000 * Time::SECOND),
    };
    base.saturating_mul(2_i64.saturating_pow(failures.min(40))).min(max)
}
