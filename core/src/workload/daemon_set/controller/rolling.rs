//! Old pods are deleted before the new ones are created: an update without surge.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::manage::Plan;
use super::state::{PodsByNode, Sync, count};
use super::template::{get_template_generation, is_pod_updated};
use crate::controller::Error;
use crate::object::Pod;
use crate::workload::daemon_set::decision::Decision;

/// The limits of an update, as numbers of nodes.
pub(super) struct Limits {
    pub(super) max_surge: i32,
    pub(super) max_unavailable: i32,
    /// Nodes that should have a pod.
    pub(super) desired: i32,
    /// Those of them that have none.
    without_pod: i32,
}

/// What a node has of pods that are not being deleted.
pub(super) enum OnNode {
    /// More than one old or new pod.
    Excess,
    Nothing,
    New(Rc<Pod>),
    Old(Rc<Pod>),
    Both {
        new: Rc<Pod>,
        old: Rc<Pod>,
    },
}

impl Sync<'_, '_> {
    /// Upstream: `pkg/controller/daemon/update.go rollingUpdate`
    pub(super) fn rolling_update(&mut self, hash: &str) -> Result<(), Error> {
        let by_node = self.get_nodes_to_daemon_pods()?;
        let limits = self
            .updated_desired_node_counts(&by_node)
            .map_err(|error| Error::Other(format!("couldn't get unavailable numbers: {error}")))?;
        let plan = match limits.max_surge {
            0 => self.delete_for_update(&by_node, &limits, hash),
            _ => self.surge(&by_node, &limits, hash)?,
        };
        self.sync_nodes(plan, hash)
    }

    /// Upstream: `pkg/controller/daemon/update.go rollingUpdate`, without surge
    fn delete_for_update(&mut self, by_node: &PodsByNode, limits: &Limits, hash: &str) -> Plan {
        let mut plan = Plan::default();
        let (mut unavailable, mut candidates) = (limits.without_pod, Vec::new());
        for (node, pods) in by_node {
            match self.find_updated_pods_on_node(pods, hash) {
                OnNode::New(new) if self.is_available(&new) => {}
                OnNode::Old(old) if self.is_available(&old) => candidates.push((node, old)),
                OnNode::Old(old) => {
                    let decision = Decision::UpdateUnavailable(self.pod_on_node(&old, node));
                    plan.delete.push((old, decision));
                    unavailable = unavailable.saturating_add(1);
                }
                OnNode::Excess | OnNode::Nothing | OnNode::New(_) | OnNode::Both { .. } => {
                    unavailable = unavailable.saturating_add(1);
                }
            }
        }
        let limit = limits.max_unavailable;
        let budget = limit.saturating_sub(unavailable);
        if budget <= 0 && !candidates.is_empty() {
            self.client.note(Decision::UpdateWaits { set: self.name(), limit, unavailable }.into());
        }
        candidates.sort_by_key(|(_, old)| self.place_of(&old.metadata.name));
        for (node, old) in candidates.into_iter().take(usize::try_from(budget).unwrap_or(0)) {
            let decision = Decision::Update { of: Box::new(self.pod_on_node(&old, node)), limit, unavailable, budget };
            plan.delete.push((old, decision));
        }
        plan
    }

    /// Upstream: `pkg/controller/daemon/update.go findUpdatedPodsOnNode`
    pub(super) fn find_updated_pods_on_node(&self, pods: &[Rc<Pod>], hash: &str) -> OnNode {
        let generation = get_template_generation(&self.set);
        let stays = pods.iter().filter(|pod| pod.metadata.deletion_timestamp.is_none());
        let (new, old): (Vec<&Rc<Pod>>, Vec<&Rc<Pod>>) = stays.partition(|pod| is_pod_updated(pod, hash, generation));
        match (new.as_slice(), old.as_slice()) {
            ([], []) => OnNode::Nothing,
            ([new], []) => OnNode::New((*new).clone()),
            ([], [old]) => OnNode::Old((*old).clone()),
            ([new], [old]) => OnNode::Both { new: (*new).clone(), old: (*old).clone() },
            _ => OnNode::Excess,
        }
    }

    /// The limits.
    ///
    /// Upstream: `pkg/controller/daemon/update.go updatedDesiredNodeCounts`
    fn updated_desired_node_counts(&self, by_node: &PodsByNode) -> Result<Limits, Error> {
        let should_run = self.nodes().filter(|(_, should_run)| *should_run);
        let desired = count(should_run.clone().count());
        let without_pod = count(should_run.filter(|(node, _)| !by_node.contains_key(&node.name)).count());
        let max_unavailable = self
            .set
            .unavailable_count(desired)
            .map_err(|error| Error::Other(format!("invalid value for MaxUnavailable: {error}")))?;
        let max_surge = self
            .set
            .surge_count(desired)
            .map_err(|error| Error::Other(format!("invalid value for MaxSurge: {error}")))?;
        let max_unavailable = if desired > 0 && max_unavailable == 0 && max_surge == 0 { 1 } else { max_unavailable };
        Ok(Limits { max_surge: count(max_surge), max_unavailable: count(max_unavailable), desired, without_pod })
    }

    /// With OnDelete, only a user replaces pods.
    pub(super) fn note_old_pods(&mut self, hash: &str) {
        let generation = get_template_generation(&self.set);
        let is_old = |pod: &&Rc<Pod>| {
            pod.metadata.controller().is_some_and(|owner| owner.uid == self.set.metadata.uid)
                && pod.metadata.deletion_timestamp.is_none()
                && !is_pod_updated(pod, hash, generation)
        };
        let old = count((self.view.pods)().iter().filter(is_old).count());
        if old > 0 {
            self.client.note(Decision::UpdateOnDelete { set: self.name(), old }.into());
        }
    }
}
