//! Kubernetes objects as JavaScript hands them in: YAML or JSON text, perhaps with the name of its file, an object, or a list of these.

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_text::{Document, Error, objects, parse};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{
    ErrorCode, Failure, Place, parse_json, to_error_at, to_json, to_problem_error, to_problem_error_at,
};

/// An object, and where it comes from.
#[derive(Clone)]
pub struct Source {
    pub document: Document,
    is_text: bool,
    file: Option<Rc<str>>,
}

impl Source {
    /// Where a field is, or what is around it; none if the object was not given as text.
    pub fn place(&self, path: &str) -> Option<Place> {
        let position = self.is_text.then(|| self.document.position(path))?;
        Some(Place { file: self.file.clone(), line: position.line, column: position.column })
    }
}

/// The objects of the arguments of a call, by the name of their list in the core's paths.
#[derive(Default)]
pub struct Sources(Vec<(String, Vec<Source>)>);

impl Sources {
    /// Adds a list, and returns its objects, which are taken out.
    pub fn add(&mut self, name: &str, mut sources: Vec<Source>) -> Vec<Value> {
        let objects = sources.iter_mut().map(|source| core::mem::take(&mut source.document.value)).collect();
        self.0.push((name.to_owned(), sources));
        objects
    }

    /// Where a field is. A path names the list and the index of the object (`old[3].spec.replicas`), or only the list if it has one
    /// object (`deployment.spec.replicas`).
    fn place(&self, path: &str) -> Option<Place> {
        self.0.iter().find_map(|(name, sources)| {
            let below = path.strip_prefix(name.as_str())?;
            let (source, below) = match (below.strip_prefix('['), sources.as_slice()) {
                (Some(indexed), _) => {
                    let (index, below) = indexed.split_once(']')?;
                    (sources.get(index.parse::<usize>().ok()?)?, below)
                }
                (None, [only]) if below.is_empty() || below.starts_with('.') => (only, below),
                (None, _) => return None,
            };
            source.place(below.strip_prefix('.').unwrap_or(below))
        })
    }

    /// An error for a problem that the core found, with its place if it is in one of the objects.
    pub fn error(&self, code: ErrorCode, problem: &Problem) -> Failure {
        to_problem_error_at(code, |path| self.place(path), problem)
    }
}

/// A text with the name of its file.
#[derive(ToJson, FromJson)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    file: String,
    text: String,
}

/// Whether a value is a [`ManifestFile`], or should be one: every object has a kind.
fn is_file(value: &Value) -> bool {
    value.as_object().is_some_and(|map| !map.contains_key("kind") && map.contains_key("text"))
}

/// The objects of an argument. A `List` counts as its items.
///
/// # Errors
/// What can't be read, at `path`.
pub fn parse_sources(code: ErrorCode, path: &str, value: Value) -> Result<Vec<Source>, Failure> {
    match value {
        Value::Array(items) => {
            let mut sources = Vec::new();
            for (index, item) in items.into_iter().enumerate() {
                let path = format!("{path}[{index}]");
                if is_file(&item) {
                    sources.extend(parse_file(code, &path, &item)?);
                    continue;
                }
                let item = objects(Value::Array(vec![item]));
                sources.extend(to_sources(code, item, |below| format!("{path}{}", below.trim_start_matches("[0]")))?);
            }
            Ok(sources)
        }
        Value::String(text) => parse_source_text(code, path, &text, None),
        file if is_file(&file) => parse_file(code, path, &file),
        other => to_sources(code, objects(other), |below| joined(path, below)),
    }
}

/// The objects in a value that is no text.
fn to_sources(
    code: ErrorCode,
    objects: Result<Vec<Document>, Error>,
    to_path: impl FnOnce(&str) -> String,
) -> Result<Vec<Source>, Failure> {
    let objects =
        objects.map_err(|error| to_problem_error(code, &Problem::new(to_path(&error.path), error.message)))?;
    Ok(objects.into_iter().map(|document| Source { document, is_text: false, file: None }).collect())
}

fn parse_file(code: ErrorCode, path: &str, value: &Value) -> Result<Vec<Source>, Failure> {
    let ManifestFile { file, text } = decode(value, path).map_err(|problem| to_problem_error(code, &problem))?;
    parse_source_text(code, path, &text, Some(file.into()))
}

fn parse_source_text(code: ErrorCode, path: &str, text: &str, file: Option<Rc<str>>) -> Result<Vec<Source>, Failure> {
    let documents = parse(text).map_err(|error: Error| match error.position {
        None => to_problem_error(code, &Problem::new(joined(path, &error.path), error.message)),
        Some(position) => {
            let whole = if path.is_empty() { error.path } else { path.to_owned() };
            let message = Problem::new(whole.as_str(), error.message).to_string();
            let place = Place { file: file.clone(), line: position.line, column: position.column };
            to_error_at(code, Some(place), &whole, &message)
        }
    })?;
    Ok(documents.into_iter().map(|document| Source { document, is_text: true, file: file.clone() }).collect())
}

fn joined(path: &str, below: &str) -> String {
    let dot = if path.is_empty() || below.is_empty() || below.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{below}")
}

/// The objects of an argument alone.
///
/// # Errors
/// As [`parse_sources`].
pub fn parse_objects(code: ErrorCode, path: &str, value: Value) -> Result<Vec<Value>, Failure> {
    Ok(parse_sources(code, path, value)?.into_iter().map(|source| source.document.value).collect())
}

/// The objects of an argument, whose sources are added under its name.
///
/// # Errors
/// As [`parse_sources`].
pub fn parse_argument_objects(
    code: ErrorCode,
    name: &str,
    text: &str,
    sources: &mut Sources,
) -> Result<Vec<Value>, Failure> {
    Ok(sources.add(name, parse_sources(code, name, parse_json(code, text)?)?))
}

/// Reads the objects in fields of an argument, and adds their sources; `path` is that of the argument.
///
/// # Errors
/// As [`parse_sources`].
pub fn parse_fields(
    code: ErrorCode,
    path: &str,
    argument: &mut Value,
    fields: &[&str],
    sources: &mut Sources,
) -> Result<(), Failure> {
    for field in fields {
        if let Some(given) = argument.get_mut(field).filter(|given| !given.is_null()) {
            let path = format!("{path}{field}");
            *given = sources.add(&path, parse_sources(code, &path, given.take())?).into();
        }
    }
    Ok(())
}

/// The objects of a YAML or JSON text.
///
/// # Errors
/// What can't be read, with its line and column.
#[wasm_bindgen(js_name = parse)]
pub fn parse_text(text: &str) -> Result<String, Failure> {
    let text = parse_json(ErrorCode::InvalidManifest, text)?;
    Ok(to_json(&Value::Array(parse_objects(ErrorCode::InvalidManifest, "", text)?)))
}
