//! The ReplicationController's controller in the simulated cluster.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::cluster::controllers::{Controller, Desk, Queue, Retry, Seen, SyncResult, Workers};
use crate::cluster::seen_pods::SeenPods;
use crate::cluster::step::{Actor, Change};
use crate::cluster::store::Store;
use crate::cluster::workload::{Start, UserVerb, Workload};
use crate::controller::Client;
use crate::object::{Kind, Object, ObjectKey};
use crate::workload::replica_set::controller::View;
use crate::workload::replication_controller::ReplicationController;
use crate::workload::replication_controller::controller::{ClientsetAdapter, sync_replication_controller};

/// Upstream: `pkg/controller/replication/config/v1alpha1/defaults.go RecommendedDefaultReplicationControllerConfiguration`
static REPLICATION_CONTROLLERS: Queue = Queue {
    controller: &ReplicationManager,
    kind: Kind::ReplicationController,
    workers: Workers::DEFAULT,
    retry: Retry::DEFAULT,
};

/// ReplicationControllers in the simulated cluster.
pub(crate) struct ReplicationControllerKind;

impl Workload for ReplicationControllerKind {
    fn kind(&self) -> Kind {
        Kind::ReplicationController
    }

    fn controllers(&self) -> &'static [&'static dyn Controller] {
        &[&ReplicationManager]
    }

    fn start(&self) -> Option<Start> {
        Some(Start::AtRest)
    }

    fn field_of(&self, verb: UserVerb) -> Option<&'static str> {
        (verb == UserVerb::Scale).then_some("replicas")
    }
}

/// Upstream: `pkg/controller/replication/replication_controller.go ReplicationManager`
#[derive(Debug)]
pub(crate) struct ReplicationManager;

impl Controller for ReplicationManager {
    fn actor(&self) -> Actor {
        Actor::ReplicationManager
    }

    fn queues(&self) -> &'static [&'static Queue] {
        const { &[&REPLICATION_CONTROLLERS] }
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::ReplicationController, Kind::Pod]
    }

    fn observe(&self, desk: &mut dyn Desk, writer: Actor, change: &Change) {
        if change.key.kind == Kind::Pod {
            desk.enqueue_owners(&REPLICATION_CONTROLLERS, change);
        } else if writer != self.actor() {
            desk.enqueue(&REPLICATION_CONTROLLERS, (*change.key).clone());
        }
    }

    fn see(&self, desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        let object = desk.store().typed::<ReplicationController>(key)?.clone();
        Some(Box::new(SeenReplicationController { object, pods: SeenPods::new(desk.pods()) }))
    }
}

/// What a ReplicationController's sync has seen.
struct SeenReplicationController {
    object: Rc<ReplicationController>,
    pods: SeenPods,
}

impl Seen for SeenReplicationController {
    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::ReplicationController(self.object.clone())])
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let replica_set = Rc::new(self.object.to_replica_set());
        let view = View { replica_set: &replica_set, pods: &self.pods };
        sync_replication_controller(&mut ClientsetAdapter(client), &view)
    }

    /// A status that reports the error queues the ReplicationController.
    fn has_to_try_again(&self, store: &Store) -> bool {
        store.typed(&self.object.key()).is_none_or(|now| !Rc::ptr_eq(now, &self.object))
    }
}
