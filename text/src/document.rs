//! A document: one object of a text, with the positions of its fields.

use core::fmt;

use serde_json::Value;

use crate::json_text::Positions;
use crate::{Error, Position};

/// One object of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// The object; always a JSON object.
    pub value: Value,
    pub(crate) positions: Positions,
}

/// What a text has.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The objects.
    pub objects: Vec<Document>,
    /// The lists, without their items: the items are in `objects`.
    pub lists: Vec<Document>,
    /// What is read, but probably not as it was meant.
    pub warnings: Vec<Warning>,
    /// The documents, and items of lists, that can't be read. The others are in `objects`.
    pub errors: Vec<Error>,
}

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

impl Document {
    /// The position of a field, or of the nearest field around it that the text has: `spec.replicas`,
    /// `spec.template.spec.containers[0].name`, `metadata.annotations[example.com/cost]`. The empty path is the object itself.
    #[must_use]
    pub fn position(&self, path: &str) -> Position {
        self.positions.nearest(path)
    }
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
