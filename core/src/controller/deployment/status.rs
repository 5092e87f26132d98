//! What a Deployment's status says of its ReplicaSets.

use alloc::boxed::Box;
use alloc::rc::Rc;

use super::condition::{
    AVAILABLE, REPLICA_FAILURE, get_deployment_condition, has_condition, new_deployment_condition, reason as why,
    set_deployment_condition,
};
use super::util::{
    complete_rule, get_actual_replica_count, get_available_replica_count, get_ready_replica_count, get_replica_count,
    get_terminating_replica_count, max_unavailable,
};
use crate::controller::Error;
use crate::controller::client::{Client, update_deployment_status};
use crate::controller::decision::deployment::{Availability, Counts, Decision, Failure, Rollout, StatusUpdate};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Deployment, DeploymentStatus, ReplicaSet, Time};

/// Upstream: `pkg/controller/deployment/sync.go calculateStatus`
pub fn calculate_status(
    all: &[Rc<ReplicaSet>],
    new: Option<&Rc<ReplicaSet>>,
    deployment: &Deployment,
    gates: FeatureGates,
    now: Time,
) -> DeploymentStatus {
    let available = get_available_replica_count(all);
    let unavailable = get_replica_count(all).wrapping_sub(available).max(0);
    let terminating = gates
        .enabled(Feature::DeploymentReplicaSetTerminatingReplicas)
        .then(|| get_terminating_replica_count(all))
        .flatten();
    let mut status = DeploymentStatus {
        observed_generation: deployment.metadata.generation,
        replicas: get_actual_replica_count(all),
        updated_replicas: get_actual_replica_count(new),
        ready_replicas: get_ready_replica_count(all),
        available_replicas: available,
        unavailable_replicas: unavailable,
        terminating_replicas: terminating,
        conditions: deployment.status.conditions.clone(),
        collision_count: deployment.status.collision_count,
    };
    let (holds, reason, message) = if available >= minimum_available(deployment) {
        (ConditionStatus::True, why::MINIMUM_AVAILABLE, "Deployment has minimum availability.")
    } else {
        (ConditionStatus::False, why::MINIMUM_UNAVAILABLE, "Deployment does not have minimum availability.")
    };
    if !has_condition(&status, AVAILABLE, holds, reason) {
        set_deployment_condition(&mut status, new_deployment_condition(AVAILABLE, holds, reason, message, now));
    }
    status
}

/// Upstream: `pkg/controller/deployment/sync.go syncDeploymentStatus`
pub(super) fn sync_deployment_status(
    client: &mut dyn Client,
    all: &[Rc<ReplicaSet>],
    new: Option<&Rc<ReplicaSet>>,
    deployment: &mut Rc<Deployment>,
    rollout: Rollout,
) -> Result<(), Error> {
    let status = calculate_status(all, new, deployment, client.gates(), client.now());
    if status == deployment.status {
        return Ok(());
    }
    write_status(client, deployment, status, rollout, None)
}

/// Writes a new status. `failing` is the ReplicaSet whose failure it reports.
pub(super) fn write_status(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    status: DeploymentStatus,
    rollout: Rollout,
    failing: Option<&Rc<ReplicaSet>>,
) -> Result<(), Error> {
    let update = StatusUpdate {
        deployment: deployment.metadata.name.clone(),
        before: counts(&deployment.status),
        after: counts(&status),
        rollout,
        deadline: deployment.spec.progress_deadline_seconds,
        complete_rule: complete_rule(deployment, client.gates()),
        availability: availability(deployment, &status),
        failure: failure(deployment, &status, failing),
    };
    Rc::make_mut(deployment).status = status;
    Ok(update_deployment_status(client, deployment, Decision::Status(Box::new(update)))?)
}

const fn counts(status: &DeploymentStatus) -> Counts {
    Counts {
        replicas: status.replicas,
        updated: status.updated_replicas,
        ready: status.ready_replicas,
        available: status.available_replicas,
        terminating: status.terminating_replicas,
    }
}

/// That a ReplicaSet fails, or none does any more, where the status did not say so before.
fn failure(deployment: &Deployment, status: &DeploymentStatus, failing: Option<&Rc<ReplicaSet>>) -> Option<Failure> {
    let fails = |status| get_deployment_condition(status, REPLICA_FAILURE).is_some();
    match (fails(&deployment.status), fails(status)) {
        (false, true) => Some(Failure::Began { replica_set: failing?.metadata.name.clone() }),
        (true, false) => Some(Failure::Over),
        _ => None,
    }
}

/// That enough pods are available, or too few, where the status did not say so before.
fn availability(deployment: &Deployment, status: &DeploymentStatus) -> Option<Availability> {
    let says = |status| get_deployment_condition(status, AVAILABLE).map(|condition| condition.status);
    let now = says(status)?;
    let changed = says(&deployment.status) != Some(now);
    changed.then(|| Availability { enough: now == ConditionStatus::True, needed: minimum_available(deployment) })
}

/// The pods that must be available for the Available condition.
fn minimum_available(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.wrapping_sub(max_unavailable(deployment))
}
