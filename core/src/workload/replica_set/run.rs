//! The ReplicaSet controller in the simulated cluster.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::cluster::controllers::{Controller, Desk, Queue, Retry, Seen, SyncResult, Workers};
use crate::cluster::seen_pods::SeenPods;
use crate::cluster::step::{Actor, Change};
use crate::cluster::store::Store;
use crate::cluster::workload::{UserVerb, Workload};
use crate::controller::Client;
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Kind, Object, ObjectKey};
use crate::workload::replica_set::{ReplicaSet, controller};

/// Upstream: `pkg/controller/replicaset/config/v1alpha1/defaults.go RecommendedDefaultReplicaSetControllerConfiguration`
static REPLICA_SETS: Queue = Queue {
    controller: &ReplicaSetController,
    kind: Kind::ReplicaSet,
    workers: Workers::DEFAULT,
    retry: Retry::DEFAULT,
};

/// ReplicaSets in the simulated cluster.
pub(crate) struct ReplicaSetKind;

impl Workload for ReplicaSetKind {
    fn kind(&self) -> Kind {
        Kind::ReplicaSet
    }

    fn controllers(&self) -> &'static [&'static dyn Controller] {
        &[&ReplicaSetController]
    }

    fn field_of(&self, verb: UserVerb) -> Option<&'static str> {
        (verb == UserVerb::Scale).then_some("replicas")
    }

    /// Upstream: `pkg/registry/apps/replicaset/strategy.go dropDisabledStatusFields`
    fn drop_disabled_status_fields(&self, object: &mut Object, old: &Object, gates: FeatureGates) {
        if let (Object::ReplicaSet(new), Object::ReplicaSet(old)) = (object, old)
            && !gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas)
            && old.status.terminating_replicas.is_none()
        {
            Rc::make_mut(new).status.terminating_replicas = None;
        }
    }
}

/// Upstream: `pkg/controller/replicaset/replica_set.go ReplicaSetController`
#[derive(Debug)]
pub(crate) struct ReplicaSetController;

impl Controller for ReplicaSetController {
    fn actor(&self) -> Actor {
        Actor::ReplicaSetController
    }

    fn queues(&self) -> &'static [&'static Queue] {
        const { &[&REPLICA_SETS] }
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::ReplicaSet, Kind::Pod]
    }

    fn observe(&self, desk: &mut dyn Desk, writer: Actor, change: &Change) {
        if change.key.kind == Kind::Pod {
            desk.enqueue_owners(&REPLICA_SETS, change);
        } else if writer != self.actor() {
            // The controller itself writes a status, and reads nothing of it but whether it must be written.
            desk.enqueue(&REPLICA_SETS, (*change.key).clone());
        }
    }

    fn see(&self, desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        let object = desk.store().typed::<ReplicaSet>(key)?.clone();
        Some(Box::new(SeenReplicaSet { object, pods: SeenPods::new(desk.pods()) }))
    }
}

/// A pod of a ReplicaSet has changed.
pub(crate) fn update_pod(desk: &mut dyn Desk, replica_set: ObjectKey) {
    desk.enqueue(&REPLICA_SETS, replica_set);
}

/// What a ReplicaSet's sync has seen.
struct SeenReplicaSet {
    object: Rc<ReplicaSet>,
    pods: SeenPods,
}

impl Seen for SeenReplicaSet {
    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::ReplicaSet(self.object.clone())])
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        controller::sync_replica_set(client, &controller::View { replica_set: &self.object, pods: &self.pods })
    }

    /// A status that tells the error queues the ReplicaSet.
    fn has_to_try_again(&self, store: &Store) -> bool {
        store.typed(&self.object.key()).is_none_or(|now| !Rc::ptr_eq(now, &self.object))
    }
}
