use changeover_core::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wasm_bindgen::JsValue;

/// What was wrong, as `code` of the JavaScript error. `js/index.d.ts` lists them.
#[derive(Clone, Copy, Serialize)]
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
    Internal,
}

#[derive(Serialize)]
struct Thrown<'a> {
    code: Code,
    path: &'a str,
    message: &'a str,
    /// Line and column, where a text can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<(usize, usize)>,
}

/// What `js/error.js` makes a `ChangeoverError` of.
pub fn thrown(code: Code, path: &str, message: &str) -> JsValue {
    json(&Thrown { code, path, message, place: None })
}

/// The same for a text that can't be read.
pub fn thrown_at(code: Code, place: Option<(usize, usize)>, problem: &Problem) -> JsValue {
    json(&Thrown { code, path: &problem.path, message: &problem.to_string(), place })
}

fn json(thrown: &Thrown<'_>) -> JsValue {
    JsValue::from_str(&serde_json::to_string(thrown).unwrap_or_default())
}

/// The same for what core says.
pub fn refused(code: Code, problem: &Problem) -> JsValue {
    thrown(code, &problem.path, &problem.to_string())
}

/// Reads an argument.
pub fn read<T: DeserializeOwned>(code: Code, text: &str) -> Result<T, JsValue> {
    let value = value(code, text)?;
    changeover_core::scenario::decode(&value, "").map_err(|problem| refused(code, &problem))
}

/// Reads an argument that core looks into itself.
pub fn value(code: Code, text: &str) -> Result<Value, JsValue> {
    serde_json::from_str(text).map_err(|error| thrown(code, "", &format!("can't be read: {error}")))
}

/// Writes a result.
pub fn write<T: Serialize>(value: &T) -> Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| thrown(Code::Internal, "", &error.to_string()))
}
