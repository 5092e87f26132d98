//! Validation of whole objects, and of the parts that bear on replacement alone.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::{FieldError, Path};
use super::kind::Kind;
use super::pod_spec::{self, Options};
use super::value::{at, field, map};
use super::{deployment, job, meta, replica_set, schema, selector};
use crate::feature_gates::FeatureGates;

/// The known fields whose JSON type is wrong. What follows takes such fields for absent, so ask this first.
pub fn readable(object: &Value, kind: Kind) -> Vec<FieldError> {
    let mut errors = Vec::new();
    schema::check(object, kind, &mut errors);
    errors
}

/// What the API server refuses about an object as it stands (defaulted and prepared), in upstream's words.
/// `old` is what an update replaces. StatefulSets, DaemonSets, ReplicationControllers, Jobs and CronJobs are looked at
/// only where the policy and the deletion cost are concerned.
pub fn validate(object: &Value, kind: Kind, old: Option<&Value>, gates: &FeatureGates) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let options = Options::new(old.and_then(|old| annotations_holder(old, kind)), *gates);
    match old {
        Some(old) => meta::validate_object_meta_update(object, old, &mut errors),
        None => meta::validate_object_meta(object, &mut errors),
    }
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let path = Path::Root("spec");
    match kind {
        Kind::Deployment => deployment::validate_spec(spec, &path, options, &mut errors),
        Kind::ReplicaSet => replica_set::validate_spec(spec, &path, options, &mut errors),
        Kind::Job => job::validate_spec(spec, &path, options, &mut errors),
        Kind::CronJob => {
            let template = path.child("jobTemplate");
            let spec = at(spec, &["jobTemplate", "spec"]).unwrap_or(&Value::Null);
            job::validate_spec(spec, &template.child("spec"), options, &mut errors);
        }
        Kind::Pod => {
            let metadata = Path::Root("metadata");
            validate_holder_annotations(object, &metadata.child("annotations"), options, &mut errors);
            pod_spec::validate(spec, &path, &mut errors);
        }
        Kind::PodTemplate => {
            let template = field(object, "template").unwrap_or(&Value::Null);
            pod_spec::validate_pod_template_spec(template, &Path::Root("template"), options, &mut errors);
        }
        Kind::StatefulSet | Kind::DaemonSet | Kind::ReplicationController => {
            meta::validate_nonnegative_field(spec, "replicas", &path, &mut errors);
            meta::validate_nonnegative_field(spec, "minReadySeconds", &path, &mut errors);
            let template = field(spec, "template").unwrap_or(&Value::Null);
            pod_spec::validate_pod_template_spec(template, &path.child("template"), options, &mut errors);
        }
    }
    if let Some(old) = old
        && matches!(kind, Kind::Deployment | Kind::ReplicaSet)
    {
        let (new, old) = (field(spec, "selector"), at(old, &["spec", "selector"]));
        if !super::value::semantic_equal(new, old) {
            errors.push(FieldError::invalid(&path.child("selector"), selector::rendered(new), "field is immutable"));
        }
    }
    errors
}

/// What the API server refuses about replacement, deletion cost and the numbers of a rollout, whether the object was
/// defaulted or not: this is what the admission policy judges. All else it leaves to the API server.
pub fn validate_replacement(object: &Value, kind: Kind, old: Option<&Value>, gates: &FeatureGates) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let path = Path::Root("spec");
    match kind {
        Kind::Deployment => {
            let mut rollout = without(spec, &["template", "selector"]);
            deployment::set_defaults(&mut rollout);
            deployment::validate_rollout(&Value::Object(rollout), &path, &mut errors);
        }
        Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet => {
            replica_set::validate_rollout(spec, &path, &mut errors);
        }
        Kind::Job => job::validate_pod_replacement_policy(spec, &path.child("podReplacementPolicy"), &mut errors),
        Kind::CronJob => {
            let template = path.child("jobTemplate");
            let spec = at(spec, &["jobTemplate", "spec"]).unwrap_or(&Value::Null);
            let path = template.child("spec");
            job::validate_pod_replacement_policy(spec, &path.child("podReplacementPolicy"), &mut errors);
        }
        Kind::DaemonSet | Kind::Pod | Kind::PodTemplate => {}
    }
    let options = Options::new(old.and_then(|old| annotations_holder(old, kind)), *gates);
    if let Some(holder) = annotations_holder(object, kind) {
        let (metadata, template, job_template) =
            (Path::Root("metadata"), path.child("template"), path.child("jobTemplate"));
        let job_spec = job_template.child("spec");
        let cron_template = job_spec.child("template");
        let parent = match kind {
            Kind::Pod => metadata,
            Kind::PodTemplate => Path::Root("template"),
            Kind::CronJob => cron_template,
            _ => template,
        };
        validate_holder_annotations(holder, &parent.child("annotations"), options, &mut errors);
    }
    errors
}

/// What carries the annotations of the pods: the Pod itself, or the workload's template.
fn annotations_holder(object: &Value, kind: Kind) -> Option<&Value> {
    kind.template().map_or(Some(object), |way| at(object, way))
}

fn validate_holder_annotations(holder: &Value, path: &Path<'_>, options: Options, errors: &mut Vec<FieldError>) {
    let annotations = field(holder, "metadata").and_then(|metadata| map(metadata, "annotations"));
    pod_spec::validate_pod_specific_annotations(annotations, path, options, errors);
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
