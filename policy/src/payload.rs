//! The payloads from the host: an admission request with settings, or settings.

use changeover_core::review::{Settings, validate_settings};
use serde_json::Value;

use crate::text_patch;

/// An admission request with its settings.
pub(crate) struct Payload {
    pub request: Value,
    pub settings: Settings,
}

/// Why a payload could not be reviewed.
pub(crate) struct Refusal {
    /// The HTTP status: 422 if the request is invalid, 500 if the settings are.
    pub code: u16,
    pub message: String,
}

/// Parses the payload of `validate`.
pub(crate) fn parse(bytes: &[u8]) -> Result<Payload, Refusal> {
    let mut payload = parse_json(bytes)
        .map_err(|message| Refusal { code: 422, message: ["the request is not JSON: ", &message].concat() })?;
    let settings = parse_settings(&take_field(&mut payload, "settings")).map_err(|message| Refusal {
        code: 500,
        message: ["the policy's settings are invalid: ", &message].concat(),
    })?;
    Ok(Payload { request: take_field(&mut payload, "request"), settings })
}

/// The text of the request's object in a valid payload.
pub(crate) fn object_text(bytes: &[u8]) -> &str {
    let text = core::str::from_utf8(bytes).unwrap_or_default();
    text_patch::member(text, "request").and_then(|request| text_patch::member(request, "object")).unwrap_or_default()
}

/// Parses the payload of `validate_settings`. An error has one line for each problem.
pub(crate) fn parse_settings_payload(bytes: &[u8]) -> Result<Settings, String> {
    parse_settings(&parse_json(bytes)?)
}

/// Parses settings. Null means empty settings.
fn parse_settings(value: &Value) -> Result<Settings, String> {
    if value.is_null() {
        return Ok(Settings::default());
    }
    let settings = validate_settings(value).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    // They would have no effect, and nobody would see it.
    if cfg!(not(feature = "forecast")) && settings.needs_forecast() {
        return Err("this policy has no forecasts and does not read the cluster: use the policy changeover, or \
                    changeover-rollouts, for forecast, context, quota, rollout.max_over_desired and rollout.min_available"
            .into());
    }
    // Its host refuses an answer that changes the object, and so every request that it is about.
    if cfg!(not(feature = "defaults")) && settings.changes_objects() {
        return Err("this policy changes no objects: use the policy changeover, changeover-job-replacement or \
                    changeover-deletion-cost for a default, and changeover for stale_scale_annotations: strip"
            .into());
    }
    Ok(settings)
}

/// Parses JSON. The error says only where it is invalid: serde_json's reasons take 3 kB, and hosts send valid JSON.
fn parse_json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("line {line} column {column} can't be read: must be well formed, and at most 127 deep")
    })
}

fn take_field(object: &mut Value, key: &str) -> Value {
    object.get_mut(key).map(Value::take).unwrap_or_default()
}
