//! What the host gets back: Kubewarden's ValidationResponse and SettingsValidationResponse, without what is empty.

use changeover_core::json;
use changeover_core::review::{Settings, Verdict};
use serde_json::{Map, Value};

use crate::payload::{self, Refusal};
use crate::text;

/// The core's verdict on a payload in Kubewarden's words.
pub(crate) fn verdict(verdict: Verdict, payload: &[u8]) -> String {
    let mut answer = Map::new();
    answer.insert("accepted".into(), verdict.allowed.into());
    if let Some(message) = verdict.message {
        answer.insert("message".into(), message.into());
    }
    if let Some(code) = verdict.code {
        answer.insert("code".into(), code.into());
    }
    if !verdict.audit_annotations.is_empty() {
        let mut annotations = Map::new();
        for (key, value) in verdict.audit_annotations {
            annotations.insert(key, value.into());
        }
        answer.insert("audit_annotations".into(), Value::Object(annotations));
    }
    if !verdict.warnings.is_empty() {
        answer.insert("warnings".into(), verdict.warnings.into());
    }
    let mut answer = json::text(&Value::Object(answer));
    if !verdict.patch.is_empty() {
        answer.truncate(answer.len().saturating_sub(1));
        let object = text::patched(payload::object(payload), &verdict.patch);
        answer.extend([",\"mutated_object\":", &object, "}"]);
    }
    answer
}

/// A denial of what could not be reviewed.
pub(crate) fn refusal(refusal: Refusal) -> String {
    let Refusal { message, code } = refusal;
    verdict(Verdict { message: Some(message), code: Some(code), ..Verdict::default() }, b"")
}

/// Whether the settings are valid.
pub(crate) fn settings(result: Result<Settings, String>) -> String {
    let mut answer = Map::new();
    answer.insert("valid".into(), result.is_ok().into());
    if let Err(message) = result {
        answer.insert("message".into(), message.into());
    }
    json::text(&Value::Object(answer))
}
