//! How controllers plug into the controller manager: what each one watches, what its syncs see, and what it does after an error.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::any::Any;
use core::cell::Ref;
use core::fmt::Debug;

use super::seen_pods::PodSource;
use super::step::{Actor, Change};
use super::store::Store;
use crate::controller::{Client, Error, Event};
use crate::object::{Duration, Kind, Object, ObjectKey, Time};
use crate::scenario::Release;
#[cfg(feature = "sets")]
use crate::scheduler::Node;

/// A controller, as the controller manager runs it.
pub(crate) trait Controller: Debug + Sync {
    /// The controller's name in steps. No other controller has it.
    fn actor(&self) -> Actor;

    /// Its work queues, in the order of their rounds.
    fn queues(&self) -> &'static [&'static Queue] {
        &[]
    }

    /// The kinds of the objects that its informers watch.
    fn watches(&self) -> &'static [Kind];

    /// It has started, and remembers nothing: its informers report every object.
    fn started(&self, desk: &mut dyn Desk) {
        for queue in self.queues() {
            desk.enqueue_all(queue);
        }
    }

    /// Its informers report that an object of a watched kind was created, changed or removed. `writer`: who wrote that.
    fn observe(&self, desk: &mut dyn Desk, writer: Actor, change: &Change);

    /// What a sync sees that begins now; none if the object is gone.
    fn see(&self, _: &dyn Desk, _: &ObjectKey) -> Option<Box<dyn Seen>> {
        None
    }

    /// Whether its syncs wait until nothing more happens in an instant. Each looks at everything, and upstream's queue has an object once,
    /// however much happens while it is synced.
    fn merges_instants(&self) -> bool {
        false
    }

    /// The time has come for which it has planned to look at an object, aside from its queues.
    fn wake(&self, _: &mut dyn Desk, _: &ObjectKey) {}

    /// When an object is synced again whose sync asked to be repeated after this time.
    fn pause(&self, asked: Duration) -> Duration {
        asked
    }
}

/// What a controller's handlers may do.
pub(crate) trait Desk {
    fn now(&self) -> Time;

    /// Whether objects come to rest faster, where that changes nothing of the pods that they have then.
    #[cfg(feature = "sets")]
    fn hurries(&self) -> bool;

    /// The nodes that exist, by name.
    #[cfg(feature = "sets")]
    fn nodes(&self) -> Rc<[Rc<Node>]>;

    /// The simulated release of Kubernetes.
    fn release(&self) -> Release;

    /// The objects as the API server has them.
    fn store(&self) -> Ref<'_, Store>;

    /// The objects as the controller's caches show them, which lag where watches take time.
    fn cache(&self) -> Ref<'_, Store>;

    /// The pods, which may be no objects of the store.
    fn pods(&self) -> Rc<dyn PodSource>;

    /// Queues an object.
    fn enqueue(&mut self, queue: &'static Queue, key: ObjectKey);

    /// Queues an object after this time.
    fn enqueue_after(&mut self, queue: &'static Queue, key: &ObjectKey, after: Duration);

    /// Plans to wake the controller for an object after this time.
    fn plan_wake(&mut self, key: &ObjectKey, after: Duration);

    /// What the controller remembers of an object of a queue, if that is anything.
    fn memory(&self, queue: &'static Queue, key: &ObjectKey) -> Option<&Memory>;

    fn memory_mut(&mut self, queue: &'static Queue, key: &ObjectKey) -> &mut Memory;

    /// Records an event about an object.
    fn event(&mut self, about: &ObjectKey, event: Event);

    /// A client for what the controller does outside of its syncs.
    fn client<'a>(&'a mut self, about: &ObjectKey) -> Box<dyn Client + 'a>;

    /// Queues all objects of the queue's kind.
    fn enqueue_all(&mut self, queue: &'static Queue) {
        let keys: Vec<ObjectKey> = self.store().all_of(queue.kind).map(Object::key).collect();
        keys.into_iter().for_each(|key| self.enqueue(queue, key));
    }

    /// Queues the owners of an object, which are of the queue's kind, before and after a change; for an orphan, all that could
    /// adopt it.
    fn enqueue_owners(&mut self, queue: &'static Queue, change: &Change) {
        // Most changes keep the owner: it is queued once.
        let has_other_owners = |before: &&Object| {
            let owners = &before.metadata().owner_references;
            change.after.as_ref().is_none_or(|after| !Rc::ptr_eq(owners, &after.metadata().owner_references))
        };
        let kind = queue.kind;
        for object in change.before.as_ref().filter(has_other_owners).into_iter().chain(&change.after) {
            let metadata = object.metadata();
            match metadata.controller() {
                Some(owner) if *owner.kind == *kind.name() => {
                    self.enqueue(queue, ObjectKey::new(kind, metadata.namespace.clone(), owner.name.clone()));
                }
                Some(_) => {}
                None => {
                    let keys: Vec<ObjectKey> =
                        self.store().of_kind(kind, &metadata.namespace).map(Object::key).collect();
                    keys.into_iter().for_each(|key| self.enqueue(queue, key));
                }
            }
        }
    }
}

/// A work queue of a controller. It has objects of one kind, each once.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) controller: &'static dyn Controller,
    /// A controller has at most one queue for a kind.
    pub(crate) kind: Kind,
    pub(crate) workers: Workers,
    pub(crate) retry: Retry,
}

/// How many objects of a queue are synced at the same time.
#[derive(Debug)]
pub(crate) struct Workers {
    pub(crate) by_default: u32,
    /// Whether a flag of kube-controller-manager sets it, like `--concurrent-job-syncs`.
    pub(crate) has_flag: bool,
}

impl Workers {
    /// The default of most flags.
    pub(crate) const DEFAULT: Self = Self { by_default: 5, has_flag: true };

    /// How many there are, where the flags say this number.
    pub(crate) fn count(&self, flags: Option<u32>) -> u32 {
        flags.filter(|_| self.has_flag).unwrap_or(self.by_default)
    }
}

/// When a sync that has failed is tried again.
#[derive(Debug)]
pub(crate) struct Retry {
    /// The nanoseconds after the first failure. They double with each failure in a row,
    pub(crate) first: i64,
    /// up to this many.
    pub(crate) most: i64,
    /// After how many retries in a row the object is not tried again until something changes.
    pub(crate) times: Option<u32>,
}

impl Retry {
    /// Upstream: `k8s.io/client-go/util/workqueue/default_rate_limiters.go DefaultTypedControllerRateLimiter`
    pub(crate) const DEFAULT: Self = Self { first: 5_000_000, most: 1_000 * Time::SECOND, times: None };

    /// The time until the next try, after this many failures in a row before the last one.
    ///
    /// Upstream: `k8s.io/client-go/util/workqueue/default_rate_limiters.go ItemExponentialFailureRateLimiter`
    pub(crate) fn after(&self, failures: u32) -> Duration {
        Duration(self.first.saturating_mul(2_i64.saturating_pow(failures.min(40))).min(self.most))
    }

    /// Whether a sync that fails now, after this many failures in a row, is not tried again until something changes.
    pub(crate) fn gives_up(&self, failures: u32) -> bool {
        self.times.is_some_and(|times| failures >= times)
    }
}

/// After what time the controller asks to sync the object again, if it does.
pub(crate) type SyncResult = Result<Option<Duration>, Error>;

/// The object of a sync, with the objects around it, as they were when it began.
pub(crate) trait Seen {
    /// The controllers' objects among what is seen.
    fn objects(&self) -> Vec<Object>;

    /// Another object that is seen and that the sync may update.
    fn find(&self, _: &ObjectKey) -> Option<Object> {
        None
    }

    /// Runs the controller.
    fn sync(&self, client: &mut dyn Client) -> SyncResult;

    /// Whether a sync that has failed is tried again immediately.
    fn has_to_try_again(&self, _: &Store) -> bool {
        false
    }

    /// Keeps what the sync leaves for the next one.
    fn remember(&self, _: &mut Memory) {}
}

/// What a controller remembers of an object between its syncs: a value of a type of its own.
#[derive(Debug, Default)]
pub(crate) struct Memory(Option<Box<dyn Any>>);

impl Memory {
    /// What it remembers; the default if that is nothing.
    pub(crate) fn get<M: Clone + Default + 'static>(&self) -> M {
        self.0.as_ref().and_then(|memory| memory.downcast_ref::<M>()).cloned().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, memory: impl Any) {
        self.0 = Some(Box::new(memory));
    }
}
