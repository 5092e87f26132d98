//! What a sync of the Job controller or of the CronJob controller saw when it began.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::seen_objects::{Seen, SyncResult};
use super::step::Actor;
use super::store::Store;
use super::work_queue::SyncRecord;
use crate::controller::{Client, cron_job, job};
use crate::object::{CronJob, Job, Object, ObjectKey, Pod};

/// What a Job's sync has seen, and what the controller remembered of the Job.
struct SeenJob {
    object: Rc<Job>,
    pods: Vec<Rc<Pod>>,
    before: job::Memory,
    /// What it remembers after the sync.
    after: RefCell<job::Memory>,
}

/// A pod that may be an orphan, and its Job.
struct SeenOrphanPod {
    pod: Rc<Pod>,
    job: Option<Rc<Job>>,
}

/// What a sync of a Job sees that begins now; none if it is gone.
pub(super) fn see_job(store: &Store, memory: &job::Memory, key: &ObjectKey) -> Option<Box<dyn Seen>> {
    let object = store.job(key)?.clone();
    let owned = store.pods_owned_by(&object.metadata.uid);
    let orphans = store.orphan_pods().filter(|pod| pod.metadata.namespace == key.namespace);
    let pods = owned.chain(orphans).cloned().collect();
    Some(Box::new(SeenJob { object, pods, before: memory.clone(), after: RefCell::default() }))
}

/// What the controller sees of a pod that perhaps no Job will count any more; none if it is gone.
pub(super) fn see_orphan_pod(store: &Store, key: &ObjectKey) -> Option<Box<dyn Seen>> {
    let pod = store.pod(store.find(key)?)?.clone();
    let job = store.job_of(&pod).cloned();
    Some(Box::new(SeenOrphanPod { pod, job }))
}

impl Seen for SeenJob {
    fn actor(&self) -> Actor {
        Actor::JobController
    }

    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::Job(self.object.clone())])
    }

    /// A sync that has to wait runs more than once, each time with what the controller remembered when it began.
    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let mut memory = self.before.clone();
        let result = job::sync_job(client, &job::View { job: &self.object, pods: &self.pods }, &mut memory);
        self.after.replace(memory);
        result
    }

    /// The controller has seen all that it has done: its caches are as fresh as the store.
    fn remember(&self, record: &mut SyncRecord) {
        record.memory = job::Memory { expectations: None, finalizers: BTreeSet::new(), ..self.after.borrow().clone() };
    }
}

impl Seen for SeenOrphanPod {
    fn actor(&self) -> Actor {
        Actor::JobController
    }

    fn objects(&self) -> Vec<Object> {
        Vec::new()
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        job::handle_single_orphan_pod(client, &self.pod, self.job.as_deref()).map(|()| None)
    }
}

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
