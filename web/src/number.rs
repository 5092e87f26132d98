//! Conversions between numbers, and numbers as texts.

pub use changeover_wire::{group_digits, with_grouped_digits};

/// An integer as a float. Exact up to 2^53, which no count and no time here comes near.
#[expect(clippy::as_conversions, reason = "there is no lossless conversion from i64, and none is needed")]
pub const fn to_f64(value: i64) -> f64 {
    value as f64
}

/// A length of a list as a float.
pub fn count_to_f64(value: usize) -> f64 {
    to_f64(i64::try_from(value).unwrap_or(i64::MAX))
}

/// A float without its fraction; NaN becomes 0.
#[expect(clippy::as_conversions, reason = "`as` saturates, which is what is wanted")]
pub const fn to_i64(value: f64) -> i64 {
    value as i64
}

/// Pixels as an attribute, rounded to a tenth: `12.5`. (Rust's own formatting of floats is larger than the rest of the picture.)
pub fn px(value: f64) -> String {
    let tenths = to_i64((value * 10.0).round());
    let (whole, rest) = (tenths.unsigned_abs().div_euclid(10), tenths.unsigned_abs().rem_euclid(10));
    let sign = if tenths < 0 { "-" } else { "" };
    if rest == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") }
}

/// `1 pod`, `2 pods`, `12,500 pods`.
pub fn plural(count: i32, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", group_digits(count))
}

/// [`plural`] for the count of a list.
pub fn plural_count(count: usize, noun: &str) -> String {
    plural(i32::try_from(count).unwrap_or(i32::MAX), noun)
}

/// A count of a list, with grouped digits.
pub fn group_count(count: usize) -> String {
    group_digits(i64::try_from(count).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_agrees_with_its_count() {
        assert_eq!([1, 2].map(|count| plural(count, "pod")), ["1 pod", "2 pods"]);
        assert_eq!([1, 12_500].map(|count| plural_count(count, "line")), ["1 line", "12,500 lines"]);
    }

    #[test]
    fn pixels_have_one_digit_at_most() {
        let cases = [(0.0, "0"), (12.0, "12"), (12.34, "12.3"), (-0.26, "-0.3"), (-0.04, "0"), (99.96, "100")];
        for (value, text) in cases {
            assert_eq!(px(value), text);
        }
    }
}
