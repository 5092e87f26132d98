use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde_json::Value;

use crate::go;

/// What is wrong with an input: where, and what would be right, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The path of the field (`spec.replicas`, `rules[0].name`); empty for the whole input.
    pub path: String,
    /// The sentence, without the path.
    pub message: String,
}

impl Problem {
    /// The first of the problems that were found; there is at least one.
    pub(crate) fn first(problems: Vec<Self>) -> Self {
        problems.into_iter().next().unwrap_or_else(|| Self::new("", "can't be read"))
    }

    /// A problem at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for Problem {}

/// A value as a message shows it where it may be of any size: cut after a few words.
pub(crate) fn shortened(value: &Value) -> String {
    const MOST: usize = 64;
    let text = match value {
        Value::Object(map) if map.len() > 4 => "a map".into(),
        Value::Array(items) if items.len() > 8 => "a list".into(),
        Value::String(text) if text.len() > MOST => {
            return format!("{}...", go::quoted(&text.chars().take(MOST).collect::<String>()));
        }
        other => go::json(other),
    };
    if text.chars().count() <= MOST {
        return text;
    }
    let start: String = text.chars().take(MOST).collect();
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
