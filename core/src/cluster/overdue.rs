//! Terminating pods that should be gone already.

use crate::object::{Pod, Time};

/// How long after its deadline a terminating pod may still exist, in seconds. The clocks of the nodes, the API server and the
/// client differ, and a busy kubelet needs a moment.
const TOLERANCE: i64 = 30;

/// When a terminating pod should have been gone, if that is so long ago that nothing removes it: its node does not answer, or
/// can't stop it. A kubelet kills the containers when the grace period is over. A pod that has ended and is kept by finalizers
/// has been stopped in time, and an unscheduled one has no kubelet.
pub(crate) fn overdue_since(pod: &Pod, now: Time) -> Option<Time> {
    pod.spec.node_name.as_ref().filter(|node| !node.is_empty())?;
    let due = pod.metadata.deletion_timestamp?;
    let is_kept_by_finalizers = pod.is_terminal() && !pod.metadata.finalizers.is_empty();
    (!is_kept_by_finalizers && due.plus_seconds(TOLERANCE) < now).then_some(due)
}
