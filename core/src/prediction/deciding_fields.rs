//! Fields that decide which node a pod may run on, or whether it is ever ready, and that are not modeled.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::NotModeled;
use super::given_objects::GivenObject;
use super::options::Assumptions;
use super::pod_templates::{PodTemplate, pod_template};
use super::probe_budget::hopeless_probe;
use crate::json::decode;
use crate::object::unstructured::{at, field, list, remove_nulls, string};
use crate::object::{Kind, PodSpecFields};

/// The scheduler that is simulated.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The sources of volumes that may tie a pod to a node or a zone.
const TYING_VOLUMES: [&str; 7] =
    ["persistentVolumeClaim", "ephemeral", "gcePersistentDisk", "awsElasticBlockStore", "azureDisk", "iscsi", "rbd"];

/// The fields of a pod's spec that decide about nodes wherever they are not empty.
const FIELDS: [(&[&str], &str); 8] = [
    (&["nodeSelector"], "which nodes have these labels is not simulated"),
    (&["nodeName"], "the pods bypass the scheduler, which is not simulated"),
    (&["affinity", "nodeAffinity", REQUIRED], "node affinity is not simulated"),
    (&["affinity", "podAffinity", REQUIRED], "pod affinity is not simulated"),
    (&["affinity", "podAntiAffinity", REQUIRED], "pod anti-affinity is not simulated"),
    (&["runtimeClassName"], "what the RuntimeClass adds to the pods is not simulated"),
    (&["resourceClaims"], "resource claims are not simulated"),
    (&["resources", "claims"], "resource claims are not simulated"),
];

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// The readiness gates of the pods of these Deployments: they decide whether a rollout completes.
pub(super) fn readiness_gates<'a>(given: impl Iterator<Item = &'a GivenObject>) -> Vec<NotModeled> {
    let mut fields: Vec<NotModeled> = Vec::new();
    for source in given.filter(|source| string(&source.object, "kind") == Kind::Deployment.name()) {
        let Some(template) = pod_template(&source.object) else { continue };
        if !list(template.spec(), "readinessGates").is_empty() {
            let why = "the pods are ready once something in the cluster sets these conditions, which is not simulated";
            put_newest(
                &mut fields,
                NotModeled::field_of(source, &format!("{}spec.readinessGates", template.path), why),
            );
        }
    }
    fields
}

/// The probes of these Jobs' pods that kill containers, or keep them from starting, as it is assumed: Jobs are simulated without them.
pub(super) fn probes_of_jobs<'a>(
    given: impl Iterator<Item = &'a GivenObject>,
    assumptions: &Assumptions,
) -> Vec<NotModeled> {
    let mut fields: Vec<NotModeled> = Vec::new();
    for source in given.filter(|source| string(&source.object, "kind") == Kind::Job.name()) {
        let Some(template) = pod_template(&source.object) else { continue };
        let mut spec = template.spec().clone();
        remove_nulls(&mut spec);
        // What has a wrong type is refused.
        let Ok(spec) = decode::<PodSpecFields>(&spec, "") else { continue };
        if let Some(why) = hopeless_probe(&spec, assumptions, true) {
            let field = format!("{}spec.containers", template.path);
            put_newest(&mut fields, NotModeled::field_of(source, &field, why.trim_end_matches('.')));
        }
    }
    fields
}

/// Lists a field that is there before and after the change once, as it is after it.
fn put_newest(fields: &mut Vec<NotModeled>, field: NotModeled) {
    fields.retain(|other| (other.object(), other.field()) != (field.object(), field.field()));
    fields.push(field);
}

/// The fields of these objects' pods that decide about nodes. A field that is there before and after the change is listed once.
pub(super) fn deciding_fields<'a>(given: impl Iterator<Item = &'a GivenObject> + Clone) -> Vec<NotModeled> {
    let templates = || given.clone().filter_map(|source| Some((source, pod_template(&source.object)?)));
    let priorities: BTreeSet<String> = templates().map(|(_, template)| priority(template.spec())).collect();
    let mut fields: Vec<NotModeled> = Vec::new();
    for (source, template) in templates() {
        let mut found = fields_of_spec(template.spec());
        if priorities.len() > 1 && !priority(template.spec()).is_empty() {
            found.push((String::from("priorityClassName"), "preemption is not simulated"));
        }
        for (path, reason) in found {
            let PodTemplate { path: at_template, .. } = &template;
            put_newest(&mut fields, NotModeled::field_of(source, &format!("{at_template}spec.{path}"), reason));
        }
    }
    fields
}

/// The priority that a template names; empty without one.
fn priority(spec: &Value) -> String {
    match string(spec, "priorityClassName") {
        "" => field(spec, "priority").map_or_else(String::new, |priority| format!("{priority}")),
        class => String::from(class),
    }
}

fn fields_of_spec(spec: &Value) -> Vec<(String, &'static str)> {
    let is_empty = |value: &Value| match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let given = FIELDS.into_iter().filter(|(path, _)| at(spec, path).is_some_and(|value| !is_empty(value)));
    let mut found: Vec<(String, &'static str)> = given.map(|(path, reason)| (path.join("."), reason)).collect();
    let strict = |constraint: &Value| string(constraint, "whenUnsatisfiable") != "ScheduleAnyway";
    if list(spec, "topologySpreadConstraints").iter().any(strict) {
        found.push((String::from("topologySpreadConstraints"), "topology spread is not simulated"));
    }
    if !["", DEFAULT_SCHEDULER].contains(&string(spec, "schedulerName")) {
        found.push((String::from("schedulerName"), "only the default scheduler is simulated"));
    }
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        if let Some(source) = TYING_VOLUMES.into_iter().find(|source| field(volume, source).is_some()) {
            let reason = "whether the volume ties the pods to a node or a zone is not simulated";
            found.push((format!("volumes[{index}].{source}"), reason));
        }
    }
    found
}
