//! The AdmissionReview with a request, as an API server sends it.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) const API_VERSION: &str = "admission.k8s.io/v1";
pub(crate) const KIND: &str = "AdmissionReview";

/// The request of an AdmissionReview.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AdmissionRequest {
    pub uid: String,
    /// The whole `request`.
    pub value: Value,
    /// Its original text, since a number can be written in several ways.
    pub text: String,
}

/// The AdmissionReview around the text of its request.
#[derive(Deserialize)]
struct Review<'a> {
    #[serde(borrow)]
    request: &'a RawValue,
}

/// How many characters of an invalid value a message repeats.
const MAX_SHOWN: usize = 64;

/// Parses the body of a request.
///
/// # Errors
/// One sentence with the field's path.
pub(crate) fn parse(body: &[u8]) -> Result<AdmissionRequest, String> {
    let mut review: Value = serde_json::from_slice(body).map_err(|error| format!("the body is not JSON: {error}"))?;
    if !review.is_object() {
        return Err(format!("the body must be an {KIND}: a JSON object with apiVersion, kind and request"));
    }
    require_field(&review, "apiVersion", API_VERSION)?;
    require_field(&review, "kind", KIND)?;
    let value = review.get_mut("request").map(Value::take).unwrap_or_default();
    match (&value, value.get("uid")) {
        (Value::Object(_), Some(Value::String(uid))) if !uid.is_empty() => {
            let text: Result<Review<'_>, _> = serde_json::from_slice(body);
            let text = text.map_err(|error| format!("the body is not an {KIND}: {error}"))?.request.get().to_owned();
            Ok(AdmissionRequest { uid: uid.clone(), value, text })
        }
        (Value::Object(_), None | Some(Value::Null | Value::String(_))) => {
            Err("request.uid: Required value: the response must repeat it".to_owned())
        }
        (Value::Object(_), Some(uid)) => Err(format!("request.uid: Invalid value: {}: must be a string", shorten(uid))),
        (Value::Null, _) => Err("request: Required value: the request to review".to_owned()),
        (other, _) => Err(format!("request: Invalid value: {}: must be an object", shorten(other))),
    }
}

fn require_field(review: &Value, field: &str, expected: &str) -> Result<(), String> {
    match review.get(field) {
        Some(Value::String(found)) if found == expected => Ok(()),
        None | Some(Value::Null) => Err(format!("{field}: Required value: must be {expected:?}")),
        Some(found) => Err(format!("{field}: Unsupported value: {}: supported values: {expected:?}", shorten(found))),
    }
}

/// Shortens an invalid value, which can have any size.
fn shorten(value: &Value) -> String {
    let mut text = value.to_string();
    if let Some((end, _)) = text.char_indices().nth(MAX_SHOWN) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}
