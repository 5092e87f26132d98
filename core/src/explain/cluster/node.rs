//! Explains what the controllers decide that watch over nodes and their pods.

use super::super::operands::{NODE_NAME, POD_NAME};
use super::super::{Clause, Reason, Rule, RuleText};
use crate::cluster::decision::NodeDecision;

/// Explains a decision.
pub(super) fn explain(decision: &NodeDecision) -> Reason {
    match decision {
        NodeDecision::Unreachable { node, seconds } => Unreachable { node, seconds: *seconds }.reason(),
        NodeDecision::NotReady { pod, node } => NotReady { pod, node }.reason(),
        NodeDecision::Taint { node, taint } => Tainted { node, taint }.reason(),
        NodeDecision::NoEvictions { unready, nodes } => NoEvictions { unready: *unready, nodes: *nodes }.reason(),
        NodeDecision::Reachable { node } => Reachable { node }.reason(),
        NodeDecision::Evict { pod, seconds, node, taint } => Evicted { pod, seconds: *seconds, node, taint }.reason(),
        NodeDecision::OutOfService { pod, node, held } => OutOfService { pod, node, fate: Fate::of(*held) }.reason(),
        NodeDecision::Unscheduled { pod } => UnscheduledPod { pod }.reason(),
        NodeDecision::Orphaned { pod, node, held } => OrphanedPod { pod, node, fate: Fate::of(*held) }.reason(),
    }
}

/// What becomes of a pod that the pod garbage collector deletes.
#[derive(Clone, Copy, Clause)]
enum Fate {
    /// A finalizer keeps it.
    #[clause("is marked as failed")]
    Failed,
    /// It has no finalizer.
    #[clause("is removed")]
    Removed,
}

impl Fate {
    const fn of(held: bool) -> Self {
        if held { Self::Failed } else { Self::Removed }
    }
}

/// A node's kubelet was not heard of for too long.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.unreachable",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth",
    sentence = "Node {node} has not reported for {seconds} s: its state is unknown, and it gets no more pods."
)]
struct Unreachable<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "the node controller's node-monitor-grace-period")]
    seconds: i64,
}

/// The pods of such a node count as not ready.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.not-ready",
    upstream = "pkg/controller/util/node/controller_utils.go MarkPodsNotReady",
    sentence = "{pod} is marked as not ready, because Node {node} is unreachable."
)]
struct NotReady<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// Such a node is tainted: its pods go once they tolerate it no more.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.taint",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass",
    sentence = "Node {node} gets the taint {taint}: its pods are evicted once they no longer tolerate it."
)]
struct Tainted<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "key and effect of the taint")]
    taint: &'a str,
}

/// Most nodes of the zone are unreachable, so the cause may lie elsewhere.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.no-evictions",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption",
    sentence = "Unreachable nodes: {unready} of {nodes}. The cause may lie elsewhere, so no further nodes are tainted for eviction.",
    formula = ["none are tainted if all nodes are unreachable, or, of up to 50 nodes, more than 2 and at least 55%: {unready} of {nodes}"],
)]
struct NoEvictions {
    #[operand(source = "nodes that are unreachable")]
    unready: i64,
    #[operand(source = "all nodes")]
    nodes: i64,
}

/// A node is heard of again.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.reachable",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go markNodeAsReachable",
    sentence = "Node {node} is ready again: its pods can stay."
)]
struct Reachable<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// A pod does not tolerate its node's taint any more.
#[derive(Rule)]
#[rule(
    id = "taint-eviction.delete",
    upstream = "pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod",
    sentence = "{pod} is evicted: Node {node} is {taint}, which the pod tolerates for only {seconds} s."
)]
struct Evicted<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "tolerationSeconds of its toleration; 300 unless it has one, 0 for out-of-service")]
    seconds: i64,
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "the node's taint")]
    taint: &'a str,
}

/// A terminating pod of a node that is out of service is removed by force.
#[derive(Rule)]
#[rule(
    id = "pod-gc.out-of-service",
    upstream = "pkg/controller/podgc/gc_controller.go gcTerminating",
    sentence = "{pod} {fate}: it is terminating on Node {node}, which is out of service."
)]
struct OutOfService<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[clause]
    fate: Fate,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// A terminating pod without a node fails.
#[derive(Rule)]
#[rule(
    id = "pod-gc.unscheduled",
    upstream = "pkg/controller/podgc/gc_controller.go gcUnscheduledTerminating",
    sentence = "{pod} is marked as failed: it is terminating without a node, so no kubelet can report its end."
)]
struct UnscheduledPod<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// A pod of a node that no longer exists is removed by force.
#[derive(Rule)]
#[rule(
    id = "pod-gc.orphaned",
    upstream = "pkg/controller/podgc/gc_controller.go gcOrphaned",
    sentence = "{pod} {fate}: its Node {node} no longer exists."
)]
struct OrphanedPod<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[clause]
    fate: Fate,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Unreachable::TEXT,
    NotReady::TEXT,
    Tainted::TEXT,
    NoEvictions::TEXT,
    Reachable::TEXT,
    Evicted::TEXT,
    OutOfService::TEXT,
    UnscheduledPod::TEXT,
    OrphanedPod::TEXT,
];
