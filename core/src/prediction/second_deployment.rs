//! A new Deployment that is an older one with another name: to Kubernetes, it is a second one.

use alloc::format;
use alloc::string::{String, ToString};

use super::answer::WarningKind;
use super::pod_templates::repository;
use super::requests::Requests;
use super::rollout_plan::RolloutPlan;
use super::verdict::ReasonKind;
use crate::object::{ObjectKey, Time};
use crate::scenario::Duration;
use crate::timeline::Series;
use crate::workload::deployment::Deployment;

/// That a new Deployment runs beside an older one with its selector, or beside one with its images that the new manifests leave out.
pub(super) fn second_deployment(
    plan: &RolloutPlan,
    requests: &Requests,
    key: &ObjectKey,
    new: &Deployment,
    series: &Series,
    start: Time,
) -> Option<(WarningKind, String)> {
    let is_left_out = |object: &str| {
        let mut reasons = plan.not_judged.iter();
        reasons.any(|reason| reason.kind == ReasonKind::RemovedWorkload && reason.object.as_deref() == Some(object))
    };
    let older = requests.deployments_before().find(|older| {
        let is_other = older.metadata.namespace == key.namespace && older.metadata.name != key.name;
        let has_same_selector = older.spec.selector.is_some() && older.spec.selector == new.spec.selector;
        let is_gone = || is_left_out(&older.key().to_string()) || plan.prunes(&older.key());
        is_other && (has_same_selector || (repositories(older).eq(repositories(new)) && is_gone()))
    })?;
    let (name, pods, own) = (&older.metadata.name, older.spec.replicas, new.spec.replicas);
    if plan.prunes(&older.key()) {
        let first = series.points.iter().find(|point| point.counts.available > 0);
        let available = first.map_or_else(
            || String::from("none of these is ever available"),
            |point| format!("the first of these is available after {}", Duration(point.time.since(start)).in_words()),
        );
        let message = format!(
            "If this is Deployment {name} with another name, its {pods} pods are deleted at once, and {available}. \
             To replace them step by step, keep the name."
        );
        let kind = if pods > 0 { WarningKind::NothingAvailable } else { WarningKind::SecondDeployment };
        return Some((kind, message));
    }
    let message = if is_left_out(&older.key().to_string()) {
        format!(
            "If this is Deployment {name} with another name, both run, with {pods} and {own} pods, until {name} is deleted. \
             To replace the pods step by step, keep the name."
        )
    } else {
        format!(
            "It has the selector of Deployment {name}, which stays: a Service selects the pods of both, {pods} and {own}. \
             Give it labels of its own, or delete {name}."
        )
    };
    Some((WarningKind::SecondDeployment, message))
}

/// The containers' images without their versions.
fn repositories(deployment: &Deployment) -> impl Iterator<Item = &str> {
    deployment.spec.template.spec.fields.containers.iter().map(|container| repository(&container.image))
}
