//! What the tests of KEP-5882 share: a world of plain numbers, a slow and obvious reference of the rules over it, and
//! the same world put to the core.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "only tests use it: a mistake in it fails them"
)]

pub mod agree;
pub mod asked;
pub mod play;
pub mod random;
pub mod reference;
pub mod second_reading;
pub mod store;
pub mod world;
