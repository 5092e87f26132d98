//! The CronJob controller: starts a Job whenever the schedule says so, and removes those that ended long ago.

mod active;
mod history;
mod schedule;
mod sync;
mod template;
mod update;

use alloc::rc::Rc;

pub use schedule::has_time_zone;
pub use schedule::upcoming;
pub use sync::sync;
pub use update::update_cron_job;

use crate::workload::cron_job::CronJob;
use crate::workload::job::Job;

/// The input of a CronJob's sync.
pub struct View<'a> {
    /// The CronJob.
    pub cron_job: &'a Rc<CronJob>,
    /// The Jobs whose controller it is, by name.
    pub jobs: &'a [Rc<Job>],
}
