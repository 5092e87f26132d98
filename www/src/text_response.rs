//! The responses for people: a status and one sentence.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A response with a status and one sentence.
pub(crate) fn text_response(status: StatusCode, message: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{message}\n")).into_response()
}
