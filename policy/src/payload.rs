//! What the host sends.

use changeover_core::review::{Settings, validate_settings};
use serde_json::Value;

use crate::text;

/// A request with its settings.
pub(crate) struct Payload {
    pub request: Value,
    pub settings: Settings,
}

/// Why a payload has no verdict.
pub(crate) struct Refusal {
    /// An HTTP status: 422 for what the request holds, 500 for what the host got wrong.
    pub code: u16,
    pub message: String,
}

/// Reads what `validate` gets.
pub(crate) fn read(bytes: &[u8]) -> Result<Payload, Refusal> {
    let mut payload = json(bytes)
        .map_err(|message| Refusal { code: 422, message: ["the request is not JSON: ", &message].concat() })?;
    let settings = read_settings(&take(&mut payload, "settings")).map_err(|message| Refusal {
        code: 500,
        message: ["the policy's settings are invalid: ", &message].concat(),
    })?;
    Ok(Payload { request: take(&mut payload, "request"), settings })
}

/// The request's object in a payload that has been read, as it is spelled there.
pub(crate) fn object(bytes: &[u8]) -> &str {
    let text = core::str::from_utf8(bytes).unwrap_or_default();
    text::member(text, "request").and_then(|request| text::member(request, "object")).unwrap_or_default()
}

/// Reads what `validate_settings` gets; an error holds all problems, one a line.
pub(crate) fn settings(bytes: &[u8]) -> Result<Settings, String> {
    read_settings(&json(bytes)?)
}

/// No settings are empty settings.
fn read_settings(value: &Value) -> Result<Settings, String> {
    if value.is_null() {
        return Ok(Settings::default());
    }
    validate_settings(value).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })
}

/// Says where it breaks off. Why, the library could say as well, in 3 kB of words; hosts send what is well formed.
fn json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("line {line} column {column} can't be read: must be well formed, and at most 127 deep")
    })
}

fn take(object: &mut Value, key: &str) -> Value {
    object.get_mut(key).map(Value::take).unwrap_or_default()
}
