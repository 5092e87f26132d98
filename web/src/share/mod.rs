//! What is set, as something to keep: an address, a file, and the picture and its numbers in the formats of other programs.

mod arrival;
mod numbers;
mod state;
mod tools;

pub use arrival::Arrival;
pub use numbers::{MomentCounts, ReopenFrom, Shareable, Shown, data};
pub use state::{SharedFork, SharedManifests, SharedReview, SharedSandbox, SharedState, SharedStory, StateProblem};
pub use tools::{PictureFile, ShareTools, address_as_left, keep_as_left, keep_at_address};
