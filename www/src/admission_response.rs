//! The AdmissionReview with a response, as Kubewarden's policy-server creates it from a policy's ValidationResponse.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::admission_review::{API_VERSION, AdmissionRequest, KIND};

/// Kubewarden's ValidationResponse.
#[derive(Deserialize)]
struct ValidationResponse {
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
struct AdmissionResponse<'a> {
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

/// The AdmissionReview with the policy's response.
///
/// # Errors
/// Why `response` is not a ValidationResponse.
pub(crate) fn respond(request: &AdmissionRequest, response: Value) -> Result<Value, String> {
    let response: ValidationResponse =
        serde_json::from_value(response).map_err(|error| format!("its answer is not a ValidationResponse: {error}"))?;
    let patch = response.mutated_object.and_then(|mutated| json_patch_base64(&request.value, &mutated));
    let status = response.message.is_some() || response.code.is_some();
    Ok(to_admission_review(&AdmissionResponse {
        uid: &request.uid,
        allowed: response.accepted,
        status: status.then_some(Status { message: response.message, code: response.code }),
        patch_type: patch.is_some().then_some("JSONPatch"),
        patch,
        audit_annotations: response.audit_annotations,
        warnings: response.warnings,
    }))
}

/// The AdmissionReview for a request on which the policy failed.
pub(crate) fn respond_failure(request: &AdmissionRequest, message: String) -> Value {
    to_admission_review(&AdmissionResponse {
        uid: &request.uid,
        allowed: false,
        status: Some(Status { message: Some(message), code: Some(500) }),
        patch_type: None,
        patch: None,
        audit_annotations: None,
        warnings: None,
    })
}

fn to_admission_review(response: &AdmissionResponse<'_>) -> Value {
    json!({ "apiVersion": API_VERSION, "kind": KIND, "response": response })
}

/// The base64 JSON Patch from the object to the mutated one; none if they are equal.
fn json_patch_base64(request: &Value, mutated: &Value) -> Option<String> {
    let object = request.get("object").unwrap_or(&Value::Null);
    let patch = json_patch::diff(object, mutated);
    (!patch.is_empty()).then(|| BASE64_STANDARD.encode(json!(patch).to_string()))
}
