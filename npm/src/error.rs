//! Arguments, results and errors at the border to JavaScript, all as JSON text.

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::object::Time;
use changeover_core::scenario::reading_time_of;
use serde_json::{Map, Value, json};
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

/// An error as JSON text, which `js/failure.js` turns into a `ChangeoverError`.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// The JSON text.
    pub fn into_json(self) -> String {
        self.0
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> Self {
        Self::from_str(&failure.0)
    }
}

/// Where something is in a text, and in which file, if the caller named one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: Option<Rc<str>>,
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// Adds it to what is written in JSON.
    pub fn add_to(&self, map: &mut Map<String, Value>) {
        if let Some(file) = &self.file {
            map.insert("file".into(), (**file).into());
        }
        map.insert("line".into(), self.line.into());
        map.insert("column".into(), self.column.into());
    }
}

/// An error that is in no text.
pub fn to_error(code: ErrorCode, path: &str, message: &str) -> Failure {
    error_json(code, None, &[(path, message)])
}

/// An error in a text.
pub fn to_error_at(code: ErrorCode, place: Option<Place>, path: &str, message: &str) -> Failure {
    error_json(code, place, &[(path, message)])
}

/// An error for a problem that the core found.
pub fn to_problem_error(code: ErrorCode, problem: &Problem) -> Failure {
    to_problem_error_at(code, None, problem)
}

/// The same in a text.
pub fn to_problem_error_at(code: ErrorCode, place: Option<Place>, problem: &Problem) -> Failure {
    let first = Problem::new(problem.path.as_str(), problem.message.as_str());
    let messages: Vec<(&str, String)> = core::iter::once((problem.path.as_str(), first.to_string()))
        .chain(problem.more.iter().map(|problem| (problem.path.as_str(), problem.to_string())))
        .collect();
    let messages: Vec<(&str, &str)> = messages.iter().map(|(path, message)| (*path, message.as_str())).collect();
    error_json(code, place, &messages)
}

/// An error with the path and the sentence of each problem. Its own path is the first one's.
fn error_json(code: ErrorCode, place: Option<Place>, problems: &[(&str, &str)]) -> Failure {
    let path = problems.first().map_or("", |(path, _)| path);
    let message = problems.iter().map(|(_, message)| *message).collect::<Vec<_>>().join("; ");
    let problems: Vec<Value> =
        problems.iter().map(|(path, message)| json!({ "path": path, "message": message })).collect();
    let mut error = json!({ "code": code.as_str(), "path": path, "message": message, "problems": problems });
    if let (Some(place), Some(map)) = (place, error.as_object_mut()) {
        place.add_to(map);
    }
    Failure(error.to_string())
}

/// Parses an argument.
pub fn parse_argument<T: FromJson>(code: ErrorCode, text: &str) -> Result<T, Failure> {
    parse_at(code, "", text)
}

/// Parses an argument, whose name begins the paths of its problems.
pub fn parse_at<T: FromJson>(code: ErrorCode, argument: &str, text: &str) -> Result<T, Failure> {
    let value = parse_json(code, text)?;
    decode(&value, argument).map_err(|problem| to_problem_error(code, &problem))
}

/// Parses options that have a time.
pub fn parse_options<T: FromJson>(text: &str) -> Result<T, Failure> {
    let mut options = parse_json(ErrorCode::InvalidOptions, text)?;
    write_time(&mut options);
    decode(&options, "").map_err(|problem| to_problem_error(ErrorCode::InvalidOptions, &problem))
}

/// Writes the time `now` as text if it is a number of milliseconds since 1970, as `Date.now()` gives it.
pub fn write_time(options: &mut Value) {
    const MILLISECOND: i64 = 1_000_000;
    if let Some(now) = options.get_mut("now")
        && let Some(nanoseconds) = now.as_i64().and_then(|milliseconds| milliseconds.checked_mul(MILLISECOND))
    {
        *now = Time(nanoseconds).to_json();
    }
}

/// When objects of a running cluster were read: the time that options give, or else the time of the call, unless the objects are older.
pub fn reading_time_or(given: Option<Time>, objects: &[Value], now: &str) -> Result<Time, Failure> {
    match given {
        Some(given) => Ok(given),
        None => Ok(reading_time_of(objects, parse_argument(ErrorCode::InvalidTime, now)?)),
    }
}

/// Parses the JSON of an argument; the core checks its content.
pub fn parse_json(code: ErrorCode, text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| to_error(code, "", &format!("Invalid value: must be JSON: {error}")))
}

/// A result as JSON text.
pub fn to_json(value: &dyn ToJson) -> String {
    value.to_json().to_string()
}

/// Parses feature gates.
pub fn parse_gates(gates: &Value) -> Result<FeatureGates, Failure> {
    FeatureGates::parse(gates, "featureGates")
        .map_err(|problems| to_problem_error(ErrorCode::InvalidOptions, &Problem::all(problems)))
}
