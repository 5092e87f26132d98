//! Plain scalars as kubectl reads them: YAML 1.1 as in its library, then converted to JSON.

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
/// Upstream: strconv ParseInt with base 0
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
