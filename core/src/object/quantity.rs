//! Amounts of resources: what they are worth, and how upstream writes them.
//! Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go`

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::Value;

/// Which sort of suffix an amount is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    BinarySI,
    DecimalExponent,
    DecimalSI,
}

/// `value` times ten to the power of `scale`.
pub(crate) struct Quantity<'a> {
    /// How it was written, if upstream keeps that.
    pub(crate) kept: Option<&'a str>,
    pub(crate) value: i128,
    pub(crate) scale: i32,
    pub(crate) format: Format,
    /// Whether upstream keeps it in an int64. It has big numbers as well.
    #[cfg_attr(not(feature = "explain"), expect(dead_code, reason = "only the names of ReplicaSets show it"))]
    pub(crate) is_int64: bool,
}

/// One of something, in billionths.
pub(crate) const ONE: i128 = 1_000_000_000;

/// The amount in billionths, rounded up as upstream rounds; none if it is not a quantity. An amount out of an `i128`'s
/// range is its largest or smallest value.
pub fn nanos(value: &Value) -> Option<i128> {
    let text = text(value)?;
    let quantity = parse(&text)?;
    let tens = 10_i128.saturating_pow(quantity.scale.saturating_add(9).unsigned_abs());
    Some(quantity.value.saturating_mul(tens))
}

/// The amount as an integer times a power of ten; none if it is not a quantity.
pub fn unscaled(value: &Value) -> Option<(i128, i32)> {
    let text = text(value)?;
    let quantity = parse(&text)?;
    Some((quantity.value, quantity.scale))
}

/// An amount in billionths, in the format of another one.
pub(crate) fn written_like(nanos: i128, other: &Value) -> String {
    let text = text(other).unwrap_or_default();
    let format = parse(&text).map_or(Format::DecimalSI, |quantity| quantity.format);
    canonicalize(Quantity { kept: None, value: nanos, scale: -9, format, is_int64: false }).unwrap_or_default()
}

/// The amount as decoding and writing it again leaves it; none for what is no quantity, and for what has more than 38
/// digits.
pub(crate) fn canonical(value: &Value) -> Option<String> {
    canonicalize(parse(&text(value)?)?)
}

/// The same, rounded up to thousandths.
/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go RoundUp`
pub(crate) fn rounded_up_to_milli(value: &Value) -> Option<String> {
    const MILLI: i32 = -3;
    let text = text(value)?;
    let mut quantity = parse(&text)?;
    if quantity.scale < MILLI {
        quantity.value = divided_up(quantity.value, MILLI.abs_diff(quantity.scale))?;
        quantity.scale = MILLI;
        quantity.kept = None;
    }
    canonicalize(quantity)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Divides by a power of ten, away from zero.
fn divided_up(value: i128, power: u32) -> Option<i128> {
    let Some(divisor) = 10_u128.checked_pow(power) else { return Some(value.signum()) };
    let magnitude = i128::try_from(value.unsigned_abs().div_ceil(divisor)).ok()?;
    magnitude.checked_mul(value.signum())
}

/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go ParseQuantity`
pub(crate) fn parse(text: &str) -> Option<Quantity<'_>> {
    const NANO: i32 = -9;
    if text == "0" {
        return Some(Quantity { kept: Some(text), value: 0, scale: 0, format: Format::DecimalSI, is_int64: true });
    }
    let sign = text.bytes().next()?;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text).trim_start_matches('0');
    let (whole, rest) = split_digits(digits);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    let (format, exponent) = interpret(suffix)?;
    let mut value: i128 = 0;
    for byte in whole.bytes().chain(fraction.bytes()) {
        value = value.checked_mul(10)?.checked_add(i128::from(byte.wrapping_sub(b'0')))?;
    }
    let (places, whole_places) = (i32::try_from(fraction.len()).ok()?, i32::try_from(whole.len().max(1)).ok()?);
    // Upstream has two ways: with an int64, which keeps the text where it is canonical already, and with big numbers.
    let keeps_end = value.checked_rem(1000)? != 0 || places.saturating_add(whole_places) < 3;
    let (mut scale, fits, keeps) = match format {
        Format::BinarySI => {
            let precision =
                14_i32.saturating_sub(whole_places).saturating_sub(exponent.checked_div(10)?.saturating_mul(3));
            let keeps = value.checked_rem(8)? != 0;
            value = value.checked_mul(1_i128.checked_shl(exponent.unsigned_abs())?)?;
            (places.checked_neg()?, places == 0 && precision >= 0, keeps)
        }
        Format::DecimalExponent | Format::DecimalSI => {
            let scale = exponent.checked_sub(places)?;
            let precision = 18_i32.saturating_sub(whole_places).saturating_sub(places);
            let keeps = scale.checked_rem(3)? == 0 && keeps_end && !whole.is_empty();
            (scale, precision >= 0 && scale >= NANO, keeps)
        }
    };
    if scale < NANO {
        value = divided_up(value, NANO.abs_diff(scale))?;
        scale = NANO;
    }
    let most = i128::from(i64::MAX).saturating_mul(10_i128.saturating_pow(scale.unsigned_abs()));
    if format == Format::BinarySI && value > most {
        (value, scale) = (i128::from(i64::MAX), 0);
    }
    if sign == b'-' {
        value = value.saturating_neg();
    }
    Some(Quantity { kept: (fits && keeps).then_some(text), value, scale, format, is_int64: fits })
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

const DECIMAL_SUFFIXES: [(i32, &str); 10] =
    [(-9, "n"), (-6, "u"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T"), (15, "P"), (18, "E")];

const BINARY_SUFFIXES: [(i32, &str); 6] = [(10, "Ki"), (20, "Mi"), (30, "Gi"), (40, "Ti"), (50, "Pi"), (60, "Ei")];

/// Upstream: `k8s.io/apimachinery/pkg/api/resource/suffix.go interpret`
fn interpret(suffix: &str) -> Option<(Format, i32)> {
    for (suffixes, format) in
        [(DECIMAL_SUFFIXES.as_slice(), Format::DecimalSI), (BINARY_SUFFIXES.as_slice(), Format::BinarySI)]
    {
        if let Some((exponent, _)) = suffixes.iter().find(|(_, known)| *known == suffix) {
            return Some((format, *exponent));
        }
    }
    Some((Format::DecimalExponent, suffix.strip_prefix(['e', 'E'])?.parse().ok()?))
}

/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go CanonicalizeBytes`
fn canonicalize(quantity: Quantity<'_>) -> Option<String> {
    let Quantity { kept, mut value, mut scale, format, .. } = quantity;
    if let Some(text) = kept {
        return Some(text.to_string());
    }
    if value == 0 {
        return Some("0".into());
    }
    (value, scale) = without_factors(value, scale, 10, 1);
    if format == Format::BinarySI && scale >= 0 {
        let whole = value.checked_mul(10_i128.checked_pow(scale.unsigned_abs())?)?;
        if whole.unsigned_abs() >= 1024 {
            let (number, exponent) = without_factors(whole, 0, 1024, 10);
            let suffix = BINARY_SUFFIXES.iter().find(|(known, _)| *known == exponent).map_or("", |(_, suffix)| suffix);
            return Some(format!("{number}{suffix}"));
        }
    }
    while scale.checked_rem(3)? != 0 {
        value = value.checked_mul(10)?;
        scale = scale.checked_sub(1)?;
    }
    if format == Format::DecimalExponent && scale != 0 {
        return Some(format!("{value}e{scale}"));
    }
    // Upstream leaves out a suffix that there is none of.
    let suffix = DECIMAL_SUFFIXES.iter().find(|(known, _)| *known == scale).map_or("", |(_, suffix)| suffix);
    Some(format!("{value}{suffix}"))
}

fn without_factors(mut value: i128, mut exponent: i32, factor: i128, step: i32) -> (i128, i32) {
    while value.checked_rem(factor) == Some(0) && value != 0 {
        value = value.checked_div(factor).unwrap_or_default();
        exponent = exponent.saturating_add(step);
    }
    (value, exponent)
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
        assert_eq!(nanos(&json!(2)), Some(2_000_000_000));
        assert_eq!(nanos(&json!("-1n")), Some(-1));
        assert_eq!(nanos(&json!("0.1n")), Some(1));
        for text in ["", "1.2.3", "1x", "1ki", "1e", "1 k"] {
            assert_eq!(nanos(&json!(text)), None, "{text}");
        }
    }

    #[test]
    fn division_is_away_from_zero() {
        for (value, power, quotient) in [
            (0, 3, 0),
            (1, 1, 1),
            (-1, 40, -1),
            (1999, 3, 2),
            (2000, 3, 2),
            (-2001, 3, -3),
            (i128::MAX, 1, i128::MAX / 10 + 1),
            (i128::MIN + 1, 20, i128::MIN / 10_i128.pow(20) - 1),
            (7, u32::MAX, 1),
        ] {
            assert_eq!(divided_up(value, power), Some(quotient), "{value} {power}");
        }
    }

    /// What upstream says, as the recordings have it too.
    #[test]
    fn amounts_have_one_way_to_be_written() {
        for (written, canonical_text) in [
            ("0.5", "500m"),
            ("0.500", "500m"),
            ("1.500", "1.500"),
            ("1000m", "1"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("100000", "100k"),
            ("1e3", "1e3"),
            ("1000e1", "10e3"),
            ("1000E", "1"),
            ("16Ei", "9223372036854775807"),
            (" 2 ", "2"),
            ("-", "0"),
        ] {
            assert_eq!(canonical(&json!(written)).as_deref(), Some(canonical_text), "{written}");
        }
        for (written, rounded) in
            [("100u", "1m"), ("1999.9999", "2k"), ("0.5", "500m"), ("-1.0001", "-1001m"), ("1.500", "1.500")]
        {
            assert_eq!(rounded_up_to_milli(&json!(written)).as_deref(), Some(rounded), "{written}");
        }
    }
}
