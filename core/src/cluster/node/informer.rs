//! What the controllers' informers report of nodes: that one was added, or has other taints. Nobody waits for the end of one.

use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::cluster::node_state::{NodeCondition, NodeState};
use crate::cluster::state::Cluster;
use crate::cluster::step::{Actor, Change};
use crate::controller::Verb;
use crate::object::ObjectKey;

impl Cluster {
    /// The controllers know the nodes as they are now.
    pub(crate) fn watch_nodes(&mut self) {
        self.observed_nodes = self.nodes.iter().map(NodeState::condition).collect();
        self.observed_changes = self.nodes.changes();
    }

    /// Tells the controllers of nodes that were added or that have other taints since they were last observed.
    pub(crate) fn observe_nodes(&mut self) {
        if self.observed_changes == self.nodes.changes() {
            return;
        }
        let known = core::mem::take(&mut self.observed_nodes);
        self.watch_nodes();
        let before = known.into_iter().map(Some).chain(core::iter::repeat(None));
        let has_changed = |(node, before): (&NodeState, Option<NodeCondition>)| {
            (node.exists() && before != Some(node.condition())).then(|| Rc::new(node.key()))
        };
        let changed: Vec<Rc<ObjectKey>> = self.nodes.iter().zip(before).filter_map(has_changed).collect();
        for key in changed {
            let change = Change { verb: Verb::Update, key, before: None, after: None };
            self.observe(Actor::NodeLifecycleController, &change);
        }
    }
}
