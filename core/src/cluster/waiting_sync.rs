//! Syncs that wait in the middle, with what they have seen.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::seen_pods::SeenPods;
use super::sync_log::SyncLog;
use crate::object::{Deployment, ObjectKey, ReplicaSet};

/// A sync with a request that waits until it may be sent.
pub(super) struct WaitingSync {
    pub(super) key: ObjectKey,
    pub(super) seen: Seen,
    pub(super) log: SyncLog,
}

/// What a sync has seen when it began.
pub(super) enum Seen {
    Deployment(SeenDeployment),
    ReplicaSet(SeenReplicaSet),
}

/// What a Deployment's sync has seen.
pub(super) struct SeenDeployment {
    pub(super) object: Rc<Deployment>,
    pub(super) replica_sets: Vec<Rc<ReplicaSet>>,
    /// Pods that have not ended, by the uid of their ReplicaSet.
    pub(super) running: RefCell<BTreeMap<Rc<str>, i32>>,
}

/// What a ReplicaSet's sync has seen.
pub(super) struct SeenReplicaSet {
    pub(super) object: Rc<ReplicaSet>,
    pub(super) pods: SeenPods,
}
