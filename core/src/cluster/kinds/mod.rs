//! The kinds of workloads that the simulated cluster runs, a file each.

#[cfg(feature = "jobs")]
mod cron_job;
pub(super) mod deployment;
#[cfg(feature = "jobs")]
mod job;
pub(super) mod replica_set;
#[cfg(feature = "jobs")]
mod ttl_after_finished;

use super::workload::Workload;

/// All kinds, in the order of their controllers' rounds. A kind that is not compiled in is not among them.
pub(super) const ALL: &[&dyn Workload] = &[
    &deployment::DeploymentKind,
    &replica_set::ReplicaSetKind,
    #[cfg(feature = "jobs")]
    &cron_job::CronJobKind,
    #[cfg(feature = "jobs")]
    &job::JobKind,
];

/// The kinds of a rollout.
pub(super) const OF_ROLLOUTS: &[&dyn Workload] = &[&deployment::DeploymentKind, &replica_set::ReplicaSetKind];

/// The workload kind of this name.
pub(super) fn workload_of(kind: &str) -> Option<&'static dyn Workload> {
    ALL.iter().find(|workload| workload.kind().name() == kind).copied()
}
