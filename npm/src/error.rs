//! Arguments, results and errors at the border to JavaScript, all as JSON text.

use std::rc::Rc;

use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::{FromJson, ToJson, decode, must_be};
use changeover_core::object::Time;
use changeover_core::scenario::reading_time_of;
use changeover_core::{Path, Problem};
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;

/// What was wrong: the `code` of the JavaScript error. `js/index.d.ts` lists them.
#[derive(Clone, Copy, PartialEq, Eq, ToJson)]
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
    OutOfMemory,
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
    to_error_at(code, None, path, message)
}

/// An error in a text.
pub fn to_error_at(code: ErrorCode, place: Option<Place>, path: &str, message: &str) -> Failure {
    error_json(code, &[LocatedProblem { place, path, message: message.to_owned() }])
}

/// An error for a problem that the core found.
pub fn to_problem_error(code: ErrorCode, problem: &Problem) -> Failure {
    to_problem_error_at(code, |_| None, problem)
}

/// The same in a text. `place` says where a field is, by its path.
pub fn to_problem_error_at(code: ErrorCode, place: impl Fn(&str) -> Option<Place>, problem: &Problem) -> Failure {
    let first = Problem::new(problem.path.as_str(), problem.message.as_str());
    let problems: Vec<LocatedProblem<'_>> = core::iter::once((&problem.path, first.to_string()))
        .chain(problem.more.iter().map(|problem| (&problem.path, problem.to_string())))
        .map(|(path, message)| LocatedProblem { place: place(path), path, message })
        .collect();
    error_json(code, &problems)
}

/// A problem and where it is.
struct LocatedProblem<'a> {
    place: Option<Place>,
    path: &'a str,
    message: String,
}

impl LocatedProblem<'_> {
    fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("path".into(), self.path.into());
        map.insert("message".into(), self.message.as_str().into());
        if let Some(place) = &self.place {
            place.add_to(&mut map);
        }
        Value::Object(map)
    }
}

/// An error for these problems. It is where the first one is.
fn error_json(code: ErrorCode, problems: &[LocatedProblem<'_>]) -> Failure {
    let message = problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ");
    let mut error = problems.first().map(LocatedProblem::to_value).unwrap_or_default();
    if let Value::Object(map) = &mut error {
        map.insert("code".into(), code.as_str().into());
        map.insert("message".into(), message.into());
        map.insert("problems".into(), problems.iter().map(LocatedProblem::to_value).collect());
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
    write_time(&mut options, &Path::Root(""))?;
    decode(&options, "").map_err(|problem| to_problem_error(ErrorCode::InvalidOptions, &problem))
}

/// Writes the time `now` of options as text if it is a number of milliseconds since 1970, as `Date.now()` gives it.
///
/// # Errors
/// Anything that is no time.
pub fn write_time(options: &mut Value, path: &Path<'_>) -> Result<(), Failure> {
    const MILLISECOND: i64 = 1_000_000;
    let Some(now) = options.get_mut("now").filter(|now| !now.is_null()) else { return Ok(()) };
    let nanoseconds = || now.as_i64()?.checked_mul(MILLISECOND);
    let time = now.as_str().and_then(Time::parse).or_else(|| nanoseconds().map(Time));
    let time = time.ok_or_else(|| {
        let expected = "an RFC 3339 time, like 2026-01-01T00:00:00Z, or a whole number of milliseconds since 1970";
        to_problem_error(ErrorCode::InvalidOptions, &must_be(now, &path.child("now"), expected))
    })?;
    *now = time.to_json();
    Ok(())
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
