//! What Deployments, ReplicaSets, StatefulSets, DaemonSets, ReplicationControllers and Jobs share: selector and template,
//! numbers of replicas, rolling updates, and the counts in their statuses.

mod rolling_update;
mod status;
mod template;

pub(crate) use rolling_update::printed_strategy;
pub(crate) use status::{
    drop_disabled_status_fields, validate_collision_count, validate_counts, validate_not_greater,
    validate_replica_counts,
};
pub(crate) use template::{
    push_mismatch, validate_always_restarted, validate_replicas, validate_selector_and_template,
};
