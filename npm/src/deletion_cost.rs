use std::collections::BTreeMap;

use changeover_core::Problem;
use changeover_core::controller::replica_set::deletion_cost::{POD_DELETION_COST, deletion_cost as cost};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Code, read, refused};

/// The deletion cost that a pod's annotations give it; 0 where there is none.
///
/// # Errors
/// When the value is none, in the API server's words.
#[wasm_bindgen(js_name = deletionCost)]
pub fn deletion_cost(annotations: &str) -> Result<i32, JsValue> {
    let annotations: BTreeMap<String, String> = read(Code::InvalidDeletionCost, annotations)?;
    cost(&annotations).map_err(|_| {
        let value = annotations.get(POD_DELETION_COST).map_or("", String::as_str);
        let path = format!("metadata.annotations[{POD_DELETION_COST}]");
        // Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations`
        let problem = Problem::new(path, format!("Invalid value: {value:?}: must be a 32bit integer"));
        refused(Code::InvalidDeletionCost, &problem)
    })
}
