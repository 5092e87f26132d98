use alloc::rc::Rc;

use crate::controller::{ApiError, Client, Decision, Write};
use crate::object::Object;
use crate::workload::replica_set::ReplicaSet;

/// Writes a ReplicaSet, and returns it as the API server has it.
pub(crate) fn write_replica_set(
    client: &mut dyn Client,
    write: Write,
    decision: Decision,
) -> Result<Rc<ReplicaSet>, ApiError> {
    let key = write.key();
    match client.write(write, decision)? {
        Some(Object::ReplicaSet(replica_set)) => Ok(replica_set),
        _ => Err(ApiError::not_found(&key)),
    }
}
