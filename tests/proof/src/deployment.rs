//! The Deployment controller.

use std::rc::Rc;

use changeover_core::controller::Error;
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::deployment::controller::{View, sync_deployment};
use changeover_core::workload::replica_set::ReplicaSet;

use crate::recording::Request;
use crate::replay::Replay;
use crate::search::{Caches, Clock, Controller, combinations, times};
use crate::world::{World, is_claimable, within};

/// The controller of one Deployment. Its caches may be older than its own last write, since it has no
/// StaleControllerConsistency.
pub struct DeploymentController<'a> {
    world: &'a World,
    uid: String,
    /// The changes of the Deployment.
    own: Vec<usize>,
    /// The changes of the ReplicaSets that it owns or could adopt.
    replica_sets: Vec<usize>,
    /// The changes of pods, if the Deployment ever has the strategy Recreate: otherwise it does not look at pods.
    pods: Vec<usize>,
}

impl<'a> DeploymentController<'a> {
    /// The controller of the Deployment with this uid.
    pub fn new(world: &'a World, uid: &str) -> Self {
        let is_it = |deployment: &Deployment| *deployment.metadata.uid == *uid;
        let recreates = |deployment: &Deployment| is_it(deployment) && deployment.spec.strategy.type_ == "Recreate";
        let looks_at_pods = !world.deployments.positions(recreates).is_empty();
        Self {
            world,
            uid: uid.into(),
            own: world.deployments.positions(is_it),
            replica_sets: world.replica_sets.positions(|set| is_claimable(&set.metadata, uid)),
            pods: world.pods.positions(|_| looks_at_pods),
        }
    }
}

impl Controller for DeploymentController<'_> {
    type Memory = ();

    fn attempts<'a>(
        &'a self,
        before: &Caches,
        (): &(),
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a> {
        let World { deployments, replica_sets, pods, .. } = self.world;
        let named = |kind: &str| first.named.filter(|_| first.object.starts_with(kind)).map(|named| named.to_string());
        let (own_version, set_version) = (named("Deployment/"), named("ReplicaSet/"));
        let own = within(&self.own, before.own, deployments.before(horizon));
        let own = deployments.in_version(own, &self.uid, own_version.as_deref());
        let mut sets = within(&self.replica_sets, before.owned, replica_sets.before(horizon));
        if let Some(version) = set_version {
            let has_version = |set: &Rc<ReplicaSet>| *set.metadata.resource_version == *version;
            sets.retain(|position| replica_sets.at(*position).iter().any(has_version));
        }
        let pods = within(&self.pods, before.pods, pods.before(horizon));
        combinations(times(before.now, first.received, Clock::Seconds), own, sets, pods)
    }

    fn sync(&self, caches: &Caches, (): &mut (), client: &mut Replay<'_>) -> Result<(), Error> {
        let Some(deployment) = self.world.deployments.find(caches.own, &self.uid) else { return Ok(()) };
        let pods = self.world.pods.at(caches.pods);
        let running = |replica_set: &ReplicaSet| {
            let owned = pods.iter().filter(|pod| pod.metadata.is_controlled_by(&replica_set.metadata));
            i32::try_from(owned.filter(|pod| !pod.is_terminal()).count()).unwrap_or(i32::MAX)
        };
        let replica_sets: Vec<_> = self.world.replica_sets.at(caches.owned).iter().map(Rc::clone).collect();
        let view = View { deployment, replica_sets: &replica_sets, running: &running };
        sync_deployment(client, &view).map(drop)
    }
}
