//! What the tests of this module build their worlds from.

use crate::world::{Amount, Notes, Policy, Strategy};

use super::world::{Gates, Pods, ReplicaSet, Status, World};

/// A ReplicaSet at rest with this many replicas, all available, and this many terminating pods. Names that come later
/// in the alphabet are younger.
pub fn set(name: &str, replicas: i64, terminating: i64) -> ReplicaSet {
    let created = i64::from(name.as_bytes()[0]);
    ReplicaSet {
        name: name.to_owned(),
        created,
        revision: Some(created),
        replicas,
        status_replicas: replicas,
        ready: replicas,
        available: replicas,
        terminating: Some(terminating),
        generation: 1,
        observed_generation: 1,
        being_deleted: false,
        pods: Pods { running: replicas, terminating },
        notes: Notes::default(),
    }
}

/// The same with the annotations of a finished scaling.
pub fn noted(set: ReplicaSet, desired: i64, max: i64) -> ReplicaSet {
    let notes = Notes { desired: Some(desired.to_string()), max: Some(max.to_string()), before: None };
    ReplicaSet { notes, ..set }
}

/// The same with the annotation of a partial scaling.
pub fn marked(set: ReplicaSet, before: i64) -> ReplicaSet {
    let notes = Notes { before: Some(before.to_string()), ..set.notes };
    ReplicaSet { notes, ..set }
}

/// A RollingUpdate with numbers of pods.
pub fn rolling(surge: i32, unavailable: i32) -> Strategy {
    Strategy::RollingUpdate { surge: Amount::Pods(surge), unavailable: Amount::Pods(unavailable) }
}

/// A Deployment under TerminationComplete without a new ReplicaSet.
pub fn world(replicas: i64, sets: Vec<ReplicaSet>) -> World {
    World {
        replicas,
        strategy: rolling(1, 0),
        policy: Policy::Complete,
        gates: Gates { terminating_replicas: true, pod_replacement_policy: true },
        paused: false,
        progress_deadline_seconds: Some(600),
        revision_history_limit: Some(10),
        generation: 1,
        status: Status { observed_generation: 1, ..Status::default() },
        sets,
        new: None,
        now: 1_000,
    }
}

/// The sizes of ReplicaSets.
pub fn sizes(sets: &[ReplicaSet]) -> Vec<i64> {
    sets.iter().map(|set| set.replicas).collect()
}
