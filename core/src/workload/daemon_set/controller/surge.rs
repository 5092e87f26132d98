//! New pods are created beside the old ones: an update with surge.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::known::{KnownPod, PodsByNode};
use super::manage::Plan;
use super::rolling::{Limits, OnNode, find_updated_pods_on_node};
use super::state::Sync;
use crate::collect_tree::CollectTree;
use crate::controller::Error;
use crate::object::Pod;
use crate::workload::daemon_set::decision::Decision;

/// What the nodes have, in sum.
#[derive(Default)]
struct Found<'n> {
    /// Nodes whose new pod is not available yet.
    surge: i32,
    /// Nodes with an available pod, also those that should not have one.
    available: i32,
    /// Nodes with an available old pod that may get a new one.
    candidates: Vec<&'n Rc<str>>,
    /// Available old pods of nodes that should not have one.
    unsuitable: Vec<(&'n Rc<str>, &'n Rc<Pod>)>,
}

impl Sync<'_, '_> {
    /// Upstream: `pkg/controller/daemon/update.go rollingUpdate`, with surge
    pub(super) fn surge(&mut self, by_node: &PodsByNode, limits: &Limits) -> Result<Plan, Error> {
        let (mut plan, mut found) = (Plan::default(), Found::default());
        let suited = self.nodes(by_node);
        let should_run = suited.map(|(node, (should_run, _), _)| (&*node.name, should_run)).collect_tree();
        for (node, pods) in by_node {
            self.look_at(node, find_updated_pods_on_node(pods), &should_run, &mut found, &mut plan)?;
        }
        let (available, desired) = (found.available, limits.desired);
        let deletable = usize::try_from(available.saturating_sub(desired)).unwrap_or(0);
        found.unsuitable.sort_by_key(|(_, pod)| self.place_of(&pod.metadata.name));
        for (node, pod) in found.unsuitable.into_iter().take(deletable) {
            let decision = Decision::Leave { of: Box::new(self.pod_on_node(pod, node)), available, desired };
            plan.delete.push((pod.clone(), decision));
        }
        let (limit, surge) = (limits.max_surge, found.surge);
        let budget = limit.saturating_sub(surge);
        if budget <= 0 && !found.candidates.is_empty() {
            self.client.note(Decision::SurgeWaits { set: self.name(), limit, surge }.into());
        }
        found.candidates.sort_by_key(|node| self.place_of(node));
        for node in found.candidates.into_iter().take(usize::try_from(budget).unwrap_or(0)) {
            let decision = Decision::Surge { of: self.on_node(node), limit, surge, budget };
            plan.create.push((node.clone(), decision));
        }
        Ok(plan)
    }

    fn look_at<'n>(
        &self,
        node: &'n Rc<str>,
        on_node: OnNode<'n>,
        should_run: &BTreeMap<&str, bool>,
        found: &mut Found<'n>,
        plan: &mut Plan,
    ) -> Result<(), Error> {
        let is_available = match &on_node {
            OnNode::Old(pod) | OnNode::New(pod) | OnNode::Both { old: pod, .. } => self.is_available(pod),
            OnNode::Excess | OnNode::Nothing => false,
        };
        found.available = found.available.saturating_add(i32::from(is_available));
        match on_node {
            OnNode::Nothing | OnNode::New(_) => {}
            OnNode::Excess => found.surge = found.surge.saturating_add(1),
            OnNode::Both { new, old: KnownPod { pod, .. } } if self.is_available(new) => {
                let decision = Decision::DeleteReplaced(self.pod_on_node(pod, node));
                plan.delete.push((pod.clone(), decision));
            }
            OnNode::Both { .. } => found.surge = found.surge.saturating_add(1),
            OnNode::Old(KnownPod { pod, .. }) => match (may_get_pod(node, should_run)?, is_available) {
                (true, true) => found.candidates.push(node),
                (true, false) => {
                    plan.create.push((node.clone(), Decision::SurgeUnavailable(self.on_node(node))));
                }
                (false, true) => found.unsuitable.push((node, pod)),
                (false, false) => {
                    let decision = Decision::LeaveUnavailable(self.pod_on_node(pod, node));
                    plan.delete.push((pod.clone(), decision));
                }
            },
        }
        Ok(())
    }
}

/// Whether a node should get a pod.
fn may_get_pod(name: &str, should_run: &BTreeMap<&str, bool>) -> Result<bool, Error> {
    let message = || Error::Other(format!("couldn't get node for nodeName \"{name}\": node \"{name}\" not found"));
    should_run.get(name).copied().ok_or_else(message)
}
