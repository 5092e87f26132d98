//! Conditions of a Deployment.

use alloc::rc::Rc;

use crate::object::{ConditionStatus, Time};
use crate::workload::deployment::{DeploymentCondition, DeploymentStatus};
use crate::workload::replica_set::ReplicaSetCondition;

pub(super) const AVAILABLE: &str = "Available";
pub(super) const PROGRESSING: &str = "Progressing";
pub(super) const REPLICA_FAILURE: &str = "ReplicaFailure";
/// The Progressing condition of a rollout that has failed or is stuck.
pub(super) const FAILURE_STATUS: ConditionStatus = ConditionStatus::False;

/// The reasons of the Progressing and the Available condition.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go`
pub(super) mod reason {
    pub(crate) const REPLICA_SET_UPDATED: &str = "ReplicaSetUpdated";
    pub(crate) const FAILED_RS_CREATE: &str = "ReplicaSetCreateError";
    pub(crate) const NEW_REPLICA_SET: &str = "NewReplicaSetCreated";
    pub(crate) const FOUND_NEW_RS: &str = "FoundNewReplicaSet";
    pub(crate) const NEW_RS_AVAILABLE: &str = "NewReplicaSetAvailable";
    pub(crate) const TIMED_OUT: &str = "ProgressDeadlineExceeded";
    pub(crate) const PAUSED: &str = "DeploymentPaused";
    pub(crate) const RESUMED: &str = "DeploymentResumed";
    pub(crate) const MINIMUM_AVAILABLE: &str = "MinimumReplicasAvailable";
    pub(crate) const MINIMUM_UNAVAILABLE: &str = "MinimumReplicasUnavailable";
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go NewDeploymentCondition`
pub(super) fn new_deployment_condition(
    type_: &str,
    status: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) -> DeploymentCondition {
    // metav1.Time keeps whole seconds once it is stored.
    let now = Some(now.truncated());
    DeploymentCondition {
        type_: type_.into(),
        status,
        last_update_time: now,
        last_transition_time: now,
        reason: reason.into(),
        message: message.into(),
    }
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetDeploymentCondition`
pub fn get_deployment_condition<'a>(status: &'a DeploymentStatus, type_: &str) -> Option<&'a DeploymentCondition> {
    status.conditions.iter().find(|condition| &*condition.type_ == type_)
}

/// Whether a condition of this status and reason is there: [`set_deployment_condition`] would leave it as it is.
pub(super) fn has_condition(status: &DeploymentStatus, type_: &str, holds: ConditionStatus, reason: &str) -> bool {
    get_deployment_condition(status, type_).is_some_and(|current| current.status == holds && *current.reason == *reason)
}

/// Puts a condition in, unless one of the same status and reason is there.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go SetDeploymentCondition`
pub(super) fn set_deployment_condition(status: &mut DeploymentStatus, mut condition: DeploymentCondition) {
    if has_condition(status, &condition.type_, condition.status, &condition.reason) {
        return;
    }
    if let Some(current) = get_deployment_condition(status, &condition.type_)
        && current.status == condition.status
    {
        condition.last_transition_time = current.last_transition_time;
    }
    remove_deployment_condition(status, &condition.type_);
    Rc::make_mut(&mut status.conditions).push(condition);
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go RemoveDeploymentCondition`
pub(super) fn remove_deployment_condition(status: &mut DeploymentStatus, type_: &str) {
    // Most often there is none, and the list stays shared.
    if get_deployment_condition(status, type_).is_some() {
        Rc::make_mut(&mut status.conditions).retain(|condition| &*condition.type_ != type_);
    }
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go ReplicaSetToDeploymentCondition`
pub(super) fn replica_set_to_deployment_condition(condition: &ReplicaSetCondition) -> DeploymentCondition {
    DeploymentCondition {
        type_: condition.type_.clone(),
        status: condition.status,
        last_update_time: condition.last_transition_time,
        last_transition_time: condition.last_transition_time,
        reason: condition.reason.clone(),
        message: condition.message.clone(),
    }
}
