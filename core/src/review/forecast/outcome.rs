use alloc::format;
use alloc::string::String;

use crate::peak_moments::PeakMoments;
use crate::scenario::Duration;

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::review) struct Outcome {
    /// The most pods at once, terminating ones included.
    pub(super) peak: i64,
    /// The moments with the most pods, whichever order the pods end and come in.
    pub(in crate::review) peak_moments: PeakMoments,
    /// The moments with the most pods that come in any case; none if these are bounds, or chance has a part in it.
    pub(in crate::review) certain: PeakMoments,
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
    /// One of the possible outcomes: a ReplicaSet has to choose between pods, and random uids have a part in it; or pods end
    /// when others come, and milliseconds decide which is first.
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
        let (done, about) = match self.certainty {
            Certainty::Exact | Certainty::OneOfSeveral => ("complete", "after about"),
            Certainty::Bounds(_) => ("done", "in perhaps"),
        };
        let end = self.time().map_or_else(|| format!("never {done}"), |time| format!("{done} {about} {time}"));
        match self.certainty {
            Certainty::Exact => format!("peak {peak} pods (limit {limit}), at least {available} available, {end}"),
            Certainty::OneOfSeveral => {
                format!("peak about {peak} pods (limit {limit}), about {available} or more available, {end}")
            }
            Certainty::Bounds(why) => {
                let why = match why {
                    Bounded::InProgress => "in progress",
                    Bounded::TooLarge => "too large",
                };
                format!(
                    "peak at most {peak} pods (limit {limit}; bounds: {why}), at least {available} available, {end}"
                )
            }
        }
    }

    /// Peak and time.
    pub(super) fn summary(&self) -> String {
        let peak = self.peak;
        let (about, perhaps) = match self.certainty {
            Certainty::Exact => ("", ""),
            Certainty::OneOfSeveral => ("about ", ""),
            Certainty::Bounds(_) => ("at most ", "perhaps "),
        };
        let time = self.time().map_or_else(|| "never complete".into(), |time| format!("{perhaps}{time}"));
        format!("peak {about}{peak}, {time}")
    }

    /// The time until it is complete; none if that takes a century or more.
    fn time(&self) -> Option<Duration> {
        const CENTURY: i64 = 100 * 365 * 24 * 60 * 60;
        (self.seconds < CENTURY).then(|| Duration::seconds(self.seconds))
    }
}
