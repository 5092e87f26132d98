//! What a sync of the CronJob controller saw when it began.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::seen_objects::{Seen, SyncResult};
use super::step::Actor;
use super::store::Store;
use crate::controller::{Client, cron_job};
use crate::object::{CronJob, Job, Object, ObjectKey};

/// What a CronJob's sync has seen.
struct SeenCronJob {
    object: Rc<CronJob>,
    jobs: Vec<Rc<Job>>,
}

/// What a sync of a CronJob sees that begins now; none if it is gone.
pub(super) fn see_cron_job(store: &Store, key: &ObjectKey) -> Option<Box<dyn Seen>> {
    let Object::CronJob(object) = store.get(key)? else { return None };
    let jobs = store.jobs_owned_by(&object.metadata.uid);
    Some(Box::new(SeenCronJob { object: object.clone(), jobs }))
}

impl Seen for SeenCronJob {
    fn actor(&self) -> Actor {
        Actor::CronJobController
    }

    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::CronJob(self.object.clone())])
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        cron_job::sync(client, &cron_job::View { cron_job: &self.object, jobs: &self.jobs })
    }
}
