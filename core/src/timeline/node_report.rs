//! What the scheduler made of each node: why a pod got its node, or why none.

use super::Timeline;
use crate::cluster::decision::{Decision, SchedulerDecision};
use crate::scheduler::NodeReport;

impl Timeline {
    /// What the scheduler made of each node in a step in which it binds a pod or finds no node for one; none for another step, or
    /// if no nodes are given.
    pub fn node_report(&self, step: usize) -> Option<&NodeReport> {
        match &self.steps.get(step)?.decision {
            Decision::Scheduler(
                SchedulerDecision::Bind { report, .. } | SchedulerDecision::Unschedulable { report, .. },
            ) => report.as_deref(),
            _ => None,
        }
    }
}
