//! What the controllers decide, as values with the numbers that they used.

pub mod cron_job;
pub mod deployment;
pub mod job;
pub mod replica_set;
pub mod ttl_after_finished;

use changeover_derive::Decision;

/// What a controller decided.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// The Deployment controller.
    Deployment(deployment::Decision),
    /// The ReplicaSet controller, or that of ReplicationControllers.
    ReplicaSet(replica_set::Decision),
    /// The Job controller.
    Job(job::Decision),
    /// The CronJob controller.
    CronJob(cron_job::Decision),
    /// The TTL-after-finished controller.
    TtlAfterFinished(ttl_after_finished::Decision),
}
