use alloc::rc::Rc;
use alloc::string::ToString;

use super::PodCounts;
use super::write::write_replica_set;
use crate::controller::{ApiError, Client, Error, Write};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Object, Time};
use crate::workload::replica_set::decision::{Counted, Decision, Failure};
use crate::workload::replica_set::{ReplicaSet, ReplicaSetCondition, ReplicaSetStatus};

const REPLICA_FAILURE: &str = "ReplicaFailure";
/// How often a refused status is tried again within one sync.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go statusUpdateRetries`
const STATUS_UPDATE_RETRIES: u32 = 1;

/// A calculated status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalculatedStatus {
    /// The status.
    pub status: ReplicaSetStatus,
    /// The condition ReplicaFailure, if it changed.
    pub failure: Option<Failure>,
}

/// The status with the counts of `pods`, and with the condition ReplicaFailure if pods could not be created or deleted.
///
/// Upstream: `pkg/controller/replicaset/replica_set_utils.go calculateStatus`
pub fn calculate_status(
    replica_set: &ReplicaSet,
    pods: &PodCounts,
    manage_error: Option<&Error>,
    gates: FeatureGates,
    now: Time,
) -> CalculatedStatus {
    let mut status = replica_set.status.clone();
    let failed_before = status.conditions.iter().any(is_failure);
    let failure = match manage_error {
        Some(error) if !failed_before => {
            // Upstream leaves the reason empty too; without a difference, nothing is written that could fail.
            let (reason, failure) = match i64::from(pods.active).saturating_sub(i64::from(replica_set.spec.replicas)) {
                ..0 => ("FailedCreate", Failure::CreateFailed),
                0 => ("", Failure::DeleteFailed),
                _ => ("FailedDelete", Failure::DeleteFailed),
            };
            Rc::make_mut(&mut status.conditions).push(ReplicaSetCondition {
                type_: REPLICA_FAILURE.into(),
                status: ConditionStatus::True,
                last_transition_time: Some(now.truncated()),
                reason: reason.into(),
                message: error.to_string().into(),
            });
            Some(failure)
        }
        None if failed_before => {
            Rc::make_mut(&mut status.conditions).retain(|condition| !is_failure(condition));
            Some(Failure::Over)
        }
        _ => None,
    };
    let status = ReplicaSetStatus {
        replicas: pods.active,
        fully_labeled_replicas: pods.fully_labeled,
        ready_replicas: pods.ready,
        available_replicas: pods.available,
        terminating_replicas: gates
            .enabled(Feature::DeploymentReplicaSetTerminatingReplicas)
            .then_some(pods.terminating),
        ..status
    };
    CalculatedStatus { status, failure }
}

/// Writes the status if it says anything new; a refused write is tried once more on the object as it is then.
///
/// Upstream: `pkg/controller/replicaset/replica_set_utils.go updateReplicaSetStatus`
pub(super) fn update_replica_set_status(
    client: &mut dyn Client,
    replica_set: &Rc<ReplicaSet>,
    calculated: CalculatedStatus,
) -> Result<Rc<ReplicaSet>, Error> {
    let CalculatedStatus { mut status, failure } = calculated;
    let (generation, observed) = (replica_set.metadata.generation, replica_set.status.observed_generation);
    status.observed_generation = observed;
    let same = status == replica_set.status;
    if same && generation == observed {
        return Ok(replica_set.clone());
    }
    status.observed_generation = generation;
    let decision = if same {
        Decision::Observed { replica_set: replica_set.metadata.name.clone(), generation }
    } else {
        decide(replica_set, &status, failure)
    };
    let mut object = (**replica_set).clone();
    let mut tries = 0_u32;
    loop {
        object.status = status.clone();
        match write_replica_set(client, Write::UpdateStatus(object.into()), decision.clone().into()) {
            Ok(updated) => return Ok(updated),
            Err(error) if tries >= STATUS_UPDATE_RETRIES => return Err(error.into()),
            Err(_) => {}
        }
        tries = tries.saturating_add(1);
        let key = replica_set.key();
        object = match client.get(&key) {
            Some(Object::ReplicaSet(fresh)) => (*fresh).clone(),
            _ => return Err(ApiError::not_found(&key).into()),
        };
    }
}

/// The decision behind a new status: the change of its condition, or else its counts.
fn decide(replica_set: &ReplicaSet, status: &ReplicaSetStatus, failure: Option<Failure>) -> Decision {
    let (name, active) = (replica_set.metadata.name.clone(), status.replicas);
    let variant = match failure {
        Some(Failure::CreateFailed) => Decision::CreateFailed,
        Some(Failure::DeleteFailed) => Decision::DeleteFailed,
        Some(Failure::Over) => Decision::FailureOver,
        None => {
            return Decision::Status {
                replica_set: name,
                replicas: active,
                ready: status.ready_replicas,
                available: status.available_replicas,
                terminating: status.terminating_replicas,
            };
        }
    };
    variant(Counted { replica_set: name, wanted: replica_set.spec.replicas, active })
}

fn is_failure(condition: &ReplicaSetCondition) -> bool {
    &*condition.type_ == REPLICA_FAILURE
}
