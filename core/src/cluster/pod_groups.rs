//! Pods that are played in groups: those of a ReplicaSet differ only in their age, so that each is a stage and a time, and no
//! object of the store.

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::pod_status::ready_condition;
use crate::object::{ConditionStatus, ObjectKey, ObjectMeta, Pod, PodPhase, PodSpec, PodStatus, Time};
use crate::workload::replica_set::controller::PodCounts;

/// The node of all pods.
const NODE: &str = "node";

/// The pods of all ReplicaSets.
#[derive(Debug, Default)]
pub(super) struct PodGroups {
    groups: Vec<PodGroup>,
    /// The time: the age of a pod that starts says how far it is.
    pub(super) now: Time,
    /// Whether pods are ready as soon as they are created.
    pub(super) are_settled: bool,
    /// How long pods must be ready to be counted as available, once the Deployment is changed.
    min_ready_seconds: Option<i32>,
    totals: Vec<PodTotals>,
    /// The number of pods that were turned into objects for ranking.
    ranked: usize,
    /// For how many pods a change of one of them counts as one more step; zero for none.
    pub(super) pods_of_step: usize,
    /// Whether a ReplicaSet had to choose between pods that are not alike. Their random uids, which groups don't have, may decide.
    pub(super) has_ranked: bool,
}

/// How many pods there are at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PodTotals {
    /// When.
    pub(crate) time: Time,
    /// Of the ReplicaSet that was there at rest, terminating ones included.
    pub(crate) old: i32,
    /// Of other ReplicaSets, likewise.
    pub(crate) new: i32,
    /// Available ones of both.
    pub(crate) available: i32,
    /// Terminating ones of both.
    pub(crate) terminating: i32,
}

impl PodTotals {
    /// The pods of all ReplicaSets, terminating ones included.
    pub(crate) const fn holding(&self) -> i32 {
        self.old.saturating_add(self.new)
    }
}

/// The pods of a ReplicaSet, one for all.
#[derive(Clone, Debug)]
pub(crate) struct PodModel {
    /// Whether the ReplicaSet was there at rest.
    pub(crate) is_old: bool,
    /// One of the pods, as it was created or found.
    pub(crate) pod: Rc<Pod>,
}

/// Which pod of which group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PodId {
    /// The position of its group.
    pub(super) group: usize,
    pod: usize,
}

/// The pods of a ReplicaSet.
#[derive(Debug)]
pub(super) struct PodGroup {
    /// The ReplicaSet.
    pub(super) owner: Rc<ObjectKey>,
    /// Whether the ReplicaSet was there at rest.
    is_old: bool,
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
    /// The cohort of one of the active pods, or of one that was active, and how many active pods are of it.
    cohort: Option<Cohort>,
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
    /// Not on a node yet.
    Starting,
    /// On a node.
    Bound,
    /// Its containers run, and it is not ready yet.
    Running,
    /// Ready since that time, which the condition has in whole seconds; with its number among those that became ready.
    Ready(Time, usize),
    /// Asked to terminate.
    Terminating,
    /// Removed.
    Gone,
}

impl PodStage {
    pub(super) const fn is_active(self) -> bool {
        !matches!(self, Self::Terminating | Self::Gone)
    }
}

/// How far an active pod is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// On no node.
    Unscheduled,
    /// On a node.
    Bound,
    /// Its containers run.
    Running,
    /// Ready since that time.
    Ready(Time),
}

/// The part of an active pod that ranking compares: pods of a cohort are always equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cohort {
    created: Time,
    stage: PodStage,
}

impl GroupedPod {
    fn cohort(self) -> Cohort {
        match self.stage {
            PodStage::Ready(since, _) => Cohort { created: self.created.truncated(), stage: PodStage::Ready(since, 0) },
            stage => Cohort { created: self.created, stage },
        }
    }

    const fn progress(self) -> Progress {
        match self.stage {
            PodStage::Ready(since, _) => Progress::Ready(since),
            PodStage::Running => Progress::Running,
            PodStage::Bound => Progress::Bound,
            _ => Progress::Unscheduled,
        }
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
            let is_ready = group.stage(*pod).is_some_and(PodStage::is_active);
            updated.count = updated.count.saturating_add(is_ready.into());
            updated.passed = updated.passed.saturating_add(1);
        }
        updated
    }
}

impl PodGroups {
    /// The group of a ReplicaSet, if it has created any pods.
    pub(super) fn find(&self, owner: &ObjectKey) -> Option<usize> {
        self.groups.iter().position(|group| *group.owner == *owner)
    }

    pub(super) fn get(&self, group: usize) -> Option<&PodGroup> {
        self.groups.get(group)
    }

    pub(super) fn get_mut(&mut self, group: usize) -> Option<&mut PodGroup> {
        self.groups.get_mut(group)
    }

    /// Adds a pod that a ReplicaSet has created, which was there at rest or not.
    pub(super) fn add(&mut self, owner: &Rc<ObjectKey>, is_old: bool, model: &Rc<Pod>, now: Time) -> PodId {
        let group = self.find(owner).unwrap_or(self.groups.len());
        if group == self.groups.len() {
            self.groups.push(PodGroup::new(owner.clone(), is_old, model.clone()));
        }
        let pod = self.groups.get_mut(group).map_or(0, |group| group.add(now));
        let id = PodId { group, pod };
        if self.are_settled {
            self.set_ready(id, now);
        }
        id
    }

    pub(super) fn stage(&self, id: PodId) -> Option<PodStage> {
        self.get(id.group)?.stage(id.pod)
    }

    /// How far a pod is, if it is active.
    pub(super) fn progress(&self, id: PodId) -> Option<Progress> {
        let group = self.get(id.group)?;
        let pod = group.pods.get(id.pod).filter(|pod| pod.stage.is_active())?;
        Some(pod.progress())
    }

    /// The pod is ready from now on.
    pub(super) fn set_ready(&mut self, id: PodId, now: Time) {
        if let Some(group) = self.get_mut(id.group) {
            group.set_ready(id.pod, now);
        }
    }

    pub(super) fn set_stage(&mut self, id: PodId, stage: PodStage) {
        if let Some(group) = self.get_mut(id.group) {
            group.set_stage(id.pod, stage);
        }
    }

    /// Counts the pods, now and with each change.
    pub(super) fn observe(&mut self, min_ready_seconds: i32, now: Time) {
        self.min_ready_seconds = Some(min_ready_seconds);
        self.count_pods(now);
    }

    /// Pods were made objects of, to be ranked: each is a step of the next change.
    pub(super) const fn count_ranked(&mut self, pods: usize) {
        self.ranked = self.ranked.saturating_add(pods);
        self.has_ranked = true;
    }

    /// Counts the pods after a change. Says how many steps that is: one, one for each pod that was ranked before it, and more where
    /// there are many.
    pub(super) fn count_change(&mut self, now: Time) -> usize {
        self.count_pods(now);
        let pods = self.totals.last().map_or(0, PodTotals::holding);
        let more = usize::try_from(pods).unwrap_or(0).checked_div(self.pods_of_step);
        core::mem::take(&mut self.ranked).saturating_add(more.unwrap_or(0)).saturating_add(1)
    }

    /// Counts the pods, of which some may have become available.
    pub(super) fn count_pods(&mut self, now: Time) {
        let Some(min_ready_seconds) = self.min_ready_seconds else { return };
        let mut totals = PodTotals { time: now, old: 0, new: 0, available: 0, terminating: 0 };
        for group in &mut self.groups {
            let pods = if group.is_old { &mut totals.old } else { &mut totals.new };
            *pods = pods.saturating_add(group.holding());
            totals.available = totals.available.saturating_add(group.available(min_ready_seconds, now));
            totals.terminating = totals.terminating.saturating_add(group.terminating);
        }
        self.totals.push(totals);
    }

    /// Whether all pods have been ready for that long.
    pub(super) fn are_all_available(&mut self, min_ready_seconds: i32, now: Time) -> bool {
        self.groups.iter_mut().all(|group| group.available(min_ready_seconds, now) == group.holding())
    }

    /// What all pods use together, from what each pod of a group uses.
    pub(super) fn sum(&self, each: impl Fn(&Rc<Pod>) -> i128) -> i128 {
        let of_group = |group: &PodGroup| each(&group.model).saturating_mul(group.holding().into());
        self.groups.iter().map(of_group).fold(0, i128::saturating_add)
    }

    /// The ReplicaSets whose pods are not all gone.
    pub(super) fn owners_of_pods(&self) -> impl Iterator<Item = &Rc<ObjectKey>> {
        self.groups.iter().filter(|group| group.holding() > 0).map(|group| &group.owner)
    }

    /// One pod of each group, in the order in which the groups began.
    pub(super) fn models(&self) -> Vec<PodModel> {
        self.groups.iter().map(|group| PodModel { is_old: group.is_old, pod: group.model.clone() }).collect()
    }

    /// The counts, from the first to the last.
    pub(super) fn into_totals(self) -> Vec<PodTotals> {
        self.totals
    }
}

impl PodGroup {
    const fn new(owner: Rc<ObjectKey>, is_old: bool, model: Rc<Pod>) -> Self {
        Self {
            owner,
            is_old,
            model,
            pods: Vec::new(),
            first_active: 0,
            active: 0,
            ready: 0,
            terminating: 0,
            became_ready: Vec::new(),
            available: AvailablePods::of(0),
            forecast: AvailablePods::of(0),
            cohort: None,
            alike: 0,
        }
    }

    fn add(&mut self, now: Time) -> usize {
        let pod = self.pods.len();
        self.pods.push(GroupedPod { created: now, stage: PodStage::Gone });
        self.set_stage(pod, PodStage::Starting);
        pod
    }

    fn stage(&self, pod: usize) -> Option<PodStage> {
        self.pods.get(pod).map(|pod| pod.stage)
    }

    fn set_ready(&mut self, pod: usize, now: Time) {
        let (since, number) = (now.truncated(), self.became_ready.len());
        self.became_ready.push((since, pod));
        self.set_stage(pod, PodStage::Ready(since, number));
    }

    fn set_stage(&mut self, pod: usize, stage: PodStage) {
        let Some(pod) = self.pods.get_mut(pod) else { return };
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
                if *self.cohort.get_or_insert(pod.cohort()) == pod.cohort() {
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
        let ready = later.iter().find(|(_, pod)| self.stage(*pod).is_some_and(PodStage::is_active))?;
        Some(ready.0.plus_seconds(self.available.min_ready_seconds.into()))
    }

    /// The first active pods, if all are of one cohort; at most `count`.
    pub(super) fn first_alike(&mut self, count: usize) -> Option<Vec<Rc<Pod>>> {
        let is_active = |pod: &&GroupedPod| pod.stage.is_active();
        if self.alike == 0 {
            let cohorts = || self.pods.iter().filter(is_active).map(|pod| pod.cohort());
            let cohort = cohorts().next()?;
            self.alike = i32::try_from(cohorts().filter(|other| *other == cohort).count()).unwrap_or(i32::MAX);
            self.cohort = Some(cohort);
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
        let (phase, is_bound, ready_since) = match pod.progress() {
            Progress::Unscheduled => (PodPhase::Pending, false, None),
            Progress::Bound => (PodPhase::Pending, true, None),
            Progress::Running => (PodPhase::Running, true, None),
            Progress::Ready(since) => (PodPhase::Running, true, Some(since)),
        };
        let name: Rc<str> = format!("{number:010}").into();
        let conditions = ready_since.map(|since| ready_condition(ConditionStatus::True, since));
        Pod {
            metadata: Rc::new(ObjectMeta {
                uid: name.clone(),
                name,
                creation_timestamp: Some(pod.created.truncated()),
                ..(*self.model.metadata).clone()
            }),
            spec: PodSpec { node_name: is_bound.then(|| NODE.into()), fields: self.model.spec.fields.clone() },
            status: PodStatus { phase, conditions: conditions.into_iter().collect(), ..PodStatus::default() },
        }
    }
}

impl PodId {
    /// The pod of an object that [`PodGroup::active_pods`] has made.
    pub(super) fn of(group: usize, key: &ObjectKey) -> Option<Self> {
        key.name.parse().ok().map(|pod| Self { group, pod })
    }
}
