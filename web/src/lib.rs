//! The page: it plays the core's timelines and sends the user's actions. The core makes all decisions.
//!
//! This crate is the page itself ([`Page`]); `app` is its root component. The players simulate in workers and are a module of
//! their own (`web/player`); `web/wire` describes the messages between them.

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
