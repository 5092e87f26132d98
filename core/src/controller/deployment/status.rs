//! What a Deployment's status says of its ReplicaSets.

use alloc::rc::Rc;

use super::condition::{AVAILABLE, has_condition, new_deployment_condition, reason as why, set_deployment_condition};
use super::util::{
    get_actual_replica_count, get_available_replica_count, get_ready_replica_count, get_replica_count,
    get_terminating_replica_count, max_unavailable,
};
use crate::controller::Error;
use crate::controller::client::{Client, update_deployment_status};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Deployment, DeploymentStatus, ReplicaSet, Time};
use crate::reason::{Reason, Rule, deployment as rule};

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
    let minimum = deployment.spec.replicas.wrapping_sub(max_unavailable(deployment));
    let (holds, reason, message) = if available >= minimum {
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
) -> Result<(), Error> {
    let status = calculate_status(all, new, deployment, client.gates(), client.now());
    if status == deployment.status {
        return Ok(());
    }
    write_status(client, deployment, status, &rule::STATUS)
}

/// Writes a new status, with the rule that speaks of it.
pub(super) fn write_status(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    status: DeploymentStatus,
    rule: &'static Rule,
) -> Result<(), Error> {
    let reason = Reason::new(
        rule,
        [
            (&deployment.metadata.name).into(),
            status.replicas.into(),
            status.updated_replicas.into(),
            status.ready_replicas.into(),
            status.available_replicas.into(),
        ],
    );
    Rc::make_mut(deployment).status = status;
    Ok(update_deployment_status(client, deployment, reason)?)
}
