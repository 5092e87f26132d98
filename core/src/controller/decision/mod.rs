//! What the controllers decide, as values with the numbers that they used.

pub mod cron_job;
pub mod deployment;
pub mod job;
pub mod replica_set;
pub mod ttl_after_finished;

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
    /// The CronJob controller.
    CronJob(cron_job::Decision),
    /// The TTL-after-finished controller.
    TtlAfterFinished(ttl_after_finished::Decision),
}

impl Decision {
    /// The name of the object that it is about.
    pub fn subject(&self) -> &Rc<str> {
        match self {
            Self::Deployment(decision) => decision.subject(),
            Self::ReplicaSet(decision) => decision.subject(),
            Self::Job(decision) => decision.subject(),
            Self::CronJob(decision) => decision.subject(),
            Self::TtlAfterFinished(decision) => decision.subject(),
        }
    }
}

impl Decision {
    /// Whether this says what another decision said that many nanoseconds ago: of the same wait, less is left.
    pub(crate) fn repeats(&self, earlier: &Self, nanoseconds: i64) -> bool {
        match (self, earlier) {
            (Self::Job(one), Self::Job(earlier)) => one.repeats(earlier, nanoseconds),
            (Self::CronJob(one), Self::CronJob(earlier)) => one.repeats(earlier, nanoseconds),
            (Self::TtlAfterFinished(one), Self::TtlAfterFinished(earlier)) => one.repeats(earlier, nanoseconds),
            _ => self == earlier,
        }
    }

    /// Whether both are about the same question and the same object, perhaps with other numbers.
    pub(crate) fn has_topic_of(&self, other: &Self) -> bool {
        let same = match (self, other) {
            (Self::Deployment(one), Self::Deployment(other)) => one.has_topic_of(other),
            (Self::ReplicaSet(one), Self::ReplicaSet(other)) => discriminant(one) == discriminant(other),
            (Self::Job(one), Self::Job(other)) => discriminant(one) == discriminant(other),
            (Self::CronJob(one), Self::CronJob(other)) => discriminant(one) == discriminant(other),
            (Self::TtlAfterFinished(one), Self::TtlAfterFinished(other)) => discriminant(one) == discriminant(other),
            // Different controllers. No `_`, so that the compiler asks for an arm when a controller is added.
            (Self::Deployment(_) | Self::ReplicaSet(_), _) => false,
            (Self::Job(_) | Self::CronJob(_) | Self::TtlAfterFinished(_), _) => false,
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

impl From<cron_job::Decision> for Decision {
    fn from(decision: cron_job::Decision) -> Self {
        Self::CronJob(decision)
    }
}

impl From<ttl_after_finished::Decision> for Decision {
    fn from(decision: ttl_after_finished::Decision) -> Self {
        Self::TtlAfterFinished(decision)
    }
}
