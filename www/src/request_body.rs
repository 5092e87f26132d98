//! Reads the body of an HTTP request, up to a limit.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum BodyError {
    TooLarge,
    Broken,
}

/// Up to this multiple of the limit, the rest of a body is read and discarded: a client that is still sending does not
/// read a response.
const DRAIN_FACTOR: usize = 4;

/// Reads the whole body.
///
/// # Errors
/// [`BodyError`]: it is larger than `limit` bytes, or the connection broke.
pub(crate) async fn read(mut body: Body, limit: usize) -> Result<Vec<u8>, BodyError> {
    let mut bytes = Vec::new();
    let mut received: usize = 0;
    while let Some(frame) = body.frame().await {
        let data: Bytes = frame.map_err(|_| BodyError::Broken)?.into_data().unwrap_or_default();
        received = received.saturating_add(data.len());
        if received <= limit {
            bytes.extend_from_slice(&data);
        } else if received > limit.saturating_mul(DRAIN_FACTOR) {
            break;
        }
    }
    if received > limit { Err(BodyError::TooLarge) } else { Ok(bytes) }
}
