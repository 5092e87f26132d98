//! Replays cases against the core: recordings of the real controllers and the real API server, and the tables of the
//! KEPs. A case names an operation, its input and the expected result; `ops` has a function for each operation.

mod canonical;
mod case;
pub mod cli;
mod compare;
mod explained;
mod files;
mod merge_patch;
pub mod ops;
mod recorder;
mod replay;
mod report;

pub use explained::Explained;
pub use files::load;
pub use replay::{Selection, examples, replay, timelines};
pub use report::Report;
