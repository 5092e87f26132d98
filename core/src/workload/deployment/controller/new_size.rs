//! The size of the new ReplicaSet, and the decision that it is.

use alloc::rc::Rc;

use crate::workload::deployment::decision::{Decision, Resized};

/// The size of the new ReplicaSet.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewSize {
    /// The desired size: Recreate creates all pods at once, and a rolling update counts nothing once it is reached.
    Desired {
        /// spec.replicas of the Deployment.
        desired: i32,
    },
    /// As many pods as the limit leaves room for.
    Limited {
        /// The size.
        replicas: i32,
        /// spec.replicas of the Deployment.
        desired: i32,
        /// desired + maxSurge.
        limit: i32,
        /// The slots that are taken.
        taken: Taken,
        /// limit − taken; none if nothing is left.
        room: Option<i32>,
    },
}

impl NewSize {
    /// The size.
    pub const fn replicas(self) -> i32 {
        match self {
            Self::Desired { desired } => desired,
            Self::Limited { replicas, .. } => replicas,
        }
    }

    /// Creates the ReplicaSet with this size.
    pub(super) fn creation(self, replica_set: Rc<str>) -> Decision {
        match self {
            Self::Desired { desired: 0 } => Decision::CreateNone { replica_set },
            Self::Desired { desired: size } | Self::Limited { replicas: size, taken: Taken::HeldByNew(_), .. } => {
                Decision::CreateRecreate { replica_set, size }
            }
            Self::Limited { replicas: size, desired, limit, taken: Taken::Held(slots), .. } => {
                let Held { held, terminating, taken } = slots;
                Decision::CreateComplete { replica_set, size, desired, limit, taken, terminating, held }
            }
            Self::Limited { replicas: size, desired, limit, taken: Taken::Wanted(wanted), room } => match room {
                Some(room) => Decision::Create { replica_set, size, desired, limit, wanted, room },
                None => Decision::CreateFull { replica_set, size, desired, limit, wanted },
            },
        }
    }

    /// Gives the ReplicaSet this size.
    pub(super) fn resize(self, resized: Resized) -> Decision {
        let (desired, limit, taken, room) = match self {
            // Only Recreate comes here: a rolling update leaves a ReplicaSet that has its desired size as it is.
            Self::Desired { desired } => return Decision::RecreateUp { resized, desired },
            Self::Limited { desired, limit, taken, room, .. } => (desired, limit, taken, room),
        };
        match (taken, room) {
            (Taken::HeldByNew(Held { held, terminating, taken }), Some(room)) => {
                Decision::RecreateUpComplete { resized, desired, held, terminating, taken, room }
            }
            (Taken::HeldByNew(Held { held, terminating, taken }), None) => {
                Decision::RecreateUpWait { resized, desired, held, terminating, taken }
            }
            (Taken::Held(Held { held, terminating, taken }), Some(room)) => {
                Decision::NewUpComplete { resized, desired, limit, held, terminating, taken, room }
            }
            (Taken::Held(Held { held, terminating, taken }), None) => {
                Decision::NewWaitComplete { resized, limit, held, terminating, taken }
            }
            (Taken::Wanted(wanted), Some(room)) => Decision::NewUp { resized, desired, limit, wanted, room },
            (Taken::Wanted(wanted), None) => Decision::NewWait { resized, limit, wanted },
        }
    }
}

/// Slots of the limit that are taken.
///
/// Source: KEP-5882, Deployment Behavior Changes
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The sum of spec.replicas of all ReplicaSets: terminating pods do not count.
    Wanted(i32),
    /// The complete rule: terminating pods count.
    Held(Held),
    /// The complete rule for Recreate: only the new ReplicaSet's own pods count.
    HeldByNew(Held),
}

impl Taken {
    /// How many.
    pub(super) const fn slots(self) -> i32 {
        match self {
            Self::Wanted(wanted) => wanted,
            Self::Held(held) | Self::HeldByNew(held) => held.taken,
        }
    }
}

/// Slots taken under the complete rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// max(spec.replicas, status.replicas) of each ReplicaSet.
    pub held: i32,
    /// Sum of status.terminatingReplicas.
    pub terminating: i32,
    /// Both together.
    pub taken: i32,
}
