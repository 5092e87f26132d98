//! The ranges of outcomes over several runs.

use alloc::vec::Vec;

use super::answer::{Outcome, Range, Ranges};

impl Ranges {
    /// The ranges of at least one outcome.
    pub(super) fn of(outcomes: &[&Outcome]) -> Option<Self> {
        let all = |number: fn(&Outcome) -> i64| Range::of(outcomes.iter().map(|outcome| number(outcome)));
        let complete: Vec<i64> = outcomes.iter().filter_map(|outcome| outcome.complete).collect();
        let gone: Vec<i64> = outcomes.iter().filter_map(|outcome| outcome.last_old_pod_gone).collect();
        Some(Self {
            runs: u32::try_from(outcomes.len()).unwrap_or(u32::MAX),
            peak: all(|outcome| outcome.peak.into())?,
            lowest_available: all(|outcome| outcome.lowest_available.into())?,
            completed: u32::try_from(complete.len()).unwrap_or(u32::MAX),
            complete: Range::of(complete.into_iter()),
            last_old_pod_gone: Range::of(gone.into_iter()),
        })
    }
}
