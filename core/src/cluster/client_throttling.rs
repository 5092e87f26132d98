//! The limits of the controllers' clients: each controller of kube-controller-manager may send a
//! limited number of requests a second.
//!
//! Each controller has a client set of its own, whose typed clients share one limit. Its writes and its reads past the caches
//! take a token each, and so do the events that it records, which it sends one after the other in a goroutine of their own.
//!
//! Upstream: `cmd/kube-controller-manager/app/apps.go newReplicaSetController` and `newDeploymentController`,
//! `cmd/kube-controller-manager/app/batch.go newJobController` and `newCronJobController`,
//! `k8s.io/client-go/kubernetes/clientset.go NewForConfigAndClient`

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use core::ptr;

use super::controllers::{Queue, Seen};
use super::step::Actor;
use super::sync_log::SyncLog;
use super::token_bucket::TokenBucket;
use crate::Problem;
use crate::json::LiteMap;
use crate::object::{ObjectKey, Time};
use crate::scenario::ControllerManager;

/// How many events about one object are sent at once, and how many seconds later there may be another one.
///
/// Upstream: `k8s.io/client-go/tools/record/events_cache.go defaultSpamBurst` and `defaultSpamQPS`
const EVENTS_OF_OBJECT: u32 = 25;
const SECONDS_FOR_EVENT: u32 = 300;

/// The clients whose requests are limited.
pub(super) struct ClientThrottling {
    pub(super) limit: ControllerManager,
    /// That of each controller, with its first request.
    clients: BTreeMap<Actor, ControllerClient>,
    /// When the controllers started.
    start: Time,
    /// Syncs with a request that waits for its token.
    pub(super) waiting_syncs: Vec<WaitingSync>,
}

/// A sync with a request that waits until it may be sent.
pub(super) struct WaitingSync {
    pub(super) queue: &'static Queue,
    pub(super) key: ObjectKey,
    pub(super) seen: Box<dyn Seen>,
    pub(super) log: SyncLog,
}

/// A controller's client.
struct ControllerClient {
    bucket: TokenBucket,
    /// For each object, how many more events about it are sent.
    spam_filter: LiteMap<ObjectKey, TokenBucket>,
    /// Whether an event is being sent.
    is_sending_event: bool,
    /// Events that wait until those before them are sent.
    unsent_events: u32,
}

impl ControllerClient {
    fn new(limit: ControllerManager, now: Time) -> Self {
        let bucket = TokenBucket::new(limit.qps, 1, limit.burst, now);
        Self { bucket, spam_filter: LiteMap::new(), is_sending_event: false, unsent_events: 0 }
    }
}

impl ClientThrottling {
    /// Clients that have sent nothing yet.
    pub(super) fn new(limit: ControllerManager, now: Time) -> Self {
        Self { limit, clients: BTreeMap::new(), start: now, waiting_syncs: Vec::new() }
    }

    /// A limit lets at least something pass.
    ///
    /// # Errors
    /// The number that is 0.
    pub(super) fn validate(limit: ControllerManager) -> Result<(), Problem> {
        let ControllerManager { qps, burst, workers, .. } = limit;
        let numbers = [("qps", Some(qps)), ("burst", Some(burst)), ("workers", workers)];
        let zero = numbers.into_iter().find(|(_, value)| *value == Some(0));
        zero.map_or(Ok(()), |(key, _)| {
            let path = format!("controllerManager.{key}");
            Err(Problem::new(path, "Invalid value: 0: must be greater than 0"))
        })
    }

    fn client_of(&mut self, controller: Actor) -> &mut ControllerClient {
        let (limit, start) = (self.limit, self.start);
        self.clients.entry(controller).or_insert_with(|| ControllerClient::new(limit, start))
    }

    /// When a controller's next request is carried out, which takes its token and its time.
    pub(super) fn reserve(&mut self, controller: Actor, now: Time) -> Time {
        now.plus(self.client_of(controller).bucket.reserve(now)).plus(self.request_time())
    }

    /// How long a request takes once it may be sent, in nanoseconds.
    pub(super) fn request_time(&self) -> i64 {
        self.limit.request_time.unwrap_or_default().0
    }

    /// How long a written object takes until the controllers see it, in nanoseconds.
    pub(super) fn watch_delay(&self) -> i64 {
        self.limit.watch_delay.unwrap_or_default().0
    }

    /// Whether that many syncs keep all workers of a queue busy.
    pub(super) fn are_busy(&self, queue: &Queue, syncs: usize) -> bool {
        u32::try_from(syncs).map_or(true, |syncs| syncs >= queue.workers.count(self.limit.workers))
    }

    /// Takes out the sync of a queue's object that waits for a token, if its time has come.
    pub(super) fn take_due_sync(&mut self, queue: &Queue, key: &ObjectKey, now: Time) -> Option<WaitingSync> {
        let is_it = |sync: &WaitingSync| sync.key == *key && ptr::eq(sync.queue, queue);
        let is_due = |sync: &WaitingSync| is_it(sync) && sync.log.waits_until().is_some_and(|until| until <= now);
        let index = self.waiting_syncs.iter().position(is_due)?;
        Some(self.waiting_syncs.remove(index))
    }

    /// A controller has recorded an event about an object. Says when it is sent, if nothing else is being sent.
    ///
    /// Upstream: `k8s.io/client-go/tools/record/event.go eventBroadcasterImpl.StartRecordingToSink`
    pub(super) fn queue_event(&mut self, controller: Actor, about: &ObjectKey, now: Time) -> Option<Time> {
        let client = self.client_of(controller);
        let new_filter = || TokenBucket::new(1, SECONDS_FOR_EVENT, EVENTS_OF_OBJECT, now);
        if client.spam_filter.entry(about.clone()).or_insert_with(new_filter).try_take(now) {
            client.unsent_events = client.unsent_events.saturating_add(1);
        }
        if client.is_sending_event { None } else { self.next_event(controller, now) }
    }

    /// When a controller's next event is sent, if there is one.
    pub(super) fn next_event(&mut self, controller: Actor, now: Time) -> Option<Time> {
        let client = self.client_of(controller);
        client.is_sending_event = client.unsent_events > 0;
        client.unsent_events = client.unsent_events.saturating_sub(1);
        client.is_sending_event.then(|| self.reserve(controller, now))
    }
}
