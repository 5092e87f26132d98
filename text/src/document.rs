//! A document: one object of a text, with the positions of its fields.

use serde_json::Value;

use crate::document_text::Positions;
use crate::{Error, Position, Warning};

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

impl Document {
    /// The position of a field, or of the nearest field around it that the text has: `spec.replicas`,
    /// `spec.template.spec.containers[0].name`, `metadata.annotations[example.com/cost]`. The empty path is the object itself.
    #[must_use]
    pub fn position(&self, path: &str) -> Position {
        self.positions.nearest(path)
    }
}
