//! The error for a text that can't be read.

use core::fmt;

use serde_json::Value;

use crate::Position;

/// Why a text could not be read. Its `Display` is one sentence: position and path, if there are any, then the value and what
/// would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of error, for programs.
    pub kind: ErrorKind,
    /// The position, if it has one.
    pub position: Option<Position>,
    /// The path of the invalid value; empty for the whole text.
    pub path: String,
    /// The problem and what would be right, without position and path.
    pub message: String,
}

/// The kinds of errors in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text has no object.
    Empty,
    /// The text has bytes that are not in its encoding, or control characters.
    NotText,
    /// The text is neither YAML nor JSON.
    Syntax,
    /// It is YAML, but not a Kubernetes object: a list of objects at the top, a duplicate key, `.nan`.
    NotAnObject,
    /// It is a list at the top, and nothing in it has a kind: data of another program.
    OtherList,
    /// It has too many levels of nesting, or its aliases expand to too much.
    TooLarge,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, position: Option<Position>, message: impl Into<String>) -> Self {
        Self { kind, position, path: String::new(), message: message.into() }
    }

    /// The error in a text that ends at `end`: after an unfinished last line, the parser is at the beginning of another one.
    pub(crate) fn within(self, end: Position) -> Self {
        let is_after = |position: &Position| (position.line, position.column) > (end.line, end.column);
        Self { position: self.position.map(|position| if is_after(&position) { end } else { position }), ..self }
    }

    /// The error with a path.
    pub(crate) fn below(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// The message for a value that must be something else. A long text is shortened.
pub(crate) fn invalid_value(value: &Value, expected: &str) -> String {
    const SHOWN: usize = 40;
    let shown = match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
        Value::String(text) => {
            let mut shown: String = text.chars().take(SHOWN).collect();
            shown.push_str(if shown.len() < text.len() { "..." } else { "" });
            Value::String(shown).to_string()
        }
        scalar => scalar.to_string(),
    };
    format!("Invalid value: {shown}: must be {expected}")
}

impl core::error::Error for Error {}
