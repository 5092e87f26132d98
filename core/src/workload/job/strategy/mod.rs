//! Defaults and validation of Jobs, and of the spec in a template of Jobs.

mod completions;
mod defaults;
mod indexes;
mod pod_failure_policy;
mod pod_replacement_policy;
mod prepare;
mod spec;
mod status;
mod success_policy;
mod update;
mod validated_fields;
mod warnings;

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::apiserver::Reviewed;
use crate::apiserver::pod_spec::set_spec_defaults;
use crate::apiserver::pod_spec::warnings::{warn_of_name, warn_of_template};
use crate::apiserver::schema::Shape;
use crate::apiserver::strategy::{StatusWrite, Strategy, Write, generation};
use crate::apiserver::validation::FieldError;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{existing_map, field};
use crate::path::Path;
pub(crate) use defaults::set_defaults_pod_failure_policy;
pub(crate) use pod_replacement_policy::POD_REPLACEMENT_POLICIES;
pub(crate) use pod_replacement_policy::{default_pod_replacement_policy, validate_pod_replacement_policy};
pub(crate) use prepare::generate_selector_if_needed;
pub(crate) use spec::validate_job_template_spec;
pub(crate) use validated_fields::{JOB_SPEC, SHAPE};
pub(crate) use warnings::warn_of_job_spec;

pub(crate) const REVIEWED: Reviewed = Reviewed {
    shape: &SHAPE,
    validate: |spec, errors| {
        validate_pod_replacement_policy(spec, &Path::Root("spec.podReplacementPolicy"), errors);
    },
};

pub(crate) struct JobStrategy;

impl Strategy for JobStrategy {
    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, gates: FeatureGates) {
        defaults::set_defaults(object, gates);
        set_spec_defaults(object, |_| {});
    }

    fn prepare(&self, object: &mut Value, old: Option<&Value>, gates: FeatureGates) {
        let old_spec = old.and_then(|old| field(old, "spec"));
        if let Some(spec) = existing_map(object, &["spec"]) {
            prepare::drop_disabled_fields(spec, old_spec, gates);
        }
        if old.is_none() {
            generate_selector_if_needed(object);
        }
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        let options = write.options.with_selector(write.old);
        match write.old {
            None => update::validate_job_create(write.object, options, errors),
            Some(old) => update::validate_job_update(write.object, old, options, write.gates, errors),
        }
    }

    fn validate_status(&self, write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
        status::validate_job_update_status(write.object, write.old, write.gates, errors);
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_name(object, "Pod names and hostnames", warnings);
        warn_of_spec(object, warnings);
    }

    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>) {
        if generation(object) != generation(old) {
            warn_of_spec(object, warnings);
        }
    }
}

fn warn_of_spec(object: &Value, warnings: &mut Vec<String>) {
    warn_of_job_spec(field(object, "spec"), &Path::Root("spec"), warnings);
    warn_of_template(object, &["spec", "template"], warnings);
}
