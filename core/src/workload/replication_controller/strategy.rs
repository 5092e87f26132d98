//! Defaults and validation of ReplicationControllers.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::apiserver::Reviewed;
use crate::apiserver::meta::{METADATA, NameRule};
use crate::apiserver::pod_spec::warnings::{warn_of_name, warn_of_template};
use crate::apiserver::pod_spec::{
    POD_TEMPLATE, PodValidationOptions, set_template_defaults, template_labels, validate_pod_template_spec,
};
use crate::apiserver::schema::Shape::{Int32, Object, StringMap};
use crate::apiserver::schema::{STATUS, Shape};
use crate::apiserver::strategy::{StatusWrite, Strategy, Write, differs, generation};
use crate::apiserver::validation::{FieldError, names, validate_nonnegative_field};
use crate::apiserver::workload::{
    push_mismatch, validate_always_restarted, validate_replica_counts, validate_replicas,
};
use crate::feature_gates::FeatureGates;
use crate::go;
use crate::object::Kind;
use crate::object::unstructured::{at, field, map, map_in, set_default, set_default_map};
use crate::path::Path;

pub(crate) const REVIEWED: Reviewed =
    Reviewed { shape: &SHAPE, validate: |spec, errors| validate_replicas(spec, &Path::Root("spec"), errors) };

pub(crate) struct ReplicationControllerStrategy;

impl Strategy for ReplicationControllerStrategy {
    fn kind(&self) -> Kind {
        Kind::ReplicationController
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, _: FeatureGates) {
        set_defaults(object);
        // It need not have a template.
        let has_template = |spec: &&mut Map<String, Value>| spec.get("template").is_some_and(|it| !it.is_null());
        if let Some(spec) = map_in(object, "spec").filter(has_template) {
            set_template_defaults(spec);
        }
    }

    fn initial_status(&self, _: &Value) -> Value {
        json!({ "replicas": 0 })
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        write.validate_metadata(NameRule::LongName, errors);
        validate_spec(write.spec(), &Path::Root("spec"), write.options, errors);
        if let Some(old) = write.old {
            validate_non_convertible(write.object, old, errors);
            validate_changed_name(write.object, old, errors);
        }
    }

    fn validate_status(&self, write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
        validate_replica_counts(write.status(), &Path::Root("status"), errors);
        write.validate_metadata(errors);
        validate_changed_name(write.object, write.old, errors);
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_name(object, "Pod names and hostnames", warnings);
        warn_of_template(object, &["spec", "template"], warnings);
    }

    /// Upstream has the two the wrong way round here, and looks at the old one.
    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>) {
        if generation(object) != generation(old) {
            warn_of_template(old, &["spec", "template"], warnings);
        }
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_ReplicationController`, without the template's spec
fn set_defaults(object: &mut Map<String, Value>) {
    let Some(spec) = map_in(object, "spec") else { return };
    set_default(spec, "replicas", 1);
    let Some(labels) = spec.get("template").and_then(template_labels).cloned() else { return };
    set_default_map(spec, "selector", &labels);
    if let Some(metadata) = map_in(object, "metadata") {
        set_default_map(metadata, "labels", &labels);
    }
}

/// A name that an update changes must be one, besides that no update may change it.
/// Upstream: `pkg/apis/core/v1/zz_generated.validations.go Validate_ReplicationController`
fn validate_changed_name(object: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let name = |object| at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
    let (new, old) = (name(object), name(old));
    if new != old && !new.is_empty() {
        let metadata = Path::Root("metadata");
        for text in names::is_long_name(new) {
            errors.push(FieldError::invalid_string(&metadata.child("name"), new, text));
        }
    }
}

/// Fields that an older API version can't express must not change.
///
/// Upstream: `pkg/registry/core/replicationcontroller/strategy.go ValidateUpdate`
fn validate_non_convertible(object: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    const PREFIX: &str = "non-convertible.kubernetes.io";
    let annotations = at(old, &["metadata", "annotations"]).and_then(Value::as_object);
    for (key, value) in annotations.into_iter().flatten().filter(|(key, _)| key.starts_with(PREFIX)) {
        let Some((_, broken)) = key.split_once('/').filter(|(_, broken)| !broken.contains('/')) else { continue };
        if !broken.contains("selector") {
            let value = go::quoted(value.as_str().unwrap_or_default());
            errors.push(FieldError::not_found(&Path::Root(broken), value, "unknown non-convertible field"));
            continue;
        }
        let field_path = ["spec", "selector"];
        if differs(object, old, &field_path) {
            let spec = Path::Root("spec");
            let value = go::json(at(object, &field_path).unwrap_or(&Value::Null));
            let detail = "cannot update non-convertible selector";
            errors.push(FieldError::invalid(&spec.child("selector"), value, detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateReplicationControllerSpec`
fn validate_spec(spec: &Value, path: &Path<'_>, options: PodValidationOptions, errors: &mut Vec<FieldError>) {
    validate_nonnegative_field(spec, "minReadySeconds", path, errors);
    let selector = map(spec, "selector").filter(|selector| !selector.is_empty());
    if selector.is_none() {
        errors.push(FieldError::required(&path.child("selector"), ""));
    }
    if field(spec, "replicas").is_none() {
        errors.push(FieldError::required(&path.child("replicas"), ""));
    }
    validate_nonnegative_field(spec, "replicas", path, errors);
    // Upstream: `pkg/apis/core/validation/validation.go ValidatePodTemplateSpecForRC`
    let path = path.child("template");
    let Some(template) = field(spec, "template") else {
        errors.push(FieldError::required(&path, ""));
        return;
    };
    let labels = template_labels(template);
    let matches = |(key, value): (&String, &Value)| labels.and_then(|labels| labels.get(key)) == Some(value);
    if !selector.into_iter().flatten().all(matches) {
        push_mismatch(template, &path, errors);
    }
    validate_pod_template_spec(template, &path, options, errors);
    validate_always_restarted(template, &path, "ReplicationController", errors);
}

pub(crate) const SHAPE: Shape = Object(&[
    METADATA,
    ("spec", Object(&[("replicas", Int32), ("minReadySeconds", Int32), ("selector", StringMap), POD_TEMPLATE])),
    STATUS,
]);
