//! What a build without the feature `jobs` has instead of the controllers of Jobs: the API server refuses Jobs there, so there is
//! nothing to do for them.

use alloc::boxed::Box;

use super::seen_objects::Seen;
use super::state::Cluster;
use super::step::Change;
use super::store::Store;
use crate::controller::job;
use crate::object::ObjectKey;

/// There are no Jobs.
pub(super) fn see_job(_: &Store, _: &job::Memory, _: &ObjectKey) -> Option<Box<dyn Seen>> {
    None
}

/// There are no CronJobs.
pub(super) fn see_cron_job(_: &Store, _: &ObjectKey) -> Option<Box<dyn Seen>> {
    None
}

/// No pod waits for a Job that counts it.
pub(super) fn see_orphan_pod(_: &Store, _: &ObjectKey) -> Option<Box<dyn Seen>> {
    None
}

impl Cluster {
    /// There are no Jobs.
    pub(super) fn observe_job(&mut self, _: &Change) {}

    /// There are no CronJobs.
    pub(super) fn observe_cron_job(&mut self, _: &Change) {}

    /// There are no CronJobs.
    pub(super) fn observe_job_of_cron_job(&mut self, _: &Change) {}

    /// No Job ends.
    pub(super) fn observe_finished_job(&mut self, _: &Change) {}

    /// No Job has ended.
    pub(super) fn observe_finished_jobs(&mut self) {}

    /// No Job has ended.
    pub(super) fn expire_job(&mut self, _: &ObjectKey) {}

    /// No Job looks at pods.
    pub(super) fn observe_pod_of_job(&mut self, _: &Change) {}

    /// No Job looks at pods.
    pub(super) fn observe_pods_of_jobs(&mut self) {}
}
