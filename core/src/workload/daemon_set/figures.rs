//! How far the update of a DaemonSet is, from write to write.

use alloc::borrow::ToOwned;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::controller::{get_template_generation, is_pod_updated};
use super::{DAEMON_SET_UNIQUE_LABEL, DaemonSet, UpdateStrategyType};
use crate::controller::hash::compute_hash;
use crate::feature_gates::FeatureGates;
use crate::object::{Object, Pod};
use crate::timeline::{Follow, Marks};

/// Follows a DaemonSet's updates. An update begins when the pod template changes.
#[derive(Default)]
pub(crate) struct UpdateTracker {
    set: Option<Rc<DaemonSet>>,
    /// Its uid, also when it is gone: its pods may still be there.
    uid: Rc<str>,
    /// The hashes of the templates that its pods have and had. Each is a part of its pods.
    hashes: Vec<Rc<str>>,
    /// The hash of the present template.
    new: String,
    complete: bool,
}

impl UpdateTracker {
    /// The DaemonSet as it is now.
    fn observe_set(&mut self, set: &Rc<DaemonSet>) {
        let before = self.set.replace(set.clone());
        self.uid = set.metadata.uid.clone();
        let template = |set: &DaemonSet| (set.spec.template.clone(), set.status.collision_count);
        let begins = before.as_ref().is_none_or(|before| before.spec.template != set.spec.template);
        if before.is_none_or(|before| template(&before) != template(set)) {
            self.new = compute_hash(&set.spec.template, set.status.collision_count);
        }
        self.complete = (self.complete && !begins) || is_rolled_out(set);
    }

    /// Forgets the DaemonSet, not the templates of its pods.
    fn remove(&mut self) {
        self.set = None;
        self.complete = false;
    }
}

impl Follow for UpdateTracker {
    fn observe(&mut self, before: Option<&Object>, after: Option<&Object>, _: FeatureGates) -> Option<Marks> {
        match (before, after) {
            (_, Some(Object::DaemonSet(set))) => {
                self.observe_set(set);
                let (limit, min_available) = (most_pods(set), fewest_available(set));
                Some(Marks { desired: set.status.desired_number_scheduled, limit, min_available })
            }
            (Some(Object::DaemonSet(_)), None) => {
                self.remove();
                None
            }
            _ => None,
        }
    }

    fn part_of(&mut self, pod: &Pod) -> Option<usize> {
        pod.metadata.controller().filter(|owner| !self.uid.is_empty() && owner.uid == self.uid)?;
        let hash = pod.metadata.labels.get(DAEMON_SET_UNIQUE_LABEL).map_or("", String::as_str);
        // Another release may have made the hash.
        if self.set.as_ref().is_some_and(|set| is_pod_updated(pod, "", get_template_generation(set))) {
            hash.clone_into(&mut self.new);
        }
        if let Some(known) = self.hashes.iter().position(|known| **known == *hash) {
            return Some(known);
        }
        self.hashes.push(hash.into());
        self.hashes.len().checked_sub(1)
    }

    fn is_new(&self, part: usize) -> bool {
        self.hashes.get(part).is_some_and(|hash| **hash == *self.new)
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn min_ready_seconds(&self) -> i32 {
        self.set.as_ref().map_or(0, |set| set.spec.min_ready_seconds)
    }
}

/// Whether nothing more is to come of an update: what `kubectl rollout status` waits for, and with OnDelete, of which kubectl has no
/// status, that the controller has seen the template and all pods are available.
///
/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go DaemonSetStatusViewer.Status`
pub(crate) fn is_rolled_out(set: &DaemonSet) -> bool {
    let status = &set.status;
    let is_observed = status.observed_generation > 0 && status.observed_generation >= set.metadata.generation;
    let is_updated = set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete
        || status.updated_number_scheduled >= status.desired_number_scheduled;
    is_observed && is_updated && status.number_available >= status.desired_number_scheduled
}

/// The most pods that an update has at once, if no pod fails.
pub(crate) fn most_pods(set: &DaemonSet) -> i32 {
    let nodes = set.status.desired_number_scheduled;
    let surge = i32::try_from(set.surge_count(nodes).unwrap_or(0)).unwrap_or(i32::MAX);
    nodes.saturating_add(surge.min(nodes))
}

/// The fewest pods that an update leaves available, if all are available when it begins.
pub(crate) fn fewest_available(set: &DaemonSet) -> i32 {
    let nodes = set.status.desired_number_scheduled;
    if set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete {
        return nodes;
    }
    let unavailable = i32::try_from(set.unavailable_count(nodes).unwrap_or(0)).unwrap_or(i32::MAX);
    let unavailable = if unavailable == 0 && !set.allows_surge() { 1 } else { unavailable };
    nodes.saturating_sub(unavailable).max(0)
}
