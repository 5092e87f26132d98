//! How far the update of a StatefulSet is, from write to write.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::controller::{get_pod_revision, get_stateful_set_max_unavailable};
use super::{StatefulSet, UpdateStrategyType};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Object, Pod};
use crate::timeline::{Follow, Marks};

/// Follows a StatefulSet's updates. An update begins when the pod template or the number of replicas changes, and goes on when the
/// strategy lets more pods be replaced.
#[derive(Default)]
pub(crate) struct UpdateTracker {
    set: Option<Rc<StatefulSet>>,
    /// Its uid, also when it is gone: its pods may still be there.
    uid: Rc<str>,
    /// The revisions that its pods have and had. Each is a part of its pods.
    revisions: Vec<Rc<str>>,
    /// The revision of the present template, once the controller has named it.
    new: Option<Rc<str>>,
    complete: bool,
}

impl UpdateTracker {
    /// The StatefulSet as it is now.
    fn observe_set(&mut self, set: &Rc<StatefulSet>) {
        let before = self.set.replace(set.clone());
        self.uid = set.metadata.uid.clone();
        let begins = before.as_ref().is_none_or(|before| before.spec.template != set.spec.template);
        let goes_on = |before: Rc<StatefulSet>| {
            before.spec.replicas != set.spec.replicas || first_replaced(&before) > first_replaced(set)
        };
        let restarts = begins || before.is_none_or(goes_on);
        let is_observed = set.status.observed_generation >= set.metadata.generation;
        if begins || is_observed {
            self.new = Some(set.status.update_revision.clone()).filter(|_| is_observed);
        }
        self.complete = (self.complete && !restarts) || is_rolled_out(set);
    }

    /// Forgets the StatefulSet, not the revisions of its pods.
    fn remove(&mut self) {
        self.set = None;
        self.complete = false;
    }
}

impl Follow for UpdateTracker {
    fn observe(&mut self, before: Option<&Object>, after: Option<&Object>, gates: FeatureGates) -> Option<Marks> {
        match (before, after) {
            (_, Some(Object::StatefulSet(set))) => {
                self.observe_set(set);
                let replicas = set.spec.replicas;
                Some(Marks { desired: replicas, limit: replicas, min_available: fewest_available(set, gates) })
            }
            (Some(Object::StatefulSet(_)), None) => {
                self.remove();
                None
            }
            _ => None,
        }
    }

    fn part_of(&mut self, pod: &Pod) -> Option<usize> {
        pod.metadata.controller().filter(|owner| !self.uid.is_empty() && owner.uid == self.uid)?;
        let revision = get_pod_revision(pod);
        if let Some(known) = self.revisions.iter().position(|known| **known == *revision) {
            return Some(known);
        }
        self.revisions.push(revision.into());
        self.revisions.len().checked_sub(1)
    }

    fn is_new(&self, part: usize) -> bool {
        self.revisions.get(part).is_some_and(|revision| self.new.as_ref() == Some(revision))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn min_ready_seconds(&self) -> i32 {
        self.set.as_ref().map_or(0, |set| set.spec.min_ready_seconds)
    }
}

/// Whether nothing more is to come of an update: what `kubectl rollout status` waits for, and that unwanted pods are gone. For the
/// strategies of which kubectl has no status, that the controller has seen the template and all pods that it replaces are ready.
///
/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go StatefulSetStatusViewer.Status`
pub(crate) fn is_rolled_out(set: &StatefulSet) -> bool {
    let status = &set.status;
    let is_observed = status.observed_generation > 0 && status.observed_generation >= set.metadata.generation;
    if !is_observed || status.ready_replicas < set.spec.replicas || status.replicas > set.spec.replicas {
        return false;
    }
    match (set.spec.update_strategy.type_, &set.spec.update_strategy.rolling_update) {
        (UpdateStrategyType::OnDelete, _) => true,
        (UpdateStrategyType::RollingUpdate, Some(rolling_update)) => {
            let partition = rolling_update.partition.unwrap_or(0);
            status.updated_replicas >= set.spec.replicas.saturating_sub(partition)
        }
        _ => status.update_revision == status.current_revision,
    }
}

/// The index of the first pod that the controller itself replaces, if it replaces any.
fn first_replaced(set: &StatefulSet) -> i32 {
    let strategy = &set.spec.update_strategy;
    match strategy.type_ {
        UpdateStrategyType::OnDelete => i32::MAX,
        _ => strategy.rolling_update.as_ref().and_then(|rolling| rolling.partition).unwrap_or(0),
    }
}

/// The fewest pods that an update leaves available, if all are available when it begins.
pub(crate) fn fewest_available(set: &StatefulSet, gates: FeatureGates) -> i32 {
    let strategy = &set.spec.update_strategy;
    let max_unavailable = match strategy.type_ {
        UpdateStrategyType::OnDelete => 0,
        UpdateStrategyType::Recreate => i64::from(set.spec.replicas),
        UpdateStrategyType::RollingUpdate if gates.enabled(Feature::MaxUnavailableStatefulSet) => {
            let given = strategy.rolling_update.as_ref().and_then(|rolling| rolling.max_unavailable.as_ref());
            get_stateful_set_max_unavailable(given, set.spec.replicas).unwrap_or(1)
        }
        UpdateStrategyType::RollingUpdate => 1,
    };
    let least = i64::from(set.spec.replicas).saturating_sub(max_unavailable).max(0);
    i32::try_from(least).unwrap_or(i32::MAX)
}
