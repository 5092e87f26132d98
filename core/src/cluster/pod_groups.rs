//! Pods as a forecast plays them: those of a ReplicaSet differ only in their age, so that each is a stage and a time, and no
//! object of the store.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::pod_status::ready_condition;
use super::store::Id;
use crate::controller::replica_set::PodCounts;
use crate::object::{ConditionStatus, ObjectKey, ObjectMeta, Pod, PodPhase, PodSpec, PodStatus, Time};

/// The pods of all ReplicaSets.
#[derive(Debug, Default)]
pub(super) struct PodGroups {
    groups: BTreeMap<Rc<ObjectKey>, PodGroup>,
    /// Whether pods are ready as soon as they are created.
    pub(super) are_settled: bool,
    /// What is counted, once the Deployment is changed.
    observed: Option<Observed>,
    totals: Vec<PodTotals>,
    /// How many pods were made objects of, to be ranked.
    pub(super) ranked: usize,
}

/// How many pods there are at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PodTotals {
    /// Of the ReplicaSet that was there at rest, terminating ones included.
    pub(crate) old: i32,
    /// Of other ReplicaSets, likewise.
    pub(crate) new: i32,
    pub(crate) available: i32,
}

#[derive(Debug)]
struct Observed {
    old: Option<ObjectKey>,
    min_ready_seconds: i32,
}

/// The pods of a ReplicaSet.
#[derive(Debug)]
pub(super) struct PodGroup {
    /// One of them, as the ReplicaSet creates it.
    pub(super) model: Rc<Pod>,
    /// In the order of their creation.
    pods: Vec<GroupedPod>,
    /// No pod before this one is active.
    first_active: usize,
    active: i32,
    ready: i32,
    terminating: i32,
    /// The pods that became ready, in this order, and since when they are.
    became_ready: Vec<(Time, usize)>,
    /// Available pods, as the ReplicaSet counts them.
    available: AvailablePods,
    /// The same as the forecast does, which may have another minReadySeconds.
    forecast: AvailablePods,
    /// What one of the active pods looks like, or looked like; `alike` counts those of which the same is true.
    look: Option<Look>,
    alike: i32,
}

#[derive(Clone, Copy, Debug)]
struct GroupedPod {
    created: Time,
    stage: PodStage,
}

/// Where in its life a pod is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PodStage {
    /// On no node.
    Unscheduled,
    /// On a node.
    Bound,
    /// Its containers run.
    Running,
    /// Ready since that time, which the condition has in whole seconds; with its number among those that became ready.
    Ready(Time, usize),
    /// Asked to terminate.
    Terminating,
    Gone,
}

impl PodStage {
    pub(super) const fn is_active(self) -> bool {
        !matches!(self, Self::Terminating | Self::Gone)
    }
}

/// What the ranking sees of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    created: Time,
    phase: PodPhase,
    is_bound: bool,
    ready_since: Option<Time>,
}

impl GroupedPod {
    const fn look(self) -> Look {
        let (phase, is_bound, ready_since) = match self.stage {
            PodStage::Unscheduled => (PodPhase::Pending, false, None),
            PodStage::Bound | PodStage::Terminating | PodStage::Gone => (PodPhase::Pending, true, None),
            PodStage::Running => (PodPhase::Running, true, None),
            PodStage::Ready(since, _) => (PodPhase::Running, true, Some(since)),
        };
        Look { created: self.created, phase, is_bound, ready_since }
    }
}

/// Counts available pods, as time goes on.
#[derive(Clone, Copy, Debug)]
struct AvailablePods {
    min_ready_seconds: i32,
    /// How many of those that became ready have been ready for long enough.
    passed: usize,
    /// Those of them that are still ready.
    count: i32,
}

impl AvailablePods {
    const fn of(min_ready_seconds: i32) -> Self {
        Self { min_ready_seconds, passed: 0, count: 0 }
    }

    /// A pod with that number among those that became ready is ready no longer, or ready.
    const fn change(&mut self, number: usize, by: i32) {
        if number < self.passed {
            self.count = self.count.saturating_add(by);
        }
    }

    fn updated(self, group: &PodGroup, min_ready_seconds: i32, now: Time) -> Self {
        let mut updated = if self.min_ready_seconds == min_ready_seconds { self } else { Self::of(min_ready_seconds) };
        while let Some((since, pod)) = group.became_ready.get(updated.passed)
            && since.plus_seconds(min_ready_seconds.into()) <= now
        {
            let is_ready = group.stage(Id(*pod)).is_some_and(PodStage::is_active);
            updated.count = updated.count.saturating_add(is_ready.into());
            updated.passed = updated.passed.saturating_add(1);
        }
        updated
    }
}

impl PodGroups {
    /// The pods of a ReplicaSet, if it has created any.
    pub(super) fn get(&self, owner: &ObjectKey) -> Option<&PodGroup> {
        self.groups.get(owner)
    }

    pub(super) fn get_mut(&mut self, owner: &ObjectKey) -> Option<&mut PodGroup> {
        self.groups.get_mut(owner)
    }

    /// Counts the pods, now and with each change: those of this ReplicaSet are old.
    pub(super) fn observe(&mut self, old: Option<ObjectKey>, min_ready_seconds: i32, now: Time) {
        self.observed = Some(Observed { old, min_ready_seconds });
        self.count_totals(now);
    }

    /// Counts the pods after a change.
    pub(super) fn count_totals(&mut self, now: Time) {
        let Some(observed) = &self.observed else { return };
        let mut totals = PodTotals { old: 0, new: 0, available: 0 };
        for (owner, group) in &mut self.groups {
            let pods = if observed.old.as_ref() == Some(&**owner) { &mut totals.old } else { &mut totals.new };
            *pods = pods.saturating_add(group.holding());
            totals.available = totals.available.saturating_add(group.available(observed.min_ready_seconds, now));
        }
        self.totals.push(totals);
    }

    /// The counts, from the first to the last.
    pub(super) fn into_totals(self) -> Vec<PodTotals> {
        self.totals
    }

    /// The pods of a ReplicaSet that creates one like this.
    pub(super) fn get_or_insert(&mut self, owner: &Rc<ObjectKey>, model: &Rc<Pod>) -> &mut PodGroup {
        self.groups.entry(owner.clone()).or_insert_with(|| PodGroup::new(model.clone()))
    }
}

impl PodGroup {
    const fn new(model: Rc<Pod>) -> Self {
        Self {
            model,
            pods: Vec::new(),
            first_active: 0,
            active: 0,
            ready: 0,
            terminating: 0,
            became_ready: Vec::new(),
            available: AvailablePods::of(0),
            forecast: AvailablePods::of(0),
            look: None,
            alike: 0,
        }
    }

    /// Adds a pod.
    pub(super) fn add(&mut self, now: Time) -> Id {
        let id = self.pods.len();
        self.pods.push(GroupedPod { created: now.truncated(), stage: PodStage::Gone });
        self.set_stage(Id(id), PodStage::Unscheduled);
        Id(id)
    }

    pub(super) fn stage(&self, id: Id) -> Option<PodStage> {
        self.pods.get(id.0).map(|pod| pod.stage)
    }

    /// The pod is ready from now on.
    pub(super) fn set_ready(&mut self, id: Id, now: Time) {
        let (since, number) = (now.truncated(), self.became_ready.len());
        self.became_ready.push((since, id.0));
        self.set_stage(id, PodStage::Ready(since, number));
    }

    pub(super) fn set_stage(&mut self, id: Id, stage: PodStage) {
        let Some(pod) = self.pods.get_mut(id.0) else { return };
        let before = *pod;
        pod.stage = stage;
        let after = *pod;
        self.count(before, -1);
        self.count(after, 1);
    }

    fn count(&mut self, pod: GroupedPod, by: i32) {
        match pod.stage {
            PodStage::Terminating => self.terminating = self.terminating.saturating_add(by),
            PodStage::Gone => {}
            stage => {
                self.active = self.active.saturating_add(by);
                if *self.look.get_or_insert(pod.look()) == pod.look() {
                    self.alike = self.alike.saturating_add(by);
                }
                if let PodStage::Ready(_, number) = stage {
                    self.ready = self.ready.saturating_add(by);
                    self.available.change(number, by);
                    self.forecast.change(number, by);
                }
            }
        }
    }

    /// All pods, terminating ones included.
    pub(super) const fn holding(&self) -> i32 {
        self.active.saturating_add(self.terminating)
    }

    /// The counts as a ReplicaSet's status has them.
    pub(super) fn counts(&mut self, min_ready_seconds: i32, now: Time) -> PodCounts {
        self.available = self.available.updated(self, min_ready_seconds, now);
        PodCounts {
            active: self.active,
            fully_labeled: self.active,
            ready: self.ready,
            available: self.available.count,
            terminating: self.terminating,
            next_available_in: self.next_available().map(|time| time.since(now)),
        }
    }

    /// How many pods have been ready for that long, for the forecast.
    pub(super) fn available(&mut self, min_ready_seconds: i32, now: Time) -> i32 {
        self.forecast = self.forecast.updated(self, min_ready_seconds, now);
        self.forecast.count
    }

    /// When the next ready pod becomes available.
    fn next_available(&self) -> Option<Time> {
        let later = self.became_ready.get(self.available.passed..)?;
        let ready = later.iter().find(|(_, pod)| self.stage(Id(*pod)).is_some_and(PodStage::is_active))?;
        Some(ready.0.plus_seconds(self.available.min_ready_seconds.into()))
    }

    /// The first active pods, if all look alike; at most `count`.
    pub(super) fn first_alike(&mut self, count: usize) -> Option<Vec<Rc<Pod>>> {
        let is_active = |pod: &&GroupedPod| pod.stage.is_active();
        if self.alike == 0 {
            let looks = || self.pods.iter().filter(is_active).map(|pod| pod.look());
            let look = looks().next()?;
            self.alike = i32::try_from(looks().filter(|other| *other == look).count()).unwrap_or(i32::MAX);
            self.look = Some(look);
        }
        if self.alike != self.active {
            return None;
        }
        let inactive = self.pods.iter().skip(self.first_active).take_while(|pod| !pod.stage.is_active()).count();
        self.first_active = self.first_active.saturating_add(inactive);
        Some(self.active_pods(count))
    }

    /// The first active pods as objects, by name: at most `count`.
    pub(super) fn active_pods(&self, count: usize) -> Vec<Rc<Pod>> {
        let pods = self.pods.iter().enumerate().skip(self.first_active);
        let active = pods.filter(|(_, pod)| pod.stage.is_active());
        active.take(count).map(|(number, pod)| Rc::new(self.object(number, *pod))).collect()
    }

    /// A pod as the controllers see it. Its name is its number.
    fn object(&self, number: usize, pod: GroupedPod) -> Pod {
        let Look { created, phase, is_bound, ready_since } = pod.look();
        let name: Rc<str> = format!("{number:010}").into();
        let conditions = ready_since.map(|since| ready_condition(ConditionStatus::True, since));
        Pod {
            metadata: Rc::new(ObjectMeta {
                uid: name.clone(),
                name,
                creation_timestamp: Some(created),
                ..(*self.model.metadata).clone()
            }),
            spec: PodSpec {
                node_name: is_bound.then(|| super::node_state::NODE.into()),
                fields: self.model.spec.fields.clone(),
            },
            status: PodStatus { phase, conditions: conditions.into_iter().collect(), ..PodStatus::default() },
        }
    }
}

/// The pod of an object that [`PodGroup::active_pods`] has made.
pub(super) fn id_of(key: &ObjectKey) -> Option<Id> {
    key.name.parse().ok().map(Id)
}
