//! The API server's internal version of a pod template: the Go types that error messages print and that decoding knows.

mod print;
mod types;

pub(crate) use print::Printer;
pub(crate) use types::{Content, Type};
