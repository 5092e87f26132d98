//! What is set, as something to keep: an address, a file, and the picture and its numbers in the formats of other programs.

mod arrival;
mod numbers;
mod state;
mod tools;
mod yaml;

pub use arrival::Arrival;
pub use numbers::{MomentCounts, Shareable, csv, json, markdown};
pub use state::{SharedFork, SharedSandbox, SharedState, SharedStory, StateProblem};
pub use tools::{PictureFile, ShareTools};
pub use yaml::yaml;
