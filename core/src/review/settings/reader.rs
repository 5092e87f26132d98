//! Typed reading of one map of the settings; every misfit becomes a problem with its path.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::name_patterns::{NamePatterns, problem_of_namespace, problem_of_user};
use crate::Problem;
use crate::apiserver::validation::names::{is_label_key, is_label_value};
use crate::go;
use crate::object::IntOrString;
use crate::problem::shortened;

/// A map at a path.
pub(super) struct Reader<'a, 'p> {
    map: Option<&'a Map<String, Value>>,
    path: String,
    problems: &'p mut Vec<Problem>,
}

/// A span of time, and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
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

    /// Whether the value is this text, which is the only one.
    pub(super) fn is_text(&mut self, key: &str, text: &str) -> bool {
        self.read(key, &format!("{}, in quotes", go::quoted(text)), |value| (value == text).then_some(())).is_some()
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

    /// Names of users; an empty list is none, likewise.
    pub(super) fn users(&mut self, key: &str) -> Option<NamePatterns> {
        self.patterns(key, problem_of_user)
    }

    /// Names of namespaces, likewise.
    pub(super) fn namespaces(&mut self, key: &str) -> Option<NamePatterns> {
        self.patterns(key, problem_of_namespace)
    }

    fn patterns(&mut self, key: &str, problem: fn(&str) -> Option<&'static str>) -> Option<NamePatterns> {
        let names = self.read(key, "a list of names", |value| items(value, Value::as_str))?;
        for name in &names {
            if let Some(why) = problem(name) {
                self.problem(key, &format!("Invalid value: {}: {why}", go::quoted(name)));
            }
        }
        (!names.is_empty()).then(|| NamePatterns(names.into_iter().map(String::from).collect()))
    }

    /// Labels and their values; an empty map is none, likewise.
    pub(super) fn labels(&mut self, key: &str) -> Vec<(String, String)> {
        let pairs = self.read(key, "a map of labels to their values", |value| {
            let pairs = value.as_object()?.iter();
            pairs.map(|(label, value)| Some((label.clone(), value.as_str()?.into()))).collect::<Option<Vec<_>>>()
        });
        let mut pairs: Vec<(String, String)> = pairs.unwrap_or_default();
        // A row that a form left blank.
        pairs.retain(|(label, value)| !(label.is_empty() && value.is_empty()));
        for (label, value) in &pairs {
            if !is_label_key(label).is_empty() || !is_label_value(value).is_empty() {
                let pair = go::quoted(&format!("{label}={value}"));
                self.problem(key, &format!("Invalid value: {pair}: no object can have this label"));
            }
        }
        pairs
    }

    /// A number of pods, or a percentage of the desired ones. Forms send both as text.
    pub(super) fn number_or_percentage(&mut self, key: &str) -> Option<IntOrString> {
        self.read(key, "a number of pods like 3, or a percentage up to 100%", |value| match value {
            Value::String(text) => match text.strip_suffix('%') {
                // A rollout has at most twice the desired pods, and no more than all of them are available.
                Some(digits) => {
                    digits_of(digits).filter(|percent| *percent <= 100).map(|_| IntOrString::String(text.clone()))
                }
                None => digits_of(text).map(IntOrString::Int),
            },
            number => i32::try_from(number.as_i64()?).ok().filter(|number| *number >= 0).map(IntOrString::Int),
        })
    }

    /// A number of replicas.
    pub(super) fn replicas(&mut self, key: &str) -> Option<i32> {
        self.read(key, "a number of replicas, at least 0", |value| {
            i32::try_from(value.as_i64()?).ok().filter(|replicas| *replicas >= 0)
        })
    }

    pub(super) fn duration(&mut self, key: &str) -> Option<Interval> {
        self.read(key, "a duration above zero, like 30s, 5m or 1h30m", |value| {
            let text = value.as_str()?;
            let nanoseconds = go::parse_duration(text).ok().filter(|nanoseconds| *nanoseconds > 0)?;
            Some(Interval { text: text.to_string(), nanoseconds })
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

/// A number without a sign.
fn digits_of(text: &str) -> Option<i32> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The items of a list, each once. One that a form left empty would match everything: it is no name and no policy.
fn items<'a, 'b>(list: &'a Value, read: impl Fn(&'a Value) -> Option<&'b str>) -> Option<Vec<&'b str>> {
    let mut items = Vec::new();
    for item in list.as_array()? {
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
