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
//!
//! A text is read as kubectl reads it: split into documents first, so that one that can't be read leaves the others as they are
//! ([`read`]), and with a warning where kubectl is silent, such as about a key that appears twice.

mod composer;
mod document;
mod document_text;
mod encoding;
mod error;
mod kubernetes_list;
mod libyaml;
mod position;
mod scalar;
mod stream;
mod warning;
mod wrong_paste;

pub use document::{Document, Parsed};
pub use error::{Error, ErrorKind};
pub use position::Position;
pub use warning::Warning;
pub use wrong_paste::{WrongPaste, wrong_object, wrong_paste};

use document_text::Positions;
use serde_json::Value;

/// Reads all objects of a YAML or JSON text, and the items of a `List` one by one; none if the list is empty. Skips
/// empty documents, as kubectl does.
///
/// # Errors
/// The first of [`Parsed::errors`].
pub fn parse(text: &str) -> Result<Vec<Document>, Error> {
    parse_with_lists(text).map(|parsed| parsed.objects)
}

/// Like [`parse`], but also returns the lists and warnings.
///
/// # Errors
/// The same as [`parse`].
pub fn parse_with_lists(text: &str) -> Result<Parsed, Error> {
    parse_watched(text, &mut |_| {})
}

/// Like [`parse_with_lists`]. `watch` learns which line of a YAML text is read.
///
/// # Errors
/// The same as [`parse`].
pub fn parse_watched(text: &str, watch: &mut dyn FnMut(usize)) -> Result<Parsed, Error> {
    let mut parsed = read_watched(text, watch);
    if parsed.errors.is_empty() { Ok(parsed) } else { Err(parsed.errors.swap_remove(0)) }
}

/// [`parse`] for the bytes of a file or an upload.
///
/// # Errors
/// Those of [`parse`], or if the bytes are neither UTF-8 nor UTF-16 with a byte order mark.
pub fn parse_bytes(bytes: &[u8]) -> Result<Vec<Document>, Error> {
    parse(&encoding::decode(bytes)?)
}

/// Reads all objects of a text that can be read. The errors, each one sentence with position and reason: no document, not YAML, a
/// document that is not a mapping, a control character, too much nesting or aliasing.
#[must_use]
pub fn read(text: &str) -> Parsed {
    read_watched(text, &mut |_| {})
}

fn read_watched(text: &str, watch: &mut dyn FnMut(usize)) -> Parsed {
    let mut parsed = stream::read(text.strip_prefix('\u{feff}').unwrap_or(text), watch);
    if parsed.objects.is_empty() && parsed.lists.is_empty() && parsed.errors.is_empty() {
        let message = "Required value: must be an object in YAML or JSON";
        parsed.errors.push(Error::new(ErrorKind::Empty, None, message));
    }
    parsed
}

/// [`read`] for the bytes of a file or an upload.
#[must_use]
pub fn read_bytes(bytes: &[u8]) -> Parsed {
    match encoding::decode(bytes) {
        Ok(text) => read(&text),
        Err(error) => Parsed { errors: vec![error], ..Parsed::default() },
    }
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
    let mut parsed = Parsed::default();
    let mut push = |value, path: &str| {
        let document = Document { value, positions: Positions::Unknown };
        kubernetes_list::push_items(document, &mut parsed);
        parsed.errors.first().map_or(Ok(()), |error| {
            let path = if path.is_empty() { error.path.clone() } else { format!("{path}.{}", error.path) };
            Err(Error { path, position: None, ..error.clone() })
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
    Ok(parsed.objects)
}
