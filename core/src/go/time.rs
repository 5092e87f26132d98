//! Points in time as Go's `time` package adds and subtracts them.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use alloc::format;
use alloc::string::String;

use jiff_core::Timestamp;
use jiff_core::tz::Offset;

const SECOND: i64 = 1_000_000_000;

/// Go's zero time, January 1 of the year 1.
pub(crate) const ZERO: Timestamp = Timestamp::constant(-62_135_596_800, 0);

/// Go's `Time.Add`. Stops at the year 9999, where Go's ends billions of years later.
pub(crate) fn add(time: Timestamp, nanoseconds: i64) -> Timestamp {
    let sum = time.as_nanosecond().saturating_add(nanoseconds.into());
    Timestamp::from_nanosecond(sum).unwrap_or(if nanoseconds < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// Go's `Time.Sub`: nanoseconds; at most, or at least, what a duration can hold.
pub(crate) fn sub(time: Timestamp, earlier: Timestamp) -> i64 {
    let difference = time.as_nanosecond().saturating_sub(earlier.as_nanosecond());
    i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX })
}

/// Go's `int64(Duration.Seconds())`. Seconds are a float in Go, which may round what is almost a whole one up.
#[expect(clippy::as_conversions, reason = "Go's own conversions")]
pub(crate) fn whole_seconds(nanoseconds: i64) -> i64 {
    let (seconds, rest) = (nanoseconds / SECOND, nanoseconds % SECOND);
    (seconds as f64 + rest as f64 / 1e9) as i64
}

/// Like `2026-03-29T03:30:00+02:00`.
///
/// Upstream: Go `time/format.go RFC3339`
pub(crate) fn rfc3339(time: Timestamp, offset: Offset) -> String {
    let civil = offset.to_datetime(time);
    let (date, clock) = (civil.date(), civil.time());
    let minutes = offset.seconds() / 60;
    let (sign, minutes) = if minutes < 0 { ('-', minutes.unsigned_abs()) } else { ('+', minutes.unsigned_abs()) };
    let zone = match offset.seconds() {
        0 => String::from("Z"),
        _ => format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60),
    };
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{zone}",
        date.year(),
        date.month(),
        date.day(),
        clock.hour(),
        clock.minute(),
        clock.second()
    )
}

/// Like `Sun, 29 Mar 2026 01:30:00 +0000`, in UTC.
///
/// Upstream: Go `time/format.go RFC1123Z`
pub(crate) fn rfc1123z(time: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let named = |names: &[&'static str], number: i8| {
        usize::try_from(number).ok().and_then(|number| names.get(number).copied()).unwrap_or_default()
    };
    let civil = Offset::UTC.to_datetime(time);
    let (date, clock) = (civil.date(), civil.time());
    format!(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} +0000",
        named(&DAYS, date.weekday().to_sunday_zero_offset()),
        date.day(),
        named(&MONTHS, date.month().saturating_sub(1)),
        date.year(),
        clock.hour(),
        clock.minute(),
        clock.second()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanoseconds: i32) -> Timestamp {
        Timestamp::new(seconds, nanoseconds).unwrap()
    }

    #[test]
    fn differences_stop_at_the_ends() {
        assert_eq!(sub(at(5, 1), at(3, 2)), 2 * SECOND - 1);
        assert_eq!(sub(ZERO, at(0, 0)), i64::MIN);
        assert_eq!(sub(at(0, 0), ZERO), i64::MAX);
        assert_eq!(add(at(5, 0), -1), at(4, 999_999_999));
        assert_eq!(add(add(Timestamp::MAX, i64::MAX), 1), Timestamp::MAX);
    }

    #[test]
    fn times_are_printed_as_go_prints_them() {
        let time = at(1_774_747_800, 0);
        assert_eq!(rfc1123z(time), "Sun, 29 Mar 2026 01:30:00 +0000");
        for (seconds, text) in [
            (0, "2026-03-29T01:30:00Z"),
            (7200, "2026-03-29T03:30:00+02:00"),
            (-12_600, "2026-03-28T22:00:00-03:30"),
            (-30, "2026-03-29T01:29:30+00:00"),
        ] {
            assert_eq!(rfc3339(time, Offset::from_seconds(seconds).unwrap()), text);
        }
    }

    #[test]
    fn seconds_are_rounded_as_gos_floats_are() {
        assert_eq!(whole_seconds(5 * SECOND + 999_999_999), 5);
        assert_eq!(whole_seconds(-1), 0);
        assert_eq!(whole_seconds(i64::MAX), 9_223_372_036);
        // 2^27 seconds: the float has no room for a nanosecond.
        assert_eq!(whole_seconds((1 << 27) * SECOND + 999_999_999), (1 << 27) + 1);
    }
}
