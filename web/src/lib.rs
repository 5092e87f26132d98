//! The page. It shows the core's timelines and sends what the user asks for; nothing is decided here.
//!
//! The same module runs twice. In a worker it is the [`Player`]: it plays scenarios, goes through each timeline once
//! (`walk`) and says what there is to see at a moment (`look`). On the page it is the [`Page`]: `app` holds what is typed
//! and where the playhead stands, `whatif` what is done beside what is told (`fork` is the player's part of that), `film`
//! is a timeline's course as numbers, `drawing` touches what looks different. What they say to each other is in `wire`.

mod app;
mod beats;
mod chart;
mod compare;
mod controls;
mod dom;
mod drawing;
mod facts;
mod film;
mod fork;
mod form;
#[cfg(target_family = "wasm")]
mod heap;
mod keyboard;
mod look;
mod markup;
mod playback;
mod player;
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
mod walk;
mod whatif;
mod why;
mod wire;
mod words;

pub use app::Page;
#[cfg(target_family = "wasm")]
pub use heap::allocated;
pub use player::Player;
