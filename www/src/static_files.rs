//! The page's files, and the headers that keep the page to itself.

use core::convert::Infallible;
use std::path::Path;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::routes::sentence;

/// All that the page may do: load its own files, and compile its own WebAssembly.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self'; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    // A file is kept but asked for each time: ETag and Last-Modified make that cheap, and no build is ever stale.
    (header::CACHE_CONTROL, "no-cache"),
];

/// Adds the files of a folder, in Brotli where `FILE.br` lies beside a file and the client takes it.
pub(crate) fn with_files(router: Router, folder: Option<&Path>) -> Router {
    let Some(folder) = folder else { return router.fallback(|| async { no_page() }) };
    let absent = tower::service_fn(|_: Request<axum::body::Body>| async { Ok::<_, Infallible>(not_found()) });
    router.fallback_service(ServeDir::new(folder).precompressed_br().fallback(absent))
}

/// Adds the headers to every answer.
pub(crate) fn with_headers(router: Router) -> Router {
    HEADERS.into_iter().fold(router, |router, (name, value)| {
        router.layer(SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value)))
    })
}

fn not_found() -> Response {
    sentence(StatusCode::NOT_FOUND, "there is no such file here; the page is at /")
}

fn no_page() -> Response {
    sentence(
        StatusCode::NOT_FOUND,
        "there is no page here: start the server with --site DIR; the policy is at /validate",
    )
}
