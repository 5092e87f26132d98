//! Changeover's core for JavaScript. Values cross as JSON text: the engines' own parser is faster than building objects
//! field by field, and core reads and writes JSON anyway. The JavaScript in `js/` turns it into objects and errors.

mod deletion_cost;
mod error;
mod long_call;
#[cfg(target_family = "wasm")]
mod memory;
mod objects;
mod prediction;
mod rank;
mod review;
mod scenario;
mod timeline;
mod validate;

pub use deletion_cost::deletion_cost;
pub use objects::parse_text;
pub use prediction::{advise, predict};
pub use rank::{RankForOptions, RankOptions, rank, rank_for};
pub use review::{SettingsCheck, Verdict, review, validate_settings};
pub use scenario::{CHANGES, OPTIONS, live, scenario};
pub use timeline::{Timeline, TimelineOut, totals};
pub use validate::validate;
#[cfg(feature = "schema")]
pub use validate::{ValidateOptions, Validated};
