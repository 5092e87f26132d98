//! Pod.

mod defaults;
mod qos;
mod restart;
mod status;
mod update;
mod validated_fields;
mod validation;

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::pod_spec::drop_init_container_annotations;
use super::pod_spec::warnings::{warn_of_name, warn_of_pod};
use super::reviewed::Reviewed;
use super::schema::Shape;
use super::strategy::{StatusWrite, Strategy, Write, differs, generation};
use super::validation::FieldError;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{existing_map, map_in};
use crate::path::Path;
pub(crate) use qos::{is_pod_level_resources_set, is_supported_pod_level_resource};
pub(crate) use validated_fields::SHAPE;

pub(crate) const REVIEWED: Reviewed = Reviewed::shape_of(&SHAPE);

pub(super) struct PodStrategy;

impl Strategy for PodStrategy {
    fn kind(&self) -> Kind {
        Kind::Pod
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, _: FeatureGates) {
        if let Some(spec) = map_in(object, "spec") {
            defaults::set_defaults(spec);
        }
        if let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) {
            defaults::set_status_defaults(status);
        }
    }

    /// A Pod that was defaulted has no negative grace period.
    fn prepare(&self, object: &mut Value, _: Option<&Value>, _: FeatureGates) {
        if let Some(spec) = existing_map(object, &["spec"]) {
            defaults::replace_negative_grace_period(spec);
        }
    }

    fn prepare_status(&self, object: &mut Value, old: &Value, _: FeatureGates) {
        status::prepare(object, old);
        drop_init_container_annotations(object);
    }

    fn initial_status(&self, object: &Value) -> Value {
        status::initial(object)
    }

    /// It counts on from what the client sent.
    ///
    /// Upstream: `pkg/registry/core/pod/strategy.go updatePodGeneration`
    fn next_generation(&self, object: &Value, old: &Value) -> Option<i64> {
        differs(object, old, &["spec"]).then(|| generation(object).saturating_add(1))
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        match write.old {
            None => validation::validate_pod_create(write.object, write.options, errors),
            Some(old) => update::validate_pod_update(write.object, old, write.options, errors),
        }
    }

    fn validate_status(&self, write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
        status::validate(write, errors);
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_name(object, "the Pod's hostname", warnings);
        warn_of_pod(object, &Path::Root(""), warnings);
    }

    /// Pods are not changed by hand.
    fn warnings_on_update(&self, _: &Value, _: &Value, _: &mut Vec<String>) {}
}
