//! Defaults and validation of ReplicaSets.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::apiserver::Reviewed;
use crate::apiserver::meta::selector::SELECTOR;
use crate::apiserver::meta::{METADATA, NameRule};
use crate::apiserver::pod_spec::warnings::{warn_of_name, warn_of_template};
use crate::apiserver::pod_spec::{POD_TEMPLATE, PodValidationOptions, set_spec_defaults};
use crate::apiserver::schema::Shape::{Int32, Object};
use crate::apiserver::schema::{STATUS, Shape};
use crate::apiserver::strategy::{StatusWrite, Strategy, Write, generation};
use crate::apiserver::validation::{FieldError, validate_nonnegative_field};
use crate::apiserver::workload::{
    drop_disabled_status_fields, validate_replica_counts, validate_replicas, validate_selector_and_template,
};
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::set_default;
use crate::path::Path;

pub(crate) const REVIEWED: Reviewed =
    Reviewed { shape: &SHAPE, validate: |spec, errors| validate_replicas(spec, &Path::Root("spec"), errors) };

pub(crate) struct ReplicaSetStrategy;

impl Strategy for ReplicaSetStrategy {
    fn kind(&self) -> Kind {
        Kind::ReplicaSet
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn skips_pod_template_without_selector(&self) -> bool {
        true
    }

    /// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_ReplicaSet`
    fn set_defaults(&self, object: &mut Map<String, Value>, _: FeatureGates) {
        set_spec_defaults(object, |spec| set_default(spec, "replicas", 1));
    }

    fn prepare_status(&self, object: &mut Value, old: &Value, gates: FeatureGates) {
        drop_disabled_status_fields(object, old, gates);
    }

    fn initial_status(&self, _: &Value) -> Value {
        json!({ "replicas": 0 })
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        validate_spec(write.spec(), &Path::Root("spec"), write.options, errors);
        write.validate_immutable_selector(errors);
    }

    /// Upstream: `pkg/apis/apps/validation/validation.go ValidateReplicaSetStatus`
    fn validate_status(&self, write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
        let path = Path::Root("status");
        validate_replica_counts(write.status(), &path, errors);
        validate_nonnegative_field(write.status(), "terminatingReplicas", &path, errors);
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
}

/// Upstream: `pkg/apis/apps/validation/validation.go ValidateReplicaSetSpec`
fn validate_spec(spec: &Value, path: &Path<'_>, options: PodValidationOptions, errors: &mut Vec<FieldError>) {
    validate_replicas(spec, path, errors);
    validate_selector_and_template(spec, path, options, errors);
}

pub(crate) const SHAPE: Shape = Object(&[
    METADATA,
    ("spec", Object(&[("replicas", Int32), ("minReadySeconds", Int32), SELECTOR, POD_TEMPLATE])),
    STATUS,
]);
