//! `predict` and `advise`: what a change takes, and which settings meet the constraints.

use changeover_core::Problem;
use changeover_core::prediction::{
    AdviseOptions, Constraints, PredictOptions, advise as core_advise, predict as core_predict,
};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_json, to_json, to_problem_error};
use crate::objects::{parse_fields, parse_objects};

/// What a change from the old objects to the new ones takes.
///
/// # Errors
/// A problem of the objects or the options.
#[wasm_bindgen]
pub fn predict(old: &str, manifest: &str, options: &str) -> Result<String, JsValue> {
    let old = parse_argument_objects(ErrorCode::InvalidObjects, "old", old)?;
    let new = parse_argument_objects(ErrorCode::InvalidManifest, "new", manifest)?;
    let options = parse_options(options)?;
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
    let objects = parse_argument_objects(ErrorCode::InvalidManifest, "objects", manifest)?;
    let constraints = Constraints::from_value(&parse_json(ErrorCode::InvalidConstraints, constraints)?)
        .map_err(|problem| to_error(&problem))?;
    let options = parse_options(options)?;
    let options = AdviseOptions::from_value(&options).map_err(|problem| to_error(&problem))?;
    Ok(to_json(&core_advise(&objects, &constraints, &options).map_err(|problem| to_error(&problem))?))
}

fn parse_argument_objects(code: ErrorCode, path: &str, text: &str) -> Result<Vec<Value>, JsValue> {
    parse_objects(code, path, parse_json(code, text)?)
}

/// The options, with objects in place of text.
fn parse_options(options: &str) -> Result<Value, JsValue> {
    let mut options = parse_json(ErrorCode::InvalidOptions, options)?;
    parse_fields(ErrorCode::InvalidOptions, "", &mut options, &["quotas", "nodes"])?;
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
