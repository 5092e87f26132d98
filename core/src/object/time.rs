use alloc::string::ToString;
use core::fmt;

use jiff_core::Timestamp;
use serde_json::Value;

use super::rfc3339;
use crate::json::{FromJson, Path, Problem, ToJson, must_be};

/// A point in virtual time: nanoseconds since the Unix epoch. What objects store (`metav1.Time`) is truncated to whole
/// seconds, as the API server does; [`Time::truncated`] does it where such a time is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// Nanoseconds in a second.
    pub const SECOND: i64 = 1_000_000_000;

    /// Reads RFC 3339 (`2026-01-01T00:00:42.5Z`).
    pub fn parse(text: &str) -> Option<Self> {
        let timestamp = rfc3339::parse(text)?;
        let nanoseconds = timestamp.as_second().checked_mul(Self::SECOND)?;
        nanoseconds.checked_add(timestamp.subsec_nanosecond().into()).map(Self)
    }

    /// The time cut to whole seconds, as `metav1.Time` is stored.
    #[must_use]
    pub const fn truncated(self) -> Self {
        Self(self.0.saturating_sub(self.0.rem_euclid(Self::SECOND)))
    }

    /// The same time as jiff has it.
    pub(crate) fn timestamp(self) -> Timestamp {
        Timestamp::from_nanosecond(self.0.into()).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The time of that timestamp, or the end of the range that is nearer to it.
    pub(crate) fn from_timestamp(timestamp: Timestamp) -> Self {
        let nanoseconds = timestamp.as_nanosecond();
        Self(i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 { i64::MIN } else { i64::MAX }))
    }

    /// This time plus nanoseconds; stops at the ends of the range.
    #[must_use]
    pub const fn plus(self, nanoseconds: i64) -> Self {
        Self(self.0.saturating_add(nanoseconds))
    }

    /// This time plus seconds; stops at the ends of the range.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(Self::SECOND)))
    }

    /// Nanoseconds from `earlier` to this time, negative if `earlier` is later.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Time {
    /// RFC 3339 in UTC; a fraction only where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        rfc3339::write(f, self.timestamp())
    }
}

impl ToJson for Time {
    fn to_json(&self) -> Value {
        self.to_string().into()
    }
}

impl FromJson for Time {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let time = value.as_str().and_then(Self::parse);
        *self = time.ok_or_else(|| must_be(value, path, "an RFC 3339 time, like 2026-01-01T00:00:00Z"))?;
        Ok(())
    }
}
