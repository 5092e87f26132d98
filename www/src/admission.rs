//! What an API server sends: an AdmissionReview.

use serde_json::Value;

pub(crate) const API_VERSION: &str = "admission.k8s.io/v1";
pub(crate) const KIND: &str = "AdmissionReview";

/// The part of an AdmissionReview that is reviewed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub uid: String,
    /// The whole `request`, as it came.
    pub value: Value,
}

/// Reads a body.
///
/// # Errors
/// One sentence with the field's path.
pub(crate) fn read(body: &[u8]) -> Result<Request, String> {
    let mut review: Value = serde_json::from_slice(body).map_err(|error| format!("the body is not JSON: {error}"))?;
    if !review.is_object() {
        return Err(format!("the body must be an {KIND}: a JSON object with apiVersion, kind and request"));
    }
    must_be(&review, "apiVersion", API_VERSION)?;
    must_be(&review, "kind", KIND)?;
    let value = review.get_mut("request").map(Value::take).unwrap_or_default();
    match (&value, value.get("uid")) {
        (Value::Object(_), Some(Value::String(uid))) if !uid.is_empty() => Ok(Request { uid: uid.clone(), value }),
        (Value::Object(_), None | Some(Value::Null | Value::String(_))) => {
            Err("request.uid: Required value: the answer repeats it".to_owned())
        }
        (Value::Object(_), Some(uid)) => Err(format!("request.uid: Invalid value: {uid}: must be a string")),
        (Value::Null, _) => Err("request: Required value: what to review".to_owned()),
        (other, _) => Err(format!("request: Invalid value: {other}: must be an object")),
    }
}

fn must_be(review: &Value, field: &str, expected: &str) -> Result<(), String> {
    match review.get(field) {
        Some(Value::String(found)) if found == expected => Ok(()),
        None | Some(Value::Null) => Err(format!("{field}: Required value: must be {expected:?}")),
        Some(found) => Err(format!("{field}: Unsupported value: {found}: supported values: {expected:?}")),
    }
}
