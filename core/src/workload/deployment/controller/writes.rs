//! The controller's writes.

use alloc::rc::Rc;

use crate::controller::{ApiError, Client, Write};
use crate::object::Object;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::decision::Decision;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replica_set::controller::write_replica_set;

/// Creates a ReplicaSet.
pub(super) fn create_replica_set(
    client: &mut dyn Client,
    object: &Rc<ReplicaSet>,
    decision: Decision,
) -> Result<Rc<ReplicaSet>, ApiError> {
    write_replica_set(client, Write::Create(Object::ReplicaSet(object.clone())), decision.into())
}

/// Updates a ReplicaSet's metadata and spec.
pub(super) fn update_replica_set(
    client: &mut dyn Client,
    object: Rc<ReplicaSet>,
    decision: Decision,
) -> Result<Rc<ReplicaSet>, ApiError> {
    write_replica_set(client, Write::Update(Object::ReplicaSet(object)), decision.into())
}

/// Updates a Deployment's status and annotations.
pub(super) fn update_deployment_status(
    client: &mut dyn Client,
    object: &Rc<Deployment>,
    decision: Decision,
) -> Result<(), ApiError> {
    client.write(Write::UpdateStatus(Object::Deployment(object.clone())), decision.into()).map(drop)
}
