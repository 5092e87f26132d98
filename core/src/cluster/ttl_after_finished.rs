//! The TTL-after-finished controller: when it looks at a Job that has ended.
//!
//! The work queue has a Job once, for the Job controller, so this controller's waits are events of their own.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::api_server::Session;
use super::event_queue::SimEvent;
use super::state::Cluster;
use super::step::{Actor, Change};
use crate::controller::ttl_after_finished::{needs_cleanup, process_job};
use crate::object::{Job, Object, ObjectKey};

impl Cluster {
    /// A Job has been created, changed or removed.
    ///
    /// Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go addJob`, `updateJob`
    pub(super) fn observe_finished_job(&mut self, change: &Change) {
        if let Some(Object::Job(job)) = &change.after
            && job.metadata.deletion_timestamp.is_none()
            && needs_cleanup(job).is_some()
        {
            self.plan(0, SimEvent::ExpireJob((*change.key).clone()));
        }
    }

    /// The controllers start: each Job is new to them.
    pub(super) fn observe_finished_jobs(&mut self) {
        let is_due = |object: &&Object| matches!(object, Object::Job(job) if needs_cleanup(job).is_some());
        let keys: Vec<ObjectKey> = self.store.borrow().objects().filter(is_due).map(Object::key).collect();
        for key in keys {
            self.plan(0, SimEvent::ExpireJob(key));
        }
    }

    /// Deletes a Job whose time is over, or waits until it is.
    pub(super) fn expire_job(&mut self, key: &ObjectKey) {
        let Some(job) = self.job_at(key) else { return };
        let about = self.store.borrow().shared_key(key);
        let mut session = Session { cluster: self, actor: Actor::TtlAfterFinishedController, about };
        // The only error is a Job that does not say when it finished: a Job that has just been read is there, and no deletion
        // of it is refused. Upstream would try again forever (`handleErr`); here, the next change of the Job does.
        if let Ok(Some(after)) = process_job(&mut session, &job) {
            self.plan(after, SimEvent::ExpireJob(key.clone()));
        }
    }

    fn job_at(&self, key: &ObjectKey) -> Option<Rc<Job>> {
        self.store.borrow().job(key).cloned()
    }
}
