//! Serves the files of the page, with the security headers of all responses.

use core::convert::Infallible;
use std::fs;
use std::path::Path;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, Request, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::text_response::text_response;

/// The page may load its own files and compile its own WebAssembly, and nothing else; images can also come from the
/// page's own drawings. Yew positions moving parts with style attributes, which can neither load nor run anything.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr 'unsafe-inline'; \
    img-src 'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; \
    form-action 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // The page asks which page of the site led to it; no other site learns where a link was.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    // Browsers revalidate each file, which is cheap with ETag and Last-Modified. So no old build is ever shown.
    (header::CACHE_CONTROL, "no-cache"),
];

/// Adds the files of a folder, compressed with Brotli if there is a `FILE.br` and the client accepts it. A folder is served by
/// its `index.html`, and its address without the slash redirects there.
pub(crate) fn with_files(router: Router, folder: Option<&Path>) -> Router {
    let Some(folder) = folder else { return router.fallback(|| async { no_page() }) };
    // Read once: served as an ordinary file, it would answer a revalidation without its text.
    let page = fs::read(folder.join("404.html")).ok().map(Bytes::from);
    let not_found_service =
        tower::service_fn(move |_: Request<Body>| core::future::ready(Ok::<_, Infallible>(not_found(page.clone()))));
    router.fallback_service(ServeDir::new(folder).precompressed_br().fallback(not_found_service))
}

/// Adds the headers to every response.
pub(crate) fn with_headers(router: Router) -> Router {
    let router = HEADERS.into_iter().fold(router, |router, (name, value)| {
        router.layer(SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value)))
    });
    router.layer(middleware::from_fn(with_policy))
}

/// Adds the content security policy. Only embeddable pages can be framed by other sites.
async fn with_policy(request: Request<Body>, next: Next) -> Response {
    let ancestors = if is_embedded(request.uri()) { "*" } else { "'none'" };
    let policy = HeaderValue::try_from(format!("{CONTENT_SECURITY_POLICY}; frame-ancestors {ancestors}"));
    let mut response = next.run(request).await;
    if let Ok(policy) = policy {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Whether an address shows only the picture: everything below `embed/`, and the query `embed`, which leads there.
fn is_embedded(uri: &Uri) -> bool {
    let has_query = uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("embed=")));
    uri.path().starts_with("/embed/") || has_query
}

/// The site's own page for this, or one sentence.
fn not_found(page: Option<Bytes>) -> Response {
    match page {
        Some(page) => (StatusCode::NOT_FOUND, Html(page)).into_response(),
        None => text_response(StatusCode::NOT_FOUND, "there is no such file here; the page is at /"),
    }
}

fn no_page() -> Response {
    text_response(
        StatusCode::NOT_FOUND,
        "there is no page here: start the server with --site DIR; the policy is at /validate",
    )
}
