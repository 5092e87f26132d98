//! The controllers' informers: where watches take time, controllers learn of a change after it, and the Deployment controller
//! decides from caches that lag.
//!
//! The caches of the ReplicaSet and Job controllers don't lag behind their own writes: their syncs wait for that
//! (expectations, and the gates StaleControllerConsistencyReplicaSet and StaleControllerConsistencyJob). The Deployment
//! controller has no such thing, so an update of what it wrote a moment ago may be refused as outdated.
//!
//! Upstream: `k8s.io/client-go/tools/cache/shared_informer.go sharedIndexInformer`

use alloc::rc::Rc;
use core::cell::RefCell;

use super::controllers::Controller;
use super::event_queue::SimEvent;
use super::state::Cluster;
use super::step::{Actor, Change};
use super::store::Store;
use crate::object::Kind;
use crate::workload::deployment::run::DeploymentController;

impl Cluster {
    /// The controllers have started, with caches of what there is.
    pub(super) fn fill_caches(&mut self) {
        let delay = self.watch_delay();
        self.lagging_cache = (delay > 0).then(|| {
            let mut cache = Store::default();
            for object in self.store.borrow().objects() {
                if is_cached(object.kind()) {
                    cache.put(None, &Rc::new(object.key()), object.clone());
                }
            }
            RefCell::new(cache)
        });
    }

    pub(super) fn watch_delay(&self) -> i64 {
        self.throttling.as_ref().map_or(0, |clients| clients.watch_delay())
    }

    /// Tells the controllers of a change, now or when their watches report it.
    pub(super) fn inform_controllers(&mut self, actor: Actor, change: &Change) {
        match self.watch_delay() {
            0 => self.observe(actor, change),
            delay => self.plan(delay, SimEvent::Watch(actor, change.clone())),
        }
    }

    /// The watches of the controllers report a change.
    pub(super) fn deliver(&mut self, actor: Actor, change: &Change) {
        if let Some(cache) = &self.lagging_cache
            && is_cached(change.key.kind)
        {
            let mut cache = cache.borrow_mut();
            match &change.after {
                Some(object) => {
                    let slot = cache.find(&change.key);
                    cache.put(slot, &change.key, object.clone());
                }
                None => cache.remove(&change.key),
            }
        }
        self.observe(actor, change);
    }
}

/// Whether the Deployment controller has objects of this kind in its caches. It sees pods as they are.
fn is_cached(kind: Kind) -> bool {
    kind != Kind::Pod && DeploymentController.watches().contains(&kind)
}
