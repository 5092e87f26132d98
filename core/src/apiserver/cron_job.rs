//! CronJob.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::container;
use super::field::FieldError;
use super::meta::validate_nonnegative_field;
use super::pod_spec::Options;
use super::value::{at, field, set_default, set_default_string, string};
use super::{job_spec, schedule};
use crate::go;
use crate::path::Path;

/// A CronJob's Jobs get a suffix of 11 characters, and their names may have 63.
const MAX_NAME_LENGTH: usize = 52;

/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_CronJob`, without the template
/// (whose Job spec is not defaulted: that happens when a Job is made from it).
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
    set_default_string(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", 3);
    set_default(spec, "failedJobsHistoryLimit", 1);
}

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateCronJobCreate`: the name's length
pub(super) fn validate_name(object: &Value, errors: &mut Vec<FieldError>) {
    let name = at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
    if name.len() > MAX_NAME_LENGTH {
        let metadata = Path::Root("metadata");
        errors.push(FieldError::invalid_string(&metadata.child("name"), name, "must be no more than 52 characters"));
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateCronJobSpec`
pub(super) fn validate_spec(
    spec: &Value,
    old: Option<&Value>,
    path: &Path<'_>,
    options: Options,
    errors: &mut Vec<FieldError>,
) {
    validate_schedule(spec, old, &path.child("schedule"), errors);
    validate_nonnegative_field(spec, "startingDeadlineSeconds", path, errors);
    let time_zone = field(spec, "timeZone");
    if let Some(name) = time_zone.and_then(Value::as_str)
        && old.is_none_or(|old| field(old, "timeZone") != time_zone)
    {
        validate_time_zone(name, &path.child("timeZone"), errors);
    }
    container::one_of(spec, "concurrencyPolicy", &["Allow", "Forbid", "Replace"], path, errors);
    let template = path.child("jobTemplate");
    let job = at(spec, &["jobTemplate", "spec"]).unwrap_or(&Value::Null);
    job_spec::validate_in_template(job, &template.child("spec"), options, errors);
    validate_nonnegative_field(spec, "successfulJobsHistoryLimit", path, errors);
    validate_nonnegative_field(spec, "failedJobsHistoryLimit", path, errors);
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateScheduleFormat`
fn validate_schedule(spec: &Value, old: Option<&Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let text = string(spec, "schedule");
    if text.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    if let Err(error) = schedule::parse_standard(text) {
        errors.push(FieldError::invalid_string(path, text, error));
    }
    let allowed = old.is_some_and(|old| string(old, "schedule").contains("TZ"));
    let detail = match (text.contains("TZ"), allowed) {
        (true, true) if field(spec, "timeZone").is_some() => {
            "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        }
        (true, false) => "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
        _ => return,
    };
    errors.push(FieldError::invalid_string(path, text, detail));
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateTimeZone`
fn validate_time_zone(name: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
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
    if let Err(error) = schedule::load_location(name) {
        errors.push(FieldError::invalid(path, value(), error));
    }
}
