//! The HTTP routes of the server.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::Value;
use tokio::task;

use crate::admission_review::{self, AdmissionRequest};
use crate::policy_host::{Failure, Policy};
use crate::request_body::BodyError;
use crate::text_response::text_response;
use crate::{admission_response, request_body, static_files};

/// The largest body of `POST /validate`, in bytes.
pub const MAX_BODY: usize = 8 << 20;

/// A policy with its settings.
pub(crate) struct ConfiguredPolicy {
    pub policy: Policy,
    pub settings: Value,
}

/// The router with all routes.
pub(crate) fn routes(configured: ConfiguredPolicy, folder: Option<&Path>) -> Router {
    let webhook = Router::new()
        .route("/validate", post(validate).fallback(method_not_allowed))
        .route("/validate/{*rest}", any(policy_name_not_supported))
        .route("/healthz", get(|| async { "ok\n" }))
        .with_state(Arc::new(configured));
    static_files::with_headers(static_files::with_files(webhook, folder))
}

/// Answers an AdmissionReview. Anything else gets a 4xx and one sentence. If the policy fails, the request is denied with code
/// 500, so that the API server shows the reason instead of its own error.
async fn validate(State(configured): State<Arc<ConfiguredPolicy>>, headers: HeaderMap, body: Body) -> Response {
    let body = request_body::read(body, MAX_BODY).await;
    if let Err(message) = require_json(&headers) {
        return text_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message);
    }
    let body = match body {
        Ok(body) => body,
        Err(BodyError::TooLarge) => {
            let message = format!(
                "the body is larger than the limit of {} MiB: exclude objects this large with the webhook's objectSelector",
                MAX_BODY >> 20
            );
            return text_response(StatusCode::PAYLOAD_TOO_LARGE, &message);
        }
        Err(BodyError::Broken) => {
            return text_response(StatusCode::BAD_REQUEST, "the body is incomplete: send it again");
        }
    };
    let request = match admission_review::parse(&body) {
        Ok(request) => request,
        Err(message) => return text_response(StatusCode::BAD_REQUEST, &message),
    };
    let uid = request.uid.clone();
    match task::spawn_blocking(move || review(&configured, &request)).await {
        Ok(review) => json_response(&review),
        Err(error) => {
            eprintln!("request {uid:?}: the server failed: {error}");
            text_response(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request; its log says why")
        }
    }
}

/// The policy's response to a request. A failure affects only this request.
fn review(configured: &ConfiguredPolicy, request: &AdmissionRequest) -> Value {
    let failure = match configured.policy.validate_text(&request.text, &configured.settings) {
        Ok(response) => match admission_response::respond(request, response) {
            Ok(review) => return review,
            Err(message) => Failure::Broken(message),
        },
        Err(failure) => failure,
    };
    let reason = match &failure {
        Failure::Broken(reason) => format!(": {reason}"),
        Failure::TooLong => String::new(),
    };
    eprintln!("request {:?}: {failure}{reason}", request.uid);
    admission_response::respond_failure(
        request,
        format!("{failure} on this request, so it is denied; the webhook's log says more"),
    )
}

/// `application/json`, with or without parameters.
fn require_json(headers: &HeaderMap) -> Result<(), String> {
    let found = headers.get(header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let essence = found.as_deref().and_then(|found| found.split(';').next()).unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let found = found.map_or_else(|| "missing".to_owned(), |found| format!("{found:?}"));
    Err(format!("the header Content-Type is {found}, must be \"application/json\""))
}

/// Kubewarden's policy-server has the policy's name in the path; this server has only one policy.
async fn policy_name_not_supported() -> Response {
    text_response(StatusCode::NOT_FOUND, "this server has only one policy: send an AdmissionReview to /validate")
}

async fn method_not_allowed() -> Response {
    let mut response = text_response(StatusCode::METHOD_NOT_ALLOWED, "send an AdmissionReview with POST");
    response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("POST"));
    response
}

fn json_response(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
