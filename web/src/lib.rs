//! The page. It shows the core's timelines and sends what the user asks for; nothing is decided here.
//!
//! This is the page itself, the crate's [`Page`]: `app` holds what is typed and where the playhead stands, `whatif` what is
//! done beside what is told, `film` is a timeline's course as numbers, `drawing` touches what looks different. What it shows
//! is made by the player, in a worker and a module of its own (`web/player`); what they say to each other is in `web/wire`.

mod app;
mod chart;
mod comparison;
mod dom;
mod element;
mod explanation_panel;
#[cfg(target_family = "wasm")]
mod heap;
mod keyboard;
mod lane_details;
mod lane_graphics;
mod linear_scale;
mod lockstep;
mod markup;
mod playback;
mod playback_track;
mod player_client;
mod pod_symbols;
mod pod_tiles;
mod rollout_form;
mod rollout_inputs;
mod ruler;
mod story;
mod story_session;
#[cfg(test)]
mod tests;
mod tile_grid;
mod ui_text;
mod virtual_clock;
mod what_if;

pub use app::Page;
#[cfg(target_family = "wasm")]
pub use heap::allocated;
