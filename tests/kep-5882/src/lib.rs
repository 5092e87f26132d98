//! Code that the tests of KEP-5882 share: a world of plain numbers, a second reading of the KEP's text that decides
//! over it, and the core, which decides over the same world.
//!
//! | module | contents |
//! |---|---|
//! | [`world`] | a Deployment, its ReplicaSets and pods as plain numbers |
//! | [`random`] | random worlds |
//! | [`settlement`] | the questions that Changeover answers differently from that text |
//! | [`second_reading`] | the decisions as the KEP's text reads |
//! | [`controller`], [`api_server`], [`store`] | the same decisions by the core |
//! | [`comparison`] | the comparison of the two |
//! | [`play`] | random scenarios and the syncs of their timelines |
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "only tests use it: a mistake in it fails them"
)]

pub mod api_server;
pub mod comparison;
pub mod controller;
pub mod play;
pub mod random;
pub mod second_reading;
pub mod settlement;
pub mod store;
pub mod world;
