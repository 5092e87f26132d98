//! Defaults and validation of Deployments.

mod rollback;
mod spec;
mod status;
mod validated_fields;

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::apiserver::Reviewed;
use crate::apiserver::decode::fill_nulls;
use crate::apiserver::meta::NameRule;
use crate::apiserver::pod_spec::set_spec_defaults;
use crate::apiserver::pod_spec::warnings::{warn_of_name, warn_of_template};
use crate::apiserver::schema::Shape;
use crate::apiserver::strategy::{StatusWrite, Strategy, Write, differs, generation};
use crate::apiserver::validation::FieldError;
use crate::apiserver::workload::drop_disabled_status_fields;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{at, existing_map, field, map_at, set_default, set_or_remove};
use crate::path::Path;
pub(crate) use spec::POD_REPLACEMENT_POLICIES;
pub(crate) use spec::{set_defaults, validate_rollout};
pub(crate) use validated_fields::SHAPE;

/// Fills in the defaults of a Deployment, as [`default`](crate::apiserver::default) does. The policy asks here: the strategy would bring the
/// validation along.
pub(crate) fn default_deployment(object: &mut Value) {
    fill_nulls(object, &SHAPE);
    if let Some(object) = object.as_object_mut() {
        set_spec_defaults(object, set_defaults);
    }
}

pub(crate) const REVIEWED: Reviewed = Reviewed {
    shape: &SHAPE,
    validate: |spec, errors| {
        let mut rollout = without(spec, &["template", "selector"]);
        set_defaults(&mut rollout);
        validate_rollout(&Value::Object(rollout), &Path::Root("spec"), errors);
    },
};

pub(crate) struct DeploymentStrategy;

impl Strategy for DeploymentStrategy {
    fn kind(&self) -> Kind {
        Kind::Deployment
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn skips_pod_template_without_selector(&self) -> bool {
        true
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, _: FeatureGates) {
        set_spec_defaults(object, set_defaults);
    }

    fn convert(&self, object: &mut Value) {
        // The internal version has these by value.
        if let Some(rolling_update) = existing_map(object, &["spec", "strategy", "rollingUpdate"]) {
            set_default(rolling_update, "maxUnavailable", 0);
            set_default(rolling_update, "maxSurge", 0);
        }
        rollback::convert(object);
    }

    fn convert_back(&self, object: &mut Value) {
        rollback::drop_empty(object);
    }

    fn prepare(&self, object: &mut Value, old: Option<&Value>, gates: FeatureGates) {
        let old = old.and_then(|old| field(old, "spec"));
        if let Some(spec) = existing_map(object, &["spec"]) {
            spec::drop_disabled_fields(spec, old, gates);
        }
    }

    fn prepare_status(&self, object: &mut Value, old: &Value, gates: FeatureGates) {
        if let Some(metadata) = map_at(object, &["metadata"]) {
            set_or_remove(metadata, "labels", at(old, &["metadata", "labels"]));
        }
        drop_disabled_status_fields(object, old, gates);
        rollback::keep(object, old);
    }

    /// Annotations count, since they are copied from Deployments to their ReplicaSets.
    fn next_generation(&self, object: &Value, old: &Value) -> Option<i64> {
        let changed = differs(object, old, &["spec"]) || differs(object, old, &["metadata", "annotations"]);
        changed.then(|| generation(old).saturating_add(1))
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        let path = Path::Root("spec");
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        spec::validate_deployment_spec(write.spec(), &path, write.options, errors);
        rollback::validate(write.object, &path, errors);
        write.validate_immutable_selector(errors);
    }

    fn validate_status(&self, write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
        status::validate(write.status(), write.old_status(), &Path::Root("status"), errors);
        write.validate_metadata(errors);
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_name(object, "Pod names and hostnames", warnings);
        warn_of_template(object, &["spec", "template"], warnings);
    }

    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>) {
        if generation(object) != generation(old) {
            warn_of_template(object, &["spec", "template"], warnings);
        }
    }

    fn unreadable_annotation(&self, object: &Value) -> Option<&'static str> {
        rollback::is_unreadable(object).then_some(rollback::ROLLBACK_TO)
    }
}

/// A copy of a map without its large parts.
fn without(value: &Value, keys: &[&str]) -> Map<String, Value> {
    let mut copy = Map::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        if !keys.contains(&key.as_str()) {
            copy.insert(key.clone(), value.clone());
        }
    }
    copy
}
