//! The page. It shows the core's timelines and sends what the user asks for; nothing is decided here.
//!
//! This is the page itself, the crate's [`Page`]: `app` holds what is typed and where the playhead stands, `whatif` what is
//! done beside what is told, `film` is a timeline's course as numbers, `drawing` touches what looks different. What it shows
//! is made by the player, in a worker and a module of its own (`web/player`); what they say to each other is in `web/wire`.

mod app;
mod asking;
mod beats;
mod chart;
mod compare;
mod controls;
mod dom;
mod drawing;
mod facts;
mod film;
mod form;
#[cfg(target_family = "wasm")]
mod heap;
mod keyboard;
mod markup;
mod playback;
mod ruler;
mod scale;
mod stage;
mod story;
mod symbols;
mod tag;
mod telling;
#[cfg(test)]
mod tests;
mod tiles;
mod whatif;
mod why;
mod words;

pub use app::Page;
#[cfg(target_family = "wasm")]
pub use heap::allocated;
