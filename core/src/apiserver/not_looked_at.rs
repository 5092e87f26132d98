//! Which fields validation does not look at: about these it never says that they are valid.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::Path;
use super::kind::Kind;
use super::value::{at, field, list};

const METADATA: [&str; 13] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid",
];

const POD_SPEC: [&str; 20] = [
    "activeDeadlineSeconds",
    "containers",
    "dnsPolicy",
    "enableServiceLinks",
    "hostNetwork",
    "hostname",
    "initContainers",
    "nodeName",
    "nodeSelector",
    "preemptionPolicy",
    "priorityClassName",
    "readinessGates",
    "restartPolicy",
    "runtimeClassName",
    "schedulerName",
    "schedulingGates",
    "serviceAccount",
    "serviceAccountName",
    "subdomain",
    "terminationGracePeriodSeconds",
];

const CONTAINER: [&str; 10] = [
    "image",
    "imagePullPolicy",
    "livenessProbe",
    "name",
    "ports",
    "readinessProbe",
    "restartPolicy",
    "startupProbe",
    "terminationMessagePath",
    "terminationMessagePolicy",
];

const PROBE: [&str; 6] = [
    "failureThreshold",
    "initialDelaySeconds",
    "periodSeconds",
    "successThreshold",
    "terminationGracePeriodSeconds",
    "timeoutSeconds",
];

const JOB_SPEC: [&str; 16] = [
    "activeDeadlineSeconds",
    "backoffLimit",
    "backoffLimitPerIndex",
    "completionMode",
    "completions",
    "managedBy",
    "manualSelector",
    "maxFailedIndexes",
    "parallelism",
    "podFailurePolicy",
    "podReplacementPolicy",
    "selector",
    "successPolicy",
    "suspend",
    "template",
    "ttlSecondsAfterFinished",
];

/// Annotations of pods which are read as something else: keys, and what keys begin with.
const ANNOTATIONS: [&str; 4] = [
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "scheduler.alpha.kubernetes.io/tolerations",
    "seccomp.security.alpha.kubernetes.io/pod",
];

/// The fields of a kind's spec that are looked at.
const fn spec_fields(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Deployment => &[
            "minReadySeconds",
            "paused",
            "podReplacementPolicy",
            "progressDeadlineSeconds",
            "replicas",
            "revisionHistoryLimit",
            "selector",
            "strategy",
            "template",
        ],
        Kind::ReplicaSet | Kind::ReplicationController => &["minReadySeconds", "replicas", "selector", "template"],
        Kind::StatefulSet => &[
            "minReadySeconds",
            "ordinals",
            "persistentVolumeClaimRetentionPolicy",
            "podManagementPolicy",
            "replicas",
            "revisionHistoryLimit",
            "selector",
            "serviceName",
            "template",
            "updateStrategy",
        ],
        Kind::DaemonSet => &["minReadySeconds", "revisionHistoryLimit", "selector", "template", "updateStrategy"],
        Kind::Job => &JOB_SPEC,
        Kind::CronJob => &[
            "concurrencyPolicy",
            "failedJobsHistoryLimit",
            "jobTemplate",
            "schedule",
            "startingDeadlineSeconds",
            "successfulJobsHistoryLimit",
            "suspend",
            "timeZone",
        ],
        Kind::Pod => &POD_SPEC,
        Kind::PodTemplate => &[],
    }
}

/// The paths of what is there but was not looked at, in the order of the object's parts. Fields that nobody knows are
/// among them. Empty maps and lists say nothing, so there is nothing to look at.
pub fn not_looked_at(object: &Value, kind: Kind) -> Vec<String> {
    let mut paths = Vec::new();
    let root = Path::Root("");
    let top: &[&str] = if kind == Kind::PodTemplate {
        &["apiVersion", "kind", "metadata", "template"]
    } else {
        &["apiVersion", "kind", "metadata", "spec", "status"]
    };
    others(Some(object), top, &root, &mut paths);
    others(field(object, "metadata"), &METADATA, &root.child("metadata"), &mut paths);
    let spec_path = root.child("spec");
    if kind != Kind::PodTemplate {
        others(field(object, "spec"), spec_fields(kind), &spec_path, &mut paths);
    }
    let job_template = spec_path.child("jobTemplate");
    let job_spec = job_template.child("spec");
    let (template, cron_template, own) =
        (spec_path.child("template"), job_spec.child("template"), root.child("template"));
    match kind {
        Kind::Pod => {
            annotations(object, &root, &mut paths);
            pod_spec_parts(at(object, &["spec"]), &spec_path, &mut paths);
        }
        Kind::CronJob => {
            others(at(object, &["spec", "jobTemplate"]), &["metadata", "spec"], &job_template, &mut paths);
            others(at(object, &["spec", "jobTemplate", "spec"]), &JOB_SPEC, &job_spec, &mut paths);
            pod_template(object, kind, &cron_template, &mut paths);
        }
        Kind::PodTemplate => pod_template(object, kind, &own, &mut paths),
        _ => pod_template(object, kind, &template, &mut paths),
    }
    paths
}

fn pod_template(object: &Value, kind: Kind, path: &Path<'_>, paths: &mut Vec<String>) {
    let template = at(object, kind.template().unwrap_or_default());
    others(template, &["metadata", "spec"], path, paths);
    if let Some(template) = template {
        annotations(template, path, paths);
    }
    let spec = template.and_then(|template| field(template, "spec"));
    let path = path.child("spec");
    others(spec, &POD_SPEC, &path, paths);
    pod_spec_parts(spec, &path, paths);
}

fn annotations(holder: &Value, path: &Path<'_>, paths: &mut Vec<String>) {
    let path = path.child("metadata");
    let path = path.child("annotations");
    let keys = at(holder, &["metadata", "annotations"]).and_then(Value::as_object).into_iter().flat_map(Map::keys);
    for key in keys.filter(|key| ANNOTATIONS.iter().any(|start| key.starts_with(start))) {
        paths.push(path.key(key).to_string());
    }
}

fn pod_spec_parts(spec: Option<&Value>, path: &Path<'_>, paths: &mut Vec<String>) {
    let Some(spec) = spec else { return };
    for key in ["initContainers", "containers"] {
        let path = path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            let path = path.index(index);
            others(Some(container), &CONTAINER, &path, paths);
            for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
                others(field(container, probe), &PROBE, &path.child(probe), paths);
            }
        }
    }
}

/// The fields that are not among these.
fn others(value: Option<&Value>, looked_at: &[&str], path: &Path<'_>, paths: &mut Vec<String>) {
    for (key, value) in value.and_then(Value::as_object).into_iter().flatten() {
        let nothing = match value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        if !nothing && !looked_at.contains(&key.as_str()) {
            paths.push(path.child(key).to_string());
        }
    }
}
