use changeover_core::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wasm_bindgen::JsValue;

/// What was wrong, as `code` of the JavaScript error. `js/index.d.ts` lists them.
#[derive(Clone, Copy, Serialize)]
pub enum Code {
    InvalidAction,
    InvalidDeletionCost,
    InvalidOptions,
    InvalidPods,
    InvalidScenario,
    InvalidTime,
    Internal,
}

#[derive(Serialize)]
struct Thrown<'a> {
    code: Code,
    path: &'a str,
    message: &'a str,
}

/// What `js/error.js` makes a `ChangeoverError` of.
pub fn thrown(code: Code, problem: &Problem) -> JsValue {
    let thrown = Thrown { code, path: &problem.path, message: &problem.to_string() };
    JsValue::from_str(&serde_json::to_string(&thrown).unwrap_or_default())
}

/// Reads an argument.
pub fn read<T: DeserializeOwned>(code: Code, text: &str) -> Result<T, JsValue> {
    let value = value(code, text)?;
    changeover_core::scenario::decode(&value, "").map_err(|problem| thrown(code, &problem))
}

/// Reads an argument that core looks into itself.
pub fn value(code: Code, text: &str) -> Result<Value, JsValue> {
    serde_json::from_str(text).map_err(|error| thrown(code, &Problem::new("", format!("is not JSON: {error}"))))
}

/// Writes a result.
pub fn write<T: Serialize>(value: &T) -> Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| thrown(Code::Internal, &Problem::new("", error.to_string())))
}
