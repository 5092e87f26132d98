//! A CronJob's time zone.

use alloc::format;
use alloc::vec::Vec;

use crate::apiserver::validation::FieldError;
use crate::go;
use crate::path::Path;

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
    if let Err(error) = go::check_location(name) {
        errors.push(FieldError::invalid(path, value(), error));
    }
}
