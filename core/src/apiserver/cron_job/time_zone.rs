//! A CronJob's time zone.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::apiserver::validation::FieldError;
use crate::go;
use crate::path::Path;

/// The names of the IANA time zone database that Go comes with, sorted.
const TIME_ZONES: &str = include_str!("time_zones.txt");

/// Go's `time.LoadLocation`, as far as names go.
pub(super) fn load_location(name: &str) -> Result<(), String> {
    if matches!(name, "" | "UTC" | "Local") {
        return Ok(());
    }
    if name.split(['/', '\\']).any(|part| part == "..") || name.starts_with(['/', '\\']) {
        return Err("time: invalid location name".into());
    }
    let known = TIME_ZONES.lines().any(|zone| zone == name);
    if known { Ok(()) } else { Err(format!("unknown time zone {name}")) }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateTimeZone`
pub(super) fn validate(name: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let value = || go::json_string(name);
    if name.is_empty() {
        errors.push(FieldError::invalid(path, value(), "timeZone must be nil or non-empty string"));
        return;
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_+".contains(c);
    let good = |part: &str| {
        let known = part == "." || part == ".." || part.starts_with('-');
        !known && (1..=14).contains(&part.len()) && part.chars().all(fits)
    };
    if !name.split('/').all(good) {
        errors.push(FieldError::invalid(path, value(), format!("unknown time zone {name}")));
        return;
    }
    if name.eq_ignore_ascii_case("Local") {
        let detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errors.push(FieldError::invalid(path, value(), detail));
    }
    if let Err(error) = load_location(name) {
        errors.push(FieldError::invalid(path, value(), error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_are_ianas() {
        assert_eq!(load_location("Europe/Berlin"), Ok(()));
        assert_eq!(load_location("Europe"), Err("unknown time zone Europe".into()));
        assert_eq!(load_location("../UTC"), Err("time: invalid location name".into()));
    }
}
