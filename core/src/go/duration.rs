//! Durations like `1h30m`.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use alloc::format;
use alloc::string::String;

use super::quoted;

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The nanoseconds of a duration.
///
/// # Errors
/// Go's own text. Fractions are exact here, where Go rounds them through a float.
///
/// Upstream: Go `time/format.go ParseDuration`
pub(crate) fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quoted(text));
    let (mut rest, limit) = match text.strip_prefix('-') {
        Some(rest) => (rest, i64::MIN),
        None => (text.strip_prefix('+').unwrap_or(text), i64::MAX),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = split_before(rest, |c| !c.is_ascii_digit());
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => split_before(after, |c| !c.is_ascii_digit()),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let count: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        let (name, after) = split_before(after, |c| c == '.' || c.is_ascii_digit());
        if name.is_empty() {
            return Err(format!("time: missing unit in duration {}", quoted(text)));
        }
        let Some((_, unit)) = UNITS.iter().find(|(known, _)| *known == name) else {
            return Err(format!("time: unknown unit {} in duration {}", quoted(name), quoted(text)));
        };
        let amount = count.checked_mul(*unit).and_then(|amount| amount.checked_add(part_of(*unit, fraction)));
        sum = amount.and_then(|amount| sum.checked_add(amount)).ok_or_else(invalid)?;
        rest = after;
    }
    if sum > limit.unsigned_abs() {
        return Err(invalid());
    }
    Ok(if limit < 0 { 0_i64.saturating_sub_unsigned(sum) } else { 0_i64.saturating_add_unsigned(sum) })
}

/// The part of a unit that the digits after the point stand for, cut to whole nanoseconds.
fn part_of(unit: u64, fraction: &str) -> u64 {
    // Of an hour, what follows is less than a hundred thousandth of a nanosecond.
    const DIGITS: usize = 18;
    let digits = fraction.chars().take(DIGITS).filter_map(|c| c.to_digit(10));
    let (value, scale) = digits.fold((0_u128, 1_u128), |(value, scale), digit| {
        (value.saturating_mul(10).saturating_add(digit.into()), scale.saturating_mul(10))
    });
    u64::try_from(value.saturating_mul(unit.into()).div_euclid(scale)).unwrap_or(u64::MAX)
}

/// A text up to the first such character, and from there on.
fn split_before(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.find(is_end).and_then(|end| text.split_at_checked(end)).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("+0", 0),
            ("30s", 30_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("5.s", 5_000_000_000),
            ("1500ms", 1_500_000_000),
            ("-1m", -60_000_000_000),
            ("1\u{b5}s1us1ns", 2_001),
            ("0.3333333333333333333h", 1_199_999_999_999),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(parse_duration(text), Ok(nanoseconds), "{text}");
        }
    }

    #[test]
    fn errors_are_gos() {
        for text in ["", "-", ".s", "x", "5 s5", "9223372036854775808ns", "9223372037s", "99999999999999999999x"] {
            let expected = if text == "5 s5" {
                "time: unknown unit \" s\" in duration \"5 s5\"".into()
            } else {
                format!("time: invalid duration \"{text}\"")
            };
            assert_eq!(parse_duration(text), Err(expected), "{text}");
        }
        assert_eq!(parse_duration("5"), Err("time: missing unit in duration \"5\"".into()));
        assert_eq!(parse_duration("1.5.5s"), Err("time: missing unit in duration \"1.5.5s\"".into()));
        assert_eq!(parse_duration("5d"), Err("time: unknown unit \"d\" in duration \"5d\"".into()));
    }
}
