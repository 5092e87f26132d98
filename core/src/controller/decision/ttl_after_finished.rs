//! What the TTL-after-finished controller decides.

use alloc::rc::Rc;

use crate::object::Time;

/// A decision of the TTL-after-finished controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Deletes a Job.
    Delete {
        /// The Job's name.
        job: Rc<str>,
        /// When it ended.
        finished: Time,
        /// Its spec.ttlSecondsAfterFinished.
        ttl: i32,
    },
    /// Leaves it for now.
    Wait {
        /// The Job's name.
        job: Rc<str>,
        /// Its spec.ttlSecondsAfterFinished.
        ttl: i32,
        /// Nanoseconds that are left.
        left: i64,
    },
}

impl Decision {
    /// Whether this says what another decision said that many nanoseconds ago: less is left.
    pub(super) fn repeats(&self, earlier: &Self, nanoseconds: i64) -> bool {
        match (self, earlier) {
            (Self::Wait { job, ttl, left }, Self::Wait { job: its, ttl: then, left: earlier }) => {
                (job, ttl) == (its, then) && left.saturating_add(nanoseconds) == *earlier
            }
            _ => self == earlier,
        }
    }

    /// The name of the Job that it is about.
    pub const fn subject(&self) -> &Rc<str> {
        match self {
            Self::Delete { job, .. } | Self::Wait { job, .. } => job,
        }
    }
}
