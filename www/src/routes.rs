//! Which address does what.

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

use crate::admission::{self, Request};
use crate::body::NoBody;
use crate::host::{Failure, Policy};
use crate::{answer, body, site};

/// The largest body of `POST /validate`, in bytes.
pub const MAX_BODY: usize = 2 << 20;

/// A policy with its settings.
pub(crate) struct Judge {
    pub policy: Policy,
    pub settings: Value,
}

/// All that is served.
pub(crate) fn routes(judge: Judge, folder: Option<&Path>) -> Router {
    let webhook = Router::new()
        .route("/validate", post(validate).fallback(use_post))
        .route("/validate/{*rest}", any(no_name))
        .route("/healthz", get(|| async { "ok\n" }))
        .with_state(Arc::new(judge));
    site::with_headers(site::with_files(webhook, folder))
}

/// An AdmissionReview in, an AdmissionReview out. What is no AdmissionReview gets a 4xx and one sentence; a review that
/// the policy fails on is denied with code 500, so that the API server shows the reason instead of its own failure.
async fn validate(State(judge): State<Arc<Judge>>, headers: HeaderMap, body: Body) -> Response {
    let body = body::read(body, MAX_BODY).await;
    if let Err(message) = must_be_json(&headers) {
        return sentence(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message);
    }
    let body = match body {
        Ok(body) => body,
        Err(NoBody::TooLarge) => {
            let message = format!(
                "the body is larger than {} MiB, the most that is read: leave out objects this large by the webhook's objectSelector",
                MAX_BODY >> 20
            );
            return sentence(StatusCode::PAYLOAD_TOO_LARGE, &message);
        }
        Err(NoBody::Broken) => return sentence(StatusCode::BAD_REQUEST, "the body broke off: send it again"),
    };
    let request = match admission::read(&body) {
        Ok(request) => request,
        Err(message) => return sentence(StatusCode::BAD_REQUEST, &message),
    };
    let uid = request.uid.clone();
    match task::spawn_blocking(move || review(&judge, &request)).await {
        Ok(review) => json(&review),
        Err(error) => {
            eprintln!("request {uid:?}: the server failed: {error}");
            sentence(StatusCode::INTERNAL_SERVER_ERROR, "the server failed on this request; its log says why")
        }
    }
}

/// One request's verdict. A policy that fails costs this request alone.
fn review(judge: &Judge, request: &Request) -> Value {
    let failure = match judge.policy.validate_text(&request.text, &judge.settings) {
        Ok(verdict) => match answer::review(request, verdict) {
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
    answer::failure(request, format!("{failure} on this request, so it is denied; the webhook's log says more"))
}

/// `application/json`, with or without parameters.
fn must_be_json(headers: &HeaderMap) -> Result<(), String> {
    let found = headers.get(header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let essence = found.as_deref().and_then(|found| found.split(';').next()).unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let found = found.map_or_else(|| "missing".to_owned(), |found| format!("{found:?}"));
    Err(format!("the header Content-Type is {found}, must be \"application/json\""))
}

/// Kubewarden's policy-server has many policies, and their names in the path.
async fn no_name() -> Response {
    sentence(
        StatusCode::NOT_FOUND,
        "there is one policy here, and it has no name: send an AdmissionReview to /validate",
    )
}

async fn use_post() -> Response {
    let mut response = sentence(StatusCode::METHOD_NOT_ALLOWED, "send an AdmissionReview with POST");
    response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("POST"));
    response
}

fn json(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// A status with one sentence to read.
pub(crate) fn sentence(status: StatusCode, message: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{message}\n")).into_response()
}
