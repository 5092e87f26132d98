//! What the user does with nodes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::request::ActionError;
use crate::Problem;
use crate::cluster::decision::UserDecision;
use crate::cluster::node_state::NodeState;
use crate::cluster::state::Cluster;
use crate::controller::ApiError;
use crate::object::{Kind, ObjectKey, Taint};
use crate::scenario::{LabelNode, Node, NodeName, TaintNode, UntaintNode, validate_taint};

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

    /// Nodes that stand for any number of nodes have no labels and taints.
    fn require_nodes(&self, path: &str) -> Result<(), Problem> {
        if self.scheduling.snapshot.is_some() {
            return Ok(());
        }
        Err(Problem::new(path, "Forbidden: must only be used in a scenario with nodes"))
    }

    /// A node joins the cluster. One that had been deleted comes back empty, but for pods that it still has.
    pub(super) fn join_node(&mut self, node: &Node) -> Result<(), ActionError> {
        self.require_nodes("addNode")?;
        if node.name.is_empty() {
            return Err(Problem::new("addNode.name", "Required value: must be the node's name").into());
        }
        if node.lost {
            return Err(Problem::new("addNode.lost", "Forbidden: must not be set: a node that joins reports").into());
        }
        let key = ObjectKey::new(Kind::Node, "", node.name.as_str());
        let state = NodeState::added(node, "addNode")?;
        let known = self.nodes.iter().position(|known| *known.name == *node.name);
        match known.and_then(|index| self.nodes.get_mut(index)) {
            Some(before) if before.exists() => {
                let error = ApiError::already_exists(&key);
                return Err(ActionError::Api(key, error));
            }
            Some(before) => before.replace(state),
            None => self.add_node_state(state),
        }
        self.report_user_action(&key, |object| UserDecision::AddNode { object });
        self.retry_unschedulable();
        Ok(())
    }

    /// Upstream: `k8s.io/kubectl/pkg/cmd/taint/utils.go addTaints`, where older taints are overwritten
    pub(super) fn taint(&mut self, TaintNode { name, key, value, effect }: &TaintNode) -> Result<(), ActionError> {
        self.require_nodes("taint")?;
        let taint = Taint { key: key.clone(), value: value.clone(), effect: effect.clone() };
        validate_taint(&taint, "taint")?;
        let text = if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") };
        let index = self.target_node(name, |object| UserDecision::Taint { object, taint: text.into() })?;
        let now = self.now;
        if let Some(node) = self.nodes.get_mut(index) {
            node.put_taint(taint.clone(), now);
        }
        self.scheduling.failure = None;
        self.plan_evictions_by(index, &taint);
        Ok(())
    }

    /// Upstream: `k8s.io/kubectl/pkg/cmd/taint/utils.go deleteTaints`
    pub(super) fn untaint(&mut self, UntaintNode { name, key, effect }: &UntaintNode) -> Result<(), ActionError> {
        self.require_nodes("untaint")?;
        let text = effect.as_ref().map_or_else(|| key.clone(), |effect| format!("{key}:{effect}"));
        let is_meant =
            |taint: &Taint| taint.key == *key && effect.as_ref().is_none_or(|effect| taint.effect == *effect);
        let object = ObjectKey::new(Kind::Node, "", name.as_str());
        let found = self.find_node(name).and_then(|index| self.nodes.get(index));
        if found.is_some_and(|node| !node.taints().iter().any(is_meant)) {
            let message = format!("taint \"{text}\" not found");
            self.report_user_action(&object, |object| UserDecision::Refused { object, message: message.into() });
            return Ok(());
        }
        let index = self.target_node(name, |object| UserDecision::Untaint { object, taint: text.into() })?;
        if let Some(node) = self.nodes.get_mut(index) {
            node.remove_taints(is_meant);
        }
        self.retry_unschedulable();
        Ok(())
    }

    pub(super) fn label_node(&mut self, LabelNode { name, labels }: &LabelNode) -> Result<(), ActionError> {
        self.require_nodes("labelNode")?;
        let text = |(key, value): (&String, &Option<String>)| match value {
            Some(value) => format!("{key}={value}"),
            None => format!("{key}-"),
        };
        let texts = labels.iter().map(text).collect::<Vec<_>>().join(" ");
        let index = self.target_node(name, |object| UserDecision::LabelNode { object, labels: texts.into() })?;
        if let Some(node) = self.nodes.get_mut(index) {
            node.put_labels(labels);
        }
        self.retry_unschedulable();
        Ok(())
    }
}
