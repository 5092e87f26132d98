//! What the user does with nodes.

use super::request::ActionError;
use crate::cluster::decision::UserDecision;
use crate::cluster::state::Cluster;
use crate::object::ObjectKey;
use crate::scenario::NodeName;

impl Cluster {
    pub(super) fn on_node(
        &mut self,
        node: &NodeName,
        decide: impl FnOnce(ObjectKey) -> UserDecision,
        change: fn(&mut Self, usize),
    ) -> Result<(), ActionError> {
        let index = self.target_node(&node.name, decide)?;
        change(self, index);
        Ok(())
    }

    pub(super) fn cordon(&mut self, index: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.cordoned = true;
        }
    }

    pub(super) fn uncordon(&mut self, index: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.cordoned = false;
        }
        self.retry_unschedulable();
    }
}
