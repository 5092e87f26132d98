//! The messages between the page and its players, which run in workers. One player plays what is shown and keeps the
//! timelines; the other one, the checker, plays a small version of what the user types, to see whether it is valid.
//!
//! Messages are JSON, except for playback tracks, which are numbers ([`playback_track`]). Both sides are built together, so
//! nothing is checked again: a missing value reads as an empty one.
//!
//! A request is `{"play": ...}` or `{"inspect": ...}`.
//!
//! | of `play` | what |
//! |---|---|
//! | `generation`, `lane` | all lanes of a generation are shown together, and a later generation replaces an earlier one. The checker's requests have no lane, and nothing from `byNode` on |
//! | `scenario` | a scenario; or |
//! | `deployment`, `changes` | a manifest, and what the user changes once its Deployment has settled |
//! | `begin` | nanoseconds from the scenario's start to time 0 of the page |
//! | `byNode` | whether pods are grouped by node |
//! | `shown` | the generation on the page until this one arrives; a fork that names no Deployment is about the one shown there |
//! | `forks` | what else the user does: `at`, in nanoseconds of the page's time, and `do`, an action in the scenario's format without its own `at` |
//! | `pins` | steps to find: `rule`, `about` (empty: about anything), `nth` from 1 |
//!
//! The response has `generation`, `lane`, and either `problem` (a path, for a fork one like `forks[0].scale`, and a message) or:
//! `replicaSets` and `rows` (names of the ReplicaSets and of the groups of pods), `cutReason` (why the timeline ends early, if
//! it does), `nodes` (nodes that run pods), `forks` (for each its outcome as a sentence, and whether it was done) and `pins`
//! (the step of each, or −1).
//!
//! | of `inspect` | what |
//! |---|---|
//! | `generation`, `frames` | which lanes, and the frame of each |
//! | `seekMode` | how the playhead got there, a number of [`SeekMode`] |
//! | `explain` | optional: a lane and the step to explain there |
//! | `pod` | a lane and the number of one of its pods |
//! | `details` | for each lane whether its tables are wanted: they take long |
//!
//! The response has `generation`, `pod` (the lane and number from the request, the pod's name, its node) and `lanes`, each with
//! `explanation` (of the explained step), `lastStep` (`time` and `sentence` of the last step, if that is another one),
//! `detailsLabel` (what the tables show about this step) and `tables` (`title`, `columns`, `rows`, `marked`).
//!
//! | of `explanation` | what |
//! |---|---|
//! | `time`, `actor`, `about` | when, which actor, and the ReplicaSet that it is about |
//! | `upstream`, `section` | where the rule comes from |
//! | `sentence` | a list of segments: texts, and operands as `[name, value, source, mark]` |
//! | `formula` | a list of lines, each a list of segments |

pub mod playback_track;

use serde_json::{Map, Value};

static NULL: Value = Value::Null;

/// Builds a JSON object.
pub fn object(entries: Vec<(&str, Value)>) -> Value {
    let mut map = Map::new();
    for (name, value) in entries {
        map.insert(String::from(name), value);
    }
    Value::Object(map)
}

/// A field of an object; null if it is missing.
pub fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&NULL)
}

/// An integer field; 0 if it is missing.
pub fn i64_field(value: &Value, name: &str) -> i64 {
    field(value, name).as_i64().unwrap_or(0)
}

/// A string field; empty if it is missing.
pub fn str_field<'a>(value: &'a Value, name: &str) -> &'a str {
    field(value, name).as_str().unwrap_or_default()
}

/// A list field; empty if it is missing.
pub fn list_field<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    field(value, name).as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A string in a list; empty if it is missing.
pub fn str_at(values: &[Value], index: usize) -> &str {
    values.get(index).and_then(Value::as_str).unwrap_or_default()
}

/// A number in a list that is an index into another list.
pub fn index_at(values: &[Value], index: usize) -> Option<usize> {
    usize::try_from(values.get(index)?.as_i64()?).ok()
}

/// An index as a JSON number.
pub fn index_value(index: usize) -> Value {
    Value::from(i64::try_from(index).unwrap_or(i64::MAX))
}

/// A JSON list of strings.
pub fn str_list<T: AsRef<str>>(strings: &[T]) -> Value {
    Value::Array(strings.iter().map(|string| Value::from(string.as_ref())).collect())
}

/// How the path of a fork's problem begins: `forks[0].scale.replicas`.
pub const FORK_PATH_PREFIX: &str = "forks[";

/// How the playhead got to its position. It decides which step of an instant is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekMode {
    /// Time passed or the user scrubbed: many steps at once.
    Time,
    /// From milestone to milestone.
    Milestone,
    /// From API write to API write.
    Write,
}

impl SeekMode {
    /// Its number in a request.
    pub const fn number(self) -> i64 {
        match self {
            Self::Time => 0,
            Self::Milestone => 1,
            Self::Write => 2,
        }
    }
}

/// Nanoseconds as `0:05`, `12:34` or `1:02:03`.
pub fn format_clock(nanoseconds: i64) -> String {
    let seconds = nanoseconds.max(0).div_euclid(1_000_000_000);
    let (minutes, second) = (seconds.div_euclid(60), seconds.rem_euclid(60));
    let (hours, minute) = (minutes.div_euclid(60), minutes.rem_euclid(60));
    if hours > 0 { format!("{hours}:{minute:02}:{second:02}") } else { format!("{minute}:{second:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_shown_only_from_one_hour_on() {
        let second = 1_000_000_000;
        assert_eq!(format_clock(0), "0:00");
        assert_eq!(format_clock(12 * second + 999_999_999), "0:12");
        assert_eq!(format_clock(754 * second), "12:34");
        assert_eq!(format_clock(3723 * second), "1:02:03");
        assert_eq!(format_clock(-5), "0:00");
    }
}
