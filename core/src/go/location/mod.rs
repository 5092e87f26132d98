//! Time zones, as Go's `time.LoadLocation` knows them.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

mod zone;

use alloc::format;
use alloc::string::String;

pub(crate) use zone::Location;

/// The names of the IANA time zone database that Go comes with, sorted.
const TIME_ZONES: &str = include_str!("time_zones.txt");

/// The error of Go's `time.LoadLocation`, if it has no time zone of this name.
pub(crate) fn check_location(name: &str) -> Result<(), String> {
    if is_utc(name) {
        return Ok(());
    }
    if name.split(['/', '\\']).any(|part| part == "..") || name.starts_with(['/', '\\']) {
        return Err("time: invalid location name".into());
    }
    let known = TIME_ZONES.lines().any(|zone| zone == name);
    if known { Ok(()) } else { Err(format!("unknown time zone {name}")) }
}

/// Names that need no data. Local time is UTC, as in the image of kube-controller-manager.
fn is_utc(name: &str) -> bool {
    matches!(name, "" | "UTC" | "Local")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_are_ianas() {
        assert_eq!(check_location("Europe/Berlin"), Ok(()));
        assert_eq!(check_location("Europe"), Err("unknown time zone Europe".into()));
        assert_eq!(check_location("../UTC"), Err("time: invalid location name".into()));
    }
}
