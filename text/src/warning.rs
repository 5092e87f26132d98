//! What is read, but probably not as it was meant.

use core::fmt;

use crate::Position;

/// What is read, but probably not as it was meant: a key that appears twice, or text after the end of a document. Its
/// `Display` is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The position.
    pub position: Position,
    /// The path of the value; empty for the whole document.
    pub path: String,
    /// The problem and what it leads to, without position and path.
    pub message: String,
}

impl Warning {
    /// The warning about a field of the mapping at a path.
    pub(crate) fn below(self, path: &str) -> Self {
        let path = match (path, self.path.contains('.')) {
            ("", false) => self.path,
            (_, true) => format!("{path}[{}]", self.path),
            (_, false) => format!("{path}.{}", self.path),
        };
        Self { path, ..self }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, path, message } = self;
        if path.is_empty() { write!(f, "{position}: {message}") } else { write!(f, "{position}: {path}: {message}") }
    }
}
