//! The nodes that pods and pod templates name.

use alloc::format;

use super::node_state::NodeState;
use super::state::Cluster;
use crate::Problem;
use crate::go::quoted;
use crate::object::Object;

impl Cluster {
    /// Refuses an object whose pods are bound to a node that the scenario does not have. A scenario that names no nodes has
    /// those that its objects name.
    pub(super) fn require_named_node(&mut self, object: &Object, path: &str) -> Result<(), Problem> {
        let Some((node, field)) = object.resource().named_node().filter(|(node, _)| !node.is_empty()) else {
            return Ok(());
        };
        if self.nodes.iter().any(|known| known.name == *node) {
            return Ok(());
        }
        if self.scenario.nodes.is_empty() {
            self.add_node_state(NodeState::of_any_size(node));
            return Ok(());
        }
        let message = format!("Not found: {}: must be one of the given nodes", quoted(node));
        Err(Problem::new(format!("{path}.{field}"), message))
    }
}
