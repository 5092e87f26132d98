//! What a Deployment's status says of its ReplicaSets.

use alloc::boxed::Box;
use alloc::rc::Rc;

use super::condition::{
    AVAILABLE, get_deployment_condition, has_condition, new_deployment_condition, reason as why,
    set_deployment_condition,
};
use super::util::{
    get_actual_replica_count, get_available_replica_count, get_ready_replica_count, get_replica_count,
    get_terminating_replica_count, max_unavailable,
};
use crate::controller::Error;
use crate::controller::client::{Client, update_deployment_status};
use crate::controller::decision::deployment::{Availability, Counts, Decision, Failure, RolloutCheck, StatusUpdate};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Deployment, DeploymentStatus, ReplicaSet, Time};

/// A calculated status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalculatedStatus {
    /// The status.
    pub status: DeploymentStatus,
    /// The condition Available, if it changed.
    pub availability: Option<Availability>,
}

/// Upstream: `pkg/controller/deployment/sync.go calculateStatus`
pub fn calculate_status(
    all: &[Rc<ReplicaSet>],
    new: Option<&Rc<ReplicaSet>>,
    deployment: &Deployment,
    gates: FeatureGates,
    now: Time,
) -> CalculatedStatus {
    let available_replicas = get_available_replica_count(all);
    let total_replicas = get_replica_count(all);
    // More pods are available than wanted while ReplicaSets are scaled down.
    let unavailable_replicas = total_replicas.wrapping_sub(available_replicas).max(0);
    let terminating_replicas = gates
        .enabled(Feature::DeploymentReplicaSetTerminatingReplicas)
        .then(|| get_terminating_replica_count(all))
        .flatten();
    let mut status = DeploymentStatus {
        observed_generation: deployment.metadata.generation,
        replicas: get_actual_replica_count(all),
        updated_replicas: get_actual_replica_count(new),
        ready_replicas: get_ready_replica_count(all),
        available_replicas,
        unavailable_replicas,
        terminating_replicas,
        conditions: deployment.status.conditions.clone(),
        collision_count: deployment.status.collision_count,
    };
    let needed = deployment.spec.replicas.wrapping_sub(max_unavailable(deployment));
    let enough = available_replicas >= needed;
    let (holds, reason, message) = if enough {
        (ConditionStatus::True, why::MINIMUM_AVAILABLE, "Deployment has minimum availability.")
    } else {
        (ConditionStatus::False, why::MINIMUM_UNAVAILABLE, "Deployment does not have minimum availability.")
    };
    if !has_condition(&status, AVAILABLE, holds, reason) {
        set_deployment_condition(&mut status, new_deployment_condition(AVAILABLE, holds, reason, message, now));
    }
    let before = get_deployment_condition(&deployment.status, AVAILABLE).map(|condition| condition.status);
    let availability = (before != Some(holds)).then_some(Availability { enough, needed });
    CalculatedStatus { status, availability }
}

/// Writes the status of a Deployment outside a rollout, if it changed.
///
/// Upstream: `pkg/controller/deployment/sync.go syncDeploymentStatus`
pub(super) fn sync_deployment_status(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    calculated: CalculatedStatus,
    rollout: RolloutCheck,
) -> Result<(), Error> {
    if calculated.status == deployment.status {
        return Ok(());
    }
    write_status(client, deployment, calculated, rollout, None)
}

/// Writes a new status. `failure` is the change of its condition ReplicaFailure.
pub(super) fn write_status(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    calculated: CalculatedStatus,
    rollout: RolloutCheck,
    failure: Option<Failure>,
) -> Result<(), Error> {
    let CalculatedStatus { status, availability } = calculated;
    let update = StatusUpdate {
        deployment: deployment.metadata.name.clone(),
        before: counts(&deployment.status),
        after: counts(&status),
        rollout,
        availability,
        failure,
    };
    Rc::make_mut(deployment).status = status;
    Ok(update_deployment_status(client, deployment, Decision::Status(Box::new(update)))?)
}

/// The counts that an explanation shows.
const fn counts(status: &DeploymentStatus) -> Counts {
    Counts {
        replicas: status.replicas,
        updated: status.updated_replicas,
        ready: status.ready_replicas,
        available: status.available_replicas,
        terminating: status.terminating_replicas,
    }
}
