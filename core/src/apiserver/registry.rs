//! The kinds that are validated.

use serde_json::Value;

use super::cron_job::{self, CronJobStrategy};
use super::daemon_set::{self, DaemonSetStrategy};
use super::deployment::{self, DeploymentStrategy};
use super::job::{self, JobStrategy};
use super::pod::{self, PodStrategy};
use super::pod_template::{self, PodTemplateStrategy};
use super::replica_set::{self, ReplicaSetStrategy};
use super::replication_controller::{self, ReplicationControllerStrategy};
use super::schema::Shape;
use super::stateful_set::{self, StatefulSetStrategy};
use super::strategy::Strategy;
use crate::object::Kind;

/// What the simulated cluster runs, sorted by name. A kind that is not compiled in is not among them.
pub const SIMULATED: &[&dyn Strategy] = &[
    #[cfg(feature = "jobs")]
    &CronJobStrategy,
    &DeploymentStrategy,
    #[cfg(feature = "jobs")]
    &JobStrategy,
    &PodStrategy,
    &ReplicaSetStrategy,
];

/// All kinds that are validated, sorted by name.
pub const ALL: &[&dyn Strategy] = &[
    &CronJobStrategy,
    &DaemonSetStrategy,
    &DeploymentStrategy,
    &JobStrategy,
    &PodStrategy,
    &PodTemplateStrategy,
    &ReplicaSetStrategy,
    &ReplicationControllerStrategy,
    &StatefulSetStrategy,
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
        Kind::CronJob => &cron_job::SHAPE,
        Kind::DaemonSet => &daemon_set::SHAPE,
        Kind::Deployment => &deployment::SHAPE,
        Kind::Job => &job::SHAPE,
        Kind::Pod => &pod::SHAPE,
        Kind::PodTemplate => &pod_template::SHAPE,
        Kind::ReplicaSet => &replica_set::SHAPE,
        Kind::ReplicationController => &replication_controller::SHAPE,
        Kind::StatefulSet => &stateful_set::SHAPE,
        Kind::LimitRange
        | Kind::Node
        | Kind::PersistentVolumeClaim
        | Kind::PodDisruptionBudget
        | Kind::ResourceQuota => return None,
    })
}
