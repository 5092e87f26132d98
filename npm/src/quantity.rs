//! `quantity`: what an amount of a resource is worth.

use changeover_core::Problem;
use changeover_core::object::quantity::unscaled;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_json, to_problem_error};

/// The number that a quantity like `500m` or `16Gi` stands for.
///
/// # Errors
/// When the API server would refuse it.
#[wasm_bindgen]
pub fn quantity(text: &str) -> Result<f64, JsValue> {
    let given = parse_json(ErrorCode::InvalidQuantity, text)?;
    let Some((unscaled, scale)) = unscaled(&given) else {
        let message = format!("Invalid value: {given}: must be an amount like 4, 500m or 16Gi");
        return Err(to_problem_error(ErrorCode::InvalidQuantity, &Problem::new("", message)));
    };
    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "JavaScript's numbers are floats")]
    let unscaled = unscaled as f64;
    // Dividing by a power of ten rounds once; multiplying by a fraction like 0.001 would round twice.
    let power = 10_f64.powi(scale.saturating_abs());
    Ok(if scale < 0 { unscaled / power } else { unscaled * power })
}
