//! What is set, as something to keep: an address, a file, and the picture and its numbers in the formats of other programs.

mod deep_link;
mod js_bindings;
mod numbers;
mod state;

pub use deep_link::DeepLink;
pub use js_bindings::{
    PictureFile, ShareTools, address_as_left, forget_unwritten, keep_as_left, keep_at_address, keep_text_as_left,
    keep_unwritten,
};
pub use numbers::{MomentCounts, ReopenFrom, Shareable, Shown, data};
pub use state::{SharedFork, SharedManifests, SharedReview, SharedSandbox, SharedState, SharedStory, StateProblem};
