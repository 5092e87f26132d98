//! Parses YAML and JSON text into values, and knows the line and column of every path.
//!
//! A text may contain several documents (`---`), and a document may be a `List`: [`parse`] returns the objects one by one,
//! in the order in which they are written. Plain scalars mean the same as in kubectl, which reads YAML 1.1: `yes`, `on` and
//! `y` are booleans, and `010` is eight.
//!
//! ```
//! let documents = changeover_text::parse("kind: Deployment\nspec:\n  replicas: 3\n").unwrap();
//! assert_eq!(documents[0].value["spec"]["replicas"], 3);
//! assert_eq!(documents[0].position("spec.replicas").to_string(), "line 3, column 3");
//! ```
#![forbid(unsafe_code)]

mod composer;
mod document;
mod encoding;
mod error;
mod kubernetes_list;
mod position;
mod scalar;

pub use document::{Document, Parsed};
pub use error::{Error, ErrorKind};
pub use position::Position;

use position::{Children, PositionTree};
use serde_json::Value;

/// Reads all objects of a YAML or JSON text, and the items of a `List` one by one; none if the list is empty. Skips
/// empty documents, as kubectl does.
///
/// # Errors
/// One sentence with position and reason: no document, not YAML, a document that is not a mapping, a duplicate key, a
/// control character, too much nesting or aliasing.
pub fn parse(text: &str) -> Result<Vec<Document>, Error> {
    parse_with_lists(text).map(|parsed| parsed.objects)
}

/// Like [`parse`], but also returns the lists, for callers that need their other fields.
///
/// # Errors
/// The same as [`parse`].
pub fn parse_with_lists(text: &str) -> Result<Parsed, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    refuse_control_characters(text)?;
    let composed = composer::compose(text).or_else(|error| composer::compose_json(text).unwrap_or(Err(error)))?;
    if composed.is_empty() {
        return Err(Error::new(ErrorKind::Empty, None, "Required value: must be an object in YAML or JSON"));
    }
    let mut parsed = Parsed::default();
    for document in composed {
        let list = kubernetes_list::push_items(document, &mut parsed.objects)?;
        parsed.lists.extend(list);
    }
    Ok(parsed)
}

/// [`parse`] for the bytes of a file or an upload.
///
/// # Errors
/// Those of [`parse`], or if the bytes are neither UTF-8 nor UTF-16 with a byte order mark.
pub fn parse_bytes(bytes: &[u8]) -> Result<Vec<Document>, Error> {
    parse(&encoding::decode(bytes)?)
}

/// The objects in a JSON value: the value itself, the items of an array, or those of a `List`. They have no meaningful
/// positions.
///
/// # Errors
/// If one of them is not an object.
pub fn objects(value: Value) -> Result<Vec<Document>, Error> {
    let error_at = |path: &str, value: &Value, expected: &str| {
        Error::new(ErrorKind::NotAnObject, None, error::invalid_value(value, expected)).below(path)
    };
    let expected = "an object or a list of objects";
    let positions = PositionTree { position: Position { line: 1, column: 1 }, children: Children::Scalar };
    let mut documents = Vec::new();
    let mut push = |value, path: &str| {
        let document = Document { value, positions: positions.clone() };
        kubernetes_list::push_items(document, &mut documents).map(drop).map_err(|error| {
            let path = if path.is_empty() { error.path } else { format!("{path}.{}", error.path) };
            Error { path, position: None, ..error }
        })
    };
    match value {
        Value::Object(_) => push(value, "")?,
        Value::Array(items) => {
            for (index, value) in items.into_iter().enumerate() {
                let path = format!("[{index}]");
                if !value.is_object() {
                    return Err(error_at(&path, &value, "an object"));
                }
                push(value, &path)?;
            }
        }
        other => return Err(error_at("", &other, expected)),
    }
    Ok(documents)
}

/// YAML allows no C0 control characters except tab and line breaks; the parser would treat NUL as the end of the text.
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
