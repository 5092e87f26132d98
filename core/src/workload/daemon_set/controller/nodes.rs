//! Which nodes should have a pod, and which DaemonSets a change of a node bears on.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::template::add_or_update_daemon_pod_tolerations;
use crate::object::{Kind, ObjectKey, Pod};
use crate::scheduler::{Node, NodeRequirements};
use crate::workload::daemon_set::DaemonSet;

/// What the pods of a DaemonSet ask of a node.
#[derive(Clone, Debug)]
pub struct NodeNeed {
    /// The node that the template names.
    node_name: Option<Rc<str>>,
    requirements: NodeRequirements,
}

impl NodeNeed {
    /// What the pods of this one ask.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go daemonPodTolerations`
    pub fn of(set: &DaemonSet) -> Self {
        let spec = &set.spec.template.spec;
        let requirements = NodeRequirements::of(&add_or_update_daemon_pod_tolerations(&spec.fields));
        Self { node_name: spec.node_name.clone(), requirements }
    }

    /// Whether the node should get a pod, and whether a pod that is there may stay.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go nodeShouldRunDaemonPod`
    pub(crate) fn should_run(&self, node: &Node) -> (bool, bool) {
        if self.node_name.as_ref().is_some_and(|name| *name != node.name) || !self.requirements.selects(node) {
            return (false, false);
        }
        if !self.requirements.tolerates(node) {
            return (false, self.requirements.tolerates_to_stay(node));
        }
        (true, true)
    }
}

/// What the controller sees when a node was added, or has other labels or taints.
pub struct NodeView<'a> {
    /// The node.
    pub node: &'a Node,
    /// The DaemonSets of all namespaces.
    pub daemon_sets: &'a [Rc<DaemonSet>],
    /// The pods that are bound to the node.
    pub pods: &'a [Rc<Pod>],
}

/// The DaemonSets that are synced because of a change of the node.
///
/// Upstream: `pkg/controller/daemon/daemon_controller.go syncNodeUpdate`
pub fn sync_node_update(view: &NodeView<'_>) -> Vec<ObjectKey> {
    let has_pod = |set: &DaemonSet| {
        view.pods.iter().any(|pod| {
            pod.metadata.namespace == set.metadata.namespace
                && pod
                    .metadata
                    .controller()
                    .is_some_and(|owner| *owner.kind == *Kind::DaemonSet.name() && owner.name == set.metadata.name)
        })
    };
    let is_affected = |set: &&Rc<DaemonSet>| {
        let (should_run, should_continue_running) = NodeNeed::of(set).should_run(view.node);
        match has_pod(set) {
            false => should_run,
            true => !should_continue_running || set.status.number_misscheduled > 0,
        }
    };
    view.daemon_sets.iter().filter(is_affected).map(|set| set.key()).collect()
}
