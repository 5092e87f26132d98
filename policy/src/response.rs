//! The responses to the host: Kubewarden's ValidationResponse and SettingsValidationResponse, without empty fields.

use changeover_core::json;
use changeover_core::review::{Settings, Verdict};
use serde_json::{Map, Value};

use crate::payload::{self, Refusal};
use crate::text_patch;

/// The ValidationResponse for a verdict of the core on a payload.
pub(crate) fn validation_response(verdict: Verdict, payload: &[u8]) -> String {
    let mut response = Map::new();
    response.insert("accepted".into(), verdict.allowed.into());
    if let Some(message) = verdict.message {
        response.insert("message".into(), message.into());
    }
    if let Some(code) = verdict.code {
        response.insert("code".into(), code.into());
    }
    if !verdict.audit_annotations.is_empty() {
        let mut annotations = Map::new();
        for (key, value) in verdict.audit_annotations {
            annotations.insert(key, value.into());
        }
        response.insert("audit_annotations".into(), Value::Object(annotations));
    }
    if !verdict.warnings.is_empty() {
        response.insert("warnings".into(), verdict.warnings.into());
    }
    let mut response = json::text(&Value::Object(response));
    if !verdict.patch.is_empty() {
        response.truncate(response.len().saturating_sub(1));
        let object = text_patch::apply(payload::object_text(payload), &verdict.patch);
        response.extend([",\"mutated_object\":", &object, "}"]);
    }
    response
}

/// The ValidationResponse that denies a request that could not be reviewed.
pub(crate) fn refusal_response(refusal: Refusal) -> String {
    let Refusal { message, code } = refusal;
    validation_response(Verdict { message: Some(message), code: Some(code), ..Verdict::default() }, b"")
}

/// The SettingsValidationResponse for parsed settings.
pub(crate) fn settings_response(result: Result<Settings, String>) -> String {
    let mut response = Map::new();
    response.insert("valid".into(), result.is_ok().into());
    if let Err(message) = result {
        response.insert("message".into(), message.into());
    }
    json::text(&Value::Object(response))
}
