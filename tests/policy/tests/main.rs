//! The built policy in its host, and the server over HTTP.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod cases;
mod context;
mod failing_guests;
mod guest;
mod http;
mod load;
mod package;
mod presets;
mod real_hosts;
mod site;
mod start;
mod tls;
mod transcripts;
