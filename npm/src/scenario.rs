//! `scenario`: a scenario in which a Deployment changes.

use changeover_core::cluster::{Changes, steady_state};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_json, to_json, to_problem_error};

/// A scenario that starts with a Deployment at rest, which then is changed.
///
/// # Errors
/// A problem of the Deployment or the changes.
#[wasm_bindgen]
pub fn scenario(deployment: &str, changes: &str) -> Result<String, JsValue> {
    let deployment = parse_json(ErrorCode::InvalidDeployment, deployment)?;
    let changes = Changes::from_value(&parse_json(ErrorCode::InvalidChanges, changes)?);
    let changes = changes.map_err(|problem| to_problem_error(ErrorCode::InvalidChanges, &problem))?;
    let scenario = steady_state(&deployment, &changes).map_err(|problem| {
        let code =
            if problem.path.starts_with("changes") { ErrorCode::InvalidChanges } else { ErrorCode::InvalidDeployment };
        to_problem_error(code, &problem)
    })?;
    Ok(to_json(&scenario))
}
