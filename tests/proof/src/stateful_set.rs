//! The StatefulSet controller.

use changeover_core::controller::{Error, filter_pods_by_owner};
use changeover_core::object::ObjectKey;
use changeover_core::workload::stateful_set::controller::{Found, View, sync_stateful_set};

use crate::recording::{Answer, Request, Verb};
use crate::replay::Replay;
use crate::search::{Caches, Clock, Controller, combinations, times};
use crate::world::{World, is_claimable, position, together, within};

/// The controller of one StatefulSet. It has StaleControllerConsistency: its caches of StatefulSets, pods and claims are not older
/// than its last writes. Those of revisions and claims are searched together, as [`Caches::owned`]: the resource version up to
/// which they have seen changes.
pub struct StatefulSetController<'a> {
    world: &'a World,
    uid: String,
    /// The changes of the StatefulSet.
    own: Vec<usize>,
    /// The changes of revisions and claims, as resource versions.
    owned: Vec<usize>,
    /// The changes of the pods that it owns or could adopt.
    pods: Vec<usize>,
}

/// The controller's memory between syncs: the resource versions of its last writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    status: i64,
    pod: i64,
    claim: i64,
}

impl<'a> StatefulSetController<'a> {
    /// The controller of the StatefulSet with this uid.
    pub fn new(world: &'a World, uid: &str) -> Self {
        Self {
            world,
            uid: uid.into(),
            own: world.stateful_sets.positions(|set| *set.metadata.uid == *uid),
            owned: together(world.revisions.versions(), world.claims.versions()),
            pods: world.pods.positions(|pod| is_claimable(&pod.metadata, uid)),
        }
    }
}

impl Controller for StatefulSetController<'_> {
    type Memory = Memory;

    fn attempts<'a>(
        &'a self,
        before: &Caches,
        memory: &Memory,
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a> {
        let World { stateful_sets, pods, .. } = self.world;
        let seen = before.own.max(stateful_sets.up_to(memory.status));
        let own = within(&self.own, seen, stateful_sets.before(horizon));
        let own = stateful_sets.in_version(own, &self.uid, first.status_version().as_deref());
        let owned = within(&self.owned, before.owned.max(position(memory.claim)), position(horizon.saturating_sub(1)));
        let pods = within(&self.pods, before.pods.max(pods.up_to(memory.pod)), pods.before(horizon));
        combinations(times(before.now, first.received, Clock::Seconds), own, owned, pods)
    }

    fn sync(&self, caches: &Caches, memory: &mut Memory, client: &mut Replay<'_>) -> Result<(), Error> {
        let World { stateful_sets, pods, revisions, claims, .. } = self.world;
        let Some(set) = stateful_sets.find(caches.own, &self.uid) else { return Ok(()) };
        let owned = i64::try_from(caches.owned).unwrap_or(i64::MAX);
        let claims = claims.at(claims.up_to(owned));
        let view = View {
            set,
            pods: &filter_pods_by_owner(&set.key(), &set.metadata.uid, pods.at(caches.pods)),
            revisions: revisions.at(revisions.up_to(owned)),
            claim: &|key: &ObjectKey| claims.iter().find(|claim| claim.metadata.name == key.name).cloned(),
            found: &Found::default(),
        };
        let result = sync_stateful_set(client, &view).map(drop);
        for request in client.used() {
            let Answer::Written(version) = request.answer else { continue };
            match (request.object.split('/').next(), request.verb) {
                (_, Verb::Delete) => {}
                (Some("StatefulSet"), _) => memory.status = version,
                (Some("Pod"), _) => memory.pod = memory.pod.max(version),
                (Some("PersistentVolumeClaim"), _) => memory.claim = memory.claim.max(version),
                _ => {}
            }
        }
        result
    }
}
