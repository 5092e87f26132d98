//! The server: the page at `/`, and the policy in an embedded waPC host behind `POST /validate`, as Kubewarden's
//! policy-server offers it to an API server.
#![forbid(unsafe_code)]

mod admission;
mod answer;
mod body;
mod host;
mod open;
mod options;
mod routes;
mod server;
mod settings;
mod site;
mod tls;

pub use host::{DEADLINE, Failure, Instance, Policy};
pub use options::{Command, Options, USAGE, parse};
pub use routes::MAX_BODY;
pub use server::Server;
