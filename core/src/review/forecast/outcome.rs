use alloc::format;
use alloc::string::String;

use crate::object::Time;
use crate::peak_moments::PeakMoments;
use crate::scenario::{Duration, Limits};

/// What a change comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::review) struct ForecastFigures {
    /// The most pods at once, terminating ones included.
    pub(in crate::review) peak: i64,
    /// Of the moments at which pods are created, those with the most pods: a quota is asked then.
    pub(in crate::review) peak_moments: PeakMoments,
    /// spec.replicas and the surge.
    pub(super) limit: i64,
    /// The fewest available pods.
    pub(in crate::review) available: i64,
    /// Nanoseconds until it is complete. None: it is not within a day, or, of bounds, nobody knows.
    pub(in crate::review) took: Option<i64>,
    /// Whether it never is, however long one waits.
    pub(in crate::review) is_stuck: bool,
    /// Why these are bounds, if they are.
    pub(in crate::review) bounded: Option<Bounded>,
}

/// Why a change is not simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::review) enum Bounded {
    /// The pods that exist are unknown.
    InProgress,
    /// It would take too many steps.
    TooLarge,
    /// A ReplicaSet has to choose between pods that are not alike, and their random uids have a part in it.
    Ranked,
    /// The pods may never become ready, or nobody knows when they are gone.
    NotSimulated,
}

impl Bounded {
    const fn word(self) -> &'static str {
        match self {
            Self::InProgress => "in progress",
            Self::TooLarge => "too large",
            Self::Ranked => "chance decides",
            Self::NotSimulated => "not simulated",
        }
    }
}

impl ForecastFigures {
    /// All of it, in a sentence.
    pub(super) fn sentence(&self) -> String {
        let Self { peak, limit, available, .. } = self;
        match self.bounded {
            None => format!(
                "peak {peak} pods (limit {limit}), at least {available} available, {}",
                self.took.map_or_else(not_complete, |took| format!("complete after about {}", rounded(took)))
            ),
            Some(why) => format!(
                "peak at most {peak} pods (limit {limit}; bounds: {}), at least {available} available{}",
                why.word(),
                self.took.map_or_else(String::new, |took| format!(", done in perhaps {}", rounded(took)))
            ),
        }
    }

    /// Peak and time.
    pub(super) fn summary(&self) -> String {
        let peak = self.peak;
        match (self.bounded, self.took) {
            (None, Some(took)) => format!("peak {peak}, {}", rounded(took)),
            (None, None) => format!("peak {peak}, {}", not_complete()),
            (Some(_), Some(took)) => format!("peak at most {peak}, perhaps {}", rounded(took)),
            (Some(_), None) => format!("peak at most {peak}"),
        }
    }
}

pub(in crate::review) fn not_complete() -> String {
    format!("not complete within {}", Limits::DEFAULT.time)
}

/// In whole seconds, at least one.
pub(in crate::review) fn rounded(nanoseconds: i64) -> Duration {
    let half = Time::SECOND.div_euclid(2);
    Duration::seconds(nanoseconds.max(0).saturating_add(half).div_euclid(Time::SECOND).max(1))
}
