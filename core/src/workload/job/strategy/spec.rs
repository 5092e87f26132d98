//! Validation of a Job's spec, also of the one in a template of Jobs.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::pod_replacement_policy::validate_pod_replacement_policy;
use super::{pod_failure_policy, success_policy};
use crate::apiserver::meta::selector;
use crate::apiserver::pod_spec::{PodValidationOptions, template_labels, validate_pod_template_spec};
use crate::apiserver::validation::{FieldError, names, validate_nonnegative_field};
use crate::apiserver::workload::push_mismatch;
use crate::go;
use crate::object::unstructured::{field, integer, string};
use crate::path::Path;

const MAX_PARALLELISM_FOR_INDEXED_JOB: i64 = 100_000;
const MAX_FAILED_INDEXES_FOR_INDEXED_JOB: i64 = 100_000;
const COMPLETIONS_SOFT_LIMIT: i64 = 100_000;
const PARALLELISM_LIMIT_FOR_HIGH_COMPLETIONS: i64 = 10_000;
const MAX_FAILED_INDEXES_LIMIT_FOR_HIGH_COMPLETIONS: i64 = 10_000;
const MAX_MANAGED_BY_LENGTH: usize = 63;

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateJobSpec`
pub(super) fn validate_job_spec(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_job_spec_without_selector(spec, path, options, errors);
    let selector = field(spec, "selector");
    match selector {
        None => errors.push(FieldError::required(&path.child("selector"), "")),
        Some(selector) => {
            let lenient = options.allow_invalid_label_value_in_selector;
            selector::validate_label_selector(selector, lenient, &path.child("selector"), errors);
        }
    }
    let template = field(spec, "template").unwrap_or(&Value::Null);
    if selector::matches(selector, template_labels(template)) == Some(false) {
        push_mismatch(template, &path.child("template"), errors);
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateJobTemplateSpec`
pub(crate) fn validate_job_template_spec(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_job_spec_without_selector(spec, path, options, errors);
    if let Some(selector) = field(spec, "selector") {
        let value = selector::printed(Some(selector));
        errors.push(FieldError::invalid(&path.child("selector"), value, "`selector` will be auto-generated"));
    }
    if field(spec, "manualSelector") == Some(&Value::Bool(true)) {
        let path = path.child("manualSelector");
        errors.push(FieldError::not_supported(&path, "true".into(), &["nil", "false"]));
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateJobSpec`
fn validate_job_spec_without_selector(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    let numbers = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    for key in numbers {
        validate_nonnegative_field(spec, key, path, errors);
    }
    let per_index = field(spec, "backoffLimitPerIndex");
    if field(spec, "maxFailedIndexes").is_some() && per_index.is_none() {
        let detail = "when maxFailedIndexes is specified";
        errors.push(FieldError::required(&path.child("backoffLimitPerIndex"), detail));
    }
    if field(spec, "managedBy").is_some() {
        validate_managed_by(string(spec, "managedBy"), &path.child("managedBy"), errors);
    }
    validate_completion_mode(spec, path, errors);
    pod_failure_policy::validate(spec, &path.child("podFailurePolicy"), errors);
    success_policy::validate(spec, &path.child("successPolicy"), errors);
    validate_pod_replacement_policy(spec, &path.child("podReplacementPolicy"), errors);
    let template = field(spec, "template").unwrap_or(&Value::Null);
    let template_path = path.child("template");
    validate_pod_template_spec(template, &template_path, options, errors);
    let template_spec = template_path.child("spec");
    let restart_path = template_spec.child("restartPolicy");
    let restart_policy = field(template, "spec").map(|spec| string(spec, "restartPolicy")).unwrap_or_default();
    let with_policy = field(spec, "podFailurePolicy").is_some();
    let value = go::json_string(restart_policy);
    match restart_policy {
        "Always" | "" => {
            errors.push(FieldError::required(&restart_path, "valid values: \"OnFailure\", \"Never\""));
        }
        "OnFailure" if with_policy => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.push(FieldError::invalid(&restart_path, value, detail));
        }
        "OnFailure" | "Never" => {}
        _ => errors.push(FieldError::not_supported(&restart_path, value, &["OnFailure", "Never"])),
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsDomainPrefixedPath`, and the length
fn validate_managed_by(value: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match value.split_once('/') {
        _ if value.is_empty() => errors.push(FieldError::required(path, "")),
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => {
            for text in names::is_dns1123_subdomain(host) {
                errors.push(FieldError::invalid_string(path, host, text));
            }
            if !rest.chars().all(names::is_domain_prefixed_path_character) {
                let detail = names::regex_error("Invalid path", r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", &[]);
                errors.push(FieldError::invalid_string(path, rest, detail));
            }
        }
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            errors.push(FieldError::invalid_string(path, value, detail));
        }
    }
    if value.len() > MAX_MANAGED_BY_LENGTH {
        errors.push(FieldError::too_long(path, MAX_MANAGED_BY_LENGTH));
    }
}

fn validate_completion_mode(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mode = field(spec, "completionMode").map(|_| string(spec, "completionMode"));
    match mode {
        Some("Indexed") => validate_indexed(spec, path, errors),
        None | Some("NonIndexed") => {
            for key in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if let Some(number) = integer(spec, key) {
                    errors.push(FieldError::invalid_number(
                        &path.child(key),
                        number,
                        "requires indexed completion mode",
                    ));
                }
            }
        }
        Some(other) => {
            let path = path.child("completionMode");
            errors.push(FieldError::not_supported(&path, go::json_string(other), &["NonIndexed", "Indexed"]));
        }
    }
}

fn validate_indexed(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (parallelism_path, failed_path) = (path.child("parallelism"), path.child("maxFailedIndexes"));
    let parallelism = integer(spec, "parallelism");
    let completions = integer(spec, "completions");
    let max_failed = integer(spec, "maxFailedIndexes");
    let mut above = |path: &Path<'_>, value: Option<i64>, most: i64, detail: String| {
        if let Some(value) = value
            && value > most
        {
            errors.push(FieldError::invalid_number(path, value, detail));
        }
    };
    let most = MAX_PARALLELISM_FOR_INDEXED_JOB;
    let detail = format!("must be less than or equal to {most} when completion mode is Indexed");
    above(&parallelism_path, parallelism, most, detail);
    if let Some(completions) = completions {
        above(&failed_path, max_failed, completions, "must be less than or equal to completions".into());
    }
    let most = MAX_FAILED_INDEXES_FOR_INDEXED_JOB;
    above(&failed_path, max_failed, most, format!("must be less than or equal to {most}"));
    let soft = COMPLETIONS_SOFT_LIMIT;
    if completions.is_some_and(|completions| completions > soft) && field(spec, "backoffLimitPerIndex").is_some() {
        let when = format!("when completions are above {soft} and used with backoff limit per index");
        let most = PARALLELISM_LIMIT_FOR_HIGH_COMPLETIONS;
        above(&parallelism_path, parallelism, most, format!("must be less than or equal to {most} {when}"));
        let most = MAX_FAILED_INDEXES_LIMIT_FOR_HIGH_COMPLETIONS;
        above(&failed_path, max_failed, most, format!("must be less than or equal to {most} {when}"));
        if max_failed.is_none() {
            let detail = format!("must be specified when completions is above {soft}");
            errors.push(FieldError::required(&failed_path, detail));
        }
    }
    if completions.is_none() {
        errors.push(FieldError::required(&path.child("completions"), "when completion mode is Indexed"));
    }
}
