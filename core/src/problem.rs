use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde_json::Value;

use crate::go;

/// A problem of an input: its path, and one sentence that says what would be right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Problem {
    /// The path of the field (`spec.replicas`, `rules[0].name`); empty for the whole input.
    pub path: String,
    /// The sentence, without the path.
    pub message: String,
    /// What else is wrong with the same input.
    pub more: Vec<Self>,
}

impl Problem {
    /// Returns all problems of one input as one error, if there is any.
    ///
    /// # Errors
    /// The problems.
    pub fn check(problems: Vec<Self>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::all(problems)) }
    }

    /// Several problems of one input, of which there is at least one.
    pub fn all(problems: Vec<Self>) -> Self {
        let mut problems = problems.into_iter();
        let first = problems.next().unwrap_or_else(|| Self::new("", "can't be read"));
        Self { more: first.more.into_iter().chain(problems).collect(), ..first }
    }

    /// A problem at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), more: Vec::new() }
    }

    /// The same with other paths.
    #[must_use]
    pub fn map_paths(self, change: &dyn Fn(&str) -> String) -> Self {
        let more = self.more.into_iter().map(|problem| problem.map_paths(change)).collect();
        Self { path: change(&self.path), message: self.message, more }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        self.more.iter().try_for_each(|problem| write!(f, "; {problem}"))
    }
}

impl core::error::Error for Problem {}

/// A value of any size as a message shows it: cut after 64 characters.
pub(crate) fn shortened(value: &Value) -> String {
    const MAX_LENGTH: usize = 64;
    let text = match value {
        Value::Object(map) if map.len() > 4 => "a map".into(),
        Value::Array(items) if items.len() > 8 => "a list".into(),
        Value::String(text) if text.len() > MAX_LENGTH => {
            return format!("{}...", go::quoted(&text.chars().take(MAX_LENGTH).collect::<String>()));
        }
        other => go::json(other),
    };
    if text.chars().count() <= MAX_LENGTH {
        return text;
    }
    let start: String = text.chars().take(MAX_LENGTH).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_cut() {
        assert_eq!(shortened(&json!("x".repeat(1000))).len(), 69);
        assert_eq!(shortened(&json!(vec![1; 1000])), "a list");
    }
}
