//! Defaults and validation of CronJobs.

mod time_zone;

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::apiserver::Reviewed;
use crate::apiserver::meta::{METADATA, NameRule};
use crate::apiserver::pod_spec::warnings::{warn_of_name, warn_of_template};
use crate::apiserver::pod_spec::{PodValidationOptions, set_template_defaults};
use crate::apiserver::schema::Shape::{Bool, Int32, Int64, Object, Text};
use crate::apiserver::schema::{STATUS, Shape};
use crate::apiserver::strategy::{Strategy, Write, generation};
use crate::apiserver::validation::{FieldError, validate_enum, validate_nonnegative_field};
use crate::feature_gates::FeatureGates;
use crate::go;
use crate::object::Kind;
use crate::object::unstructured::{at, field, map_in, set_default, set_default_string, string};
use crate::path::Path;
use crate::workload::job::strategy::{
    JOB_SPEC, set_defaults_pod_failure_policy, validate_job_template_spec, validate_pod_replacement_policy,
    warn_of_job_spec,
};

pub(crate) const REVIEWED: Reviewed = Reviewed {
    shape: &SHAPE,
    validate: |spec, errors| {
        let spec = at(spec, &["jobTemplate", "spec"]).unwrap_or(&Value::Null);
        validate_pod_replacement_policy(spec, &Path::Root("spec.jobTemplate.spec.podReplacementPolicy"), errors);
    },
};

pub(crate) struct CronJobStrategy;

impl Strategy for CronJobStrategy {
    fn kind(&self) -> Kind {
        Kind::CronJob
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, _: FeatureGates) {
        let Some(spec) = map_in(object, "spec") else { return };
        set_defaults(spec);
        if let Some(job_spec) = map_in(spec, "jobTemplate").and_then(|template| map_in(template, "spec")) {
            set_defaults_pod_failure_policy(job_spec);
            set_template_defaults(job_spec);
        }
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        validate_spec(write.spec(), write.old_spec(), &Path::Root("spec"), write.options, errors);
        if write.old.is_none() {
            validate_name(write.object, errors);
        }
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_name(object, "Pod names and hostnames", warnings);
        warn_of_job_template(object, warnings);
    }

    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>) {
        if generation(object) != generation(old) {
            warn_of_job_template(object, warnings);
        }
        let schedule = at(object, &["spec", "schedule"]).and_then(Value::as_str);
        if schedule.is_some_and(|schedule| schedule.contains("TZ")) {
            warnings.push("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details".into());
        }
    }
}

fn warn_of_job_template(object: &Value, warnings: &mut Vec<String>) {
    let field_path = ["spec", "jobTemplate", "spec"];
    warn_of_job_spec(at(object, &field_path), &Path::Root("spec.jobTemplate.spec"), warnings);
    warn_of_template(object, &["spec", "jobTemplate", "spec", "template"], warnings);
}

/// A CronJob's Jobs get a suffix of 11 characters, and their names may have 63.
const MAX_NAME_LENGTH: usize = 52;

/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_CronJob`, without the template
/// (whose Job spec is not defaulted: that happens when a Job is made from it).
fn set_defaults(spec: &mut Map<String, Value>) {
    set_default_string(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", 3);
    set_default(spec, "failedJobsHistoryLimit", 1);
}

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateCronJobCreate`: the name's length
fn validate_name(object: &Value, errors: &mut Vec<FieldError>) {
    let name = at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
    if name.len() > MAX_NAME_LENGTH {
        let metadata = Path::Root("metadata");
        errors.push(FieldError::invalid_string(&metadata.child("name"), name, "must be no more than 52 characters"));
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateCronJobSpec`
fn validate_spec(
    spec: &Value,
    old: Option<&Value>,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_schedule(spec, old, &path.child("schedule"), errors);
    validate_nonnegative_field(spec, "startingDeadlineSeconds", path, errors);
    let time_zone = field(spec, "timeZone");
    if let Some(name) = time_zone.and_then(Value::as_str)
        && old.is_none_or(|old| field(old, "timeZone") != time_zone)
    {
        time_zone::validate(name, &path.child("timeZone"), errors);
    }
    validate_enum(spec, "concurrencyPolicy", &["Allow", "Forbid", "Replace"], path, errors);
    let template = path.child("jobTemplate");
    let job = at(spec, &["jobTemplate", "spec"]).unwrap_or(&Value::Null);
    validate_job_template_spec(job, &template.child("spec"), options, errors);
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
    if let Err(error) = go::cron::parse_standard(text) {
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

pub(crate) const SHAPE: Shape = Object(&[
    METADATA,
    (
        "spec",
        Object(&[
            ("schedule", Text),
            ("timeZone", Text),
            ("startingDeadlineSeconds", Int64),
            ("concurrencyPolicy", Text),
            ("suspend", Bool),
            ("jobTemplate", Object(&[METADATA, JOB_SPEC])),
            ("successfulJobsHistoryLimit", Int32),
            ("failedJobsHistoryLimit", Int32),
        ]),
    ),
    STATUS,
]);
