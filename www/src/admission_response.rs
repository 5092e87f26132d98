//! What an API server gets back: an AdmissionReview with a response, as Kubewarden's policy-server makes it of a
//! policy's ValidationResponse.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::admission::{API_VERSION, KIND, Request};

/// Kubewarden's ValidationResponse.
#[derive(Deserialize)]
struct Verdict {
    accepted: bool,
    message: Option<String>,
    code: Option<u16>,
    mutated_object: Option<Value>,
    audit_annotations: Option<Map<String, Value>>,
    warnings: Option<Vec<String>>,
}

/// The response of an AdmissionReview.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_annotations: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Status {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
}

/// The review that answers a request with the policy's verdict.
///
/// # Errors
/// Why the verdict is none.
pub(crate) fn review(request: &Request, verdict: Value) -> Result<Value, String> {
    let verdict: Verdict =
        serde_json::from_value(verdict).map_err(|error| format!("its answer is no ValidationResponse: {error}"))?;
    let patch = verdict.mutated_object.and_then(|mutated| patch(&request.value, &mutated));
    let status = verdict.message.is_some() || verdict.code.is_some();
    Ok(envelope(&Response {
        uid: &request.uid,
        allowed: verdict.accepted,
        status: status.then_some(Status { message: verdict.message, code: verdict.code }),
        patch_type: patch.is_some().then_some("JSONPatch"),
        patch,
        audit_annotations: verdict.audit_annotations,
        warnings: verdict.warnings,
    }))
}

/// The review that answers a request which the policy could not review.
pub(crate) fn failure(request: &Request, message: String) -> Value {
    envelope(&Response {
        uid: &request.uid,
        allowed: false,
        status: Some(Status { message: Some(message), code: Some(500) }),
        patch_type: None,
        patch: None,
        audit_annotations: None,
        warnings: None,
    })
}

fn envelope(response: &Response<'_>) -> Value {
    json!({ "apiVersion": API_VERSION, "kind": KIND, "response": response })
}

/// The JSON Patch from the object to the mutated one, in base64; none if they are equal.
fn patch(request: &Value, mutated: &Value) -> Option<String> {
    let object = request.get("object").unwrap_or(&Value::Null);
    let patch = json_patch::diff(object, mutated);
    (!patch.is_empty()).then(|| BASE64_STANDARD.encode(json!(patch).to_string()))
}
