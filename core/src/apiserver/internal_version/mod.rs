//! The API server's internal version of a pod template: the Go types that error messages print.

mod print;
mod types;

pub(crate) use print::Printer;
