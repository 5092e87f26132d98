use alloc::format;
use alloc::string::String;

use crate::peak_moments::PeakMoments;
use crate::scenario::Duration;

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::review) struct Outcome {
    /// The most pods at once, terminating ones included.
    pub(super) peak: i64,
    /// The moments with the most pods.
    pub(in crate::review) peak_moments: PeakMoments,
    /// spec.replicas and the surge.
    pub(super) limit: i64,
    /// The fewest available pods.
    pub(in crate::review) available: i64,
    /// Seconds until it is complete.
    pub(super) seconds: i64,
    pub(super) certainty: Certainty,
}

/// What the figures say about the real change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// What happens under the forecast's assumptions.
    Exact,
    /// One of the possible outcomes: a ReplicaSet has to choose between pods, and random uids have a part in it.
    OneOfSeveral,
    /// Bounds.
    Bounds(Bounded),
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
    /// Whether this, and nothing else, is what happens under the forecast's assumptions.
    pub(in crate::review) fn is_exact(&self) -> bool {
        self.certainty == Certainty::Exact
    }

    /// Why these are bounds, if they are.
    pub(super) const fn bounded(&self) -> Option<Bounded> {
        match self.certainty {
            Certainty::Exact | Certainty::OneOfSeveral => None,
            Certainty::Bounds(why) => Some(why),
        }
    }

    /// All of it, in a sentence.
    pub(super) fn sentence(&self) -> String {
        let Self { peak, limit, available, .. } = self;
        let time = self.time();
        match self.certainty {
            Certainty::Exact => {
                format!("peak {peak} pods (limit {limit}), at least {available} available, complete after about {time}")
            }
            Certainty::OneOfSeveral => {
                format!(
                    "peak about {peak} pods (limit {limit}), about {available} or more available, complete after about {time}"
                )
            }
            Certainty::Bounds(why) => {
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
        match self.certainty {
            Certainty::Exact => format!("peak {peak}, {time}"),
            Certainty::OneOfSeveral => format!("peak about {peak}, {time}"),
            Certainty::Bounds(_) => format!("peak at most {peak}, perhaps {time}"),
        }
    }

    fn time(&self) -> Duration {
        Duration::seconds(self.seconds)
    }
}
