//! What the controllers decide, as values with the numbers that they used.

use changeover_derive::Decision;

use crate::workload::cron_job::decision as cron_job;
use crate::workload::daemon_set::decision as daemon_set;
use crate::workload::deployment::decision as deployment;
use crate::workload::job::decision as job;
use crate::workload::job::ttl_after_finished::decision as ttl_after_finished;
use crate::workload::replica_set::decision as replica_set;
use crate::workload::stateful_set::decision as stateful_set;

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
    /// The StatefulSet controller.
    StatefulSet(stateful_set::Decision),
    /// The DaemonSet controller.
    DaemonSet(daemon_set::Decision),
    /// The TTL-after-finished controller.
    TtlAfterFinished(ttl_after_finished::Decision),
}
