//! The kinds that are validated.

use serde_json::Value;

use super::pod::{self, PodStrategy};
use super::pod_template::{self, PodTemplateStrategy};
use super::schema::Shape;
use super::strategy::Strategy;
use crate::object::Kind;
use crate::workload::{cron_job, daemon_set, deployment, job, replica_set, replication_controller, stateful_set};

/// What the simulated cluster runs, sorted by name. A kind that is not compiled in is not among them.
pub const SIMULATED: &[&dyn Strategy] = &[
    #[cfg(feature = "jobs")]
    &cron_job::strategy::CronJobStrategy,
    &deployment::strategy::DeploymentStrategy,
    #[cfg(feature = "jobs")]
    &job::strategy::JobStrategy,
    &PodStrategy,
    &replica_set::strategy::ReplicaSetStrategy,
];

/// All kinds that are validated, sorted by name.
pub const ALL: &[&dyn Strategy] = &[
    &cron_job::strategy::CronJobStrategy,
    &daemon_set::strategy::DaemonSetStrategy,
    &deployment::strategy::DeploymentStrategy,
    &job::strategy::JobStrategy,
    &PodStrategy,
    &PodTemplateStrategy,
    &replica_set::strategy::ReplicaSetStrategy,
    &replication_controller::strategy::ReplicationControllerStrategy,
    &stateful_set::strategy::StatefulSetStrategy,
];

/// How the API server treats an object; none for a kind that is not validated.
pub fn strategy_of(object: &Value) -> Option<&'static dyn Strategy> {
    let kind = Kind::of(object)?;
    ALL.iter().find(|strategy| strategy.kind() == kind).copied()
}

/// The fields of a kind that are validated; none for a kind that is not. The policy, which validates little, asks here:
/// the strategies would bring everything else along.
pub(crate) const fn shape_of(kind: Kind) -> Option<&'static Shape> {
    Some(match kind {
        Kind::CronJob => &cron_job::strategy::SHAPE,
        Kind::DaemonSet => &daemon_set::strategy::SHAPE,
        Kind::Deployment => &deployment::strategy::SHAPE,
        Kind::Job => &job::strategy::SHAPE,
        Kind::Pod => &pod::SHAPE,
        Kind::PodTemplate => &pod_template::SHAPE,
        Kind::ReplicaSet => &replica_set::strategy::SHAPE,
        Kind::ReplicationController => &replication_controller::strategy::SHAPE,
        Kind::StatefulSet => &stateful_set::strategy::SHAPE,
        Kind::LimitRange
        | Kind::Node
        | Kind::PersistentVolumeClaim
        | Kind::PodDisruptionBudget
        | Kind::ResourceQuota => return None,
    })
}
