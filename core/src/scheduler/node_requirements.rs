//! What a pod template asks of a node, whatever else is there: what the DaemonSet controller reads.

use alloc::vec::Vec;

use super::node::Node;
use super::node_affinity::RequiredNodeAffinity;
use super::pod_shape::{required_node_affinity, tolerations};
use super::taint_toleration::{Toleration, has_untolerated, has_untolerated_of};
use crate::object::PodSpecFields;

/// The required node affinity and the tolerations of pods.
#[derive(Clone, Debug, Default)]
pub struct NodeRequirements {
    affinity: RequiredNodeAffinity,
    tolerations: Vec<Toleration>,
}

impl NodeRequirements {
    /// Those of pods with this spec.
    pub fn of(fields: &PodSpecFields) -> Self {
        Self { affinity: required_node_affinity(fields), tolerations: tolerations(fields) }
    }

    /// Whether the node has the labels and the name that the pods ask for.
    pub fn selects(&self, node: &Node) -> bool {
        self.affinity.matches(node)
    }

    /// Whether the pods tolerate the taints that keep pods from the node.
    pub fn tolerates(&self, node: &Node) -> bool {
        !has_untolerated(&node.taints, &self.tolerations)
    }

    /// Whether the pods may stay on the node, once they are there.
    pub(crate) fn tolerates_to_stay(&self, node: &Node) -> bool {
        !has_untolerated_of(&node.taints, &self.tolerations, &["NoExecute"])
    }
}
