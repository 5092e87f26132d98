//! What a controller has done and not yet seen.

use crate::json::{FromJson, ToJson};
use crate::object::Time;

/// How many nanoseconds a controller waits.
///
/// Upstream: `pkg/controller/controller_utils.go ExpectationsTimeout`
const EXPECTATIONS_TIMEOUT: i64 = 300_000_000_000;

/// Creations and deletions that a controller has asked for and not yet seen.
///
/// Upstream: `pkg/controller/controller_utils.go ControlleeExpectations`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
pub struct Expectations {
    /// Creations; negative if more were seen than were asked for.
    pub add: i64,
    /// Deletions; likewise.
    pub del: i64,
    /// Since when.
    pub timestamp: Time,
}

impl Expectations {
    /// Upstream: `pkg/controller/controller_utils.go ControllerExpectations.SatisfiedExpectations`
    pub(crate) fn is_satisfied(&self, now: Time) -> bool {
        self.is_fulfilled() || now.since(self.timestamp) > EXPECTATIONS_TIMEOUT
    }

    /// Upstream: `pkg/controller/controller_utils.go ControlleeExpectations.Fulfilled`
    pub const fn is_fulfilled(&self) -> bool {
        self.add <= 0 && self.del <= 0
    }
}

/// A creation was seen, or failed.
///
/// Upstream: `pkg/controller/controller_utils.go ControllerExpectations.CreationObserved`
pub(crate) const fn creation_observed(expectations: &mut Option<Expectations>) {
    if let Some(expectations) = expectations {
        expectations.add = expectations.add.saturating_sub(1);
    }
}

/// A deletion was seen, or failed.
///
/// Upstream: `pkg/controller/controller_utils.go ControllerExpectations.DeletionObserved`
pub(crate) const fn deletion_observed(expectations: &mut Option<Expectations>) {
    if let Some(expectations) = expectations {
        expectations.del = expectations.del.saturating_sub(1);
    }
}
