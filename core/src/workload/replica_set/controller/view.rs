use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::controller::pod_control::next_pod_availability_check;
use crate::controller::rank::Choice;
use crate::feature_gates::FeatureGates;
use crate::object::{LabelSelector, Pod, StringMap, Strings, Time};
use crate::workload::replica_set::ReplicaSet;

/// The input of a ReplicaSet's sync.
pub struct View<'a> {
    /// The ReplicaSet.
    pub replica_set: &'a Rc<ReplicaSet>,
    /// Its pods, and those that it could adopt.
    pub pods: &'a dyn Pods,
}

/// The pods as a ReplicaSet sees them. Lists are asked for only when a choice between pods must be made.
pub trait Pods {
    /// The counts of its active pods whose labels match, and of its terminating ones.
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts;

    /// Active pods that it owns although the labels no longer match, and such without an owner, by name.
    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>>;

    /// Its active pods whose labels match, by name.
    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>>;

    /// The first `count` of its active pods whose labels match, by name, if all of them are known to compare equal in the
    /// ranking.
    fn first_alike(&self, _replica_set: &ReplicaSet, _count: usize) -> Option<Vec<Rc<Pod>>> {
        None
    }

    /// Which `count` of its active pods whose labels match go, where what ranks them is kept up to date; none also if no pod would stay.
    fn choose_to_delete(
        &self,
        _replica_set: &ReplicaSet,
        _count: usize,
        _now: Time,
        _gates: FeatureGates,
    ) -> Option<Choice> {
        None
    }

    /// The pods of all ReplicaSets with the same owner.
    ///
    /// Upstream: `pkg/controller/replicaset/replica_set.go getIndirectlyRelatedPods`
    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>>;

    /// Which pods are deleted: what `choose` gives, unless this sync has chosen before.
    fn remember_choice(&self, choose: &dyn Fn() -> Choice) -> Rc<Choice> {
        Rc::new(choose())
    }
}

/// The counts of a ReplicaSet's status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodCounts {
    /// Pods that have not ended and are not terminating.
    pub active: i32,
    /// Those of them that carry all labels of the template.
    pub fully_labeled: i32,
    /// Those of them that are ready.
    pub ready: i32,
    /// Those of them that were ready for minReadySeconds.
    pub available: i32,
    /// Pods with a deletionTimestamp that have not ended.
    pub terminating: i32,
    /// Nanoseconds until the next ready pod becomes available.
    pub next_available_in: Option<i64>,
}

impl PodCounts {
    /// Counts one more pod.
    pub fn count(&mut self, pod: &Pod, replica_set: &ReplicaSet, now: Time) {
        if pod.is_terminating() {
            self.terminating = self.terminating.wrapping_add(1);
        }
        if !pod.is_active() {
            return;
        }
        let min_ready = replica_set.spec.min_ready_seconds;
        self.active = self.active.wrapping_add(1);
        let wanted = &replica_set.spec.template.metadata.labels;
        let labels = &pod.metadata.labels;
        if Rc::ptr_eq(wanted, labels) || wanted.iter().all(|(key, value)| labels.get(key) == Some(value)) {
            self.fully_labeled = self.fully_labeled.wrapping_add(1);
        }
        if !pod.is_ready() {
            return;
        }
        self.ready = self.ready.wrapping_add(1);
        if pod.is_available(min_ready, now) {
            self.available = self.available.wrapping_add(1);
        }
        if let Some(next) = next_pod_availability_check(pod, min_ready, now) {
            self.next_available_in = Some(self.next_available_in.map_or(next, |earlier| earlier.min(next)));
        }
    }
}

/// The pods which the selectors of all ReplicaSets with the same controller take. A ReplicaSet without a controller has
/// no related pods.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go getIndirectlyRelatedPods`
pub fn get_indirectly_related_pods<'a>(
    replica_set: &ReplicaSet,
    replica_sets: impl Iterator<Item = &'a Rc<ReplicaSet>>,
    pods: impl Iterator<Item = &'a Rc<Pod>>,
) -> Vec<Rc<Pod>> {
    let Some(controller) = replica_set.metadata.controller() else { return Vec::new() };
    let siblings: Vec<&Rc<ReplicaSet>> = replica_sets
        .filter(|sibling| sibling.metadata.namespace == replica_set.metadata.namespace)
        .filter(|sibling| sibling.metadata.controller().is_some_and(|owner| owner.uid == controller.uid))
        .collect();
    let selectors: Vec<_> = siblings
        .iter()
        .filter_map(|sibling| LabelSelector::to_selector(sibling.spec.selector.as_deref()).ok())
        .collect();
    let mut is_selected = for_neighbors(|labels| selectors.iter().any(|selector| selector.matches(labels)));
    pods.filter(|pod| pod.metadata.namespace == replica_set.metadata.namespace)
        .filter(|pod| is_selected(&pod.metadata.labels))
        .cloned()
        .collect()
}

/// Asks about the labels of one pod after the other. Pods of one template share their labels, so neighbors have the same
/// answer.
pub(crate) fn for_neighbors<'a>(ask: impl Fn(&Strings) -> bool) -> impl FnMut(&'a StringMap) -> bool {
    let mut last: Option<(&StringMap, bool)> = None;
    move |labels| {
        let answer = match last {
            Some((seen, answer)) if Rc::ptr_eq(seen, labels) => answer,
            _ => ask(labels),
        };
        last = Some((labels, answer));
        answer
    }
}
