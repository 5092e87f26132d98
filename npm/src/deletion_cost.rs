use changeover_core::apiserver::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations as cost};
use changeover_core::object::Strings;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Code, read, thrown};

/// The deletion cost that a pod's annotations give it; 0 where there is none.
///
/// # Errors
/// When the value is none, in the API server's words.
#[wasm_bindgen(js_name = deletionCost)]
pub fn deletion_cost(annotations: &str) -> Result<i32, JsValue> {
    let annotations: Strings = read(Code::InvalidDeletionCost, annotations)?;
    let value = annotations.get(POD_DELETION_COST).map(String::as_str);
    cost(value).map_err(|_| {
        let path = format!("metadata.annotations[{POD_DELETION_COST}]");
        let value = value.unwrap_or_default();
        // Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations`
        let message = format!("{path}: Invalid value: {value:?}: must be a 32bit integer");
        thrown(Code::InvalidDeletionCost, &path, &message)
    })
}
