//! The TTL-after-finished controller in the simulated cluster: when it looks at a Job that has ended.

use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::cluster::controllers::{Controller, Desk};
use crate::cluster::step::{Actor, Change};
use crate::object::{Duration, Kind, Object, ObjectKey};
use crate::workload::job::Job;
use crate::workload::job::ttl_after_finished::controller::{needs_cleanup, process_job};

/// It looks at Jobs when their time has come, aside from the rounds of the other controllers.
///
/// Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go Controller`
#[derive(Debug)]
pub(crate) struct TtlAfterFinishedController;

impl Controller for TtlAfterFinishedController {
    fn actor(&self) -> Actor {
        Actor::TtlAfterFinishedController
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Job]
    }

    fn started(&self, desk: &mut dyn Desk) {
        let is_due = |object: &&Object| matches!(object, Object::Job(job) if needs_cleanup(job).is_some());
        let keys: Vec<ObjectKey> = desk.store().all_of(Kind::Job).filter(is_due).map(Object::key).collect();
        for key in keys {
            desk.plan_wake(&key, Duration(0));
        }
    }

    /// Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go addJob`, `updateJob`
    fn observe(&self, desk: &mut dyn Desk, _: Actor, change: &Change) {
        if let Some(Object::Job(job)) = &change.after
            && job.metadata.deletion_timestamp.is_none()
            && needs_cleanup(job).is_some()
        {
            desk.plan_wake(&change.key, Duration(0));
        }
    }

    /// Deletes a Job whose time is over, or waits until it is.
    fn wake(&self, desk: &mut dyn Desk, key: &ObjectKey) {
        let job: Option<Rc<Job>> = desk.store().typed(key).cloned();
        let Some(job) = job else { return };
        // The only error is a Job that does not say when it finished: a Job that has just been read is there, and no deletion
        // of it is refused. Upstream would try again forever (`handleErr`); here, the next change of the Job does.
        let again = process_job(&mut *desk.client(key), &job);
        if let Ok(Some(after)) = again {
            desk.plan_wake(key, after);
        }
    }
}
