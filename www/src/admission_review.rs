//! What an API server sends: an AdmissionReview.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) const API_VERSION: &str = "admission.k8s.io/v1";
pub(crate) const KIND: &str = "AdmissionReview";

/// The part of an AdmissionReview that is reviewed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub uid: String,
    /// The whole `request`.
    pub value: Value,
    /// The same as it came: numbers have more than one spelling.
    pub text: String,
}

/// What is known of it without reading further.
#[derive(Deserialize)]
struct Review<'a> {
    #[serde(borrow)]
    request: &'a RawValue,
}

/// How much of a wrong value is repeated.
const MOST: usize = 64;

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
        (Value::Object(_), Some(Value::String(uid))) if !uid.is_empty() => {
            let text: Result<Review<'_>, _> = serde_json::from_slice(body);
            let text = text.map_err(|error| format!("the body is no {KIND}: {error}"))?.request.get().to_owned();
            Ok(Request { uid: uid.clone(), value, text })
        }
        (Value::Object(_), None | Some(Value::Null | Value::String(_))) => {
            Err("request.uid: Required value: the answer repeats it".to_owned())
        }
        (Value::Object(_), Some(uid)) => {
            Err(format!("request.uid: Invalid value: {}: must be a string", shortened(uid)))
        }
        (Value::Null, _) => Err("request: Required value: what to review".to_owned()),
        (other, _) => Err(format!("request: Invalid value: {}: must be an object", shortened(other))),
    }
}

fn must_be(review: &Value, field: &str, expected: &str) -> Result<(), String> {
    match review.get(field) {
        Some(Value::String(found)) if found == expected => Ok(()),
        None | Some(Value::Null) => Err(format!("{field}: Required value: must be {expected:?}")),
        Some(found) => Err(format!("{field}: Unsupported value: {}: supported values: {expected:?}", shortened(found))),
    }
}

/// A wrong value may be of any size.
fn shortened(value: &Value) -> String {
    let mut text = value.to_string();
    if let Some((end, _)) = text.char_indices().nth(MOST) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}
