//! Decimal integers, as Go's `strconv` reads them.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use core::fmt;

/// Why a text is no integer, in the words of `strconv.ErrSyntax` and `strconv.ErrRange`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParseIntError {
    /// It has no digits, or something else beside them.
    Syntax,
    /// The number does not fit. This is the nearest one that does, which Go returns beside the error.
    Range(i64),
}

impl fmt::Display for ParseIntError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "invalid syntax",
            Self::Range(_) => "value out of range",
        })
    }
}

/// Go's `strconv.Atoi`, where an `int` has 64 bits.
pub(crate) fn atoi(text: &str) -> Result<i64, ParseIntError> {
    parse_int(text, i64::MIN, i64::MAX, u64::MAX)
}

/// Go's `strconv.ParseInt(text, 10, 32)`.
pub(crate) fn parse_int32(text: &str) -> Result<i32, ParseIntError> {
    let number = parse_int(text, i32::MIN.into(), i32::MAX.into(), u32::MAX.into())?;
    i32::try_from(number).map_err(|_| ParseIntError::Range(number))
}

/// Reads digit by digit: a number that is too large counts before a stray character after it.
fn parse_int(text: &str, min: i64, max: i64, max_unsigned: u64) -> Result<i64, ParseIntError> {
    let (digits, limit) = match text.strip_prefix('-') {
        Some(digits) => (digits, min),
        None => (text.strip_prefix('+').unwrap_or(text), max),
    };
    if digits.is_empty() {
        return Err(ParseIntError::Syntax);
    }
    let mut magnitude: u64 = 0;
    for c in digits.chars() {
        let digit = c.to_digit(10).ok_or(ParseIntError::Syntax)?;
        let next = magnitude.checked_mul(10).and_then(|tens| tens.checked_add(digit.into()));
        magnitude = next.filter(|next| *next <= max_unsigned).ok_or(ParseIntError::Range(limit))?;
    }
    let number = if limit < 0 { 0_i64.checked_sub_unsigned(magnitude) } else { 0_i64.checked_add_unsigned(magnitude) };
    number.filter(|number| (min..=max).contains(number)).ok_or(ParseIntError::Range(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_go_reads_them() {
        for (text, number) in [("0", 0), ("-0", 0), ("+7", 7), ("-008", -8), ("-2147483648", i32::MIN)] {
            assert_eq!(parse_int32(text), Ok(number), "{text}");
            assert_eq!(atoi(text), Ok(number.into()), "{text}");
        }
        for text in ["", "-", "+", "--1", "-+1", "1.5", "1e3", "1_0", " 1", "1 ", "12x", "٣"] {
            assert_eq!(parse_int32(text), Err(ParseIntError::Syntax), "{text}");
            assert_eq!(atoi(text), Err(ParseIntError::Syntax), "{text}");
        }
        for text in ["2147483648", "4294967296x", "99999999999999999999"] {
            assert_eq!(parse_int32(text), Err(ParseIntError::Range(i32::MAX.into())), "{text}");
        }
        assert_eq!(parse_int32("-2147483649"), Err(ParseIntError::Range(i32::MIN.into())));
        assert_eq!(atoi("9223372036854775808"), Err(ParseIntError::Range(i64::MAX)));
        assert_eq!(atoi("-9223372036854775809"), Err(ParseIntError::Range(i64::MIN)));
        assert_eq!(atoi("18446744073709551616x"), Err(ParseIntError::Range(i64::MAX)));
        assert_eq!(atoi("9223372036854775808x"), Err(ParseIntError::Syntax));
    }
}
