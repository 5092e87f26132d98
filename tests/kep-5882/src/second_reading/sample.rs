//! Building blocks for the worlds of tests.

use crate::settlement::Settlements;
use crate::world::{Amount, Gates, Pods, Policy, ReplicaSet, ScalingAnnotations, Status, Strategy, World};

/// A ReplicaSet at rest with this many replicas, all available, and this many terminating pods. A name later in the
/// alphabet means a newer ReplicaSet.
pub fn set(name: &str, replicas: i64, terminating: i64) -> ReplicaSet {
    let created = i64::from(name.as_bytes()[0]);
    ReplicaSet {
        name: name.to_owned(),
        created,
        revision: created,
        replicas,
        status_replicas: replicas,
        ready: replicas,
        available: replicas,
        terminating: Some(terminating),
        generation: 1,
        observed_generation: 1,
        being_deleted: false,
        pods: Pods { running: replicas, terminating },
        annotations: ScalingAnnotations::default(),
    }
}

/// The ReplicaSet with the annotations of a finished scaling.
pub fn annotated(set: ReplicaSet, desired: i64, max: i64) -> ReplicaSet {
    let annotations =
        ScalingAnnotations { desired: Some(desired.to_string()), max: Some(max.to_string()), before: None };
    ReplicaSet { annotations, ..set }
}

/// The ReplicaSet with the annotation of a partial scaling.
pub fn partially_scaled(set: ReplicaSet, before: i64) -> ReplicaSet {
    let annotations = ScalingAnnotations { before: Some(before.to_string()), ..set.annotations };
    ReplicaSet { annotations, ..set }
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
        nanoseconds: 0,
        settlements: Settlements::None,
    }
}

/// The sizes of ReplicaSets.
pub fn sizes(sets: &[ReplicaSet]) -> Vec<i64> {
    sets.iter().map(|set| set.replicas).collect()
}
