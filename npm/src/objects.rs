//! Kubernetes objects as JavaScript hands them in: YAML or JSON text, an object, or a list of objects.

use changeover_core::Problem;
use changeover_text::{Document, objects, parse};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_json, to_error_at, to_json};

/// The objects of an argument, with their positions if it was text. A `List` counts as its items.
///
/// # Errors
/// What can't be read, at `path`.
pub fn parse_documents(code: ErrorCode, path: &str, value: Value) -> Result<Vec<Document>, JsValue> {
    let read = match value {
        Value::String(text) => parse(&text),
        other => objects(other),
    };
    read.map_err(|error| {
        let position = error.position.map(|position| (position.line, position.column));
        let whole = if path.is_empty() { error.path.clone() } else { path.to_owned() };
        let message = Problem::new(path, error.to_string()).to_string();
        to_error_at(code, position, &whole, &message)
    })
}

/// The same without positions.
///
/// # Errors
/// As [`parse_documents`].
pub fn parse_objects(code: ErrorCode, path: &str, value: Value) -> Result<Vec<Value>, JsValue> {
    Ok(parse_documents(code, path, value)?.into_iter().map(|document| document.value).collect())
}

/// The objects of a YAML or JSON text.
///
/// # Errors
/// What can't be read, with its line and column.
#[wasm_bindgen(js_name = parse)]
pub fn parse_text(text: &str) -> Result<String, JsValue> {
    let text = parse_json(ErrorCode::InvalidManifest, text)?;
    Ok(to_json(&Value::Array(parse_objects(ErrorCode::InvalidManifest, "", text)?)))
}
