use alloc::format;
use alloc::string::String;

use super::pods::Heights;
use crate::scenario::Duration;

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::review) struct Outcome {
    /// The most pods at once, terminating ones included.
    pub(super) peak: i64,
    /// The moments with the most pods.
    pub(in crate::review) heights: Heights,
    /// spec.replicas and the surge.
    pub(super) limit: i64,
    /// The fewest available pods.
    pub(in crate::review) available: i64,
    /// Seconds until it is complete.
    pub(super) seconds: i64,
    /// Why these are bounds, if they are.
    pub(super) bounded: Option<Bounded>,
}

/// Why a change can't be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounded {
    /// The pods that exist are unknown.
    InProgress,
    /// It would take too many steps.
    TooLarge,
}

impl Outcome {
    /// Whether this is what happens under the forecast's assumptions, and no bound of it.
    pub(in crate::review) const fn is_exact(&self) -> bool {
        self.bounded.is_none()
    }

    /// All of it, in a sentence.
    pub(super) fn sentence(&self) -> String {
        let Self { peak, limit, available, .. } = self;
        let time = self.time();
        match self.bounded {
            None => {
                format!("peak {peak} pods (limit {limit}), at least {available} available, complete after about {time}")
            }
            Some(why) => {
                let why = match why {
                    Bounded::InProgress => "in progress",
                    Bounded::TooLarge => "too large",
                };
                format!(
                    "peak at most {peak} pods (limit {limit}; bounds: {why}), at least {available} available, done in perhaps {time}"
                )
            }
        }
    }

    /// Peak and time.
    pub(super) fn summary(&self) -> String {
        let (peak, time) = (self.peak, self.time());
        match self.bounded {
            None => format!("peak {peak}, {time}"),
            Some(_) => format!("peak at most {peak}, perhaps {time}"),
        }
    }

    fn time(&self) -> Duration {
        Duration::seconds(self.seconds)
    }
}
