//! Typed reading of one map of the settings; every misfit becomes a problem with its path.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::Problem;
use crate::go;
use crate::problem::shortened;

/// A map at a path.
pub(super) struct Reader<'a, 'p> {
    map: Option<&'a Map<String, Value>>,
    path: String,
    problems: &'p mut Vec<Problem>,
}

/// A span of time, and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Duration {
    pub(crate) text: String,
    pub(crate) nanoseconds: i64,
}

impl<'a, 'p> Reader<'a, 'p> {
    /// Reports unknown keys, and a value that is not a map; `null` is an empty map.
    pub(super) fn new(value: &'a Value, path: &str, keys: &[&str], problems: &'p mut Vec<Problem>) -> Self {
        let mut reader = Self::known(value, path, problems);
        if reader.map.is_none() && !value.is_null() {
            let message = format!("Invalid value: {}: must be a map", shortened(value));
            reader.problems.push(Problem::new(path, message));
        }
        for key in reader.map.into_iter().flat_map(Map::keys) {
            if !keys.contains(&key.as_str()) {
                let known = go::quoted_list(keys.iter().copied());
                let message = format!("Unsupported value: {}: supported values: {known}", go::quoted(key));
                reader.problem(key, &message);
            }
        }
        reader
    }

    /// The same map again.
    pub(super) fn known(value: &'a Value, path: &str, problems: &'p mut Vec<Problem>) -> Self {
        Self { map: value.as_object(), path: path.to_string(), problems }
    }

    pub(super) fn problem(&mut self, key: &str, message: &str) {
        let path = if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) };
        self.problems.push(Problem::new(path, message));
    }

    /// The value of a key, unless it is absent, null, or the empty text that a form sends for a field which was cleared.
    pub(super) fn value(&mut self, key: &str) -> Option<&'a Value> {
        self.map?.get(key).filter(|value| !value.is_null() && !is_empty(value))
    }

    /// The value as something, or a problem.
    fn read<T>(&mut self, key: &str, expected: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.value(key)?;
        let result = read(value);
        if result.is_none() {
            self.problem(key, &format!("Invalid value: {}: must be {expected}", shortened(value)));
        }
        result
    }

    pub(super) fn bool(&mut self, key: &str) -> Option<bool> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub(super) fn int32(&mut self, key: &str) -> Option<i32> {
        self.read(key, "a 32bit integer", |value| i32::try_from(value.as_i64()?).ok())
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.read(key, &one_of(&names), |value| {
            let text = value.as_str()?;
            words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning)
        })
    }

    /// One of the policies.
    pub(super) fn policy(&mut self, key: &str, policies: &[&'static str]) -> Option<&'static str> {
        self.read(key, &one_of(policies), |value| known(value, policies))
    }

    /// Some of the policies; an empty list is none, since forms send one where nothing was chosen.
    pub(super) fn policies(&mut self, key: &str, policies: &[&'static str]) -> Option<Vec<&'static str>> {
        let expected = format!("a list of {}", policies.join(", "));
        self.read(key, &expected, |value| items(value, |item| known(item, policies))).filter(|items| !items.is_empty())
    }

    /// A list of names; an empty one is none, likewise.
    pub(super) fn strings(&mut self, key: &str) -> Option<Vec<&'a str>> {
        self.read(key, "a list of names", |value| items(value, Value::as_str)).filter(|items| !items.is_empty())
    }

    pub(super) fn duration(&mut self, key: &str) -> Option<Duration> {
        self.read(key, "a duration above zero, like 30s, 5m or 1h30m", |value| {
            let text = value.as_str()?;
            let nanoseconds = go::parse_duration(text).ok().filter(|nanoseconds| *nanoseconds > 0)?;
            Some(Duration { text: text.to_string(), nanoseconds })
        })
    }

    /// A default that the settings themselves would refuse is a contradiction.
    pub(super) fn must_be_allowed(&mut self, key: &str, policy: Option<&str>, allowed: Option<&[&'static str]>) {
        if let (Some(policy), Some(allowed)) = (policy, allowed)
            && !allowed.contains(&policy)
        {
            let text = format!("Invalid value: {}: must be one of allowed: {}", go::quoted(policy), allowed.join(", "));
            self.problem(key, &text);
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_str() == Some("")
}

/// The items of a list, each once, without those that a form left empty.
fn items<'a, 'b>(list: &'a Value, read: impl Fn(&'a Value) -> Option<&'b str>) -> Option<Vec<&'b str>> {
    let mut items = Vec::new();
    for item in list.as_array()?.iter().filter(|item| !is_empty(item)) {
        let item = read(item)?;
        if !items.contains(&item) {
            items.push(item);
        }
    }
    Some(items)
}

fn known(value: &Value, policies: &[&'static str]) -> Option<&'static str> {
    let text = value.as_str()?;
    policies.iter().find(|policy| **policy == text).copied()
}

fn one_of(words: &[&str]) -> String {
    match words {
        [init @ .., last] if !init.is_empty() => format!("{} or {last}", init.join(", ")),
        words => words.join(""),
    }
}
