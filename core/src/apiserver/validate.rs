//! Validation of whole objects, and of the parts that bear on replacement alone.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::FieldError;
use super::go_print::{EXACT, Printer, SHORT};
use super::kind::Kind;
use super::operation::Operation;
use super::pod_spec::{self, Options};
use super::strategy::{Strategy, Written};
use super::value::{at, field, map};
use super::{convert, daemon_set, deployment, job, job_status, meta, pod, replica_set, schema, stateful_set, status};
use crate::feature_gates::FeatureGates;
use crate::path::Path;

/// The known fields whose JSON type is wrong. What follows takes such fields for absent, so ask this first.
pub fn readable(object: &Value, kind: Kind) -> Vec<FieldError> {
    let mut errors = Vec::new();
    schema::check(object, schema::of(kind), schema::is_time, &mut errors);
    errors
}

/// The same of an object that comes from an API server: its times are times.
pub fn readable_as_sent(object: &Value, kind: Kind) -> Vec<FieldError> {
    let mut errors = Vec::new();
    schema::check(object, schema::of(kind), |_| true, &mut errors);
    errors
}

/// What the API server refuses about an object as it stands (defaulted and prepared), in upstream's words.
/// Upstream: `pkg/registry/apps/deployment/strategy.go Validate` and `ValidateUpdate`, and those of the other kinds
pub fn validate(object: &Value, kind: Kind, operation: Operation<'_>, gates: &FeatureGates) -> Vec<FieldError> {
    let object = &convert::decoded(object, kind);
    match operation {
        Operation::Create => validate_write(object, Strategy::of(kind), None, *gates, EXACT),
        Operation::Update(old) => {
            let old = convert::decoded(old, kind);
            validate_write(object, Strategy::of(kind), Some(&old), *gates, EXACT)
        }
        Operation::UpdateStatus(old) => {
            let mut errors = Vec::new();
            validate_status(object, kind, old, options(old, kind, *gates, SHORT), *gates, &mut errors);
            errors
        }
    }
}

/// The same for what is no update of a status. Whoever never writes one need not carry its rules.
pub(super) fn validate_write(
    object: &Value,
    strategy: &Strategy,
    old: Option<&Value>,
    gates: FeatureGates,
    printer: Printer,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let options = match old {
        None => Options::new(None, gates, printer),
        Some(old) => options(old, strategy.kind, gates, printer),
    };
    (strategy.validate)(&Written { object, old, options, gates }, &mut errors);
    errors
}

fn options(old: &Value, kind: Kind, gates: FeatureGates, printer: Printer) -> Options {
    let old = annotations_holder(old, kind);
    Options::new(old, gates, printer).with_host_network(old)
}

fn validate_status(
    object: &Value,
    kind: Kind,
    old: &Value,
    options: Options,
    gates: FeatureGates,
    errors: &mut Vec<FieldError>,
) {
    let status = field(object, "status").unwrap_or(&Value::Null);
    let old_status = field(old, "status").unwrap_or(&Value::Null);
    let path = Path::Root("status");
    match kind {
        // These two look at metadata in their own ways, and CronJobs not at all.
        Kind::Pod => return pod::validate_status(object, old, options, gates, errors),
        Kind::Job => return job_status::validate(object, old, gates, errors),
        Kind::CronJob | Kind::PodTemplate => return,
        Kind::Deployment => deployment::validate_status(status, old_status, &path, errors),
        Kind::ReplicaSet => replica_set::validate_status(status, &path, errors),
        Kind::ReplicationController => status::validate_replica_counts(status, &path, errors),
        Kind::StatefulSet => stateful_set::validate_status(status, old_status, &path, errors),
        Kind::DaemonSet => daemon_set::validate_status(status, old_status, &path, errors),
    }
    meta::validate_object_meta_update(object, old, errors);
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
    let options = Options::new(old.and_then(|old| annotations_holder(old, kind)), *gates, SHORT);
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
