//! The module of the sandbox, of what the API server says, and of rollouts that are embedded in other pages.

use changeover_web::{PageLoader, SandboxApp};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Renders it into the element `app`, with what `main.js` loads.
///
/// # Errors
/// If the document has no such element.
#[wasm_bindgen]
pub async fn start(loader: PageLoader) -> Result<(), JsValue> {
    changeover_web::start::<SandboxApp>(loader).await
}
