//! The CronJob controller in the simulated cluster.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::Problem;
use crate::cluster::controllers::{Controller, Desk, Queue, Retry, Seen, SyncResult, Workers};
use crate::cluster::step::{Actor, Change};
use crate::cluster::workload::{Start, UserVerb, Workload};
use crate::controller::Client;
use crate::go::quoted;
use crate::object::{Duration, Kind, Object, ObjectKey};
use crate::workload::cron_job::CronJob;
use crate::workload::cron_job::controller::{self, has_time_zone, update_cron_job};
use crate::workload::job::Job;

/// Upstream: `pkg/controller/cronjob/config/v1alpha1/defaults.go RecommendedDefaultCronJobControllerConfiguration`
static CRON_JOBS: Queue =
    Queue { controller: &CronJobController, kind: Kind::CronJob, workers: Workers::DEFAULT, retry: Retry::DEFAULT };

/// CronJobs in the simulated cluster.
pub(crate) struct CronJobKind;

impl Workload for CronJobKind {
    fn kind(&self) -> Kind {
        Kind::CronJob
    }

    fn controllers(&self) -> &'static [&'static dyn Controller] {
        &[&CronJobController]
    }

    fn start(&self) -> Option<Start> {
        Some(Start::Created)
    }

    fn field_of(&self, verb: UserVerb) -> Option<&'static str> {
        match verb {
            UserVerb::Scale => None,
            UserVerb::Suspend | UserVerb::Resume => Some("suspend"),
        }
    }

    fn instead_of_replicas(&self) -> Option<&'static str> {
        Some("spec.jobTemplate.spec.parallelism")
    }

    /// A CronJob whose clocks this build can't read is refused.
    fn validate(&self, object: &Object, path: &str) -> Result<(), Problem> {
        let Object::CronJob(cron_job) = object else { return Ok(()) };
        match &cron_job.spec.time_zone {
            Some(zone) if !has_time_zone(zone) => {
                let message = format!(
                    "Unsupported value: {}: supported values: \"UTC\" (this build has no data for other time zones)",
                    quoted(zone)
                );
                Err(Problem::new(format!("{path}.spec.timeZone"), message))
            }
            _ => Ok(()),
        }
    }
}

/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go ControllerV2`
#[derive(Debug)]
pub(crate) struct CronJobController;

impl Controller for CronJobController {
    fn actor(&self) -> Actor {
        Actor::CronJobController
    }

    fn queues(&self) -> &'static [&'static Queue] {
        const { &[&CRON_JOBS] }
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::CronJob, Kind::Job]
    }

    fn observe(&self, desk: &mut dyn Desk, _: Actor, change: &Change) {
        if change.key.kind == Kind::CronJob {
            observe_cron_job(desk, change)
        } else {
            observe_job_of_cron_job(desk, change)
        }
    }

    fn see(&self, desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        let store = desk.store();
        let object = store.typed::<CronJob>(key)?.clone();
        let owned = store.owned_by(&object.metadata.uid);
        let jobs = owned.iter().filter_map(Object::typed).cloned().collect();
        Some(Box::new(SeenCronJob { object, jobs }))
    }
}

/// A CronJob has been created, changed or removed.
fn observe_cron_job(desk: &mut dyn Desk, change: &Change) {
    let key = &*change.key;
    match (&change.before, &change.after) {
        (Some(Object::CronJob(old)), Some(Object::CronJob(new))) => match update_cron_job(old, new, desk.now()) {
            Ok(Duration(0)) => desk.enqueue(&CRON_JOBS, key.clone()),
            Ok(after) => desk.enqueue_after(&CRON_JOBS, key, after),
            Err(warning) => desk.event(key, warning),
        },
        _ => desk.enqueue(&CRON_JOBS, key.clone()),
    }
}

/// A Job has been created, changed or removed: its CronJob looks at it.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go addJob`, `updateJob` and `deleteJob`
fn observe_job_of_cron_job(desk: &mut dyn Desk, change: &Change) {
    for object in [&change.before, &change.after].into_iter().flatten() {
        if let Some(job) = object.typed() {
            enqueue_cron_job_of(desk, job);
        }
    }
}

/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go resolveControllerRef`
fn enqueue_cron_job_of(desk: &mut dyn Desk, job: &Job) {
    let Some(owner) = job.metadata.controller().filter(|owner| &*owner.kind == Kind::CronJob.name()) else {
        return;
    };
    let Some(key) = job.metadata.controller_key(Kind::CronJob) else { return };
    let is_there = desk.store().get(&key).is_some_and(|cron_job| cron_job.metadata().uid == owner.uid);
    if is_there {
        desk.enqueue(&CRON_JOBS, key);
    }
}

/// What a CronJob's sync has seen.
struct SeenCronJob {
    object: Rc<CronJob>,
    jobs: Vec<Rc<Job>>,
}

impl Seen for SeenCronJob {
    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::CronJob(self.object.clone())])
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        controller::sync(client, &controller::View { cron_job: &self.object, jobs: &self.jobs })
    }
}
