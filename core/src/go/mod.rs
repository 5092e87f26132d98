//! What Go's own libraries do with text and numbers, as far as the API server's messages and results show it.

pub(crate) mod cron;
mod diff;
mod duration;
mod integer;
mod json;
mod json_name;
mod location;
mod lower;
mod math;
mod quote;
pub(crate) mod sort;
pub(crate) mod time;

pub(crate) use diff::unified_diff;
pub(crate) use duration::parse_duration;
pub(crate) use integer::{ParseIntError, atoi, parse_int32};
pub(crate) use json::{indented, json, json_string};
pub(crate) use json_name::json_name;
pub(crate) use location::{Location, check_location};
pub(crate) use lower::to_lower;
pub(crate) use math::{from_f64, log, log2, round, to_f64};
pub(crate) use quote::{quoted, quoted_list};
