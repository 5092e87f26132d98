//! The hooks of the page.

mod use_animation_frames;
mod use_answer;
mod use_arrivals;
mod use_debounced;
mod use_dialog;
mod use_element_size;
mod use_manifests;
mod use_reader_input;
mod use_rollout;
mod use_runs;
mod use_sandbox_player;
mod use_settled;
mod use_shared_address;
mod use_shortcuts;
mod use_story;
mod use_story_scroll;
mod use_story_session;
mod use_what_if;

pub use use_animation_frames::use_animation_frames;
pub use use_answer::{AnswerState, use_answer};
pub use use_arrivals::{Arrivals, use_arrivals};
pub use use_debounced::use_debounced;
pub use use_dialog::use_dialog;
pub use use_element_size::use_element_size;
pub use use_manifests::{ManifestsState, use_manifests};
pub use use_reader_input::use_reader_input;
pub use use_rollout::{Rollout, use_rollout};
pub use use_runs::{RUNS, RunsAction, RunsState, use_runs};
pub use use_sandbox_player::use_sandbox_player;
pub use use_settled::use_settled;
pub use use_shared_address::use_shared_address;
pub use use_shortcuts::{Shortcut, use_shortcuts};
pub use use_story::{LoadedStory, StoryLoad, use_story};
pub use use_story_scroll::{StoryScroll, use_story_scroll};
pub use use_story_session::{StorySession, use_story_session};
pub use use_what_if::use_what_if;
