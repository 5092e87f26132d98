//! Schedules as `github.com/robfig/cron/v3` reads them, and their next times.
//!
//! Ported from `github.com/robfig/cron` (MIT, see NOTICE).

mod parser;
mod spec;

use alloc::string::String;

pub(crate) use parser::parse_standard;

/// When something is to happen again and again.
///
/// Upstream: `github.com/robfig/cron/v3/cron.go Schedule`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// At given minutes, hours and days.
    Spec(SpecSchedule),
    /// At a constant interval.
    ConstantDelay {
        /// Its length, at least 1 s.
        seconds: i64,
    },
}

impl Schedule {
    /// Cut to whole seconds.
    ///
    /// Upstream: `github.com/robfig/cron/v3/constantdelay.go Every`
    fn every(nanoseconds: i64) -> Self {
        Self::ConstantDelay { seconds: nanoseconds.div_euclid(1_000_000_000).max(1) }
    }
}

/// Bits of the minutes, hours, days and months that match: bit 5 of the minutes stands for minute 5.
///
/// Upstream: `github.com/robfig/cron/v3/spec.go SpecSchedule`, whose seconds are always 0 here
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpecSchedule {
    minute: u64,
    hour: u64,
    day_of_month: u64,
    month: u64,
    day_of_week: u64,
    /// The time zone that the text begins with, if it does; the local one otherwise.
    time_zone: Option<String>,
}

/// Set in a field that was written as a star: then the other field for days decides alone.
const STAR: u64 = 1 << 63;
