//! The module of the stories, also of those that are embedded in other pages.

use changeover_web::{PageLoader, StoriesApp};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Renders it into the element `app`, with what `main.js` loads.
///
/// # Errors
/// If the document has no such element.
#[wasm_bindgen]
pub async fn start(loader: PageLoader) -> Result<(), JsValue> {
    changeover_web::start::<StoriesApp>(loader).await
}
