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
use super::writes::update_deployment_status;
use crate::controller::{Client, Error};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Time};
use crate::workload::deployment::decision::{Decision, Status};
use crate::workload::deployment::{Deployment, DeploymentStatus};
use crate::workload::replica_set::ReplicaSet;

/// What a sync found of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RolloutCheck {
    /// It did not look.
    NotWatched,
    /// The Deployment is being deleted.
    Deleting,
    /// It was complete before.
    Settled,
    /// There is no progress deadline any more.
    DeadlineRemoved,
    /// It runs against its progress deadline.
    Watched {
        /// How it went on.
        progress: Progress,
        /// spec.progressDeadlineSeconds
        deadline: i32,
        /// Whether terminating pods count, as with TerminationComplete.
        complete_rule: bool,
    },
}

impl RolloutCheck {
    /// Whether it is more important than the conditions Available and ReplicaFailure.
    const fn is_news(self) -> bool {
        match self {
            Self::NotWatched | Self::Deleting | Self::Settled => false,
            Self::DeadlineRemoved => true,
            Self::Watched { progress, .. } => !matches!(progress, Progress::Waiting | Progress::StillTimedOut),
        }
    }
}

/// How a rollout went on since the last sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It is complete now.
    Complete,
    /// It made progress.
    Made,
    /// It made no progress, and the deadline is not over.
    Waiting,
    /// The deadline is over.
    TimedOut,
    /// The deadline was over before.
    StillTimedOut,
}

/// A change of the condition Available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Whether enough pods are available.
    pub enough: bool,
    /// How many are needed: spec.replicas − maxUnavailable.
    pub needed: i32,
}

/// A change of the condition ReplicaFailure.
pub(super) enum Failure {
    /// This ReplicaSet could not create or delete pods.
    Began {
        /// Its name.
        replica_set: Rc<str>,
    },
    /// None fails any more.
    Over,
}

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
    let name = &deployment.metadata.name;
    let conditions = if rollout.is_news() { None } else { decide_by_conditions(name, &status, availability, failure) };
    let decision = conditions.unwrap_or_else(|| decide_by_rollout(name, &deployment.status, &status, rollout));
    Rc::make_mut(deployment).status = status;
    Ok(update_deployment_status(client, deployment, decision)?)
}

/// The decision behind a new status whose conditions Available or ReplicaFailure changed.
fn decide_by_conditions(
    name: &Rc<str>,
    status: &DeploymentStatus,
    availability: Option<Availability>,
    failure: Option<Failure>,
) -> Option<Decision> {
    let (deployment, available) = (name.clone(), status.available_replicas);
    match (failure, availability) {
        (Some(Failure::Began { replica_set }), _) => Some(Decision::FailureBegan { replica_set, deployment }),
        (Some(Failure::Over), _) => Some(Decision::FailureOver { deployment }),
        (None, Some(Availability { enough: true, needed: min_available })) => {
            Some(Decision::Available { deployment, available, min_available })
        }
        (None, Some(Availability { enough: false, needed: min_available })) => {
            Some(Decision::Unavailable { deployment, available, min_available })
        }
        (None, None) => None,
    }
}

/// The decision behind a new status, by what the sync found of the rollout.
fn decide_by_rollout(
    name: &Rc<str>,
    before: &DeploymentStatus,
    after: &DeploymentStatus,
    rollout: RolloutCheck,
) -> Decision {
    let status = Box::new(Status {
        deployment: name.clone(),
        replicas: after.replicas,
        updated: after.updated_replicas,
        ready: after.ready_replicas,
        available: after.available_replicas,
        terminating: after.terminating_replicas,
        replicas_before: before.replicas,
        updated_before: before.updated_replicas,
        ready_before: before.ready_replicas,
        available_before: before.available_replicas,
        terminating_before: before.terminating_replicas,
    });
    let (progress, deadline, complete_rule) = match rollout {
        RolloutCheck::NotWatched => return Decision::StatusCounts(status),
        RolloutCheck::Deleting => return Decision::StatusDeleted(status),
        RolloutCheck::Settled => return Decision::StatusSettled(status),
        RolloutCheck::DeadlineRemoved => return Decision::NoDeadline(status),
        RolloutCheck::Watched { progress, deadline, complete_rule } => (progress, deadline, complete_rule),
    };
    match (progress, complete_rule) {
        (Progress::Complete, false) => Decision::Complete(status),
        (Progress::Complete, true) => Decision::CompleteComplete(status),
        (Progress::Made, false) => Decision::Progressing(status),
        (Progress::Made, true) => Decision::ProgressingComplete(status),
        (Progress::Waiting, false) => Decision::StatusWaiting { status, deadline },
        (Progress::Waiting, true) => Decision::StatusWaitingComplete { status, deadline },
        (Progress::TimedOut | Progress::StillTimedOut, false) => Decision::TimedOut { status, deadline },
        (Progress::TimedOut | Progress::StillTimedOut, true) => Decision::TimedOutComplete { status, deadline },
    }
}
