//! The ReplicationController's controller: the ReplicaSet controller behind an adapter, as upstream. It reports no
//! terminating pods, and its pods have no relatives.

use alloc::rc::Rc;

use super::replica_set::{View, sync_as};
use super::{ApiError, Client, Error, Event, Write};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Kind, Object, ObjectKey, ReplicationController, Time};
use crate::reason::Reason;

/// One sync. The view holds the ReplicationController as a ReplicaSet, see [`ReplicationController::to_replica_set`].
/// Says after how many nanoseconds to look again, because a pod becomes available then.
///
/// # Errors
/// A refused write; the sync is tried again.
///
/// Upstream: `pkg/controller/replication/replication_controller.go NewReplicationManager`
pub fn sync_replication_controller(client: &mut dyn Client, view: &View<'_>) -> Result<Option<i64>, Error> {
    sync_as(&mut Adapter(client), view, Kind::ReplicationController)
}

/// Turns the ReplicaSet of the controller into the ReplicationController of the API server, and back.
///
/// Upstream: `pkg/controller/replication/conversion.go clientsetAdapter`, `podControlAdapter`
struct Adapter<'a>(&'a mut dyn Client);

fn key_outside(key: &ObjectKey) -> ObjectKey {
    match key.kind {
        Kind::ReplicaSet => ObjectKey { kind: Kind::ReplicationController, ..key.clone() },
        _ => key.clone(),
    }
}

fn outside(object: Object) -> Object {
    match object {
        Object::ReplicaSet(object) => {
            Object::ReplicationController(Rc::new(ReplicationController::from_replica_set(&object)))
        }
        other => other,
    }
}

fn inside(object: Object) -> Object {
    match object {
        Object::ReplicationController(object) => Object::ReplicaSet(Rc::new(object.to_replica_set())),
        other => other,
    }
}

impl Client for Adapter<'_> {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn gates(&self) -> FeatureGates {
        // Upstream: `pkg/controller/replicaset/replica_set.go ReplicaSetControllerFeatures`
        self.0.gates().with(Feature::DeploymentReplicaSetTerminatingReplicas, false)
    }

    fn get(&self, key: &ObjectKey) -> Option<Object> {
        self.0.get(&key_outside(key)).map(inside)
    }

    fn write(&mut self, write: Write, reason: Reason) -> Result<Option<Object>, ApiError> {
        let write = match write {
            Write::Create(object) => Write::Create(outside(object)),
            Write::Update(object) => Write::Update(outside(object)),
            Write::UpdateStatus(object) => Write::UpdateStatus(outside(object)),
            Write::Patch(object) => Write::Patch(outside(object)),
            Write::Delete(key) => Write::Delete(key_outside(&key)),
        };
        Ok(self.0.write(write, reason)?.map(inside))
    }

    fn event(&mut self, about: &ObjectKey, event: Event) {
        self.0.event(&key_outside(about), event);
    }

    fn note(&mut self, about: &ObjectKey, reason: Reason) {
        self.0.note(&key_outside(about), reason);
    }
}
