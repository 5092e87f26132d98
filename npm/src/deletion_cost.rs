//! `deletionCost`: the deletion cost in a pod's annotations.

use changeover_core::apiserver::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations, invalid_deletion_cost};
use changeover_core::json::{decode, must_be};
use changeover_core::object::Strings;
use changeover_core::{Path, Problem};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, Failure, parse_json, to_problem_error};

/// The deletion cost that a pod's annotations give it; 0 where there is none.
///
/// # Errors
/// When the value is none, in the API server's words.
#[wasm_bindgen(js_name = deletionCost)]
pub fn deletion_cost(annotations: &str) -> Result<i32, Failure> {
    let annotations = parse_json(ErrorCode::InvalidDeletionCost, annotations)?;
    let annotations: Strings = match annotations {
        Value::Null | Value::Object(_) => decode(&annotations, ""),
        other => Err(must_be(&other, &Path::Root(""), "a map or text")),
    }
    .map_err(|problem| to_problem_error(ErrorCode::InvalidDeletionCost, &problem))?;
    let value = annotations.get(POD_DELETION_COST).map(String::as_str);
    get_deletion_cost_from_pod_annotations(value).map_err(|_| {
        let error = invalid_deletion_cost(value.unwrap_or_default(), &Path::Root("metadata.annotations"));
        to_problem_error(ErrorCode::InvalidDeletionCost, &Problem::from(error))
    })
}
