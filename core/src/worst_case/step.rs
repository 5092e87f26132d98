use alloc::vec::Vec;

use super::replica_sets::{Pair, Side};

/// A step of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderStep {
    /// The Deployment controller syncs, and resizes ReplicaSets.
    SyncDeployment {
        /// How many versions its cache is behind.
        behind: Pair<u8>,
        /// What it writes. A size may stay, where only annotations change.
        resized: Vec<SizeChange>,
    },
    /// The ReplicaSet controller syncs one of the ReplicaSets, and writes its status.
    SyncReplicaSet {
        /// Which one.
        of: Side,
        /// How many versions its cache is behind.
        behind: u8,
        /// How many pods it creates.
        created: u8,
        /// How many pods it deletes.
        deleted: u8,
    },
    /// A pod becomes ready, and has to stay so for minReadySeconds.
    Ready {
        /// Whose pod.
        of: Side,
    },
    /// A pod becomes available.
    Available {
        /// Whose pod.
        of: Side,
    },
    /// A terminating pod ends.
    Gone {
        /// Whose pod.
        of: Side,
    },
}

impl OrderStep {
    /// Whether it is a sync whose cache shows what is stored.
    pub(super) fn sees_current(&self) -> bool {
        match self {
            Self::SyncDeployment { behind, .. } => *behind == Pair::default(),
            Self::SyncReplicaSet { behind, .. } => *behind == 0,
            Self::Ready { .. } | Self::Available { .. } | Self::Gone { .. } => false,
        }
    }
}

/// A new size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeChange {
    /// Whose.
    pub of: Side,
    /// The size before; none for a ReplicaSet that is created.
    pub from: Option<i32>,
    /// The size after.
    pub to: i32,
}
