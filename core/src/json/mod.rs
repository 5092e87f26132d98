//! Types from JSON values and back. [`ToJson`] and [`FromJson`] are derived as a table of the type's fields, which one
//! function for all types walks (see `changeover-derive`), so that an error names the path of the field.

mod decode;
mod encode;
mod std_types;
mod table;

pub use changeover_derive::{FromJson, ToJson};
pub use decode::{
    FromJson, RecordMut, Variant, Variants, decode, deserialize, must_be, read_at, read_record, unsupported_key,
    variant_index,
};
pub use encode::{
    Record, ToJson, in_milliseconds, nanoseconds, record_is_empty, serialize, text, write_record, write_variant,
};
pub use table::{Field, Table, UnknownFields};
// What the derived code names.
pub use crate::path::Path;
pub use crate::problem::Problem;
pub use litemap::LiteMap;
pub use serde;
pub use serde_json::Value;

#[cfg(test)]
mod tests;
