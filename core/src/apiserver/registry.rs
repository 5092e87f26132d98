//! The kinds that are validated.

use serde_json::Value;

use super::pod::{self, PodStrategy};
use super::pod_template::{self, PodTemplateStrategy};
use super::reviewed::Reviewed;
use super::strategy::Strategy;
use crate::object::Kind;
use crate::workload::cron_job::strategy::{self as cron_job, CronJobStrategy};
use crate::workload::daemon_set::strategy::{self as daemon_set, DaemonSetStrategy};
use crate::workload::deployment::strategy::{self as deployment, DeploymentStrategy};
use crate::workload::job::strategy::{self as job, JobStrategy};
use crate::workload::replica_set::strategy::{self as replica_set, ReplicaSetStrategy};
use crate::workload::replication_controller::strategy::{
    self as replication_controller, ReplicationControllerStrategy,
};
use crate::workload::stateful_set::strategy::{self as stateful_set, StatefulSetStrategy};

/// What the simulated cluster runs, sorted by name. A kind that is not compiled in is not among them.
pub(crate) const SIMULATED: &[&dyn Strategy] = &[
    #[cfg(feature = "jobs")]
    &CronJobStrategy,
    #[cfg(feature = "sets")]
    &DaemonSetStrategy,
    &DeploymentStrategy,
    #[cfg(feature = "jobs")]
    &JobStrategy,
    &PodStrategy,
    &ReplicaSetStrategy,
    #[cfg(feature = "sets")]
    &ReplicationControllerStrategy,
    #[cfg(feature = "sets")]
    &StatefulSetStrategy,
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

/// What the policy validates of a kind; none for a kind that is not validated.
pub(crate) const fn reviewed(kind: Kind) -> Option<&'static Reviewed> {
    Some(match kind {
        Kind::CronJob => &cron_job::REVIEWED,
        Kind::DaemonSet => &daemon_set::REVIEWED,
        Kind::Deployment => &deployment::REVIEWED,
        Kind::Job => &job::REVIEWED,
        Kind::Pod => &pod::REVIEWED,
        Kind::PodTemplate => &pod_template::REVIEWED,
        Kind::ReplicaSet => &replica_set::REVIEWED,
        Kind::ReplicationController => &replication_controller::REVIEWED,
        Kind::StatefulSet => &stateful_set::REVIEWED,
        Kind::ControllerRevision
        | Kind::LimitRange
        | Kind::Namespace
        | Kind::Node
        | Kind::PersistentVolume
        | Kind::PersistentVolumeClaim
        | Kind::PodDisruptionBudget
        | Kind::PriorityClass
        | Kind::ResourceQuota
        | Kind::Service
        | Kind::StorageClass => return None,
    })
}
