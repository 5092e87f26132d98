//! What the controllers decide, as values with the numbers that they used.

pub mod deployment;
pub mod job;
pub mod replica_set;

use alloc::rc::Rc;
use core::mem::discriminant;

/// What a controller decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The Deployment controller.
    Deployment(deployment::Decision),
    /// The ReplicaSet controller, or that of ReplicationControllers.
    ReplicaSet(replica_set::Decision),
    /// The Job controller.
    Job(job::Decision),
}

impl Decision {
    /// The name of the object that it is about.
    pub fn subject(&self) -> &Rc<str> {
        match self {
            Self::Deployment(decision) => decision.subject(),
            Self::ReplicaSet(decision) => decision.subject(),
            Self::Job(decision) => decision.subject(),
        }
    }
}

impl Decision {
    /// Whether this says what another decision said that many nanoseconds ago: of the same wait, less is left.
    pub(crate) fn repeats(&self, earlier: &Self, nanoseconds: i64) -> bool {
        match (self, earlier) {
            (Self::Job(job::Decision::BackOff(one)), Self::Job(job::Decision::BackOff(earlier))) => {
                let left = one.left.saturating_add(nanoseconds);
                **earlier == job::BackOff { left, ..(**one).clone() }
            }
            _ => self == earlier,
        }
    }

    /// Whether both are about the same question and the same object, perhaps with other numbers.
    pub(crate) fn has_topic_of(&self, other: &Self) -> bool {
        let same = match (self, other) {
            (Self::Deployment(one), Self::Deployment(other)) => one.has_topic_of(other),
            (Self::ReplicaSet(one), Self::ReplicaSet(other)) => discriminant(one) == discriminant(other),
            (Self::Job(one), Self::Job(other)) => discriminant(one) == discriminant(other),
            _ => false,
        };
        same && self.subject() == other.subject()
    }
}

impl From<deployment::Decision> for Decision {
    fn from(decision: deployment::Decision) -> Self {
        Self::Deployment(decision)
    }
}

impl From<replica_set::Decision> for Decision {
    fn from(decision: replica_set::Decision) -> Self {
        Self::ReplicaSet(decision)
    }
}

impl From<job::Decision> for Decision {
    fn from(decision: job::Decision) -> Self {
        Self::Job(decision)
    }
}
