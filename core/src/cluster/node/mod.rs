//! What becomes of the pods of a node that is lost.
//!
//! Upstream's loops run every few seconds. Here each event is planned for the run that would notice it, so that a timeline
//! comes to rest.

#[cfg(feature = "sets")]
mod informer;
mod lifecycle;
mod pod_gc;
mod taint_eviction;

pub(super) use pod_gc::is_unscheduled;
