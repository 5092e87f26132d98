//! The next time of a schedule.
//!
//! Ported from `github.com/robfig/cron` (MIT, see NOTICE).
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use jiff_core::Timestamp;
use jiff_core::civil::{Date, DateTime};

use super::{STAR, Schedule, SpecSchedule};
use crate::go::Location;
use crate::go::time::{self, add};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60_000_000_000;
const HOUR: i64 = 3_600_000_000_000;

impl Schedule {
    /// The time zone that it names, if it does.
    pub(crate) fn time_zone(&self) -> Option<&str> {
        match self {
            Self::Spec(spec) => spec.time_zone.as_deref(),
            Self::ConstantDelay { .. } => None,
        }
    }

    /// The first time after that one, by the clocks of the schedule's time zone; Go's zero time if there is none within five
    /// years.
    ///
    /// Upstream: `github.com/robfig/cron/v3/constantdelay.go Next`
    pub(crate) fn next(&self, after: Timestamp, location: &Location) -> Timestamp {
        match self {
            Self::Spec(spec) => spec.next(after, location),
            // A whole second.
            Self::ConstantDelay { seconds } => {
                add(after, seconds.saturating_mul(SECOND).saturating_sub(nanosecond(after)))
            }
        }
    }
}

impl SpecSchedule {
    /// Upstream: `github.com/robfig/cron/v3/spec.go Next`
    fn next(&self, after: Timestamp, location: &Location) -> Timestamp {
        if self.never_matches() {
            return time::ZERO;
        }
        // The upcoming second.
        let mut t = add(after, SECOND.saturating_sub(nanosecond(after)));
        let year_limit = location.civil(t).date().year().saturating_add(5);
        // Whether a field has been incremented.
        let mut added = false;
        'wrap: loop {
            if location.civil(t).date().year() > year_limit {
                return time::ZERO;
            }
            while !matches(self.month, location.civil(t).date().month()) {
                if !added {
                    added = true;
                    t = location.start_of_month(t);
                }
                t = location.add_date(t, 1, 0);
                if location.civil(t).date().month() == 1 {
                    continue 'wrap;
                }
            }
            while !self.day_matches(location.civil(t).date()) {
                if !added {
                    added = true;
                    t = location.start_of_day(t);
                }
                t = location.add_date(t, 0, 1);
                t = add(t, to_midnight(location.civil(t)));
                if location.civil(t).date().day() == 1 {
                    continue 'wrap;
                }
            }
            while !matches(self.hour, location.civil(t).time().hour()) {
                if !added {
                    added = true;
                    t = location.start_of_hour(t);
                }
                t = add(t, HOUR);
                if location.civil(t).time().hour() == 0 {
                    continue 'wrap;
                }
            }
            while !matches(self.minute, location.civil(t).time().minute()) {
                if !added {
                    added = true;
                    t = cut_to_minute(t);
                }
                t = add(t, MINUTE);
                if location.civil(t).time().minute() == 0 {
                    continue 'wrap;
                }
            }
            // Only second 0 matches.
            while location.civil(t).time().second() != 0 {
                added = true;
                t = add(t, SECOND);
                if location.civil(t).time().second() == 0 {
                    continue 'wrap;
                }
            }
            return t;
        }
    }

    /// Whether a field like `,` matches nothing. Upstream walks through the five years to find that out.
    fn never_matches(&self) -> bool {
        let none = |field: u64| field & !STAR == 0;
        let no_day = if (self.day_of_month | self.day_of_week) & STAR != 0 {
            none(self.day_of_month) || none(self.day_of_week)
        } else {
            none(self.day_of_month) && none(self.day_of_week)
        };
        no_day || none(self.month) || none(self.hour) || none(self.minute)
    }

    /// Where neither field is a star, one of them is enough.
    ///
    /// Upstream: `github.com/robfig/cron/v3/spec.go dayMatches`
    fn day_matches(&self, date: Date) -> bool {
        let of_month = matches(self.day_of_month, date.day());
        let of_week = matches(self.day_of_week, date.weekday().to_sunday_zero_offset());
        if (self.day_of_month | self.day_of_week) & STAR != 0 { of_month && of_week } else { of_month || of_week }
    }
}

/// Whether the bit of that number is set.
fn matches(bits: u64, number: i8) -> bool {
    u32::try_from(number).is_ok_and(|number| bits & 1_u64.wrapping_shl(number) != 0)
}

/// From a time that should be midnight, but for clocks that changed at midnight.
fn to_midnight(civil: DateTime) -> i64 {
    let hour = i64::from(civil.time().hour());
    let hours = if hour > 12 { 24_i64.saturating_sub(hour) } else { hour.saturating_neg() };
    hours.saturating_mul(HOUR)
}

/// Upstream: Go `time/time.go Truncate`, to a minute, whatever clocks show
fn cut_to_minute(time: Timestamp) -> Timestamp {
    let past = time.as_nanosecond().rem_euclid(MINUTE.into());
    add(time, i64::try_from(past).unwrap_or_default().saturating_neg())
}

/// The nanoseconds past the last whole second.
fn nanosecond(time: Timestamp) -> i64 {
    i64::try_from(time.as_nanosecond().rem_euclid(SECOND.into())).unwrap_or_default()
}
