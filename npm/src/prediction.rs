//! `predict` and `advise`: what a change takes, and which settings meet the constraints.

use changeover_core::Problem;
use changeover_core::prediction::{
    AdviseOptions, Constraints, PredictOptions, advise as core_advise, predict as core_predict,
};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_json, to_json, to_problem_error};
use crate::objects::parse_objects;

/// What a change from the old objects to the new ones takes.
///
/// # Errors
/// A problem of the objects or the options.
#[wasm_bindgen]
pub fn predict(old: &str, manifest: &str, options: &str) -> Result<String, JsValue> {
    let old = parse_any_objects(ErrorCode::InvalidObjects, "old", old)?;
    let new = parse_any_objects(ErrorCode::InvalidManifest, "new", manifest)?;
    let options = read_objects_in(parse_json(ErrorCode::InvalidOptions, options)?)?;
    let options = PredictOptions::from_value(&options).map_err(|problem| to_error(&problem))?;
    let predicted = core_predict(&old, &new, &options).map_err(|problem| to_error(&problem))?;
    Ok(to_json(&predicted.prediction))
}

/// The settings of a Deployment that meet the constraints.
///
/// # Errors
/// A problem of the objects, the constraints or the options.
#[wasm_bindgen]
pub fn advise(manifest: &str, constraints: &str, options: &str) -> Result<String, JsValue> {
    let objects = parse_json(ErrorCode::InvalidManifest, manifest)?;
    let objects = parse_objects(ErrorCode::InvalidManifest, "objects", objects)?;
    let constraints = Constraints::from_value(&parse_json(ErrorCode::InvalidConstraints, constraints)?)
        .map_err(|problem| to_error(&problem))?;
    let options = read_objects_in(parse_json(ErrorCode::InvalidOptions, options)?)?;
    let options = AdviseOptions::from_value(&options).map_err(|problem| to_error(&problem))?;
    Ok(to_json(&core_advise(&objects, &constraints, &options).map_err(|problem| to_error(&problem))?))
}

/// The objects of an argument, of which there may be none.
fn parse_any_objects(code: ErrorCode, path: &str, text: &str) -> Result<Vec<Value>, JsValue> {
    match parse_json(code, text)? {
        Value::Array(objects) if objects.is_empty() => Ok(objects),
        objects => parse_objects(code, path, objects),
    }
}

/// Reads the objects among the options, which may be text.
fn read_objects_in(mut options: Value) -> Result<Value, JsValue> {
    for key in ["quotas", "nodes"] {
        let Some(given) = options.get_mut(key).filter(|given| !given.is_null()) else { continue };
        if given.as_array().is_none_or(|objects| !objects.is_empty()) {
            *given = parse_objects(ErrorCode::InvalidOptions, key, given.take())?.into();
        }
    }
    Ok(options)
}

/// An error with the code of the argument that is wrong.
fn to_error(problem: &Problem) -> JsValue {
    let argument = problem.path.split(['.', '[']).next().unwrap_or_default();
    let code = match argument {
        "old" => ErrorCode::InvalidObjects,
        "new" | "objects" => ErrorCode::InvalidManifest,
        "constraints" => ErrorCode::InvalidConstraints,
        _ => ErrorCode::InvalidOptions,
    };
    to_problem_error(code, problem)
}
