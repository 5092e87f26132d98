//! What the settings write into an object.

use alloc::vec::Vec;

use serde_json::Value;

use super::managed_fields;
use super::patch::FieldChange;
use super::request::{Part, Request};
use super::settings::{Explicit, Settings, StaleAction};
use super::stale_scale_annotations::REPLICAS_BEFORE_SCALE;
use crate::apiserver::POD_DELETION_COST;
use crate::object::unstructured::{at, field, map, string};
use crate::object::{Kind, PodReplacementPolicyField};
use crate::workload::job::strategy::default_pod_replacement_policy;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

const DELETION_COST: [&str; 3] = ["metadata", "annotations", POD_DELETION_COST];

/// The changes which the settings ask for; an object that has them needs none.
pub(super) fn patch(request: &Request<'_>, settings: &Settings) -> Vec<FieldChange> {
    let mut patch = Vec::new();
    if request.is_audit() || request.part != Part::Whole {
        return patch;
    }
    let default = request.kind.pod_replacement_policy().and_then(|field| match field {
        PodReplacementPolicyField::OfRollout(path) => Some((path, deployment_policy(request, settings)?)),
        PodReplacementPolicyField::OfJob(path) => Some((path, job_policy(request, path, settings)?)),
    });
    if let Some((path, policy)) = default {
        patch.push(FieldChange { path, text: Some(policy.into()) });
    }
    if let Some(cost) = pod_deletion_cost(request, settings) {
        patch.push(FieldChange { path: &DELETION_COST, text: Some(alloc::format!("{cost}")) });
    }
    let strips = request.kind == Kind::Deployment && settings.stale_scale_annotations == StaleAction::Strip;
    if strips && at(request.object, &REPLICAS_BEFORE_SCALE).is_some() {
        patch.push(FieldChange { path: &REPLICAS_BEFORE_SCALE, text: None });
    }
    patch
}

/// Whether the field is in neither the object nor the old one.
fn absent(request: &Request<'_>, field_path: &[&str]) -> bool {
    at(request.object, field_path).is_none() && request.old.is_none_or(|old| at(old, field_path).is_none())
}

fn deployment_policy(request: &Request<'_>, settings: &Settings) -> Option<&'static str> {
    let strategy = at(request.object, &["spec", "strategy"]).map_or("", |strategy| string(strategy, "type"));
    let default = match strategy {
        // The API server's own default.
        "" | "RollingUpdate" => settings.deployments.rolling_update,
        "Recreate" => settings.deployments.recreate,
        _ => None,
    };
    default.filter(|_| absent(request, &["spec", "podReplacementPolicy"]))
}

/// For Jobs and CronJobs.
fn job_policy(request: &Request<'_>, field_path: &[&str], settings: &Settings) -> Option<&'static str> {
    let default = settings.jobs.default?;
    let (_, spec_path) = field_path.split_last()?;
    let spec = at(request.object, spec_path).unwrap_or(&Value::Null);
    let has_pod_failure_policy = field(spec, "podFailurePolicy").is_some();
    if has_pod_failure_policy && default != "Failed" {
        return None;
    }
    if absent(request, field_path) {
        return Some(default);
    }
    // A Job comes with the API server's own default; all other values are the user's.
    let written = at(request.object, field_path).and_then(Value::as_str)?;
    let replaces = settings.jobs.explicit == Explicit::Replace;
    // The same value gets the same answer from every user and in every request.
    if replaces && request.changed(field_path) && !request.is_by_controller() && settings.jobs.forbids(written) {
        return Some(default);
    }
    let own = default_pod_replacement_policy(has_pod_failure_policy);
    // A Job that a controller makes has what stands in the CronJob, whether the user wrote it or not.
    let replaceable = request.kind == Kind::Job && request.create && !request.is_by_controller();
    let replaceable = replaceable && written == own && written != default;
    let user_wrote = user_wrote(request.object, field_path).unwrap_or(!replaces);
    (replaceable && !user_wrote).then_some(default)
}

/// Whether a change replaces a value that may be the user's.
pub(super) fn may_replace_users_value(request: &Request<'_>, change: &FieldChange) -> bool {
    change.text.is_some()
        && at(request.object, change.path).is_some()
        && user_wrote(request.object, change.path) != Some(false)
}

/// Whether the user wrote a field which the API server defaults; none if that is unknown.
pub(super) fn user_wrote(object: &Value, field_path: &[&str]) -> Option<bool> {
    let mut proof = None;
    for entry in managed_fields::entries(object).filter(|entry| entry.is_apply()) {
        proof = Some(proof.unwrap_or_default() || entry.owns(field_path));
    }
    let annotations = field(object, "metadata").and_then(|metadata| map(metadata, "annotations"));
    let applied = annotations.and_then(|annotations| annotations.get(LAST_APPLIED)).and_then(Value::as_str);
    // From bytes, as the guest reads its requests: one JSON reader is enough for a module with a budget.
    let applied = applied.and_then(|text| serde_json::from_slice::<Value>(text.as_bytes()).ok());
    if let Some(applied) = applied.filter(Value::is_object) {
        proof = Some(proof.unwrap_or_default() || at(&applied, field_path).is_some());
    }
    proof
}

/// For a new Pod that carries none and whose controller ranks its pods.
fn pod_deletion_cost(request: &Request<'_>, settings: &Settings) -> Option<i32> {
    let cost = settings.cost.default?;
    let ranked = request.controller.ranks_pods();
    let annotations = field(request.object, "metadata").and_then(|metadata| map(metadata, "annotations"));
    let carries = annotations.is_some_and(|annotations| annotations.contains_key(POD_DELETION_COST));
    (request.kind == Kind::Pod && request.create && ranked && !carries).then_some(cost)
}
