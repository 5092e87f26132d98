//! Times as Go reads and writes RFC 3339, which is less than jiff's own parser takes.

use core::fmt;

use jiff_core::Timestamp;
use jiff_core::civil::DateTime;
use jiff_core::tz::Offset;

/// Like Go, it takes an offset, and a fraction of any length, cut to nanoseconds.
///
/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/time.go UnmarshalJSON`, and Go `time/format_rfc3339.go parseRFC3339`
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let rest = text;
    let (year, rest) = digits(rest, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (hour, rest) = digits(rest.strip_prefix('T')?, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (nanosecond, rest) = fraction(rest)?;
    let offset = offset(rest)?;
    let small = |number: i32| i8::try_from(number).ok();
    let year = i16::try_from(year).ok()?;
    let (month, day) = (small(month)?, small(day)?);
    let (hour, minute, second) = (small(hour)?, small(minute)?, small(second)?);
    let civil = DateTime::new(year, month, day, hour, minute, second, nanosecond).ok()?;
    civil.to_timestamp(offset).ok()
}

/// In UTC, with a fraction only where there is one.
pub(super) fn write(f: &mut fmt::Formatter<'_>, timestamp: Timestamp) -> fmt::Result {
    let civil = Offset::UTC.to_datetime(timestamp);
    let (date, time) = (civil.date(), civil.time());
    write!(f, "{:04}-{:02}-{:02}T", date.year(), date.month(), date.day())?;
    write!(f, "{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
    let mut fraction = time.subsec_nanosecond();
    if fraction != 0 {
        let mut width = 9_usize;
        while fraction.rem_euclid(10) == 0 {
            fraction = fraction.div_euclid(10);
            width = width.saturating_sub(1);
        }
        write!(f, ".{fraction:0width$}")?;
    }
    f.write_str("Z")
}

/// Exactly `count` decimal digits.
fn digits(text: &str, count: usize) -> Option<(i32, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok()?, rest))
}

/// `.5` in nanoseconds; nothing is 0.
fn fraction(text: &str) -> Option<(i32, &str)> {
    let Some(text) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    if number.is_empty() {
        return None;
    }
    let digits_after_point = number.bytes().chain(core::iter::repeat(b'0')).take(9);
    let value = digits_after_point
        .fold(0_i32, |sum, byte| sum.saturating_mul(10).saturating_add(i32::from(byte.saturating_sub(b'0'))));
    Some((value, rest))
}

/// `Z`, `+02:00` or `-02:30`
fn offset(text: &str) -> Option<Offset> {
    if text == "Z" {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1_i32, text.strip_prefix('-')?),
    };
    let (hours, rest) = digits(rest, 2)?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?, 2)?;
    if !rest.is_empty() || hours > 24 || minutes >= 60 {
        return None;
    }
    let seconds = hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60));
    Offset::from_seconds(sign.saturating_mul(seconds)).ok()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::super::Time;

    #[test]
    fn known_times() {
        for (text, nanoseconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-01-01T00:00:00Z", 1_767_225_600_000_000_000),
            ("2024-02-29T23:59:59.25Z", 1_709_251_199_250_000_000),
            ("1969-12-31T23:59:59.999999999Z", -1),
        ] {
            assert_eq!(Time::parse(text), Some(Time(nanoseconds)), "{text}");
            assert_eq!(Time(nanoseconds).to_string(), text);
        }
        assert_eq!(Time::parse("2026-01-01T02:30:00+02:30"), Time::parse("2026-01-01T00:00:00Z"));
        assert_eq!(Time::parse("2025-12-31T22:00:00-02:00"), Time::parse("2026-01-01T00:00:00Z"));
        assert_eq!(Time::parse("2026-01-01T00:00:00.1234567899Z").unwrap().0, 1_767_225_600_123_456_789);
    }

    #[test]
    fn invalid_times() {
        for text in [
            "",
            "now",
            "2026-01-01",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00+2:00",
            "+026-01-01T00:00:00Z",
            "9999-01-01T00:00:00Z",
            "2026-01-01T00:00:00Z ",
            "２026-01-01T00:00:00Z",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_time_is_read_as_it_was_written(nanoseconds: i64) {
            prop_assert_eq!(Time::parse(&Time(nanoseconds).to_string()), Some(Time(nanoseconds)));
        }

        #[test]
        fn nothing_panics(text in "[0-9TZ:.+ -]{0,40}") {
            let _ = Time::parse(&text);
        }
    }
}
