//! Whether a rollout is complete, moves on or is stuck.

use alloc::rc::Rc;
use alloc::string::String;

use super::condition::{
    FAILURE_STATUS, PROGRESSING, REPLICA_FAILURE, get_deployment_condition, new_deployment_condition, reason as why,
    remove_deployment_condition, replica_set_to_deployment_condition, set_deployment_condition,
};
use super::status::{Failure, Progress, RolloutCheck, calculate_status, write_status};
use super::util::{
    complete_rule, deployment_complete, deployment_progressing, fewer_terminating, has_progress_deadline,
    progress_deadline,
};
use crate::controller::{Client, Error};
use crate::feature_gates::FeatureGates;
use crate::object::{ConditionStatus, Duration, Time};
use crate::workload::deployment::{Deployment, DeploymentCondition, DeploymentStatus};
use crate::workload::replica_set::ReplicaSet;

/// Writes the status of a Deployment in the middle of a rollout. Returns after what time to look again, where
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
) -> Result<Option<Duration>, Error> {
    let (gates, now) = (client.gates(), client.now());
    let mut calculated = calculate_status(all, new, deployment, gates, now);
    let new_status = &mut calculated.status;
    let complete_rule = complete_rule(deployment, gates);
    let rollout = sync_progressing_condition(new_status, new, deployment, complete_rule, now);
    // The first failure of a ReplicaSet becomes the Deployment's.
    let failing = get_replica_failure(all, new);
    let failed_before = get_deployment_condition(&deployment.status, REPLICA_FAILURE).is_some();
    let failure = match failing {
        Some((replica_set, condition)) => {
            set_deployment_condition(new_status, condition);
            (!failed_before).then(|| Failure::Began { replica_set: replica_set.metadata.name.clone() })
        }
        None => {
            remove_deployment_condition(new_status, REPLICA_FAILURE);
            failed_before.then_some(Failure::Over)
        }
    };
    if *new_status == deployment.status {
        return Ok(requeue_stuck_deployment(deployment, new_status, complete_rule, now));
    }
    write_status(client, deployment, calculated, rollout, failure)?;
    Ok(None)
}

/// Sets the condition Progressing as far as it has a new meaning, and returns what it was set by.
///
/// Upstream: `pkg/controller/deployment/progress.go syncRolloutStatus`, its first part
fn sync_progressing_condition(
    new_status: &mut DeploymentStatus,
    new: Option<&Rc<ReplicaSet>>,
    deployment: &Deployment,
    complete_rule: bool,
    now: Time,
) -> RolloutCheck {
    let current_condition = get_deployment_condition(&deployment.status, PROGRESSING);
    let Some(deadline) = progress_deadline(deployment) else {
        remove_deployment_condition(new_status, PROGRESSING);
        return if current_condition.is_some() { RolloutCheck::DeadlineRemoved } else { RolloutCheck::NotWatched };
    };
    let watched = |progress: Progress| RolloutCheck::Watched { progress, deadline, complete_rule };
    if is_complete_deployment(new_status, current_condition) {
        return RolloutCheck::Settled;
    }
    if deployment_complete(deployment, new_status, complete_rule) {
        let message = about(new, deployment, "has successfully progressed.");
        let condition =
            new_deployment_condition(PROGRESSING, ConditionStatus::True, why::NEW_RS_AVAILABLE, &message, now);
        set_deployment_condition(new_status, condition);
        return watched(Progress::Complete);
    }
    // With any progress, the rollout has not failed, however long it takes.
    if deployment_progressing(deployment, new_status, complete_rule) {
        restart_deadline(new_status, new, deployment, now);
        return watched(Progress::Made);
    }
    if deployment_timed_out(deployment, new_status, now) {
        let message = about(new, deployment, "has timed out progressing.");
        let condition = new_deployment_condition(PROGRESSING, FAILURE_STATUS, why::TIMED_OUT, &message, now);
        set_deployment_condition(new_status, condition);
        let is_new = current_condition.is_none_or(|condition| &*condition.reason != why::TIMED_OUT);
        return watched(if is_new { Progress::TimedOut } else { Progress::StillTimedOut });
    }
    watched(Progress::Waiting)
}

/// Whether the last rollout is complete and no new one has begun: then there is no progress to estimate, even if pods come
/// and go.
///
/// Upstream: `pkg/controller/deployment/progress.go syncRolloutStatus`, its isCompleteDeployment
fn is_complete_deployment(new_status: &DeploymentStatus, current: Option<&DeploymentCondition>) -> bool {
    new_status.replicas == new_status.updated_replicas
        && current.is_some_and(|condition| &*condition.reason == why::NEW_RS_AVAILABLE)
}

/// Restarts the deadline of a rollout in the middle of which the Deployment is scaled, if fewer pods are terminating.
///
/// Upstream looks at no progress while it scales, which takes it no time. Under the complete rule a scaling waits for
/// terminating pods, and the rollout with it.
///
/// Source: KEP-5882, Deployment Completion and Progress Changes
pub(super) fn sync_scaling_progress(
    new_status: &mut DeploymentStatus,
    new: Option<&Rc<ReplicaSet>>,
    deployment: &Deployment,
    gates: FeatureGates,
    now: Time,
) -> RolloutCheck {
    let current = get_deployment_condition(&deployment.status, PROGRESSING);
    let is_watched = current.is_some() && !deployment.spec.paused && !is_complete_deployment(new_status, current);
    let complete_rule = complete_rule(deployment, gates);
    match progress_deadline(deployment) {
        Some(deadline) if is_watched && complete_rule && fewer_terminating(deployment, new_status) => {
            restart_deadline(new_status, new, deployment, now);
            RolloutCheck::Watched { progress: Progress::Made, deadline, complete_rule }
        }
        _ => RolloutCheck::NotWatched,
    }
}

/// Writes progress down, even where status and reason stay: that restarts the deadline. SetDeploymentCondition would leave
/// such a condition as it is, so the old one is removed first.
///
/// Upstream: `pkg/controller/deployment/progress.go syncRolloutStatus`, the case DeploymentProgressing
fn restart_deadline(
    new_status: &mut DeploymentStatus,
    new: Option<&Rc<ReplicaSet>>,
    deployment: &Deployment,
    now: Time,
) {
    let current = get_deployment_condition(&deployment.status, PROGRESSING);
    let condition = still_progressing(current, new, deployment, now);
    remove_deployment_condition(new_status, PROGRESSING);
    set_deployment_condition(new_status, condition);
}

/// The condition of a rollout that has moved on since the last one. If it was True before, lastTransitionTime stays.
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

/// The failure to report, and whose it is: the new ReplicaSet's before the others'.
///
/// Upstream: `pkg/controller/deployment/progress.go getReplicaFailures`
fn get_replica_failure<'a>(
    all: &'a [Rc<ReplicaSet>],
    new: Option<&'a Rc<ReplicaSet>>,
) -> Option<(&'a Rc<ReplicaSet>, DeploymentCondition)> {
    new.into_iter().chain(all).find_map(|replica_set| {
        let mut conditions = replica_set.status.conditions.iter();
        let failure = conditions.find(|condition| &*condition.type_ == REPLICA_FAILURE)?;
        Some((replica_set, replica_set_to_deployment_condition(failure)))
    })
}

/// Whether the last progress is longer ago than the deadline.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go DeploymentTimedOut`
pub fn deployment_timed_out(deployment: &Deployment, new_status: &DeploymentStatus, now: Time) -> bool {
    let Some(deadline) = progress_deadline(deployment) else {
        return false;
    };
    let Some(condition) = get_deployment_condition(new_status, PROGRESSING) else { return false };
    match &*condition.reason {
        // This is of the rollout before: the controller's copy does not yet have the condition of the one that has begun.
        why::NEW_RS_AVAILABLE => false,
        why::TIMED_OUT => true,
        _ => condition.last_update_time.is_none_or(|since| since.plus_seconds(i64::from(deadline)) < now),
    }
}

/// The time until a rollout must be synced again to see whether it is stuck; 0 means at once. None if it is
/// complete, timed out, or has no deadline.
///
/// For example, a Deployment that updated its Progressing condition 3 minutes ago and has a deadline of 10 minutes is
/// synced again after 7 minutes:
///
/// `last update + progressDeadlineSeconds − now = 00:00:00 + 00:10:00 − 00:03:00 = 00:07:00`
///
/// The caller queues the Deployment, which upstream does here: for a second after that time, or at once at the queue's pace.
///
/// Upstream: `pkg/controller/deployment/progress.go requeueStuckDeployment`
pub fn requeue_stuck_deployment(
    deployment: &Deployment,
    new_status: &DeploymentStatus,
    complete_rule: bool,
    now: Time,
) -> Option<Duration> {
    let deadline = progress_deadline(deployment)?;
    let current = get_deployment_condition(&deployment.status, PROGRESSING)?;
    if deployment_complete(deployment, new_status, complete_rule) || &*current.reason == why::TIMED_OUT {
        return None;
    }
    let after = current.last_update_time.map_or(0, |since| since.plus_seconds(i64::from(deadline)).since(now));
    Some(Duration(if after < Time::SECOND { 0 } else { after }))
}

/// Whether the Deployment's own status says that its last rollout is complete: the condition Progressing has the reason
/// NewReplicaSetAvailable. A Deployment without a progress deadline has no such condition; then its counts must say so, as
/// they do for `kubectl rollout status`.
pub(crate) fn is_reported_complete(deployment: &Deployment, gates: FeatureGates) -> bool {
    // Until the new ReplicaSet is there, the condition may still be that of the rollout before.
    let status = &deployment.status;
    let reported = !has_progress_deadline(deployment) || progressing_reason(status) == Some(why::NEW_RS_AVAILABLE);
    reported && has_all_pods(deployment, gates)
}

/// Whether the Deployment's own status says that all its pods are there, and no others: what `kubectl rollout status` waits for.
pub(crate) fn has_all_pods(deployment: &Deployment, gates: FeatureGates) -> bool {
    deployment_complete(deployment, &deployment.status, complete_rule(deployment, gates))
}

/// Whether the last sync that changed the condition Progressing created the new ReplicaSet.
pub(crate) fn has_just_created_replica_set(status: &DeploymentStatus) -> bool {
    progressing_reason(status) == Some(why::NEW_REPLICA_SET)
}

fn progressing_reason(status: &DeploymentStatus) -> Option<&str> {
    get_deployment_condition(status, PROGRESSING).map(|condition| &*condition.reason)
}
