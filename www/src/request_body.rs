//! A request's body, up to a limit.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

/// Why there is no body.
#[derive(Debug)]
pub(crate) enum NoBody {
    TooLarge,
    Broken,
}

/// How much more than the limit is read and thrown away: a client which is still sending does not look at the answer.
const PATIENCE: usize = 16;

/// Reads the whole body.
///
/// # Errors
/// [`NoBody`]: it is larger than `limit` bytes, or the connection broke.
pub(crate) async fn read(mut body: Body, limit: usize) -> Result<Vec<u8>, NoBody> {
    let mut bytes = Vec::new();
    let mut seen: usize = 0;
    while let Some(frame) = body.frame().await {
        let data: Bytes = frame.map_err(|_| NoBody::Broken)?.into_data().unwrap_or_default();
        seen = seen.saturating_add(data.len());
        if seen <= limit {
            bytes.extend_from_slice(&data);
        } else if seen > limit.saturating_mul(PATIENCE) {
            break;
        }
    }
    if seen > limit { Err(NoBody::TooLarge) } else { Ok(bytes) }
}
