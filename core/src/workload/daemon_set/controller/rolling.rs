//! Old pods are deleted before the new ones are created: an update without surge.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::known::{KnownPod, PodsByNode};
use super::manage::Plan;
use super::state::{Sync, count};
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
pub(super) enum OnNode<'p> {
    /// More than one old or new pod.
    Excess,
    Nothing,
    New(&'p KnownPod),
    Old(&'p KnownPod),
    Both {
        new: &'p KnownPod,
        old: &'p KnownPod,
    },
}

impl Sync<'_, '_> {
    /// Upstream: `pkg/controller/daemon/update.go rollingUpdate`
    pub(super) fn rolling_update(&mut self, hash: &str) -> Result<(), Error> {
        let by_node = self.get_nodes_to_daemon_pods(hash)?;
        let limits = self
            .updated_desired_node_counts(&by_node)
            .map_err(|error| Error::Other(format!("couldn't get unavailable numbers: {error}")))?;
        let plan = match limits.max_surge {
            0 => self.delete_for_update(&by_node, &limits),
            _ => self.surge(&by_node, &limits)?,
        };
        // A write changes the pods.
        drop(by_node);
        self.sync_nodes(plan, hash)
    }

    /// Upstream: `pkg/controller/daemon/update.go rollingUpdate`, without surge
    fn delete_for_update(&mut self, by_node: &PodsByNode, limits: &Limits) -> Plan {
        let mut plan = Plan::default();
        let (mut unavailable, mut candidates) = (limits.without_pod, Vec::new());
        for (node, pods) in by_node {
            match find_updated_pods_on_node(pods) {
                OnNode::New(new) if self.is_available(new) => {}
                OnNode::Old(old) if self.is_available(old) => candidates.push((node, &old.pod)),
                OnNode::Old(KnownPod { pod, .. }) => {
                    let decision = Decision::UpdateUnavailable(self.pod_on_node(pod, node));
                    plan.delete.push((pod.clone(), decision));
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
            let decision = Decision::Update { of: Box::new(self.pod_on_node(old, node)), limit, unavailable, budget };
            plan.delete.push((old.clone(), decision));
        }
        plan
    }

    /// The limits.
    ///
    /// Upstream: `pkg/controller/daemon/update.go updatedDesiredNodeCounts`
    fn updated_desired_node_counts(&self, by_node: &PodsByNode) -> Result<Limits, Error> {
        let (mut desired, mut without_pod) = (0_i32, 0_i32);
        for (_, _, pods) in self.nodes(by_node).filter(|(_, (should_run, _), _)| *should_run) {
            desired = desired.saturating_add(1);
            without_pod = without_pod.saturating_add(pods.is_none().into());
        }
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

/// Upstream: `pkg/controller/daemon/update.go findUpdatedPodsOnNode`
pub(super) fn find_updated_pods_on_node(pods: &[KnownPod]) -> OnNode<'_> {
    let (mut new, mut old) = (None, None);
    for pod in pods.iter().filter(|pod| !pod.is_terminating) {
        let place = if pod.is_updated { &mut new } else { &mut old };
        if place.replace(pod).is_some() {
            return OnNode::Excess;
        }
    }
    match (new, old) {
        (None, None) => OnNode::Nothing,
        (Some(new), None) => OnNode::New(new),
        (None, Some(old)) => OnNode::Old(old),
        (Some(new), Some(old)) => OnNode::Both { new, old },
    }
}
