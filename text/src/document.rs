use serde_json::Value;

use crate::Position;
use crate::position::Place;

/// One object of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// The object; always a JSON object.
    pub value: Value,
    pub(crate) place: Place,
}

impl Document {
    /// Where a field is written, or the nearest field around it that the text holds: `spec.replicas`,
    /// `spec.template.spec.containers[0].name`, `metadata.annotations[example.com/cost]`. The empty path is the object itself.
    #[must_use]
    pub fn position(&self, path: &str) -> Position {
        self.place.nearest(path)
    }
}
