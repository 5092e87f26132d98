//! The part of validation that the admission policy repeats: what bears on the replacement of pods.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::internal_version::Printer;
use super::pod_spec::{PodValidationOptions, pod_holder, validate_pod_specific_annotations};
use super::validation::FieldError;
use super::workload::validate_replicas;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{at, field, map};
use crate::path::Path;
use crate::workload::deployment::strategy as deployment;
use crate::workload::job::strategy as job;

/// What the API server refuses about replacement, deletion cost and the numbers of a rollout, whether the object was
/// defaulted or not. Everything else the policy leaves to the API server.
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
            validate_replicas(spec, &path, &mut errors);
        }
        Kind::Job => job::validate_pod_replacement_policy(spec, &path.child("podReplacementPolicy"), &mut errors),
        Kind::CronJob => {
            let spec = at(spec, &["jobTemplate", "spec"]).unwrap_or(&Value::Null);
            let path = Path::Root("spec.jobTemplate.spec.podReplacementPolicy");
            job::validate_pod_replacement_policy(spec, &path, &mut errors);
        }
        _ => {}
    }
    let annotations = pod_holder(object, kind).and_then(|holder| map(field(holder, "metadata")?, "annotations"));
    let options = PodValidationOptions::new(old.and_then(|old| pod_holder(old, kind)), *gates, Printer::Short);
    // Upstream leaves `metadata` out of a template's path.
    let parent = kind.pod_template().map(|field_path| field_path.join("."));
    let path = Path::Root(parent.as_deref().unwrap_or("metadata"));
    validate_pod_specific_annotations(annotations, &path.child("annotations"), options, &mut errors);
    errors
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
