//! The kinds of workloads that the simulated cluster runs.

use super::workload::Workload;
#[cfg(feature = "jobs")]
use crate::workload::cron_job::run::CronJobKind;
#[cfg(feature = "sets")]
use crate::workload::daemon_set::run::DaemonSetKind;
use crate::workload::deployment::run::DeploymentKind;
#[cfg(feature = "jobs")]
use crate::workload::job::run::JobKind;
use crate::workload::replica_set::run::ReplicaSetKind;
#[cfg(feature = "sets")]
use crate::workload::replication_controller::run::ReplicationControllerKind;
#[cfg(feature = "sets")]
use crate::workload::stateful_set::run::StatefulSetKind;

/// All kinds, in the order of their controllers' rounds. A kind that is not compiled in is not among them.
pub(super) const ALL: &[&dyn Workload] = &[
    &DeploymentKind,
    &ReplicaSetKind,
    #[cfg(feature = "jobs")]
    &CronJobKind,
    #[cfg(feature = "jobs")]
    &JobKind,
    #[cfg(feature = "sets")]
    &StatefulSetKind,
    #[cfg(feature = "sets")]
    &DaemonSetKind,
    #[cfg(feature = "sets")]
    &ReplicationControllerKind,
];

/// The kinds of a rollout.
pub(super) const OF_ROLLOUTS: &[&dyn Workload] = &[&DeploymentKind, &ReplicaSetKind];

/// The workload kind of this name.
pub(super) fn workload_of(kind: &str) -> Option<&'static dyn Workload> {
    ALL.iter().find(|workload| workload.kind().name() == kind).copied()
}
