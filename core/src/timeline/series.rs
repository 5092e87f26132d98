use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::controller_gates::ControllerGates;
use super::{Counts, Marks, PodState, Step, Timeline};
use crate::cluster::{AvailabilityQueue, Id, Index};
use crate::object::{Kind, Object, ObjectKey, Pod, Time};
use crate::workload::daemon_set::figures as daemon_set;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{limit, min_available};
use crate::workload::deployment::figures::{RolloutState, RolloutTracker};
use crate::workload::stateful_set::figures as stateful_set;

/// The counts of the pods of one Deployment, StatefulSet or DaemonSet from frame to frame: what the chart over time shows.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// A point for each frame at which the counts or the marks differ from those before.
    pub points: Vec<Point>,
}

/// The counts from one frame on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The frame.
    pub frame: usize,
    /// Its time.
    pub time: Time,
    /// The pods.
    pub counts: Counts,
    /// The marks.
    pub marks: Marks,
    /// How far the rollout is.
    pub rollout: RolloutState,
}

/// What a pod is counted as, and when that changes by itself.
struct Counted {
    state: PodState,
    /// The number of its ReplicaSet, or of its revision.
    part: usize,
    available_at: Option<Time>,
}

impl Marks {
    /// The marks of a Deployment.
    pub fn of(deployment: &Deployment) -> Self {
        Self { desired: deployment.spec.replicas, limit: limit(deployment), min_available: min_available(deployment) }
    }
}

/// What is followed.
enum Tracker {
    Deployment(RolloutTracker),
    StatefulSet(stateful_set::UpdateTracker),
    DaemonSet(daemon_set::UpdateTracker),
}

impl Tracker {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::StatefulSet => Self::StatefulSet(stateful_set::UpdateTracker::default()),
            Kind::DaemonSet => Self::DaemonSet(daemon_set::UpdateTracker::default()),
            _ => Self::Deployment(RolloutTracker::default()),
        }
    }

    /// The part that a pod belongs to: its ReplicaSet, or its revision.
    fn part_of(&mut self, pod: &Pod) -> Option<usize> {
        match self {
            Self::Deployment(rollout) => rollout.index_of(&pod.metadata.controller()?.uid),
            Self::StatefulSet(update) => update.part_of(pod),
            Self::DaemonSet(update) => update.part_of(pod),
        }
    }

    fn is_new(&self, part: usize) -> bool {
        match self {
            Self::Deployment(rollout) => rollout.is_new(part),
            Self::StatefulSet(update) => update.is_new(part),
            Self::DaemonSet(update) => update.is_new(part),
        }
    }

    fn is_complete(&self) -> bool {
        match self {
            Self::Deployment(rollout) => rollout.is_complete(),
            Self::StatefulSet(update) => update.is_complete(),
            Self::DaemonSet(update) => update.is_complete(),
        }
    }

    fn min_ready_seconds(&self) -> i32 {
        match self {
            Self::Deployment(rollout) => rollout.deployment().map_or(0, |deployment| deployment.spec.min_ready_seconds),
            Self::StatefulSet(update) => update.set().map_or(0, |set| set.spec.min_ready_seconds),
            Self::DaemonSet(update) => update.set().map_or(0, |set| set.spec.min_ready_seconds),
        }
    }
}

impl Series {
    /// Follows a Deployment through a timeline.
    pub fn of(timeline: &Timeline, namespace: &str, name: &str) -> Self {
        let key = ObjectKey::new(Kind::Deployment, namespace, name);
        let mut builder = SeriesBuilder::new(&key, timeline);
        for object in timeline.initial.objects() {
            builder.observe(&object.key(), Some(object));
        }
        builder.begin();
        for (index, step) in timeline.steps.iter().enumerate() {
            builder.observe_step(index, step);
        }
        builder.finish()
    }

    /// Follows every Deployment, by namespace and name. Each step is shown to the Deployments that it may be about.
    pub fn of_all(timeline: &Timeline) -> Vec<(ObjectKey, Self)> {
        Self::of_keys(timeline, timeline.deployments())
    }

    /// Follows every StatefulSet, Deployment and DaemonSet, by kind, namespace and name.
    pub fn of_workloads(timeline: &Timeline) -> Vec<(ObjectKey, Self)> {
        let mut keys = [timeline.stateful_sets(), timeline.deployments(), timeline.daemon_sets()].concat();
        keys.sort_unstable();
        Self::of_keys(timeline, keys)
    }

    fn of_keys(timeline: &Timeline, keys: Vec<ObjectKey>) -> Vec<(ObjectKey, Self)> {
        let mut builders: Vec<_> = keys.iter().map(|key| SeriesBuilder::new(key, timeline)).collect();
        let mut router = Router { keys: &keys, replica_sets: BTreeMap::new() };
        for object in timeline.initial.objects() {
            for index in router.route(&object.key(), [None, Some(object)]) {
                if let Some(builder) = builders.get_mut(index) {
                    builder.observe(&object.key(), Some(object));
                }
            }
        }
        builders.iter_mut().for_each(SeriesBuilder::begin);
        for (number, step) in timeline.steps.iter().enumerate() {
            let Some(change) = &step.change else { continue };
            for index in router.route(&change.key, [change.before.as_ref(), change.after.as_ref()]) {
                if let Some(builder) = builders.get_mut(index) {
                    builder.observe_step(number, step);
                }
            }
        }
        let series: Vec<Self> = builders.into_iter().map(SeriesBuilder::finish).collect();
        keys.into_iter().zip(series).collect()
    }

    /// The point that is in effect at a frame.
    pub fn at(&self, frame: usize) -> Option<&Point> {
        let after = self.points.partition_point(|point| point.frame <= frame);
        after.checked_sub(1).and_then(|index| self.points.get(index))
    }

    /// The most pods that hold resources at once.
    pub fn peak(&self) -> i32 {
        self.points.iter().map(|point| point.counts.holding()).max().unwrap_or(0)
    }
}

/// Which workloads an object may be about.
struct Router<'a> {
    /// The workloads, in order.
    keys: &'a [ObjectKey],
    /// The workloads that a ReplicaSet has ever belonged to, by its uid; and each StatefulSet and DaemonSet by its own.
    replica_sets: BTreeMap<Rc<str>, BTreeSet<usize>>,
}

impl Router<'_> {
    /// The workloads that an object is about, before a change or after it.
    fn route(&mut self, key: &ObjectKey, versions: [Option<&Object>; 2]) -> BTreeSet<usize> {
        let mut routes = BTreeSet::new();
        match key.kind {
            Kind::Deployment => routes.extend(self.keys.binary_search(key)),
            Kind::StatefulSet | Kind::DaemonSet => {
                routes.extend(self.keys.binary_search(key));
                for metadata in versions.into_iter().flatten().map(Object::metadata) {
                    self.replica_sets.entry(metadata.uid.clone()).or_default().extend(routes.iter().copied());
                }
            }
            Kind::ReplicaSet => {
                for metadata in versions.into_iter().flatten().map(Object::metadata) {
                    let known = self.replica_sets.entry(metadata.uid.clone()).or_default();
                    let owner = metadata.controller_key(Kind::Deployment);
                    known.extend(owner.and_then(|owner| self.keys.binary_search(&owner).ok()));
                    routes.extend(known.iter().copied());
                }
            }
            _ => {
                let owners = versions.into_iter().flatten().filter_map(|object| object.metadata().controller());
                routes.extend(owners.filter_map(|owner| self.replica_sets.get(&owner.uid)).flatten().copied());
            }
        }
        routes
    }
}

struct SeriesBuilder<'a> {
    timeline: &'a Timeline,
    key: &'a ObjectKey,
    gates: ControllerGates,
    rollout: Tracker,
    index: Index,
    /// The pods, and those that there were.
    pods: Vec<Option<Counted>>,
    not_yet_available: AvailabilityQueue,
    counts: Counts,
    /// How many pods of each part hold resources.
    holding: Vec<i32>,
    marks: Marks,
    points: Vec<Point>,
}

impl<'a> SeriesBuilder<'a> {
    fn new(key: &'a ObjectKey, timeline: &'a Timeline) -> Self {
        Self {
            timeline,
            key,
            gates: ControllerGates::at_start(&timeline.scenario),
            rollout: Tracker::of(key.kind),
            index: Index::new(),
            pods: Vec::new(),
            not_yet_available: AvailabilityQueue::default(),
            counts: Counts::default(),
            holding: Vec::new(),
            marks: Marks::default(),
            points: Vec::new(),
        }
    }

    /// The timeline begins: the objects at the start have been observed.
    fn begin(&mut self) {
        // Pods that have been ready for long are available at the start.
        let start = self.timeline.scenario.start;
        self.advance(start);
        self.points.clear();
        self.push_point(0, start);
    }

    /// A step, and the frame after it.
    fn observe_step(&mut self, index: usize, step: &Step) {
        self.advance(step.time);
        self.gates.advance(step.time);
        if let Some(change) = &step.change {
            self.observe_change(&change.key, change.before.as_ref(), change.after.as_ref());
        }
        self.push_point(index.saturating_add(1), step.time);
    }

    fn finish(mut self) -> Series {
        if let Some(last) = self.timeline.steps.last() {
            self.advance(last.time);
        }
        Series { points: self.points }
    }

    fn observe_change(&mut self, key: &ObjectKey, before: Option<&Object>, after: Option<&Object>) {
        match (before, after, &mut self.rollout) {
            (Some(Object::Pod(_)), None, _) => self.remove_pod(key),
            (Some(Object::Deployment(_)), None, Tracker::Deployment(rollout)) if key == self.key => {
                rollout.remove_deployment();
            }
            (Some(Object::ReplicaSet(object)), None, Tracker::Deployment(rollout)) => {
                rollout.remove_replica_set(object);
            }
            (Some(Object::StatefulSet(_)), None, Tracker::StatefulSet(update)) if key == self.key => update.remove(),
            (Some(Object::DaemonSet(_)), None, Tracker::DaemonSet(update)) if key == self.key => update.remove(),
            (_, after, _) => self.observe(key, after),
        }
    }

    fn observe(&mut self, key: &ObjectKey, object: Option<&Object>) {
        match (object, &mut self.rollout) {
            (Some(Object::Deployment(object)), Tracker::Deployment(rollout)) if key == self.key => {
                self.marks = Marks::of(object);
                rollout.observe_deployment(object, self.gates.now());
            }
            (Some(Object::ReplicaSet(object)), Tracker::Deployment(rollout)) => rollout.observe_replica_set(object),
            (Some(Object::StatefulSet(set)), Tracker::StatefulSet(update)) if key == self.key => {
                let replicas = set.spec.replicas;
                let min_available = stateful_set::fewest_available(set, self.gates.now());
                self.marks = Marks { desired: replicas, limit: replicas, min_available };
                update.observe(set);
            }
            (Some(Object::DaemonSet(set)), Tracker::DaemonSet(update)) if key == self.key => {
                self.marks = Marks {
                    desired: set.status.desired_number_scheduled,
                    limit: daemon_set::most_pods(set),
                    min_available: daemon_set::fewest_available(set),
                };
                update.observe(set);
            }
            (Some(Object::Pod(pod)), rollout) => {
                let part = rollout.part_of(pod);
                self.remove_pod(key);
                if let Some(part) = part {
                    self.count(key, pod, part);
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, key: &ObjectKey, pod: &Pod, part: usize) {
        let min_ready = self.rollout.min_ready_seconds();
        // Long ago: ready pods count as ready until `advance` moves them.
        let state = if min_ready == 0 {
            PodState::of(pod, 0, Time(i64::MAX))
        } else {
            PodState::of(pod, min_ready, Time(i64::MIN))
        };
        let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
        let available_at =
            since.filter(|_| state == PodState::Ready).map(|since| since.plus_seconds(i64::from(min_ready)));
        let id = self.id_of(key);
        if let Some(time) = available_at {
            self.not_yet_available.insert(time, id);
        }
        self.add(state, part, 1);
        if let Some(slot) = self.pods.get_mut(id.0) {
            *slot = Some(Counted { state, part, available_at });
        }
    }

    /// Counts `by` more pods (or fewer) of a part.
    fn add(&mut self, state: PodState, part: usize, by: i32) {
        self.counts.add(state, by);
        if state.holds() {
            if self.holding.len() <= part {
                self.holding.resize(part.saturating_add(1), 0);
            }
            if let Some(holding) = self.holding.get_mut(part) {
                *holding = holding.saturating_add(by);
            }
        }
    }

    /// A pod's index, which it keeps.
    fn id_of(&mut self, key: &ObjectKey) -> Id {
        if let Some(id) = self.index.get(key) {
            return *id;
        }
        let id = Id(self.pods.len());
        self.pods.push(None);
        self.index.insert(key.clone(), id);
        id
    }

    fn remove_pod(&mut self, key: &ObjectKey) {
        let Some(id) = self.index.get(key).copied() else { return };
        let Some(counted) = self.pods.get_mut(id.0).and_then(Option::take) else { return };
        self.add(counted.state, counted.part, -1);
        if let Some(time) = counted.available_at {
            self.not_yet_available.remove(time, id);
        }
    }

    /// Pods that became available by the time alone.
    fn advance(&mut self, now: Time) {
        while let Some((time, id)) = self.not_yet_available.pop(now) {
            if let Some(Some(counted)) = self.pods.get_mut(id.0) {
                self.counts.add(counted.state, -1);
                counted.state = PodState::Available;
                counted.available_at = None;
                self.counts.add(PodState::Available, 1);
            }
            // The frame before the next step.
            let frame = self.timeline.steps.partition_point(|step| step.time < time);
            self.push_point(frame, time);
        }
    }

    fn push_point(&mut self, frame: usize, time: Time) {
        let all = self.holding.iter().enumerate();
        let old = all.filter(|(part, _)| !self.rollout.is_new(*part)).map(|(_, holding)| holding);
        let old = old.fold(0_i32, |sum, holding| sum.saturating_add(*holding));
        let rollout = RolloutState { old, complete: self.rollout.is_complete() };
        let point = Point { frame, time, counts: self.counts, marks: self.marks, rollout };
        let same = self.points.last().is_some_and(|last| Point { frame, time, ..*last } == point);
        if same {
            return;
        }
        match self.points.last_mut() {
            Some(last) if last.frame == frame && last.time == time => *last = point,
            _ => self.points.push(point),
        }
    }
}
