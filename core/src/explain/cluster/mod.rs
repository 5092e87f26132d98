//! Explains what the simulated cluster decides.

mod admission;
mod autoscaler;
mod garbage_collector;
mod kubelet;
mod node;
mod scheduler;
mod throttling;
mod user;
mod volume;

use super::{Reason, RuleText};
use crate::cluster::Decision;

/// All rules of this folder.
pub(super) const ALL: &[&[&RuleText]] = &[
    scheduler::ALL,
    kubelet::ALL,
    node::ALL,
    garbage_collector::ALL,
    volume::ALL,
    autoscaler::ALL,
    admission::ALL,
    user::ALL,
    throttling::ALL,
];

/// Explains a decision.
pub(super) fn explain(decision: &Decision) -> Reason {
    match decision {
        Decision::Controller(decision) => super::explain_controller(decision),
        Decision::User(decision) => user::explain(decision),
        Decision::Scheduler(decision) => scheduler::explain(decision),
        Decision::Kubelet(decision) => kubelet::explain(decision),
        Decision::Node(decision) => node::explain(decision),
        Decision::GarbageCollector(decision) => garbage_collector::explain(decision),
        Decision::Volume(decision) => volume::explain(decision),
        Decision::Autoscaler(decision) => autoscaler::explain(decision),
        Decision::Eviction(decision) => admission::explain_eviction(decision),
        Decision::Quota(decision) => admission::explain_quota(decision),
        Decision::Throttling(decision) => throttling::explain(decision),
    }
}
