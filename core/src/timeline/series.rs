use alloc::rc::Rc;
use alloc::vec::Vec;

use super::{Counts, Marks, PodState, Timeline};
use crate::cluster::{AvailabilityQueue, Id, Index};
use crate::controller::deployment::{limit, min_available};
use crate::object::{Deployment, Object, ObjectKey, Pod, ReplicaSet, Time};

/// The counts of one Deployment's pods from frame to frame: what the chart over time shows.
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
}

/// What a pod is counted as, and when that changes by itself.
struct Counted {
    state: PodState,
    available_at: Option<Time>,
}

impl Marks {
    /// The marks of a Deployment.
    pub fn of(deployment: &Deployment) -> Self {
        Self { desired: deployment.spec.replicas, limit: limit(deployment), min_available: min_available(deployment) }
    }
}

impl Series {
    /// Follows a Deployment through a timeline.
    pub fn of(timeline: &Timeline, namespace: &str, name: &str) -> Self {
        let mut builder = SeriesBuilder::new(namespace, name);
        for object in timeline.initial.objects() {
            builder.observe(&object.key(), Some(object));
        }
        // Pods that have been ready for long are available at the start.
        builder.advance(0, timeline.scenario.start);
        builder.points.clear();
        builder.push_point(0, timeline.scenario.start);
        for (index, step) in timeline.steps.iter().enumerate() {
            builder.advance(index, step.time);
            if let Some(change) = &step.change {
                builder.observe_change(&change.key, change.before.as_ref(), change.after.as_ref());
            }
            builder.push_point(index.saturating_add(1), step.time);
        }
        Self { points: builder.points }
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

struct SeriesBuilder<'a> {
    namespace: &'a str,
    name: &'a str,
    deployment: Option<Rc<Deployment>>,
    /// ReplicaSets of the Deployment, by uid.
    replica_sets: Vec<Rc<str>>,
    index: Index,
    /// The pods, and those that there were.
    pods: Vec<Option<Counted>>,
    not_yet_available: AvailabilityQueue,
    counts: Counts,
    marks: Marks,
    points: Vec<Point>,
}

impl<'a> SeriesBuilder<'a> {
    fn new(namespace: &'a str, name: &'a str) -> Self {
        Self {
            namespace,
            name,
            deployment: None,
            replica_sets: Vec::new(),
            index: Index::new(),
            pods: Vec::new(),
            not_yet_available: AvailabilityQueue::default(),
            counts: Counts::default(),
            marks: Marks::default(),
            points: Vec::new(),
        }
    }

    fn observe_change(&mut self, key: &ObjectKey, before: Option<&Object>, after: Option<&Object>) {
        match (before, after) {
            (Some(Object::Pod(_)), None) => self.remove_pod(key),
            (Some(Object::Deployment(object)), None) if self.is_followed(object) => self.deployment = None,
            (_, after) => self.observe(key, after),
        }
    }

    fn is_followed(&self, deployment: &Deployment) -> bool {
        *deployment.metadata.name == *self.name && *deployment.metadata.namespace == *self.namespace
    }

    fn is_new_replica_set(&self, replica_set: &ReplicaSet) -> bool {
        !self.replica_sets.contains(&replica_set.metadata.uid)
            && self.deployment.as_ref().is_some_and(|owner| replica_set.metadata.is_controlled_by(&owner.metadata))
    }

    fn observe(&mut self, key: &ObjectKey, object: Option<&Object>) {
        match object {
            Some(Object::Deployment(object)) if self.is_followed(object) => {
                self.marks = Marks::of(object);
                self.deployment = Some(object.clone());
            }
            Some(Object::ReplicaSet(object)) if self.is_new_replica_set(object) => {
                self.replica_sets.push(object.metadata.uid.clone());
            }
            Some(Object::Pod(pod)) => {
                let owned = pod.metadata.controller().is_some_and(|owner| self.replica_sets.contains(&owner.uid));
                self.remove_pod(key);
                if owned {
                    self.count(key, pod);
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, key: &ObjectKey, pod: &Pod) {
        let min_ready = self.deployment.as_ref().map_or(0, |deployment| deployment.spec.min_ready_seconds);
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
        self.counts.add(state, 1);
        if let Some(slot) = self.pods.get_mut(id.0) {
            *slot = Some(Counted { state, available_at });
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
        self.counts.add(counted.state, -1);
        if let Some(time) = counted.available_at {
            self.not_yet_available.remove(time, id);
        }
    }

    /// Pods that became available by the time alone.
    fn advance(&mut self, frame: usize, now: Time) {
        while let Some((time, id)) = self.not_yet_available.pop(now) {
            if let Some(Some(counted)) = self.pods.get_mut(id.0) {
                self.counts.add(counted.state, -1);
                *counted = Counted { state: PodState::Available, available_at: None };
                self.counts.add(PodState::Available, 1);
            }
            self.push_point(frame, time);
        }
    }

    fn push_point(&mut self, frame: usize, time: Time) {
        let point = Point { frame, time, counts: self.counts, marks: self.marks };
        let same = self.points.last().is_some_and(|last| last.counts == point.counts && last.marks == point.marks);
        if same {
            return;
        }
        match self.points.last_mut() {
            Some(last) if last.frame == frame && last.time == time => *last = point,
            _ => self.points.push(point),
        }
    }
}
