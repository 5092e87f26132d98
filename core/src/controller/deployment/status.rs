//! What a Deployment's status says of its ReplicaSets.

use alloc::rc::Rc;

use super::condition::{
    AVAILABLE, REPLICA_FAILURE, get_deployment_condition, has_condition, new_deployment_condition, reason as why,
    set_deployment_condition,
};
use super::util::{
    get_actual_replica_count, get_available_replica_count, get_ready_replica_count, get_replica_count,
    get_terminating_replica_count, max_unavailable,
};
use crate::controller::Error;
use crate::controller::client::{Client, update_deployment_status};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{ConditionStatus, Deployment, DeploymentStatus, ReplicaSet, Time};
use crate::reason::{OperandValue, Reason, Rule, deployment as rule, told};

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
    decided: Decided,
) -> Result<(), Error> {
    let status = calculate_status(all, new, deployment, client.gates(), client.now());
    if status == deployment.status {
        return Ok(());
    }
    write_status(client, deployment, status, decided, all)
}

/// What a sync says about a rollout.
pub(super) enum Decided {
    /// This is the news.
    News(&'static Rule),
    /// This, unless something else is new in the status.
    InPassing(&'static Rule),
}

impl Decided {
    #[inline(always)]
    pub(super) fn news(rule: &'static Rule) -> Self {
        Self::News(told(rule))
    }

    #[inline(always)]
    pub(super) fn in_passing(rule: &'static Rule) -> Self {
        Self::InPassing(told(rule))
    }
}

/// Writes a new status, with the rule that speaks of it.
pub(super) fn write_status(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    status: DeploymentStatus,
    decided: Decided,
    all: &[Rc<ReplicaSet>],
) -> Result<(), Error> {
    let reason = match decided {
        Decided::News(rule) => counts(rule, deployment, &status),
        Decided::InPassing(rule) => failure(deployment, &status, all)
            .or_else(|| availability(deployment, &status))
            .unwrap_or_else(|| counts(rule, deployment, &status)),
    };
    Rc::make_mut(deployment).status = status;
    Ok(update_deployment_status(client, deployment, reason)?)
}

/// The reason of a rule about counts.
fn counts(rule: &'static Rule, deployment: &Deployment, status: &DeploymentStatus) -> Reason {
    let name = (&deployment.metadata.name).into();
    let values = |status: &DeploymentStatus| -> [OperandValue; 4] {
        [
            status.replicas.into(),
            status.updated_replicas.into(),
            status.ready_replicas.into(),
            status.available_replicas.into(),
        ]
    };
    let [replicas, updated, ready, available] = values(status);
    match rule.operands.len() {
        0 => Reason::new(rule, []),
        1 => Reason::new(rule, [name]),
        5 => Reason::new(rule, [name, replicas, updated, ready, available]),
        6 => {
            let deadline = deployment.spec.progress_deadline_seconds.unwrap_or_default().into();
            Reason::new(rule, [name, replicas, updated, ready, available, deadline])
        }
        7 => {
            let deadline = deployment.spec.progress_deadline_seconds.unwrap_or_default().into();
            let terminating = known(status.terminating_replicas);
            Reason::new(rule, [name, replicas, updated, ready, available, deadline, terminating])
        }
        9 => {
            let [a, b, c, d] = values(&deployment.status);
            Reason::new(rule, [name, replicas, updated, ready, available, a, b, c, d])
        }
        _ => {
            let [a, b, c, d] = values(&deployment.status);
            let (now, before) = (known(status.terminating_replicas), known(deployment.status.terminating_replicas));
            Reason::new(rule, [name, replicas, updated, ready, available, a, b, c, d, now, before])
        }
    }
}

fn known(count: Option<i32>) -> OperandValue {
    count.map_or("unknown".into(), OperandValue::from)
}

/// That a ReplicaSet fails, or none does any more, where the status did not say so before.
fn failure(deployment: &Deployment, status: &DeploymentStatus, all: &[Rc<ReplicaSet>]) -> Option<Reason> {
    let name = (&deployment.metadata.name).into();
    let before = get_deployment_condition(&deployment.status, REPLICA_FAILURE).is_some();
    match get_deployment_condition(status, REPLICA_FAILURE) {
        Some(_) if !before => {
            let fails = |replica_set: &&Rc<ReplicaSet>| {
                replica_set.status.conditions.iter().any(|condition| &*condition.type_ == REPLICA_FAILURE)
            };
            let failing = all.iter().rev().find(fails)?;
            Some(Reason::new(&rule::FAILURE, [(&failing.metadata.name).into(), name]))
        }
        None if before => Some(Reason::new(&rule::FAILURE_OVER, [name])),
        _ => None,
    }
}

/// That enough pods are available, or too few, where the status did not say so before.
fn availability(deployment: &Deployment, status: &DeploymentStatus) -> Option<Reason> {
    let says = |status| get_deployment_condition(status, AVAILABLE).map(|condition| condition.status);
    let now = says(status)?;
    if says(&deployment.status) == Some(now) {
        return None;
    }
    let rule = if now == ConditionStatus::True { &rule::AVAILABLE } else { &rule::UNAVAILABLE };
    let values =
        [(&deployment.metadata.name).into(), status.available_replicas.into(), minimum_available(deployment).into()];
    Some(Reason::new(rule, values))
}

/// The pods that must be available for the Available condition.
fn minimum_available(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.wrapping_sub(max_unavailable(deployment))
}
