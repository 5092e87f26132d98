use changeover_core::cluster::{Changes, steady_state};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Code, refused, value, write};

/// A scenario that starts with a Deployment at rest, which then is changed.
///
/// # Errors
/// What is wrong with the Deployment or the changes.
#[wasm_bindgen]
pub fn scenario(deployment: &str, changes: &str) -> Result<String, JsValue> {
    let deployment = value(Code::InvalidDeployment, deployment)?;
    let changes = Changes::from_value(&value(Code::InvalidChanges, changes)?);
    let changes = changes.map_err(|problem| refused(Code::InvalidChanges, &problem))?;
    let scenario = steady_state(&deployment, &changes).map_err(|problem| {
        let code = if problem.path.starts_with("changes") { Code::InvalidChanges } else { Code::InvalidDeployment };
        refused(code, &problem)
    })?;
    Ok(write(&scenario))
}
