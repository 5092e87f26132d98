use changeover_core::Problem;
use changeover_core::json::{FromJson, ToJson, decode};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

/// What was wrong, as `code` of the JavaScript error. `js/index.d.ts` lists them.
#[derive(Clone, Copy, ToJson)]
#[expect(clippy::enum_variant_names, reason = "these are the codes as JavaScript sees them")]
pub enum Code {
    InvalidAction,
    InvalidChanges,
    InvalidDeletionCost,
    InvalidDeployment,
    InvalidManifest,
    InvalidOptions,
    InvalidPods,
    InvalidReview,
    InvalidScenario,
    InvalidSettings,
    InvalidTime,
}

/// What `js/error.js` makes a `ChangeoverError` of.
pub fn thrown(code: Code, path: &str, message: &str) -> JsValue {
    json(code, path, message, None)
}

/// The same for a text that can't be read, with the line and column where.
pub fn thrown_at(code: Code, place: Option<(usize, usize)>, path: &str, message: &str) -> JsValue {
    json(code, path, message, place)
}

fn json(code: Code, path: &str, message: &str, place: Option<(usize, usize)>) -> JsValue {
    let mut thrown = json!({ "code": code.as_str(), "path": path, "message": message });
    if let (Some((line, column)), Some(map)) = (place, thrown.as_object_mut()) {
        map.insert("place".into(), json!([line, column]));
    }
    JsValue::from_str(&thrown.to_string())
}

/// The same for what core says.
pub fn refused(code: Code, problem: &Problem) -> JsValue {
    thrown(code, &problem.path, &problem.to_string())
}

/// Reads an argument.
pub fn read<T: FromJson>(code: Code, text: &str) -> Result<T, JsValue> {
    let value = value(code, text)?;
    decode(&value, "").map_err(|problem| refused(code, &problem))
}

/// Reads an argument that core looks into itself.
pub fn value(code: Code, text: &str) -> Result<Value, JsValue> {
    serde_json::from_str(text).map_err(|error| thrown(code, "", &format!("Invalid value: must be JSON: {error}")))
}

/// Writes a result.
pub fn write(value: &dyn ToJson) -> String {
    value.to_json().to_string()
}
