use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use serde_json::Value;

use crate::json::{FromJson, Path, Problem, ToJson, must_be};

/// Numbers in ranges, as a Job writes its indexes: `0,2-4`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberRanges {
    text: String,
    ranges: Vec<RangeInclusive<i64>>,
}

impl NumberRanges {
    /// Reads ranges: none overlap, and they rise.
    pub fn parse(text: &str) -> Option<Self> {
        let mut ranges: Vec<RangeInclusive<i64>> = Vec::new();
        for range in text.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (number(first)?, number(last)?);
            if last < first || ranges.last().is_some_and(|before| first <= *before.end()) {
                return None;
            }
            ranges.push(first..=last);
        }
        Some(Self { text: text.into(), ranges })
    }

    /// Whether the number is one of them.
    pub fn contains(&self, number: i64) -> bool {
        self.ranges.iter().any(|range| range.contains(&number))
    }
}

/// Digits alone: no sign, no spaces.
fn number(text: &str) -> Option<i64> {
    text.parse::<u32>().ok().filter(|_| !text.starts_with('+')).map(i64::from)
}

impl ToJson for NumberRanges {
    fn to_json(&self) -> Value {
        self.text.to_json()
    }
}

impl FromJson for NumberRanges {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = value.as_str().and_then(Self::parse).ok_or_else(|| must_be(value, path, "numbers like 0,2-4"))?;
        Ok(())
    }
}

// For the default in the JSON Schema.
#[cfg(feature = "schema")]
impl serde::Serialize for NumberRanges {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json::serialize(self, serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NumberRanges {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "NumberRanges".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Numbers in ranges, like `0,2-4`.",
            "examples": ["3", "0,2-4"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_strictly() {
        for text in ["", ",", "1,", "-1", "2-1", "1-", "1,1", "0-3,2", "a", " 1", "+1", "1-2-3"] {
            assert_eq!(NumberRanges::parse(text), None, "{text}");
        }
        let ranges = NumberRanges::parse("0,2-4").unwrap();
        assert_eq!((0..6).filter(|number| ranges.contains(*number)).collect::<Vec<_>>(), [0, 2, 3, 4]);
    }
}
