use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde_json::Value;

use super::Time;
use crate::go;
use crate::json::{FromJson, Path, Problem, ToJson, must_be, nanoseconds};

/// A span of virtual time in nanoseconds, written as Go writes it: `90s`, `1m30s`, `250ms`. Numbers are read as milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

impl Duration {
    /// A number of seconds.
    pub const fn seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(Time::SECOND))
    }

    /// In whole seconds, unless it is shorter than one: for texts.
    pub const fn rounded(self) -> Self {
        if self.0 < Time::SECOND {
            return self;
        }
        Self::seconds(self.0.saturating_add(Time::SECOND / 2).div_euclid(Time::SECOND))
    }

    /// The time as a person says it, in whole seconds: `40 s`, `16 min`, `1 h 5 min`.
    pub fn in_words(self) -> String {
        // What a control plane takes in between is no more exact.
        let seconds = self.0.max(0).saturating_add(Time::SECOND / 2).div_euclid(Time::SECOND);
        let (minutes, second) = (seconds.div_euclid(60), seconds.rem_euclid(60));
        let (hours, minute) = (minutes.div_euclid(60), minutes.rem_euclid(60));
        match (hours, minute, second) {
            (0, 0, second) => format!("{second} s"),
            (0, minute, 0) => format!("{minute} min"),
            (0, minute, second) => format!("{minute} min {second} s"),
            (hours, 0, _) => format!("{hours} h"),
            (hours, minute, _) => format!("{hours} h {minute} min"),
        }
    }

    /// The time as a person says it, and below a second in milliseconds: `5 ms`, `40 s`.
    pub fn briefly_in_words(self) -> String {
        if (1..Time::SECOND).contains(&self.0) {
            format!("{} ms", self.0.saturating_add(999_999).div_euclid(1_000_000))
        } else {
            self.in_words()
        }
    }

    /// The time in words, exactly: `5 min 52 s`, `1 h 1 s`, `1 s 500 ms`.
    pub fn exactly_in_words(self) -> String {
        let mut rest = self.0.max(0);
        let mut words: Vec<String> = Vec::new();
        for (size, _, unit) in UNITS {
            let count = rest.div_euclid(size);
            rest = rest.rem_euclid(size);
            if count > 0 {
                words.push(format!("{count} {unit}"));
            }
        }
        if words.is_empty() { String::from("0 s") } else { words.join(" ") }
    }

    /// Reads a value of JSON: a text, or a number of milliseconds; nothing below zero.
    pub fn of(value: &Value) -> Option<Self> {
        let of_number = || nanoseconds(value).filter(|nanoseconds| *nanoseconds >= 0).map(Self);
        value.as_str().map_or_else(of_number, Self::parse)
    }

    /// Reads `1m30s`; nothing below zero.
    pub fn parse(text: &str) -> Option<Self> {
        go::parse_duration(text).ok().filter(|_| !text.starts_with('-')).map(Self)
    }
}

/// The units, in the order in which they are written: their names in Go and in words.
const UNITS: [(i64, &str, &str); 6] = [
    (3600 * Time::SECOND, "h", "h"),
    (60 * Time::SECOND, "m", "min"),
    (Time::SECOND, "s", "s"),
    (1_000_000, "ms", "ms"),
    (1_000, "us", "µs"),
    (1, "ns", "ns"),
];

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (size, name, _) in UNITS {
            let count = rest.div_euclid(size);
            rest = rest.rem_euclid(size);
            if count != 0 {
                write!(f, "{count}{name}")?;
            }
        }
        Ok(())
    }
}

impl ToJson for Duration {
    fn to_json(&self) -> Value {
        self.to_string().into()
    }
}

impl FromJson for Duration {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = Self::of(value).ok_or_else(|| must_be(value, path, "a duration like 90s, 1m30s or 250ms"))?;
        Ok(())
    }
}

// For the default in the JSON Schema.
#[cfg(feature = "schema")]
impl serde::Serialize for Duration {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json::serialize(self, serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Duration {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": ["string", "number"],
            "minimum": 0,
            "description": "A span of virtual time as Go writes it (90s, 1m30s, 250ms), or a number of milliseconds.",
            "examples": ["90s", "1m30s", "250ms"],
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::Duration;

    #[test]
    fn below_a_second_words_have_milliseconds() {
        for (text, words) in [
            ("0s", "0 s"),
            ("500us", "1 ms"),
            ("5ms", "5 ms"),
            ("999ms", "999 ms"),
            ("1.5s", "2 s"),
            ("8m100ms", "8 min"),
            ("16m40s", "16 min 40 s"),
        ] {
            assert_eq!(Duration::parse(text).unwrap().briefly_in_words(), words, "{text}");
        }
    }

    #[test]
    fn exact_words_leave_nothing_out() {
        for (text, words) in
            [("0s", "0 s"), ("10ms", "10 ms"), ("1.5s", "1 s 500 ms"), ("1m", "1 min"), ("1h0m1s", "1 h 1 s")]
        {
            assert_eq!(Duration::parse(text).unwrap().exactly_in_words(), words, "{text}");
        }
    }

    #[test]
    fn is_written_as_it_is_read() {
        for text in ["0s", "90s", "1m30s", "250ms", "1h", "1h0m5s", "1s1ns"] {
            let duration = Duration::parse(text).unwrap();
            assert_eq!(Duration::parse(&duration.to_string()), Some(duration), "{text}");
        }
        assert_eq!(Duration::parse("1m30s").unwrap().0, 90_000_000_000);
        assert_eq!(Duration::parse("1.5h").unwrap().0, 5_400_000_000_000);
        assert_eq!(Duration::parse("0.1s").unwrap().0, 100_000_000);
        assert_eq!(Duration::parse(".25us").unwrap().0, 250);
        assert_eq!(Duration::parse("1\u{b5}s"), Duration::parse("1us"));
        assert_eq!(Duration::parse("+5m0"), None);
        assert_eq!(Duration::parse("0").unwrap().0, 0);
        for text in ["", "-1s", "soon", "1", "1.s.", ".s", "1 s", "1d", "9223372036854775808ns", "2562048h"] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }
}
