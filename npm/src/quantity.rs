//! `quantity`: what an amount of a resource is worth.

use changeover_core::Problem;
use changeover_core::object::quantity::nanos;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_json, to_problem_error};

const BILLION: f64 = 1e9;

/// The number that a quantity like `500m` or `16Gi` stands for.
///
/// # Errors
/// When the API server would refuse it.
#[wasm_bindgen]
pub fn quantity(text: &str) -> Result<f64, JsValue> {
    let given = parse_json(ErrorCode::InvalidQuantity, text)?;
    let Some(nanos) = nanos(&given) else {
        let message = format!("Invalid value: {given}: must be an amount like 4, 500m or 16Gi");
        return Err(to_problem_error(ErrorCode::InvalidQuantity, &Problem::new("", message)));
    };
    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "JavaScript's numbers are floats")]
    Ok(nanos as f64 / BILLION)
}
