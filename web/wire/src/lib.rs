//! What the page and its players say to each other. They run in workers: one simulates what is shown, keeps the timelines
//! and answers; another plays what is typed, in small, to see whether that can be played. The page draws. Everything crosses as JSON, but for the films, which are numbers ([`film`]). Both sides are
//! ours, so nothing is checked again, and a value that is missing is an empty one.
//!
//! A question is `{"play": ...}` or `{"look": ...}`.
//!
//! | of `play` | what |
//! |---|---|
//! | `generation`, `lane` | all lanes of a generation are shown together; later ones take the place of earlier ones (what is only checked has no lane, nor what follows from `byNode` on) |
//! | `scenario` | a scenario; or |
//! | `deployment`, `changes` | a manifest, and what is changed about it once it is at rest |
//! | `begin` | nanoseconds after the scenario's start at which the picture begins |
//! | `byNode` | whether pods are grouped by node |
//! | `shown` | the generation that is shown until this one takes its place; where a fork names no Deployment, it is about the one of that |
//! | `forks` | what else the user does: `at`, nanoseconds after the picture's beginning, and `do`, an action of the scenario's format without its own `at` |
//! | `pins` | steps to find in it: `rule`, `about` (empty for anything), `nth` from 1 |
//!
//! The answer has `generation`, `lane`, and `problem` (a path, of a fork one like `forks[0].scale`, and a sentence) or:
//! `sets`, `rows` (names of the ReplicaSets and of the groups of pods), `cut` (why it ends before everything is quiet),
//! `nodes` (on which pods were), `forks` (for each what came of it, and whether it was done), `pins` (the step of each;
//! −1 where there is none).
//!
//! | of `look` | what |
//! |---|---|
//! | `generation`, `frames` | of which lanes, and the frame of each |
//! | `pace` | how the playhead came there |
//! | `explain` | a lane and the step that is explained there, where that is given |
//! | `pod` | a lane and the number of one of its pods |
//! | `facts` | for each lane whether its tables are wanted: they take long |
//!
//! The answer has `generation`, `pod` (what was asked for, its name, its node) and `lanes`, each with `why` (the step that is
//! explained), `since` (the last one where that is another: its `time` and its `sentence`), `more` (what more there is to
//! see of it) and `sheets` (tables: `title`, `columns`, `rows`, `marked`).
//!
//! | of `why` | what |
//! |---|---|
//! | `time`, `actor`, `about` | when, who, and the ReplicaSet that it is about |
//! | `upstream`, `section` | where its rule comes from |
//! | `sentence` | its pieces: words, or an operand's value as a list: name, value, source, where on the picture it is |
//! | `formula` | its lines, each in such pieces |

pub mod playback_track;

use serde_json::{Map, Value};

static NULL: Value = Value::Null;

/// An object.
pub fn object(entries: Vec<(&str, Value)>) -> Value {
    let mut map = Map::new();
    for (name, value) in entries {
        map.insert(String::from(name), value);
    }
    Value::Object(map)
}

/// What stands there in an object.
pub fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&NULL)
}

/// A number that stands there.
pub fn i64_field(value: &Value, name: &str) -> i64 {
    field(value, name).as_i64().unwrap_or(0)
}

/// A text that stands there.
pub fn str_field<'a>(value: &'a Value, name: &str) -> &'a str {
    field(value, name).as_str().unwrap_or_default()
}

/// A list that stands there.
pub fn list_field<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    field(value, name).as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text of a list.
pub fn str_at(values: &[Value], index: usize) -> &str {
    values.get(index).and_then(Value::as_str).unwrap_or_default()
}

/// A number of a list, as a place in another.
pub fn index_at(values: &[Value], index: usize) -> Option<usize> {
    usize::try_from(values.get(index)?.as_i64()?).ok()
}

/// A place in a list as a number.
pub fn index_value(place: usize) -> Value {
    Value::from(i64::try_from(place).unwrap_or(i64::MAX))
}

/// Texts as a list.
pub fn str_list<T: AsRef<str>>(texts: &[T]) -> Value {
    Value::Array(texts.iter().map(|text| Value::from(text.as_ref())).collect())
}

/// Where a problem of a fork is said to be, as `forks[0].scale.replicas`.
pub const FORK_PATH_PREFIX: &str = "forks[";

/// How the playhead came where it stands: this says which of an instant's steps is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekMode {
    /// Time ran, or somebody scrubbed: many steps passed at once.
    Time,
    /// From decision to decision.
    Decision,
    /// From write to write.
    Write,
}

impl SeekMode {
    /// Its number in a question.
    pub const fn number(self) -> i64 {
        match self {
            Self::Time => 0,
            Self::Decision => 1,
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
    fn clocks_show_hours_only_when_there_are() {
        let second = 1_000_000_000;
        assert_eq!(format_clock(0), "0:00");
        assert_eq!(format_clock(12 * second + 999_999_999), "0:12");
        assert_eq!(format_clock(754 * second), "12:34");
        assert_eq!(format_clock(3723 * second), "1:02:03");
        assert_eq!(format_clock(-5), "0:00");
    }
}
