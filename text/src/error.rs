use core::fmt;

use serde_json::Value;

use crate::Position;

/// Why a text could not be read. Its `Display` is one sentence: the place and the path, if there are any, the value and what
/// would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What sort of mistake it is, for programs.
    pub kind: ErrorKind,
    /// Where it is, if it is anywhere in particular.
    pub position: Option<Position>,
    /// The path of what is wrong; empty for the whole text.
    pub path: String,
    /// What is wrong and what would be right, without place and path.
    pub message: String,
}

/// The sorts of mistakes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no object in it.
    Empty,
    /// It holds bytes that are not UTF-8, or control characters.
    NotText,
    /// It is neither YAML nor JSON.
    Syntax,
    /// It is YAML, but holds something that no Kubernetes object does: a list at the top, a key twice, `.nan`.
    NotAnObject,
    /// It is nested too deeply, or its aliases expand to too much.
    TooLarge,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, position: Option<Position>, message: impl Into<String>) -> Self {
        Self { kind, position, path: String::new(), message: message.into() }
    }

    /// The same about the value at a path.
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

/// What is wrong with a value that is not what it should be. A long text is cut.
pub(crate) fn wrong(value: &Value, right: &str) -> String {
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
    format!("Invalid value: {shown}: must be {right}")
}

impl core::error::Error for Error {}
