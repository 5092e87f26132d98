//! YAML and JSON text to values, with the line and column of every path.
//!
//! One stream may hold several documents (`---`), and a document may be a `List`: [`parse`] hands back the single
//! objects in the order in which they are written. Plain scalars mean what they mean to kubectl, which reads YAML 1.1:
//! `yes`, `on` and `y` are booleans, `010` is eight.
//!
//! ```
//! let documents = changeover_text::parse("kind: Deployment\nspec:\n  replicas: 3\n").unwrap();
//! assert_eq!(documents[0].value["spec"]["replicas"], 3);
//! assert_eq!(documents[0].position("spec.replicas").to_string(), "line 3, column 3");
//! ```
#![forbid(unsafe_code)]

mod compose;
mod document;
mod error;
mod list;
mod position;
mod scalar;

pub use document::Document;
pub use error::{Error, ErrorKind};
pub use position::Position;

use position::{Inside, Place};
use serde_json::Value;

/// Reads all objects of a YAML or JSON text, the items of a `List` one by one. Empty documents are skipped, as kubectl does.
///
/// # Errors
/// One sentence that says where and why: no object at all, not YAML, a document that is no mapping, a key written
/// twice, a control character, too much nesting or aliasing.
pub fn parse(text: &str) -> Result<Vec<Document>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    refuse_control_characters(text)?;
    let mut documents = Vec::new();
    for document in compose::compose(text).or_else(|error| compose::json(text).ok_or(error))? {
        list::flatten(document, &mut documents)?;
    }
    if documents.is_empty() {
        return Err(Error::new(ErrorKind::Empty, None, "Required value: must be an object in YAML or JSON"));
    }
    Ok(documents)
}

/// [`parse`] for what a file or an upload holds.
///
/// # Errors
/// Those of [`parse`], and bytes that are not UTF-8.
pub fn parse_bytes(bytes: &[u8]) -> Result<Vec<Document>, Error> {
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let message = format!("Invalid value: byte {}: must be UTF-8", error.valid_up_to());
        Error::new(ErrorKind::NotText, None, message)
    })?;
    parse(text)
}

/// The objects in a value that was never a text: itself, the items of an array, those of a `List`. They have no positions
/// that mean anything.
///
/// # Errors
/// When one of them is no object, or there is none.
pub fn objects(value: Value) -> Result<Vec<Document>, Error> {
    let refused = |path: &str, value: &Value, right: &str| {
        Error::new(ErrorKind::NotAnObject, None, error::wrong(value, right)).below(path)
    };
    let right = "an object or a list of objects";
    let place = Place { at: Position { line: 1, column: 1 }, inside: Inside::Scalar };
    let mut documents = Vec::new();
    match value {
        Value::Object(_) => list::flatten(Document { value, place }, &mut documents)?,
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.into_iter().enumerate() {
                if !value.is_object() {
                    return Err(refused(&format!("[{index}]"), &value, "an object"));
                }
                list::flatten(Document { value, place: place.clone() }, &mut documents)?;
            }
        }
        other => return Err(refused("", &other, right)),
    }
    Ok(documents)
}

/// YAML allows no C0 control character but tab and the line breaks; the parser would take NUL for the end of the text.
fn refuse_control_characters(text: &str) -> Result<(), Error> {
    let mut position = Position { line: 1, column: 1 };
    for character in text.chars() {
        match character {
            '\n' => position = Position { line: position.line.saturating_add(1), column: 1 },
            '\t' | '\r' | ' '.. => position.column = position.column.saturating_add(1),
            control => {
                let message =
                    format!("Invalid value: U+{:04X}: must be text without control characters", u32::from(control));
                return Err(Error::new(ErrorKind::NotText, Some(position), message));
            }
        }
    }
    Ok(())
}
