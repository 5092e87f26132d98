//! What the controllers decide, as values with the numbers that they used.

use changeover_derive::Decision;

use crate::workload::job::ttl_after_finished;
use crate::workload::{cron_job, deployment, job, replica_set};

/// What a controller decided.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// The Deployment controller.
    Deployment(deployment::decision::Decision),
    /// The ReplicaSet controller, or that of ReplicationControllers.
    ReplicaSet(replica_set::decision::Decision),
    /// The Job controller.
    Job(job::decision::Decision),
    /// The CronJob controller.
    CronJob(cron_job::decision::Decision),
    /// The TTL-after-finished controller.
    TtlAfterFinished(ttl_after_finished::decision::Decision),
}
