//! The steps of an order of events, as [`crate::worst_case`] finds it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Clause, ClauseText, OperandSource, OperandValue, ToOperand};
use crate::scenario::Duration;
use crate::worst_case::{OrderStep, Pair, Side, SizeChange, TimedStep};

const REPLICA_SET: OperandSource = OperandSource::new("which of the two ReplicaSets");
const PODS: OperandSource = OperandSource::new("how many pods");
const BEHIND: OperandSource = OperandSource::new("how many versions of the ReplicaSet the cache is behind");

/// The steps of an order, each in a sentence.
pub(crate) fn explain_order(order: &[OrderStep]) -> Vec<String> {
    order.iter().map(sentence).collect()
}

/// The same with the time since the change before each step.
pub(crate) fn explain_timed_order(order: &[TimedStep]) -> Vec<String> {
    let timed =
        |TimedStep { at, step }: &TimedStep| format!("{}: {}", Duration(*at).exactly_in_words(), sentence(step));
    order.iter().map(timed).collect()
}

/// The sentence of a step.
fn sentence(step: &OrderStep) -> String {
    let phrase = match step {
        OrderStep::SyncDeployment { behind, resized } => return deployment_sync(resized, *behind),
        OrderStep::SyncReplicaSet { of, behind, created, deleted } => {
            let (writes, cache) = (PodWrite::of(*created, *deleted), ReplicaSetCache::of(*behind));
            StepClause::SyncReplicaSet { replica_set: *of, writes, cache }.phrase()
        }
        OrderStep::Ready { of } => StepClause::Ready { replica_set: *of }.phrase(),
        OrderStep::Available { of } => StepClause::Available { replica_set: *of }.phrase(),
        OrderStep::Gone { of } => StepClause::Gone { replica_set: *of }.phrase(),
    };
    phrase.words()
}

/// The sentence of a sync of the Deployment: a list of clauses, which no template has.
fn deployment_sync(resized: &[SizeChange], behind: Pair<u8>) -> String {
    let writes: Vec<String> = resized.iter().map(|change| SizeWrite::of(*change).phrase().words()).collect();
    let cache = DeploymentCache::of(behind).phrase().words();
    format!("The Deployment controller {}{cache}.", writes.join(", and "))
}

impl ToOperand for Side {
    fn to_operand(&self) -> OperandValue {
        OperandValue::from(match self {
            Self::Old => "old",
            Self::New => "new",
        })
    }
}

/// A step of any kind but a sync of the Deployment.
#[derive(Clone, Copy, Clause)]
enum StepClause {
    #[clause("The {replica_set} ReplicaSet {writes}{cache}.")]
    SyncReplicaSet {
        #[operand(REPLICA_SET)]
        replica_set: Side,
        #[clause]
        writes: PodWrite,
        #[clause]
        cache: ReplicaSetCache,
    },
    #[clause("A pod of the {replica_set} ReplicaSet becomes ready.")]
    Ready {
        #[operand(REPLICA_SET)]
        replica_set: Side,
    },
    #[clause("A pod of the {replica_set} ReplicaSet becomes available.")]
    Available {
        #[operand(REPLICA_SET)]
        replica_set: Side,
    },
    #[clause("A terminating pod of the {replica_set} ReplicaSet ends.")]
    Gone {
        #[operand(REPLICA_SET)]
        replica_set: Side,
    },
}

/// What the Deployment controller does to a ReplicaSet.
#[derive(Clone, Copy, Clause)]
enum SizeWrite {
    #[clause("creates the {replica_set} ReplicaSet with {pods} pod(s)")]
    Create {
        #[operand(REPLICA_SET)]
        replica_set: Side,
        #[operand(PODS)]
        pods: i32,
    },
    #[clause("updates the annotations of the {replica_set} ReplicaSet")]
    Update {
        #[operand(REPLICA_SET)]
        replica_set: Side,
    },
    #[clause("scales the {replica_set} ReplicaSet from {from} to {to}")]
    Scale {
        #[operand(REPLICA_SET)]
        replica_set: Side,
        #[operand(PODS)]
        from: i32,
        #[operand(PODS)]
        to: i32,
    },
}

impl SizeWrite {
    const fn of(SizeChange { of: replica_set, from, to }: SizeChange) -> Self {
        match from {
            None => Self::Create { replica_set, pods: to },
            Some(from) if from == to => Self::Update { replica_set },
            Some(from) => Self::Scale { replica_set, from, to },
        }
    }
}

/// What the ReplicaSet controller does.
#[derive(Clone, Copy, Clause)]
enum PodWrite {
    #[clause("updates its status")]
    Status,
    #[clause("creates {pods} pod(s)")]
    Create {
        #[operand(PODS)]
        pods: i32,
    },
    #[clause("deletes {pods} pod(s)")]
    Delete {
        #[operand(PODS)]
        pods: i32,
    },
}

impl PodWrite {
    fn of(created: u8, deleted: u8) -> Self {
        match (created, deleted) {
            (0, 0) => Self::Status,
            (created, 0) => Self::Create { pods: created.into() },
            (_, deleted) => Self::Delete { pods: deleted.into() },
        }
    }
}

/// What the Deployment controller's cache has of the two ReplicaSets.
#[derive(Clone, Copy, Clause)]
enum DeploymentCache {
    #[clause("")]
    Current,
    #[clause(" (its copy of the {replica_set} one lags by {behind} version(s))")]
    OneStale {
        #[operand(REPLICA_SET)]
        replica_set: Side,
        #[operand(BEHIND)]
        behind: i32,
    },
    #[clause(" (its copy of the old one lags by {old} version(s), and that of the new one by {new})")]
    BothStale {
        #[operand(BEHIND)]
        old: i32,
        #[operand(BEHIND)]
        new: i32,
    },
}

impl DeploymentCache {
    fn of(behind: Pair<u8>) -> Self {
        match (i32::from(behind.old), i32::from(behind.new)) {
            (0, 0) => Self::Current,
            (behind, 0) => Self::OneStale { replica_set: Side::Old, behind },
            (0, behind) => Self::OneStale { replica_set: Side::New, behind },
            (old, new) => Self::BothStale { old, new },
        }
    }
}

/// What the ReplicaSet controller's cache has.
#[derive(Clone, Copy, Clause)]
enum ReplicaSetCache {
    #[clause("")]
    Current,
    #[clause(" (the controller's cache is {behind} version(s) behind)")]
    Stale {
        #[operand(BEHIND)]
        behind: i32,
    },
}

impl ReplicaSetCache {
    fn of(behind: u8) -> Self {
        match i32::from(behind) {
            0 => Self::Current,
            behind => Self::Stale { behind },
        }
    }
}

/// The clauses of this file that stand alone.
pub(super) const CLAUSES: &[&[&ClauseText]] = &[StepClause::TEXTS, SizeWrite::TEXTS, DeploymentCache::TEXTS];

#[cfg(test)]
mod tests {
    use super::*;

    const fn resize(of: Side, from: Option<i32>, to: i32) -> SizeChange {
        SizeChange { of, from, to }
    }

    #[test]
    fn syncs_of_the_deployment() {
        let sync = |old, new, resized: &[SizeChange]| {
            sentence(&OrderStep::SyncDeployment { behind: Pair { old, new }, resized: resized.to_vec() })
        };
        assert_eq!(
            sync(0, 0, &[resize(Side::New, None, 1)]),
            "The Deployment controller creates the new ReplicaSet with 1 pod."
        );
        assert_eq!(
            sync(1, 0, &[resize(Side::Old, Some(3), 2), resize(Side::New, Some(2), 2)]),
            "The Deployment controller scales the old ReplicaSet from 3 to 2, and updates the annotations of the \
             new ReplicaSet (its copy of the old one lags by 1 version)."
        );
        assert_eq!(
            sync(1, 2, &[resize(Side::New, None, 2)]),
            "The Deployment controller creates the new ReplicaSet with 2 pods (its copy of the old one lags by 1 \
             version, and that of the new one by 2)."
        );
    }

    #[test]
    fn syncs_of_a_replica_set() {
        let sync =
            |behind, created, deleted| sentence(&OrderStep::SyncReplicaSet { of: Side::New, behind, created, deleted });
        assert_eq!(sync(0, 0, 0), "The new ReplicaSet updates its status.");
        assert_eq!(sync(0, 1, 0), "The new ReplicaSet creates 1 pod.");
        assert_eq!(sync(2, 0, 3), "The new ReplicaSet deletes 3 pods (the controller's cache is 2 versions behind).");
    }

    #[test]
    fn stages_of_a_pod() {
        assert_eq!(sentence(&OrderStep::Ready { of: Side::Old }), "A pod of the old ReplicaSet becomes ready.");
        assert_eq!(sentence(&OrderStep::Available { of: Side::Old }), "A pod of the old ReplicaSet becomes available.");
        assert_eq!(sentence(&OrderStep::Gone { of: Side::New }), "A terminating pod of the new ReplicaSet ends.");
    }
}
