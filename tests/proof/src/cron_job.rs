//! The CronJob controller.

use std::rc::Rc;

use changeover_core::controller::Error;
use changeover_core::workload::cron_job::controller::{View, sync};
use changeover_core::workload::job::Job;

use crate::recording::Request;
use crate::replay::Replay;
use crate::search::{Caches, Clock, Controller, combinations, times};
use crate::world::{World, is_claimable, within};

/// The controller of one CronJob. Its caches may be older than its own last write, since it has no
/// StaleControllerConsistency.
pub struct CronJobController<'a> {
    world: &'a World,
    uid: String,
    /// The changes of the CronJob.
    own: Vec<usize>,
    /// The changes of the Jobs that it owns.
    jobs: Vec<usize>,
}

impl<'a> CronJobController<'a> {
    /// The controller of the CronJob with this uid.
    pub fn new(world: &'a World, uid: &str) -> Self {
        Self {
            world,
            uid: uid.into(),
            own: world.cron_jobs.positions(|cron_job| *cron_job.metadata.uid == *uid),
            jobs: world.jobs.positions(|job| is_claimable(&job.metadata, uid)),
        }
    }
}

impl Controller for CronJobController<'_> {
    type Memory = ();

    fn attempts<'a>(
        &'a self,
        before: &Caches,
        (): &(),
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a> {
        let World { cron_jobs, jobs, .. } = self.world;
        let named = first.named.filter(|_| first.object.starts_with("CronJob/")).map(|named| named.to_string());
        let own = within(&self.own, before.own, cron_jobs.before(horizon));
        let own = cron_jobs.in_version(own, &self.uid, named.as_deref());
        let jobs = within(&self.jobs, before.owned, jobs.before(horizon));
        combinations(times(before.now, first.received, Clock::Seconds), own, jobs, vec![0])
    }

    fn sync(&self, caches: &Caches, (): &mut (), client: &mut Replay<'_>) -> Result<(), Error> {
        let Some(cron_job) = self.world.cron_jobs.find(caches.own, &self.uid) else { return Ok(()) };
        let jobs = self.world.jobs.at(caches.owned).iter();
        let jobs: Vec<Rc<Job>> =
            jobs.filter(|job| job.metadata.is_controlled_by(&cron_job.metadata)).cloned().collect();
        sync(client, &View { cron_job, jobs: &jobs }).map(drop)
    }
}
