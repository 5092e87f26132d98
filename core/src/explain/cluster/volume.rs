//! Explains what the controller decides that attaches volumes to nodes.

use super::super::operands::{NODE_NAME, POD_NAME};
use super::super::{Reason, Rule, RuleText};
use crate::cluster::decision::VolumeDecision;

/// Explains a decision.
pub(super) fn explain(decision: &VolumeDecision) -> Reason {
    match decision {
        VolumeDecision::MultiAttach { pod, volume, other_node } => MultiAttach { pod, volume, other_node }.reason(),
        VolumeDecision::Attach { volume, node, pod } => Attached { volume, node, pod }.reason(),
    }
}

/// Another node has the pod's volume.
#[derive(Rule)]
#[rule(
    id = "attach-detach.multi-attach",
    upstream = "pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reportMultiAttachError",
    sentence = "{pod} can't use its volume {volume}: it is still attached to Node {other_node}, and only one node may use it at a time."
)]
struct MultiAttach<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the volume of its PersistentVolumeClaim")]
    volume: &'a str,
    #[operand(source = "the node that the volume is still attached to")]
    other_node: &'a str,
}

/// The volume has become free.
#[derive(Rule)]
#[rule(
    id = "attach-detach.attached",
    upstream = "pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.attachDesiredVolumes",
    sentence = "The volume {volume} is free: it is attached to Node {node} for {pod}."
)]
struct Attached<'a> {
    #[operand(source = "the volume of its PersistentVolumeClaim")]
    volume: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[MultiAttach::TEXT, Attached::TEXT];
