//! Arguments, results and errors at the border to JavaScript, all as JSON text.

use changeover_core::Problem;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::object::Time;
use changeover_core::scenario::reading_time_of;
use changeover_text::Document;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

/// What was wrong: the `code` of the JavaScript error. `js/index.d.ts` lists them.
#[derive(Clone, Copy, PartialEq, Eq, ToJson)]
#[expect(clippy::enum_variant_names, reason = "these are the codes as JavaScript sees them")]
pub enum ErrorCode {
    InvalidAction,
    InvalidChanges,
    InvalidDeletionCost,
    InvalidDeployment,
    InvalidJob,
    InvalidManifest,
    InvalidObjects,
    InvalidOptions,
    InvalidPods,
    InvalidReview,
    InvalidScenario,
    InvalidSettings,
    InvalidTime,
    InvalidConstraints,
    InvalidWorkload,
}

/// An error, which `js/instance.js` turns into a `ChangeoverError`.
pub fn to_error(code: ErrorCode, path: &str, message: &str) -> JsValue {
    error_json(code, None, &[(path, message)])
}

/// An error in a text, with its line and column.
pub fn to_error_at(code: ErrorCode, position: Option<(usize, usize)>, path: &str, message: &str) -> JsValue {
    error_json(code, position, &[(path, message)])
}

/// An error for a problem that the core found.
pub fn to_problem_error(code: ErrorCode, problem: &Problem) -> JsValue {
    to_located_error(code, problem, &[])
}

/// An error for a problem that the core found, with the line and column if it is in one of these texts. The core's paths name the
/// text and the index of the document (`old[3].spec.replicas`), or only the text if it has one document (`deployment.spec.replicas`).
pub fn to_located_error(code: ErrorCode, problem: &Problem, texts: &[(&str, &[Document])]) -> JsValue {
    let first = Problem::new(problem.path.as_str(), problem.message.as_str());
    let messages: Vec<(&str, String)> = core::iter::once((problem.path.as_str(), first.to_string()))
        .chain(problem.more.iter().map(|problem| (problem.path.as_str(), problem.to_string())))
        .collect();
    let messages: Vec<(&str, &str)> = messages.iter().map(|(path, message)| (*path, message.as_str())).collect();
    error_json(code, position_of(&problem.path, texts), &messages)
}

fn position_of(path: &str, texts: &[(&str, &[Document])]) -> Option<(usize, usize)> {
    texts.iter().find_map(|(name, documents)| {
        let below = path.strip_prefix(name)?;
        let (document, below) = match (below.strip_prefix('['), *documents) {
            (Some(indexed), _) => {
                let (index, below) = indexed.split_once(']')?;
                (documents.get(index.parse::<usize>().ok()?)?, below)
            }
            (None, [only]) if below.is_empty() || below.starts_with('.') => (only, below),
            (None, _) => return None,
        };
        let position = document.position(below.strip_prefix('.').unwrap_or(below));
        Some((position.line, position.column))
    })
}

/// An error with the path and the sentence of each problem. Its own path is the first one's.
fn error_json(code: ErrorCode, position: Option<(usize, usize)>, problems: &[(&str, &str)]) -> JsValue {
    let path = problems.first().map_or("", |(path, _)| path);
    let message = problems.iter().map(|(_, message)| *message).collect::<Vec<_>>().join("; ");
    let problems: Vec<Value> =
        problems.iter().map(|(path, message)| json!({ "path": path, "message": message })).collect();
    let mut error = json!({ "code": code.as_str(), "path": path, "message": message, "problems": problems });
    if let (Some((line, column)), Some(map)) = (position, error.as_object_mut()) {
        map.insert("position".into(), json!([line, column]));
    }
    JsValue::from_str(&error.to_string())
}

/// Parses an argument.
pub fn parse_argument<T: FromJson>(code: ErrorCode, text: &str) -> Result<T, JsValue> {
    parse_at(code, "", text)
}

/// Parses an argument, whose name begins the paths of its problems.
pub fn parse_at<T: FromJson>(code: ErrorCode, argument: &str, text: &str) -> Result<T, JsValue> {
    let value = parse_json(code, text)?;
    decode(&value, argument).map_err(|problem| to_problem_error(code, &problem))
}

/// When objects of a running cluster were read: the time that options give, or else the time of the call, unless the objects are older.
pub fn reading_time_or(given: Option<Time>, objects: &[Value], now: &str) -> Result<Time, JsValue> {
    match given {
        Some(given) => Ok(given),
        None => Ok(reading_time_of(objects, parse_argument(ErrorCode::InvalidTime, now)?)),
    }
}

/// Parses the JSON of an argument; the core checks its content.
pub fn parse_json(code: ErrorCode, text: &str) -> Result<Value, JsValue> {
    serde_json::from_str(text).map_err(|error| to_error(code, "", &format!("Invalid value: must be JSON: {error}")))
}

/// A result as JSON text.
pub fn to_json(value: &dyn ToJson) -> String {
    value.to_json().to_string()
}

/// Parses feature gates.
pub fn parse_gates(gates: &Value) -> Result<FeatureGates, JsValue> {
    FeatureGates::parse(gates, "featureGates")
        .map_err(|problems| to_problem_error(ErrorCode::InvalidOptions, &Problem::all(problems)))
}
