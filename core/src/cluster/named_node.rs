//! The nodes that pods and pod templates name.

use alloc::format;
use alloc::rc::Rc;

use super::node_state::NodeState;
use super::state::Cluster;
use crate::Problem;
use crate::go::quoted;
use crate::object::Object;

impl Cluster {
    /// Refuses an object whose pods are bound to a node that the scenario does not have. A scenario that names no nodes has
    /// those that its objects name.
    pub(super) fn require_named_node(&mut self, object: &Object, path: &str) -> Result<(), Problem> {
        let Some((node, field)) = named_node(object).filter(|(node, _)| !node.is_empty()) else { return Ok(()) };
        if self.nodes.iter().any(|known| known.name == *node) {
            return Ok(());
        }
        if self.scenario.nodes.is_empty() {
            self.nodes.push(NodeState::new(node, None));
            return Ok(());
        }
        let message = format!("Not found: {}: must be one of the given nodes", quoted(node));
        Err(Problem::new(format!("{path}.{field}"), message))
    }
}

/// The node that an object names for its pods, and the field in which it does.
fn named_node(object: &Object) -> Option<(&Rc<str>, &'static str)> {
    let template = match object {
        // One that has ended needs no node any more.
        Object::Pod(pod) if pod.is_terminal() => return None,
        Object::Pod(pod) => return Some((pod.spec.node_name.as_ref()?, "spec.nodeName")),
        Object::Deployment(deployment) => &deployment.spec.template,
        // One without pods is a revision of long ago, whose node may be gone.
        Object::ReplicaSet(replica_set) if replica_set.spec.replicas == 0 => return None,
        Object::ReplicaSet(replica_set) => &replica_set.spec.template,
        Object::Job(job) => &job.spec.template,
        Object::CronJob(_) => return None,
    };
    Some((template.spec.node_name.as_ref()?, "spec.template.spec.nodeName"))
}
