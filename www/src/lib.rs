//! The server: the page at `/`, and the policy in an embedded waPC host behind `POST /validate`, with the API of Kubewarden's
//! policy-server.
#![forbid(unsafe_code)]

mod admission_response;
mod admission_review;
mod context_objects;
mod context_question;
mod context_server;
mod files;
mod options;
mod policy_host;
mod policy_settings;
mod request_body;
mod routes;
mod server;
mod static_files;
mod text_response;
mod tls;

pub use context_objects::ContextObjects;
pub use context_server::ContextServer;
pub use options::{Command, Context, Options, USAGE, parse};
pub use policy_host::{DEADLINE, Failure, HostCalls, Instance, Policy};
pub use routes::MAX_BODY;
pub use server::Server;
