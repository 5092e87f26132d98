use changeover_core::scenario::{Changes, settled};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Code, read, thrown, value, write};

/// A scenario that starts with a settled Deployment.
///
/// # Errors
/// What is wrong with the Deployment or the changes.
#[wasm_bindgen]
pub fn scenario(deployment: &str, changes: &str) -> Result<String, JsValue> {
    let deployment = value(Code::InvalidDeployment, deployment)?;
    let changes: Changes = read(Code::InvalidChanges, changes)?;
    let scenario = settled(&deployment, &changes).map_err(|problem| thrown(Code::InvalidDeployment, &problem))?;
    write(&scenario)
}
