//! The DaemonSet controller.

use std::cell::Cell;
use std::rc::Rc;

use changeover_core::controller::expectations::Expectations;
use changeover_core::controller::{Error, filter_pods_by_owner};
use changeover_core::object::Pod;
use changeover_core::scheduler::Node;
use changeover_core::workload::daemon_set::controller::{self as daemon_set, Found, View, sync_daemon_set};
use serde_json::Value;

use crate::recording::{Answer, Recording, Request, Verb, WATCH_LAG};
use crate::replay::Replay;
use crate::search::{Caches, Clock, Controller, combinations, times};
use crate::world::{World, is_claimable, position, together, within};

/// Where a pod names the node for which it was created.
const NODE: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0";

/// The controller of one DaemonSet. It has StaleControllerConsistency: its caches of DaemonSets and pods are not older than its
/// last writes. Those of revisions and nodes are searched together, as [`Caches::owned`]: the resource version up to which they
/// have seen changes.
pub struct DaemonSetController<'a> {
    recording: &'a Recording,
    world: &'a World,
    uid: String,
    /// The changes of the DaemonSet.
    own: Vec<usize>,
    /// The changes of revisions and nodes, as resource versions.
    owned: Vec<usize>,
    /// The changes of the pods that it owns or could adopt.
    pods: Vec<usize>,
}

/// The controller's memory between syncs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The core's memory, with expectations as the last sync left them.
    core: daemon_set::Memory,
    /// What its event handlers had seen when that sync began.
    handled: usize,
    /// The resource versions of its last writes.
    status: i64,
    pod: i64,
}

impl<'a> DaemonSetController<'a> {
    /// The controller of the DaemonSet with this uid.
    pub fn new(recording: &'a Recording, world: &'a World, uid: &str) -> Self {
        Self {
            recording,
            world,
            uid: uid.into(),
            own: world.daemon_sets.positions(|set| *set.metadata.uid == *uid),
            owned: together(world.revisions.versions(), world.nodes.versions()),
            pods: world.pods.positions(|pod| is_claimable(&pod.metadata, uid)),
        }
    }

    /// What is still expected after the event handlers have seen changes of pods. A pod that is deleted gracefully is seen with
    /// each of its changes, and when it is gone.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go addPod`, `updatePod` and `deletePod`
    fn observe(&self, expectations: &mut Option<Expectations>, since: usize, until: usize) {
        let Some(expectations) = expectations else { return };
        let is_own = |pod: &Rc<Pod>| pod.metadata.controller().is_some_and(|owner| *owner.uid == *self.uid);
        for change in self.world.pods.changes(since, until) {
            match change {
                [before, Some(pod)] if is_own(pod) => {
                    if pod.metadata.deletion_timestamp.is_some() {
                        expectations.del = expectations.del.saturating_sub(1);
                    } else if before.is_none() {
                        expectations.add = expectations.add.saturating_sub(1);
                    }
                }
                [Some(pod), None] if is_own(pod) => expectations.del = expectations.del.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// If the next request adopts a pod that the sync has adopted before: the version in which it did. The cache did not show that
    /// yet when the pods were listed again.
    fn adopted_before(requests: &[Rc<Request>], explained: usize) -> Option<i64> {
        let next = requests.get(explained).filter(|next| next.verb == Verb::Patch)?;
        let before = requests.iter().take(explained).find(|request| request.object == next.object)?;
        match before.answer {
            Answer::Written(version) => Some(version),
            _ => None,
        }
    }

    /// The version before which the next status was decided.
    fn next_status(&self, first: &Request) -> Option<i64> {
        let is_status = |request: &&Rc<Request>| {
            request.verb == Verb::UpdateStatus && request.user == first.user && request.received >= first.received
        };
        let next = self.recording.requests.iter().find(is_status)?;
        Some(self.recording.horizon(next))
    }

    /// The pods that the next requests delete, and the nodes for which they create one, in their order.
    fn chosen(client: &Replay<'_>) -> Vec<Rc<str>> {
        let name = |request: &Rc<Request>| match request.verb {
            Verb::Create => request.sent.pointer(NODE).and_then(Value::as_str).map(Rc::from),
            _ => request.object.strip_prefix("Pod/").map(Rc::from),
        };
        client.next_of_pods().filter_map(name).collect()
    }
}

impl Controller for DaemonSetController<'_> {
    type Memory = Memory;

    fn attempts<'a>(
        &'a self,
        before: &Caches,
        memory: &Memory,
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a> {
        let World { daemon_sets, pods, .. } = self.world;
        let pods_before_status = self.next_status(first).map_or(0, |version| pods.before(version));
        let seen = before.own.max(daemon_sets.up_to(memory.status));
        let own = within(&self.own, seen, daemon_sets.before(horizon));
        let own = daemon_sets.in_version(own, &self.uid, first.status_version().as_deref());
        let owned = within(&self.owned, before.owned, position(horizon.saturating_sub(1)));
        // A failed pod is deleted for another reason than one that is not known to have failed, so the cache must not be too old.
        let known = self.recording.pods_known_at(first.received.plus(-WATCH_LAG));
        let seen = before.pods.max(pods.up_to(memory.pod)).max(pods.up_to(known));
        let pods = within(&self.pods, seen, pods.before(horizon));
        let times = times(before.now, first.received, Clock::Seconds);
        let handled = combinations(times.clone(), own.clone(), owned.clone(), pods.clone());
        if first.verb != Verb::UpdateStatus {
            // The status counts the pods that are listed after some were created, deleted or adopted.
            let until = pods_before_status.max(before.pods);
            let later = move |caches: Caches| {
                let later = within(&self.pods, caches.pods, until);
                later.into_iter().map(move |later| Caches { later, ..caches })
            };
            return Box::new(handled.flat_map(later));
        }
        // An event handler may run later than the cache changes, so a pod that is listed may still be expected.
        let unhandled = memory.handled;
        if memory.core.expectations.is_none() {
            return handled;
        }
        let lagging = combinations(times, own, owned, pods).filter(move |caches| unhandled < caches.pods);
        Box::new(handled.chain(lagging.map(move |caches| Caches { handled: unhandled, ..caches })))
    }

    fn sync(&self, caches: &Caches, memory: &mut Memory, client: &mut Replay<'_>) -> Result<(), Error> {
        let World { daemon_sets, pods, revisions, nodes, .. } = self.world;
        let Some(daemon_set) = daemon_sets.find(caches.own, &self.uid) else { return Ok(()) };
        let (requests, explained) = client.progress();
        let wrote_pod = || requests.iter().take(explained.get()).any(|request| request.object.starts_with("Pod/"));
        let handled = Cell::new(memory.handled);
        let owned = i64::try_from(caches.owned).unwrap_or(i64::MAX);
        let nodes: Rc<[Rc<Node>]> = nodes.at(nodes.up_to(owned)).iter().map(|stored| stored.node.clone()).collect();
        let view = View {
            daemon_set,
            nodes: &nodes,
            first: &Self::chosen(client),
            pods: &|| {
                let listed = match Self::adopted_before(requests, explained.get()) {
                    Some(version) => pods.before(version),
                    None if wrote_pod() => caches.later,
                    None => caches.pods,
                };
                filter_pods_by_owner(&daemon_set.key(), &daemon_set.metadata.uid, pods.at(listed)).into()
            },
            observe: &|expectations| {
                let until = if wrote_pod() { caches.later } else { caches.handled };
                self.observe(expectations, handled.replace(until), until);
            },
            revisions: revisions.at(revisions.up_to(owned)),
            found: &Found::default(),
        };
        let mut core = memory.core.clone();
        let result = sync_daemon_set(client, &view, &mut core).map(drop);
        (memory.core, memory.handled) = (core, handled.get());
        for request in client.used() {
            let Answer::Written(version) = request.answer else { continue };
            match (request.object.split('/').next(), request.verb) {
                (_, Verb::Delete) => {}
                (Some("DaemonSet"), _) => memory.status = version,
                (Some("Pod"), _) => memory.pod = memory.pod.max(version),
                _ => {}
            }
        }
        result
    }
}
