use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::object::Time;

/// A span of virtual time in nanoseconds, written as Go writes it: `90s`, `1m30s`, `250ms`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

impl Duration {
    /// So many seconds.
    pub const fn seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(Time::SECOND))
    }

    /// Reads `1m30s`; nothing below zero.
    pub fn parse(text: &str) -> Option<Self> {
        let duration: jiff::SignedDuration = text.parse().ok()?;
        let nanoseconds = i64::try_from(duration.as_nanos()).ok()?;
        (nanoseconds >= 0).then_some(Self(nanoseconds))
    }
}

/// The units, in the order in which they are written.
const UNITS: [(i64, &str); 6] = [
    (3600 * Time::SECOND, "h"),
    (60 * Time::SECOND, "m"),
    (Time::SECOND, "s"),
    (1_000_000, "ms"),
    (1_000, "us"),
    (1, "ns"),
];

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (size, name) in UNITS {
            let count = rest.div_euclid(size);
            rest = rest.rem_euclid(size);
            if count != 0 {
                write!(f, "{count}{name}")?;
            }
        }
        Ok(())
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| D::Error::custom(format!("must be a duration like 90s, 1m30s or 250ms, not {text:?}")))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Duration {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A span of virtual time as Go writes it: 90s, 1m30s, 250ms.",
            "examples": ["90s", "1m30s", "250ms"],
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::Duration;

    #[test]
    fn is_written_as_it_is_read() {
        for text in ["0s", "90s", "1m30s", "250ms", "1h", "1h0m5s", "1s1ns"] {
            let duration = Duration::parse(text).unwrap();
            assert_eq!(Duration::parse(&duration.to_string()), Some(duration), "{text}");
        }
        assert_eq!(Duration::parse("1m30s").unwrap().0, 90_000_000_000);
        assert_eq!(Duration::parse("-1s"), None);
        assert_eq!(Duration::parse("soon"), None);
    }
}
