use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::controller_gates::ControllerGates;
use super::{Counts, Follow, Marks, PodState, State, Step, Timeline};
use crate::cluster::{AvailabilityQueue, Id, Index};
use crate::collect_tree::CollectTree;
use crate::object::{Kind, Object, ObjectKey, Pod, Time};
use crate::scenario::Scenario;
use crate::workload::daemon_set::figures as daemon_set;
use crate::workload::deployment::figures::{RolloutState, RolloutTracker};
use crate::workload::replication_controller::figures as replication_controller;
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

/// Makes what follows a workload.
type NewFollow = fn() -> Box<dyn Follow>;

/// The kinds whose rollouts are followed.
const FOLLOWED: [(Kind, NewFollow); 4] = [
    (Kind::Deployment, || Box::<RolloutTracker>::default()),
    (Kind::StatefulSet, || Box::<stateful_set::UpdateTracker>::default()),
    (Kind::DaemonSet, || Box::<daemon_set::UpdateTracker>::default()),
    (Kind::ReplicationController, || Box::<replication_controller::ReplicasTracker>::default()),
];

/// What follows the rollouts of a kind, if something does.
fn follower(kind: Kind) -> Option<NewFollow> {
    FOLLOWED.iter().find(|(followed, _)| *followed == kind).map(|(_, follow)| *follow)
}

impl Series {
    /// Follows a Deployment through a timeline.
    pub fn of(timeline: &Timeline, namespace: &str, name: &str) -> Self {
        let key = ObjectKey::new(Kind::Deployment, namespace, name);
        let start = timeline.scenario.start;
        let Some(mut builder) = SeriesBuilder::new(key, start, ControllerGates::at_start(&timeline.scenario)) else {
            return Self::default();
        };
        for object in timeline.initial.objects() {
            builder.observe(&object.key(), None, Some(object));
        }
        let mut instants = Instants::default();
        builder.begin();
        for (number, step) in timeline.steps.iter().enumerate() {
            timeline.scenario.pause.take();
            instants.add(number, step.time);
            builder.observe_step(number, step, &instants);
        }
        builder.finish(&instants)
    }

    /// Follows every Deployment, by namespace and name.
    pub fn of_all(timeline: &Timeline) -> Vec<(ObjectKey, Self)> {
        let mut all = Self::of_workloads(timeline);
        all.retain(|(key, _)| key.kind == Kind::Deployment);
        all
    }

    /// Follows every StatefulSet, Deployment and DaemonSet, by kind, namespace and name.
    pub fn of_workloads(timeline: &Timeline) -> Vec<(ObjectKey, Self)> {
        let mut tracker = SeriesTracker::new(&timeline.scenario, &timeline.initial);
        for (number, step) in timeline.steps.iter().enumerate() {
            timeline.scenario.pause.take();
            tracker.observe(number, step);
        }
        tracker.finish()
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

/// Follows every StatefulSet, Deployment and DaemonSet while the steps are made. Each step is shown to those that it may be about.
pub(crate) struct SeriesTracker {
    start: Time,
    gates: ControllerGates,
    instants: Instants,
    has_begun: bool,
    /// The number of each workload.
    numbers: BTreeMap<ObjectKey, usize>,
    builders: Vec<SeriesBuilder>,
    /// The workloads that an object is or has ever belonged to, by its uid; none of pods, which own nothing.
    owners: BTreeMap<Rc<str>, BTreeSet<usize>>,
}

impl SeriesTracker {
    /// The workloads at the start of a scenario.
    pub(crate) fn new(scenario: &Scenario, initial: &State) -> Self {
        let mut tracker = Self {
            start: scenario.start,
            gates: ControllerGates::at_start(scenario),
            instants: Instants::default(),
            has_begun: false,
            numbers: BTreeMap::new(),
            builders: Vec::new(),
            owners: BTreeMap::new(),
        };
        for object in initial.objects() {
            let key = object.key();
            for number in tracker.route(&key, [None, Some(object)]) {
                if let Some(builder) = tracker.builders.get_mut(number) {
                    builder.observe(&key, None, Some(object));
                }
            }
        }
        tracker.builders.iter_mut().for_each(SeriesBuilder::begin);
        tracker.has_begun = true;
        tracker
    }

    /// The step of that number.
    pub(crate) fn observe(&mut self, number: usize, step: &Step) {
        self.instants.add(number, step.time);
        let Some(change) = &step.change else { return };
        for workload in self.route(&change.key, [change.before.as_ref(), change.after.as_ref()]) {
            if let Some(builder) = self.builders.get_mut(workload) {
                builder.observe_step(number, step, &self.instants);
            }
        }
    }

    /// The counts of each workload, by kind, namespace and name.
    pub(crate) fn finish(mut self) -> Vec<(ObjectKey, Series)> {
        self.builders.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let builders = self.builders.into_iter();
        builders.map(|builder| (builder.key.clone(), builder.finish(&self.instants))).collect()
    }

    /// The number of a workload; none for another object.
    fn number_of(&mut self, key: &ObjectKey) -> Option<usize> {
        if let Some(number) = self.numbers.get(key) {
            return Some(*number);
        }
        // Most objects are pods.
        follower(key.kind)?;
        let mut builder = SeriesBuilder::new(key.clone(), self.start, self.gates.clone())?;
        if self.has_begun {
            builder.begin();
        }
        let number = self.builders.len();
        self.builders.push(builder);
        self.numbers.insert(key.clone(), number);
        Some(number)
    }

    /// The workloads that an object is about, before a change or after it.
    fn route(&mut self, key: &ObjectKey, versions: [Option<&Object>; 2]) -> BTreeSet<usize> {
        let mut routes: BTreeSet<usize> = self.number_of(key).into_iter().collect_tree();
        let may_own = key.kind != Kind::Pod;
        let metadata = versions.into_iter().flatten().map(Object::metadata);
        for metadata in metadata.clone() {
            let owner = metadata.controller().map(|owner| &owner.uid);
            let uids = owner.into_iter().chain(may_own.then_some(&metadata.uid));
            routes.extend(uids.filter_map(|uid| self.owners.get(uid)).flatten());
        }
        if may_own && !routes.is_empty() {
            for metadata in metadata {
                self.owners.entry(metadata.uid.clone()).or_default().extend(&routes);
            }
        }
        routes
    }
}

/// When the steps of a simulation were made.
#[derive(Default)]
struct Instants {
    /// Each instant, with the number of its first step.
    first_steps: Vec<(Time, usize)>,
}

impl Instants {
    /// Adds the next step.
    fn add(&mut self, number: usize, time: Time) {
        if self.first_steps.last().is_none_or(|(last, _)| *last != time) {
            self.first_steps.push((time, number));
        }
    }

    /// The frame before the first step that is not earlier than a time: there is one, or no step at all.
    fn frame_before(&self, time: Time) -> usize {
        let earlier = self.first_steps.partition_point(|(instant, _)| *instant < time);
        self.first_steps.get(earlier).map_or(0, |(_, number)| *number)
    }

    fn last(&self) -> Option<Time> {
        self.first_steps.last().map(|(time, _)| *time)
    }
}

struct SeriesBuilder {
    key: ObjectKey,
    start: Time,
    gates: ControllerGates,
    rollout: Box<dyn Follow>,
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

impl SeriesBuilder {
    /// None for an object whose rollouts are not followed.
    fn new(key: ObjectKey, start: Time, gates: ControllerGates) -> Option<Self> {
        let follow = follower(key.kind)?;
        Some(Self {
            rollout: follow(),
            key,
            start,
            gates,
            index: Index::new(),
            pods: Vec::new(),
            not_yet_available: AvailabilityQueue::default(),
            counts: Counts::default(),
            holding: Vec::new(),
            marks: Marks::default(),
            points: Vec::new(),
        })
    }

    /// The timeline begins: the objects at the start have been observed.
    fn begin(&mut self) {
        // Pods that have been ready for long are available at the start.
        self.advance(self.start, &Instants::default());
        self.points.clear();
        self.push_point(0, self.start);
    }

    /// A step, and the frame after it.
    fn observe_step(&mut self, number: usize, step: &Step, instants: &Instants) {
        self.advance(step.time, instants);
        self.gates.advance(step.time);
        if let Some(change) = &step.change {
            self.observe(&change.key, change.before.as_ref(), change.after.as_ref());
        }
        self.push_point(number.saturating_add(1), step.time);
    }

    fn finish(mut self, instants: &Instants) -> Series {
        if let Some(last) = instants.last() {
            self.advance(last, instants);
        }
        Series { points: self.points }
    }

    fn observe(&mut self, key: &ObjectKey, before: Option<&Object>, after: Option<&Object>) {
        if key.kind == Kind::Pod {
            self.remove_pod(key);
            let pod = after.and_then(Object::typed::<Pod>);
            if let Some((pod, part)) = pod.and_then(|pod| Some((pod, self.rollout.part_of(pod)?))) {
                self.count(key, pod, part);
            }
        } else if key.kind != self.key.kind || *key == self.key {
            self.marks = self.rollout.observe(before, after, self.gates.now()).unwrap_or(self.marks);
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
    fn advance(&mut self, now: Time, instants: &Instants) {
        while let Some((time, id)) = self.not_yet_available.pop(now) {
            if let Some(Some(counted)) = self.pods.get_mut(id.0) {
                self.counts.add(counted.state, -1);
                counted.state = PodState::Available;
                counted.available_at = None;
                self.counts.add(PodState::Available, 1);
            }
            self.push_point(instants.frame_before(time), time);
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
