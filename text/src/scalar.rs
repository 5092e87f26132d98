//! Plain scalars as kubectl reads them: YAML 1.1 as in its library, then converted to JSON.
//!
//! Ported from `go.yaml.in/yaml` (Apache-2.0 AND MIT, see NOTICE).
//!
//! Ported from `sigs.k8s.io/yaml` (MIT, see NOTICE).
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use serde_json::{Number, Value};

/// The value of a plain scalar. An error says why JSON can't represent it.
///
/// Upstream: go.yaml.in/yaml/v2 resolve.go resolve, sigs.k8s.io/yaml yaml.go convertToJSONableObject
pub(crate) fn resolve(text: &str) -> Result<Value, String> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Ok(Value::Bool(true));
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Ok(Value::Bool(false));
        }
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf"
        | "-.INF" => {
            return Err(format!("Invalid value: {text}: must be a finite number"));
        }
        _ => {}
    }
    let number = match text.bytes().next() {
        Some(b'.') => parse_float(text),
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let digits = text.replace('_', "");
            parse_integer(&digits).or_else(|| parse_float(&digits))
        }
        _ => None,
    };
    Ok(number.map_or_else(|| Value::String(text.to_owned()), Value::Number))
}

/// An integer as Go reads a literal: decimal, `0x`, `0b`, `0o`, and octal after a `0`.
///
/// Upstream: Go `strconv/atoi.go ParseInt` with base 0
fn parse_integer(text: &str) -> Option<Number> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    // from_str_radix also accepts a second sign.
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    if negative { 0_i64.checked_sub_unsigned(magnitude).map(Number::from) } else { Some(Number::from(magnitude)) }
}

/// A decimal fraction with an optional exponent. Without a fractional part it becomes an integer, as when Go writes JSON.
fn parse_float(text: &str) -> Option<Number> {
    // Parsed as a Value: parsing an f64 adds 20 KB of error formatting.
    let value = serde_json::from_str::<Value>(&to_json_float(text)?).ok()?.as_f64()?;
    if value.fract() == 0.0 && value.abs() < LARGEST_EXACT {
        #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "integral and far within i64")]
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

/// Up to this value, every integer has an exact float.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The JSON form of `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`. The module already contains serde_json's
/// parser; the standard library's would add to its size.
///
/// Upstream: go.yaml.in/yaml/v2 resolve.go yamlStyleFloat
fn to_json_float(text: &str) -> Option<String> {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent),
        None => (text, "0"),
    };
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let power = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let fits = digits(whole) && digits(fraction) && digits(power);
    if !fits || power.is_empty() || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    // JSON has no leading zeros, and a digit on both sides of the point.
    let whole = whole.trim_start_matches('0');
    Some([sign, if whole.is_empty() { "0" } else { whole }, ".", fraction, "0e", exponent].concat())
}

/// What fills the last four digits of base64.
const PADDING: u8 = b'=';

/// The bytes of a text in base64, which may have line breaks.
///
/// Upstream: Go `encoding/base64/base64.go Encoding.DecodeString`
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let (groups, rest) = digits.as_chunks::<4>();
    let mut bytes = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let is_last = index.saturating_add(1) == groups.len();
        let length = group.iter().rposition(|digit| *digit != PADDING)?;
        let is_valid = (length == 3 || length > 0 && is_last) && !group.get(..length)?.contains(&PADDING);
        let digits = group.iter().map(|digit| if *digit == PADDING { Some(0) } else { base64_digit(*digit) });
        let digits = digits.collect::<Option<Vec<u32>>>().filter(|_| is_valid)?;
        let bits = digits.iter().fold(0_u32, |bits, digit| bits.wrapping_shl(6) | digit);
        let [_, decoded @ ..] = bits.to_be_bytes();
        bytes.extend(decoded.iter().take(length));
    }
    rest.is_empty().then_some(bytes)
}

fn base64_digit(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit.saturating_sub(b'A'),
        b'a'..=b'z' => digit.saturating_sub(b'a').saturating_add(26),
        b'0'..=b'9' => digit.saturating_sub(b'0').saturating_add(52),
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// Bytes as Go writes them as a JSON string: U+FFFD for each byte that is no text.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    let replaced = |count: usize| "\u{fffd}".repeat(count);
    bytes.utf8_chunks().map(|chunk| [chunk.valid(), &replaced(chunk.invalid().len())].concat()).collect()
}

/// Whether a text is a date, or a date and a time as in RFC 3339, with or without leading zeros.
///
/// Upstream: go.yaml.in/yaml/v2 resolve.go parseTimestamp
pub(crate) fn is_timestamp(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let is_zoned = !text.contains(' ');
    is_date(date) && time.is_none_or(|time| is_time(time, is_zoned))
}

fn is_date(text: &str) -> bool {
    let [year, month, day] = *text.split('-').collect::<Vec<_>>() else { return false };
    let days = match number(month, 12) {
        Some(4 | 6 | 9 | 11) => 30,
        Some(2) if is_leap_year(year) => 29,
        Some(2) => 28,
        Some(1..) => 31,
        _ => return false,
    };
    year.len() == 4 && year.bytes().all(|digit| digit.is_ascii_digit()) && number(day, days).is_some_and(|day| day > 0)
}

fn is_leap_year(year: &str) -> bool {
    year.parse::<u32>()
        .is_ok_and(|year| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn is_time(text: &str, is_zoned: bool) -> bool {
    let zone = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(zone);
    let (time, fraction) = match time.split_once(['.', ',']) {
        Some((time, fraction)) => (time, Some(fraction)),
        None => (time, None),
    };
    let [hour, minute, second] = *time.split(':').collect::<Vec<_>>() else { return false };
    let is_fraction = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let has_zone = match zone.strip_prefix(['+', '-']).map(|offset| offset.split_once(':')) {
        Some(Some((hours, minutes))) => {
            [hours, minutes].iter().all(|text| text.len() == 2) && number(hours, 24).and(number(minutes, 60)).is_some()
        }
        Some(None) => false,
        None => zone == "Z",
    };
    number(hour, 23).and(number(minute, 59)).and(number(second, 59)).is_some()
        && fraction.is_none_or(is_fraction)
        && if is_zoned { has_zone } else { zone.is_empty() }
}

/// A number of one or two digits, up to this one.
fn number(text: &str, most: u8) -> Option<u8> {
    let is_number = matches!(text.len(), 1 | 2) && text.bytes().all(|digit| digit.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_what_go_yaml_reads() {
        let cases = [
            ("yes", json!(true)),
            ("Y", json!(true)),
            ("off", json!(false)),
            ("yEs", json!("yEs")),
            ("~", json!(null)),
            ("-1", json!(-1)),
            ("+1", json!(1)),
            ("1_000", json!(1000)),
            ("_1", json!("_1")),
            ("010", json!(8)),
            ("08", json!(8)),
            ("0x1F", json!(31)),
            ("0b101", json!(5)),
            ("0o17", json!(15)),
            ("0x", json!("0x")),
            ("--1", json!("--1")),
            ("+-1", json!("+-1")),
            ("-0x10", json!(-16)),
            ("1099511627776", json!(1_099_511_627_776_i64)),
            ("18446744073709551615", json!(u64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("99999999999999999999", json!(1e20)),
            ("3.0", json!(3)),
            ("1.", json!(1)),
            (".5", json!(0.5)),
            ("-1.5e3", json!(-1500)),
            ("1e400", json!("1e400")),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("25%", json!("25%")),
            ("1:30", json!("1:30")),
            ("2026-01-02", json!("2026-01-02")),
            ("1.2.3", json!("1.2.3")),
            ("infinity", json!("infinity")),
        ];
        for (text, value) in cases {
            assert_eq!(resolve(text), Ok(value), "{text}");
        }
        assert_eq!(resolve("-.inf"), Err("Invalid value: -.inf: must be a finite number".to_owned()));
    }
}
