//! Whether a rollout is complete, moves on or is stuck.

use alloc::rc::Rc;
use alloc::string::String;

use super::condition::{
    FAILURE_STATUS, PROGRESSING, REPLICA_FAILURE, get_deployment_condition, new_deployment_condition, reason as why,
    remove_deployment_condition, replica_set_to_deployment_condition, set_deployment_condition,
};
use super::status::{Decided, calculate_status, write_status};
use super::util::{complete_rule, deployment_complete, deployment_progressing, has_progress_deadline};
use crate::controller::{Client, Error};
use crate::feature_gates::FeatureGates;
use crate::object::{ConditionStatus, Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet, Time};
use crate::reason::deployment as rule;

/// Writes the status of a Deployment in the middle of a rollout. Says after how many nanoseconds to look again, where
/// nothing else would make it look.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/progress.go syncRolloutStatus`
pub fn sync_rollout_status(
    client: &mut dyn Client,
    all: &[Rc<ReplicaSet>],
    new: Option<&Rc<ReplicaSet>>,
    deployment: &mut Rc<Deployment>,
) -> Result<Option<i64>, Error> {
    let (gates, now) = (client.gates(), client.now());
    let complete = complete_rule(deployment, gates);
    let mut status = calculate_status(all, new, deployment, gates, now);
    let current = get_deployment_condition(&deployment.status, PROGRESSING).cloned();
    let mut decided = Decided::in_passing(&rule::STATUS_SETTLED);
    if !has_progress_deadline(deployment) {
        remove_deployment_condition(&mut status, PROGRESSING);
        let removed = current.is_some();
        decided = if removed { Decided::news(&rule::NO_DEADLINE) } else { Decided::in_passing(&rule::STATUS) };
    }
    let is_complete = status.replicas == status.updated_replicas
        && current.as_ref().is_some_and(|condition| &*condition.reason == why::NEW_RS_AVAILABLE);
    if has_progress_deadline(deployment) && !is_complete {
        if deployment_complete(deployment, &status, gates) {
            let message = about(new, deployment, "has successfully progressed.");
            let condition =
                new_deployment_condition(PROGRESSING, ConditionStatus::True, why::NEW_RS_AVAILABLE, &message, now);
            set_deployment_condition(&mut status, condition);
            decided = Decided::news(if complete { &rule::COMPLETE_COMPLETE } else { &rule::COMPLETE });
        } else if deployment_progressing(deployment, &status, gates) {
            let condition = still_progressing(current.as_ref(), new, deployment, now);
            // Progress is written down even where status and reason stay: that restarts the deadline.
            remove_deployment_condition(&mut status, PROGRESSING);
            set_deployment_condition(&mut status, condition);
            decided = Decided::news(if complete { &rule::PROGRESSING_COMPLETE } else { &rule::PROGRESSING });
        } else if deployment_timed_out(deployment, &status, now) {
            let message = about(new, deployment, "has timed out progressing.");
            let condition = new_deployment_condition(PROGRESSING, FAILURE_STATUS, why::TIMED_OUT, &message, now);
            set_deployment_condition(&mut status, condition);
            let before = current.as_ref().is_some_and(|condition| &*condition.reason == why::TIMED_OUT);
            let rule = if complete { &rule::TIMED_OUT_COMPLETE } else { &rule::TIMED_OUT };
            decided = if before { Decided::in_passing(rule) } else { Decided::news(rule) };
        } else {
            let rule = if complete { &rule::STATUS_WAITING_COMPLETE } else { &rule::STATUS_WAITING };
            decided = Decided::in_passing(rule);
        }
    }
    match get_replica_failure(all, new) {
        Some(failure) => set_deployment_condition(&mut status, failure),
        None => remove_deployment_condition(&mut status, REPLICA_FAILURE),
    }
    if status == deployment.status {
        return Ok(requeue_stuck_deployment(deployment, &status, gates, now));
    }
    write_status(client, deployment, status, decided, all)?;
    Ok(None)
}

/// The condition of a rollout that has moved on since the last one.
fn still_progressing(
    current: Option<&DeploymentCondition>,
    new: Option<&Rc<ReplicaSet>>,
    deployment: &Deployment,
    now: Time,
) -> DeploymentCondition {
    let same = |current: &&DeploymentCondition| {
        current.status == ConditionStatus::True
            && *current.reason == *why::REPLICA_SET_UPDATED
            && is_about(&current.message, new, deployment, IS_PROGRESSING)
    };
    // Versions of an object share the texts that stay.
    if let Some(current) = current.filter(same) {
        return DeploymentCondition { last_update_time: Some(now.truncated()), ..current.clone() };
    }
    let message = about(new, deployment, IS_PROGRESSING);
    let mut condition =
        new_deployment_condition(PROGRESSING, ConditionStatus::True, why::REPLICA_SET_UPDATED, &message, now);
    if let Some(current) = current.filter(|current| current.status == ConditionStatus::True) {
        condition.last_transition_time = current.last_transition_time;
    }
    condition
}

const IS_PROGRESSING: &str = "is progressing.";

/// What a condition's message says of the new ReplicaSet, or without one of the Deployment.
fn about(new: Option<&Rc<ReplicaSet>>, deployment: &Deployment, what: &str) -> String {
    let [kind, name] = subject(new, deployment);
    alloc::format!("{kind} \"{name}\" {what}")
}

/// Whether that is the message. Asked in every sync: nothing is copied.
fn is_about(message: &str, new: Option<&Rc<ReplicaSet>>, deployment: &Deployment, what: &str) -> bool {
    let [kind, name] = subject(new, deployment);
    [kind, " \"", name, "\" ", what].iter().try_fold(message, |rest, part| rest.strip_prefix(part)) == Some("")
}

fn subject<'a>(new: Option<&'a Rc<ReplicaSet>>, deployment: &'a Deployment) -> [&'a str; 2] {
    match new {
        Some(new) => ["ReplicaSet", &new.metadata.name],
        None => ["Deployment", &deployment.metadata.name],
    }
}

/// The failure to report: the new ReplicaSet's before the others'.
///
/// Upstream: `pkg/controller/deployment/progress.go getReplicaFailures`
fn get_replica_failure(all: &[Rc<ReplicaSet>], new: Option<&Rc<ReplicaSet>>) -> Option<DeploymentCondition> {
    new.into_iter()
        .chain(all)
        .flat_map(|replica_set| &replica_set.status.conditions)
        .find(|condition| &*condition.type_ == REPLICA_FAILURE)
        .map(replica_set_to_deployment_condition)
}

/// Whether the last progress is longer ago than the deadline.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go DeploymentTimedOut`
pub fn deployment_timed_out(deployment: &Deployment, status: &DeploymentStatus, now: Time) -> bool {
    let Some(deadline) = deployment.spec.progress_deadline_seconds.filter(|_| has_progress_deadline(deployment)) else {
        return false;
    };
    let Some(condition) = get_deployment_condition(status, PROGRESSING) else { return false };
    match &*condition.reason {
        why::NEW_RS_AVAILABLE => false,
        why::TIMED_OUT => true,
        _ => condition.last_update_time.is_none_or(|since| since.plus_seconds(i64::from(deadline)) < now),
    }
}

/// After how many nanoseconds a rollout must be looked at again to see whether it is stuck: 0 at once, none where
/// nothing is to be seen.
///
/// Upstream: `pkg/controller/deployment/progress.go requeueStuckDeployment`
pub fn requeue_stuck_deployment(
    deployment: &Deployment,
    status: &DeploymentStatus,
    gates: FeatureGates,
    now: Time,
) -> Option<i64> {
    let deadline = deployment.spec.progress_deadline_seconds.filter(|_| has_progress_deadline(deployment))?;
    let current = get_deployment_condition(&deployment.status, PROGRESSING)?;
    if deployment_complete(deployment, status, gates) || &*current.reason == why::TIMED_OUT {
        return None;
    }
    let after = current.last_update_time.map_or(0, |since| since.plus_seconds(i64::from(deadline)).since(now));
    Some(if after < Time::SECOND { 0 } else { after })
}
