//! Explains what the scheduler decides.

use super::super::operands::POD_NAME;
use super::super::{Reason, Rule, RuleText};
use crate::cluster::decision::SchedulerDecision;

/// Explains a decision.
pub(super) fn explain(decision: &SchedulerDecision) -> Reason {
    match decision {
        SchedulerDecision::Bind { pod, node } => Bind { pod, node }.reason(),
        SchedulerDecision::Preempt { pod, node } => Preempt { pod, node }.reason(),
        SchedulerDecision::Unschedulable { pod, misfits } => Unschedulable { pod, misfits }.reason(),
    }
}

/// A pod gets its node.
#[derive(Rule)]
#[rule(
    id = "scheduler.bind",
    upstream = "pkg/scheduler/schedule_one.go bind",
    sentence = "The scheduler binds {pod} to Node {node}."
)]
struct Bind<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "here the node with the fewest pods; the real scheduler scores nodes")]
    node: &'a str,
}

/// A pod goes to make room.
#[derive(Rule)]
#[rule(
    id = "scheduler.preempt",
    upstream = "pkg/scheduler/framework/preemption/executor.go NewExecutor",
    sentence = "{pod} is preempted on Node {node}: it gets the condition DisruptionTarget (PreemptionByScheduler) and is deleted."
)]
struct Preempt<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the node where a pod of a higher priority needs room")]
    node: &'a str,
}

/// No node takes a pod.
#[derive(Rule)]
#[rule(
    id = "scheduler.unschedulable",
    upstream = "pkg/scheduler/schedule_one.go Scheduler.handleSchedulingFailure",
    sentence = "{pod} stays Pending: {misfits}."
)]
struct Unschedulable<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "how many nodes refuse the pod, and why, in the scheduler's words")]
    misfits: &'a str,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[Bind::TEXT, Preempt::TEXT, Unschedulable::TEXT];
