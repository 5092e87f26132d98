//! Which changes queue a Job for its controller, and which pods it may have to let go because no Job will count them.
//!
//! Changes of pods and of a status are gathered for a second; changes of a spec are looked at immediately.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::state::Cluster;
use super::step::Change;
use crate::controller::job::{Memory, SYNC_JOB_BATCH_PERIOD, has_job_tracking_finalizer, is_job_finished};
use crate::object::{Job, Kind, LabelSelector, Object, ObjectKey, Pod, Time};

impl Cluster {
    /// A Job has been created, changed or removed.
    ///
    /// Upstream: `pkg/controller/job/job_controller.go addJob`, `updateJob` and `deleteJob`
    pub(super) fn observe_job(&mut self, change: &Change) {
        let key = &*change.key;
        match (&change.before, &change.after) {
            (Some(Object::Job(old)), Some(Object::Job(new))) => self.observe_job_update(key, old, new),
            (Some(Object::Job(old)), None) => {
                self.work_queue.add(key.clone());
                // A Job of the same name starts over.
                self.work_queue.record(key).memory = Memory::default();
                self.enqueue_orphans_of(old);
            }
            _ => self.work_queue.add(key.clone()),
        }
    }

    fn observe_job_update(&mut self, key: &ObjectKey, old: &Job, new: &Job) {
        if is_job_finished(new) {
            self.enqueue_orphans_of(new);
            return;
        }
        if new.metadata.generation == old.metadata.generation {
            self.enqueue_after(key, SYNC_JOB_BATCH_PERIOD);
        } else {
            self.work_queue.add(key.clone());
        }
        let (deadline, before) = (new.spec.active_deadline_seconds, old.spec.active_deadline_seconds);
        if let (Some(seconds), Some(start)) = (deadline, new.status.start_time)
            && deadline != before
        {
            let left = seconds.saturating_mul(Time::SECOND).saturating_sub(self.now.since(start));
            self.enqueue_after(key, left.max(0));
        }
    }

    /// Queues the pods of a Job that is gone or over and that still have its finalizer.
    ///
    /// Upstream: `pkg/controller/job/job_controller.go enqueueLabelSelector` and `syncOrphanPodsBySelector`
    fn enqueue_orphans_of(&mut self, job: &Job) {
        let Ok(selector) = LabelSelector::to_selector(job.spec.selector.as_deref()) else { return };
        let store = self.store.borrow();
        let candidates = store.pods_owned_by(&job.metadata.uid).chain(store.orphan_pods());
        let is_meant = |pod: &&Rc<Pod>| {
            pod.metadata.namespace == job.metadata.namespace
                && has_job_tracking_finalizer(pod)
                && selector.matches(&pod.metadata.labels)
        };
        candidates.filter(is_meant).for_each(|pod| self.work_queue.add(pod.key()));
    }

    /// A pod has been created, changed or removed: its Job looks at it, or those that could adopt it.
    ///
    /// Upstream: `pkg/controller/job/job_controller.go addPod`, `updatePod` and `deletePod`
    pub(super) fn observe_pod_of_job(&mut self, change: &Change) {
        let as_pod = |object: &Option<Object>| match object {
            Some(Object::Pod(pod)) if is_for_jobs(pod) => Some(pod.clone()),
            _ => None,
        };
        match (as_pod(&change.before), as_pod(&change.after)) {
            (before, Some(pod)) if pod.metadata.deletion_timestamp.is_none() => {
                self.observe_pod(before.as_deref(), &pod);
            }
            (_, Some(pod)) => self.observe_pod_deletion(&pod),
            // It is gone, or another controller's now.
            (Some(pod), None) if change.after.is_some() => self.enqueue_job_of(&pod),
            (Some(pod), None) => self.observe_pod_deletion(&pod),
            (None, None) => {}
        }
    }

    fn observe_pod(&mut self, old: Option<&Pod>, pod: &Pod) {
        let (owner, old_owner) = (pod.metadata.controller(), old.and_then(|old| old.metadata.controller()));
        let owner_changed = owner != old_owner;
        if owner_changed && let Some(old) = old {
            self.enqueue_job_of(old);
        }
        if owner.is_some() {
            self.enqueue_job_of(pod);
            return;
        }
        if has_job_tracking_finalizer(pod) {
            self.work_queue.add(pod.key());
        }
        if old.is_none_or(|old| owner_changed || old.metadata.labels != pod.metadata.labels) {
            for job in self.jobs_matching(pod) {
                self.enqueue_after(&job, SYNC_JOB_BATCH_PERIOD);
            }
        }
    }

    /// A pod is to terminate, or is gone.
    fn observe_pod_deletion(&mut self, pod: &Pod) {
        if self.store.borrow().job_of(pod).is_some_and(|job| !is_job_finished(job)) {
            self.enqueue_job_of(pod);
        } else if has_job_tracking_finalizer(pod) {
            self.work_queue.add(pod.key());
        }
    }

    fn enqueue_job_of(&mut self, pod: &Pod) {
        let key = self.store.borrow().job_of(pod).map(|job| job.key());
        if let Some(key) = key {
            self.enqueue_after(&key, SYNC_JOB_BATCH_PERIOD);
        }
    }

    /// The Jobs that select a pod without a controller.
    ///
    /// Upstream: `pkg/controller/job/job_controller.go getPodJobs`
    fn jobs_matching(&self, pod: &Pod) -> Vec<ObjectKey> {
        let store = self.store.borrow();
        let jobs = store.of_kind(Kind::Job, &pod.metadata.namespace).filter_map(|object| match object {
            Object::Job(job) => Some(job),
            _ => None,
        });
        let selects = |job: &&Rc<Job>| {
            LabelSelector::to_selector(job.spec.selector.as_deref())
                .is_ok_and(|selector| selector.matches(&pod.metadata.labels))
        };
        jobs.filter(selects).map(|job| job.key()).collect()
    }

    /// The controllers start: each pod is new to them.
    pub(super) fn observe_pods_of_jobs(&mut self) {
        self.remember_counted_pods();
        let pods: Vec<Rc<Pod>> =
            self.store.borrow().pods().filter(|(_, pod)| is_for_jobs(pod)).map(|(_, pod)| pod.clone()).collect();
        for pod in pods {
            if pod.metadata.deletion_timestamp.is_none() {
                self.observe_pod(None, &pod);
            } else {
                self.observe_pod_deletion(&pod);
            }
        }
    }

    /// A controller has counted some pods before, so a Job that was in a back-off still is.
    fn remember_counted_pods(&mut self) {
        let store = Rc::clone(&self.store);
        let store = store.borrow();
        for object in store.objects() {
            if let Object::Job(job) = object {
                self.work_queue.record(&job.key()).memory = Memory::of_counted(store.pods_owned_by(&job.metadata.uid));
            }
        }
    }
}

/// Whether the pod belongs to a Job or to no controller.
fn is_for_jobs(pod: &Pod) -> bool {
    pod.metadata.controller().is_none_or(|owner| &*owner.kind == Kind::Job.name())
}
