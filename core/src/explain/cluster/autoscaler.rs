//! Explains what the node autoscaler decides.

use super::super::operands::{NODE_NAME, POD_NAME};
use super::super::{Reason, Rule, RuleText};
use crate::cluster::decision::AutoscalerDecision;
use crate::scenario::Duration;

/// Explains a decision.
pub(super) fn explain(decision: &AutoscalerDecision) -> Reason {
    match decision {
        AutoscalerDecision::ScaleUp { pod, waited, ordered, before, after } => {
            ScaleUp { pod, waited: *waited, ordered: *ordered, before: *before, after: *after }.reason()
        }
        AutoscalerDecision::NoScaleUp { pod, why_not } => NoScaleUp { pod, why_not }.reason(),
        AutoscalerDecision::NodeReady { node } => NodeComes { node }.reason(),
        AutoscalerDecision::ScaleDown { node, idle } => ScaleDown { node, idle: *idle }.reason(),
    }
}

/// The autoscaler orders nodes.
#[derive(Rule)]
#[rule(
    id = "cluster-autoscaler.scale-up",
    sentence = "{pod} has waited {waited} for a node: the autoscaler adds {ordered}, from {before} to {after} nodes."
)]
struct ScaleUp<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "how long a pod must wait, as the scenario says")]
    waited: Duration,
    #[operand(source = "enough nodes for the waiting pods that don't fit on nodes on their way")]
    ordered: u32,
    #[operand(source = "nodes that exist or are on their way")]
    before: u32,
    #[operand(source = "nodes including the new ones")]
    after: u32,
}

/// It does not, as that would not help.
#[derive(Rule)]
#[rule(id = "cluster-autoscaler.no-scale-up", sentence = "The autoscaler adds no node for {pod}: {why_not}.")]
struct NoScaleUp<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "why the pod would not fit on a new node, or why none can be added")]
    why_not: &'a str,
}

/// A node has come.
#[derive(Rule)]
#[rule(id = "cluster-autoscaler.node-ready", sentence = "Node {node}, added by the autoscaler, is ready.")]
struct NodeComes<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// It removes a node.
#[derive(Rule)]
#[rule(
    id = "cluster-autoscaler.scale-down",
    sentence = "Node {node} has been empty for {idle}: the autoscaler removes it."
)]
struct ScaleDown<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "how long a node must be empty, as the scenario says")]
    idle: Duration,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[ScaleUp::TEXT, NoScaleUp::TEXT, NodeComes::TEXT, ScaleDown::TEXT];
