//! What a controller's handlers may do to the simulated cluster.

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::Ref;

use super::controllers::{Controller, Desk, Memory, Queue};
use super::event_queue::SimEvent;
use super::seen_pods::PodSource;
use super::state::Cluster;
use super::store::Store;
use crate::controller::{Client, Event};
use crate::object::{Duration, ObjectKey, Time};
use crate::scenario::Release;
#[cfg(feature = "sets")]
use crate::scheduler::Node;

/// The desk of one controller.
pub(super) struct ClusterDesk<'a> {
    cluster: &'a mut Cluster,
    controller: &'static dyn Controller,
}

impl Cluster {
    pub(super) const fn desk(&mut self, controller: &'static dyn Controller) -> ClusterDesk<'_> {
        ClusterDesk { cluster: self, controller }
    }
}

impl Desk for ClusterDesk<'_> {
    fn now(&self) -> Time {
        self.cluster.now
    }

    #[cfg(feature = "sets")]
    fn hurries(&self) -> bool {
        self.cluster.hurries
    }

    #[cfg(feature = "sets")]
    fn nodes(&self) -> Rc<[Rc<Node>]> {
        self.cluster.nodes.list()
    }

    fn release(&self) -> Release {
        self.cluster.scenario.release.unwrap_or_default()
    }

    fn store(&self) -> Ref<'_, Store> {
        self.cluster.store.borrow()
    }

    fn cache(&self) -> Ref<'_, Store> {
        self.cluster.lagging_cache.as_ref().unwrap_or(&self.cluster.store).borrow()
    }

    fn pods(&self) -> Rc<dyn PodSource> {
        self.cluster.pods.clone()
    }

    fn enqueue(&mut self, queue: &'static Queue, key: ObjectKey) {
        self.cluster.work_queues.of(queue).add(key);
    }

    fn enqueue_after(&mut self, queue: &'static Queue, key: &ObjectKey, after: Duration) {
        self.cluster.enqueue_after(queue, key, after);
    }

    fn plan_wake(&mut self, key: &ObjectKey, after: Duration) {
        self.cluster.plan(after.0, SimEvent::Wake(self.controller.actor(), key.clone()));
    }

    fn memory(&self, queue: &'static Queue, key: &ObjectKey) -> Option<&Memory> {
        self.cluster.work_queues.find(queue)?.memory(key)
    }

    fn memory_mut(&mut self, queue: &'static Queue, key: &ObjectKey) -> &mut Memory {
        &mut self.cluster.work_queues.of(queue).record(key).memory
    }

    fn event(&mut self, about: &ObjectKey, event: Event) {
        self.cluster.event(about, event);
    }

    fn client<'a>(&'a mut self, about: &ObjectKey) -> Box<dyn Client + 'a> {
        Box::new(self.cluster.session(self.controller, about))
    }
}
