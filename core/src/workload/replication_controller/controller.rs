//! The ReplicationController's controller: the ReplicaSet controller with other features, as upstream.

use core::ops::Range;

use crate::controller::{ApiError, Client, Decision, Error, Event, Write};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Duration, Kind, Object, ObjectKey, Time};
use crate::workload::replica_set::controller::{View, sync_as};
#[cfg(feature = "sets")]
use crate::workload::replication_controller::ReplicationController;

/// One sync. The view and the client deal in the ReplicaSet that [`ReplicationController::to_replica_set`] makes, as
/// upstream's controller does behind its `clientsetAdapter`: a caller with ReplicationControllers converts them. No pods are
/// related to its own.
///
/// Returns after what time to look again, because a pod becomes available then.
///
/// # Errors
/// A refused write; the sync is tried again.
///
/// Upstream: `pkg/controller/replication/replication_controller.go NewReplicationManager`
///
/// [`ReplicationController::to_replica_set`]: crate::workload::replication_controller::ReplicationController::to_replica_set
pub fn sync_replication_controller(client: &mut dyn Client, view: &View<'_>) -> Result<Option<Duration>, Error> {
    sync_as(&mut WithoutTerminating(client), view, Kind::ReplicationController)
}

/// A client of a controller that does not report terminating pods, whatever the gate says.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go ReplicaSetControllerFeatures`
struct WithoutTerminating<'a>(&'a mut dyn Client);

impl Client for WithoutTerminating<'_> {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn gates(&self) -> FeatureGates {
        self.0.gates().with(Feature::DeploymentReplicaSetTerminatingReplicas, false)
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        self.0.get(key)
    }

    fn stored(&mut self, key: &ObjectKey) -> Option<Object> {
        self.0.stored(key)
    }

    fn write(&mut self, write: Write, decision: Decision) -> Result<Option<Object>, ApiError> {
        self.0.write(write, decision)
    }

    fn event(&mut self, about: &ObjectKey, event: Event) {
        self.0.event(about, event);
    }

    fn note(&mut self, decision: Decision) {
        self.0.note(decision);
    }

    fn wordless_event(&mut self, about: &ObjectKey) {
        self.0.wordless_event(about);
    }

    fn in_parallel(&mut self, count: i32) {
        self.0.in_parallel(count);
    }

    fn in_batch(&mut self, count: i32) -> Range<i32> {
        self.0.in_batch(count)
    }
}

/// A client that deals in ReplicationControllers, for a controller that deals in ReplicaSets.
///
/// Upstream: `pkg/controller/replication/conversion.go clientsetAdapter`
#[cfg(feature = "sets")]
pub(crate) struct ClientsetAdapter<'a>(pub(crate) &'a mut dyn Client);

#[cfg(feature = "sets")]
impl Client for ClientsetAdapter<'_> {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn gates(&self) -> FeatureGates {
        self.0.gates()
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        self.0.get(&adapted_key(key)).map(as_replica_set)
    }

    fn stored(&mut self, key: &ObjectKey) -> Option<Object> {
        self.0.stored(&adapted_key(key)).map(as_replica_set)
    }

    fn write(&mut self, write: Write, decision: Decision) -> Result<Option<Object>, ApiError> {
        let write = match write {
            Write::UpdateStatus(object) => Write::UpdateStatus(as_replication_controller(object)),
            // All others are about pods.
            write => write,
        };
        self.0.write(write, decision).map(|object| object.map(as_replica_set))
    }

    fn event(&mut self, about: &ObjectKey, event: Event) {
        self.0.event(&adapted_key(about), event);
    }

    fn note(&mut self, decision: Decision) {
        self.0.note(decision);
    }

    fn wordless_event(&mut self, about: &ObjectKey) {
        self.0.wordless_event(&adapted_key(about));
    }

    fn in_parallel(&mut self, count: i32) {
        self.0.in_parallel(count);
    }

    fn in_batch(&mut self, count: i32) -> Range<i32> {
        self.0.in_batch(count)
    }
}

#[cfg(feature = "sets")]
fn adapted_key(key: &ObjectKey) -> ObjectKey {
    let kind = if key.kind == Kind::ReplicaSet { Kind::ReplicationController } else { key.kind };
    ObjectKey { kind, ..key.clone() }
}

#[cfg(feature = "sets")]
fn as_replica_set(object: Object) -> Object {
    match object {
        Object::ReplicationController(controller) => controller.to_replica_set().into(),
        object => object,
    }
}

#[cfg(feature = "sets")]
fn as_replication_controller(object: Object) -> Object {
    match object {
        Object::ReplicaSet(replica_set) => ReplicationController::of_replica_set(&replica_set).into(),
        object => object,
    }
}
