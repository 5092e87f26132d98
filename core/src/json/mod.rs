//! Types from JSON values and back. [`ToJson`] and [`FromJson`] are derived as a table of the type's fields, which one
//! function for all types walks (see `changeover-derive`); so that what is wrong is told with its path.

mod decode;
mod encode;
mod leaf;
mod path;
mod record;
mod words;

pub use changeover_derive::{FromJson, ToJson};
pub use decode::{FromJson, RecordMut, Variants, choice, decode, deserialize, read_at, read_record};
pub use encode::{Record, ToJson, record_is_empty, serialize, text, write_record, write_variant};
pub use path::Path;
pub use record::{Field, Table, UnknownFields};
// What the derived code names.
pub use litemap::LiteMap;
pub use serde;
pub use serde_json::Value;
pub use words::wrong;

pub use crate::problem::Problem;

#[cfg(test)]
mod tests;
