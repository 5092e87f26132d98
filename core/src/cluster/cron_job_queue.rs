//! Which changes queue a CronJob for its controller.

use super::state::Cluster;
use super::step::Change;
use crate::controller::cron_job::update_cron_job;
use crate::object::{Job, Kind, Object};

impl Cluster {
    /// A CronJob has been created, changed or removed.
    pub(super) fn observe_cron_job(&mut self, change: &Change) {
        let key = &*change.key;
        match (&change.before, &change.after) {
            (Some(Object::CronJob(old)), Some(Object::CronJob(new))) => match update_cron_job(old, new, self.now) {
                Ok(0) => self.work_queue.add(key.clone()),
                Ok(after) => self.enqueue_after(key, after),
                Err(warning) => self.event(key, warning),
            },
            _ => self.work_queue.add(key.clone()),
        }
    }

    /// A Job has been created, changed or removed: its CronJob looks at it.
    ///
    /// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go addJob`, `updateJob` and `deleteJob`
    pub(super) fn observe_job_of_cron_job(&mut self, change: &Change) {
        for object in [&change.before, &change.after].into_iter().flatten() {
            if let Object::Job(job) = object {
                self.enqueue_cron_job_of(job);
            }
        }
    }

    /// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go resolveControllerRef`
    fn enqueue_cron_job_of(&mut self, job: &Job) {
        let Some(owner) = job.metadata.controller().filter(|owner| &*owner.kind == Kind::CronJob.name()) else {
            return;
        };
        let Some(key) = job.metadata.controller_key(Kind::CronJob) else { return };
        if self.find(&key).is_some_and(|cron_job| cron_job.metadata().uid == owner.uid) {
            self.work_queue.add(key);
        }
    }
}
