//! Kubernetes objects as JavaScript hands them in: YAML or JSON text, an object, or a list of objects.

use changeover_core::Problem;
use changeover_text::{Document, objects, parse};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_json, to_error_at, to_json, to_problem_error};

/// The objects of an argument, with their positions if it was text. A `List` counts as its items.
///
/// # Errors
/// What can't be read, at `path`.
pub fn parse_documents(code: ErrorCode, path: &str, value: Value) -> Result<Vec<Document>, JsValue> {
    let read = match value {
        Value::String(text) => parse(&text),
        other => objects(other),
    };
    read.map_err(|error| match error.position {
        None => to_problem_error(code, &Problem::new(joined(path, &error.path), error.message)),
        Some(position) => {
            let whole = if path.is_empty() { error.path.clone() } else { path.to_owned() };
            let message = Problem::new(path, error.to_string()).to_string();
            to_error_at(code, Some((position.line, position.column)), &whole, &message)
        }
    })
}

fn joined(path: &str, below: &str) -> String {
    let dot = if path.is_empty() || below.is_empty() || below.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{below}")
}

/// The same without positions.
///
/// # Errors
/// As [`parse_documents`].
pub fn parse_objects(code: ErrorCode, path: &str, value: Value) -> Result<Vec<Value>, JsValue> {
    Ok(parse_documents(code, path, value)?.into_iter().map(|document| document.value).collect())
}

/// The objects of an argument; if it was text, also its documents, which know their lines. Their values are taken out.
///
/// # Errors
/// As [`parse_documents`].
pub fn parse_argument_objects(code: ErrorCode, path: &str, text: &str) -> Result<(Vec<Value>, Vec<Document>), JsValue> {
    let given = parse_json(code, text)?;
    let is_text = given.is_string();
    let mut documents = parse_documents(code, path, given)?;
    let objects = documents.iter_mut().map(|document| core::mem::take(&mut document.value)).collect();
    Ok((objects, if is_text { documents } else { Vec::new() }))
}

/// Reads the objects in fields of an argument, each of which may be text; `path` is that of the argument.
///
/// # Errors
/// As [`parse_documents`].
pub fn parse_fields(code: ErrorCode, path: &str, argument: &mut Value, fields: &[&str]) -> Result<(), JsValue> {
    for field in fields {
        if let Some(given) = argument.get_mut(field).filter(|given| !given.is_null()) {
            *given = parse_objects(code, &format!("{path}{field}"), given.take())?.into();
        }
    }
    Ok(())
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
