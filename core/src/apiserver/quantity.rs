//! Amounts of resources, as far as comparing them goes.
//! Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go`

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::Value;

/// The amount in billionths, rounded up as upstream rounds; none for what is no quantity. What is out of an `i128`'s
/// range is its largest or smallest value.
/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go ParseQuantity`
pub(super) fn nanos(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => parse(text),
        Value::Number(number) => parse(&number.to_string()),
        _ => None,
    }
}

/// The amount rounded up to thousandths, as upstream writes it; none where there is nothing to round.
/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go RoundUp` and `CanonicalizeBytes`
pub(super) fn rounded_up_to_milli(value: &Value) -> Option<String> {
    let nanos = nanos(value)?;
    let remainder = nanos.checked_rem(1_000_000)?;
    if remainder == 0 {
        return None;
    }
    let millis = nanos.checked_div(1_000_000)?.saturating_add(i128::from(remainder > 0));
    let (mut number, mut suffixes) = (millis, ["m", "", "k", "M", "G", "T", "P", "E"].into_iter());
    let mut suffix = suffixes.next()?;
    while number.checked_rem(1000) == Some(0) && number != 0 {
        let Some(next) = suffixes.next() else { break };
        (number, suffix) = (number.checked_div(1000)?, next);
    }
    Some(if number == 0 { "0".into() } else { format!("{number}{suffix}") })
}

fn parse(text: &str) -> Option<i128> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    let (number, suffix) = rest.split_at_checked(end)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let (base, exponent) = scale(suffix)?;
    let mut mantissa: i128 = 0;
    for byte in whole.bytes().chain(fraction.bytes()) {
        mantissa = mantissa.saturating_mul(10).saturating_add(i128::from(byte.wrapping_sub(b'0')));
    }
    let digits = i32::try_from(fraction.len()).ok()?;
    // In billionths, and each digit behind the point makes it ten times smaller.
    let (mut tens, mut amount) = (9_i32.saturating_sub(digits), mantissa);
    if base == 2 {
        amount = amount.saturating_mul(1_i128.checked_shl(u32::try_from(exponent).ok()?).unwrap_or(i128::MAX));
    } else {
        tens = tens.saturating_add(exponent);
    }
    if tens >= 0 {
        amount = amount.saturating_mul(10_i128.saturating_pow(tens.unsigned_abs()));
    } else {
        let divisor = 10_i128.saturating_pow(tens.unsigned_abs());
        let remainder = amount.checked_rem(divisor)?;
        amount = amount.checked_div(divisor)?.saturating_add(i128::from(remainder > 0));
    }
    Some(if negative { amount.saturating_neg() } else { amount })
}

/// The base and exponent that a suffix stands for.
/// Upstream: `k8s.io/apimachinery/pkg/api/resource/suffix.go newSuffixer`
fn scale(suffix: &str) -> Option<(u8, i32)> {
    Some(match suffix {
        "n" => (10, -9),
        "u" => (10, -6),
        "m" => (10, -3),
        "" => (10, 0),
        "k" => (10, 3),
        "M" => (10, 6),
        "G" => (10, 9),
        "T" => (10, 12),
        "P" => (10, 15),
        "E" => (10, 18),
        "Ki" => (2, 10),
        "Mi" => (2, 20),
        "Gi" => (2, 30),
        "Ti" => (2, 40),
        "Pi" => (2, 50),
        "Ei" => (2, 60),
        other => (10, other.strip_prefix(['e', 'E'])?.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_compare_by_value() {
        for (a, b) in
            [("1", "1000m"), ("0.5", "500m"), ("1Ki", "1024"), ("1e3", "1k"), ("1.5Gi", "1536Mi"), ("+1", "1")]
        {
            assert_eq!(nanos(&json!(a)).unwrap(), nanos(&json!(b)).unwrap(), "{a} {b}");
        }
        assert_eq!(rounded_up_to_milli(&json!("100u")).as_deref(), Some("1m"));
        assert_eq!(rounded_up_to_milli(&json!("1999.9999")).as_deref(), Some("2k"));
        assert_eq!(rounded_up_to_milli(&json!("0.5")), None);
        assert_eq!(nanos(&json!(2)), Some(2_000_000_000));
        assert_eq!(nanos(&json!("-1n")), Some(-1));
        assert_eq!(nanos(&json!("0.1n")), Some(1));
        for text in ["", "-", ".", "1.2.3", "1x", "1ki", "m"] {
            assert_eq!(nanos(&json!(text)), None, "{text}");
        }
    }
}
