//! What a lane's timeline holds, gathered in one pass: its rows (ReplicaSets), the life of each pod with the slot that it
//! keeps while it lives, the counts over time and the marks on the time axis.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use changeover_core::object::{Deployment, Kind, Object, ObjectKey, Pod, Time};
use changeover_core::timeline::{Actor, Change, Counts, Id, Index, Marks, PodState, Step, Timeline};

/// A row of the picture: a ReplicaSet that the timeline meets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// The ReplicaSet's uid.
    pub uid: Rc<str>,
    /// How many pods it has at once at most: the slots that the row needs.
    pub slots: usize,
}

/// When a pod reaches what, and where its tile is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Life {
    /// Its row.
    pub row: usize,
    /// Its place in the row.
    pub slot: usize,
    /// When its containers started.
    pub running: Option<Time>,
    /// When it became ready.
    pub ready: Option<Time>,
    /// When it was told to stop.
    pub deleting: Option<Time>,
    /// What it is counted as; none before and after its life.
    counted: Option<PodState>,
}

/// The counts from a time on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// From when.
    pub time: Time,
    /// The pods of each row.
    pub rows: Vec<Counts>,
    /// The marks on the ruler.
    pub marks: Marks,
}

impl Point {
    /// All pods that hold resources.
    pub(crate) fn holding(&self) -> i32 {
        self.rows.iter().fold(0, |sum, counts| sum.saturating_add(counts.holding()))
    }

    /// How many of them are above the limit.
    pub(crate) fn over(&self) -> i32 {
        self.holding().saturating_sub(self.marks.limit).max(0)
    }
}

/// What a mark on the time axis is about, the more important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Notable {
    /// The user acted.
    User,
    /// A condition of the Deployment changed.
    Condition,
    /// A controller computed something.
    Decision,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The ReplicaSets, in the order in which they appear.
    pub rows: Vec<Row>,
    /// The pods.
    pub lives: Lives,
    /// The counts, a point for each time at which they change.
    pub points: Vec<Point>,
    /// For each step, whether it is worth a stop.
    pub notable: Vec<Option<Notable>>,
    /// The most pods that hold resources at any frame.
    pub peak: i32,
}

/// The pods' lives, by uid.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    index: Index,
    lives: Vec<Life>,
}

impl Lives {
    /// The life of that pod.
    pub(crate) fn of(&self, pod: &Pod) -> Option<&Life> {
        self.lives.get(self.find(pod)?.0)
    }

    fn find(&self, pod: &Pod) -> Option<Id> {
        self.index.get(&key(pod)).copied()
    }

    fn begin(&mut self, pod: &Pod, life: Life) -> Id {
        let id = Id(self.lives.len());
        self.index.insert(key(pod), id);
        self.lives.push(life);
        id
    }
}

/// A pod may have the name of an earlier one: its uid stands in for it.
fn key(pod: &Pod) -> ObjectKey {
    ObjectKey { name: pod.metadata.uid.clone(), ..pod.metadata.key(Kind::Pod) }
}

impl History {
    /// Follows the Deployment of that name through a timeline.
    pub(crate) fn of(timeline: &Timeline, name: &str) -> Self {
        let mut walk = Walk { name, ..Walk::default() };
        walk.start(timeline);
        for step in &timeline.steps {
            walk.pass(step.time);
            if let Some(change) = &step.change {
                walk.change(change, step.time);
            }
            walk.point(step.time);
            walk.history.notable.push(notable(step));
        }
        walk.join_runs(&timeline.steps);
        walk.pass(Time(i64::MAX));
        walk.history
    }

    /// The point that holds at a time.
    pub(crate) fn at(&self, time: Time) -> Option<&Point> {
        let after = self.points.partition_point(|point| point.time <= time);
        after.checked_sub(1).and_then(|index| self.points.get(index))
    }

    /// The row of that ReplicaSet.
    pub(crate) fn row_of(&self, uid: &str) -> Option<usize> {
        self.rows.iter().position(|row| *row.uid == *uid)
    }

    /// When the most pods are above the limit, for the first time; none if that never happens.
    pub(crate) fn first_peak_over(&self) -> Option<Time> {
        let most = self.points.iter().map(Point::over).max().filter(|most| *most > 0)?;
        self.points.iter().find(|point| point.over() == most).map(|point| point.time)
    }
}

/// A step that a person wants to stop at: the user's, one that changes a condition, one whose rule computes something.
fn notable(step: &Step) -> Option<Notable> {
    if step.actor == Actor::User {
        return Some(Notable::User);
    }
    if step.change.iter().any(changes_condition) {
        return Some(Notable::Condition);
    }
    (!step.reason.rule.formula.is_empty()).then_some(Notable::Decision)
}

/// Whether two steps, one after the other, carry out the same decision: a ReplicaSet creates its pods one by one.
pub(crate) fn same_decision(step: &Step, later: &Step) -> bool {
    step.time == later.time && step.about == later.about && std::ptr::eq(step.reason.rule, later.reason.rule)
}

fn changes_condition(change: &Change) -> bool {
    let (Some(Object::Deployment(before)), Some(Object::Deployment(after))) = (&change.before, &change.after) else {
        return false;
    };
    let facts = |deployment: &Deployment| -> Vec<_> {
        let conditions = &deployment.status.conditions;
        conditions
            .iter()
            .map(|condition| (condition.type_.clone(), condition.status, condition.reason.clone()))
            .collect()
    };
    facts(before) != facts(after)
}

/// What is known on the way through a timeline.
#[derive(Default)]
struct Walk<'a> {
    name: &'a str,
    history: History,
    deployment: Option<Rc<Deployment>>,
    /// The free slots of each row, the first on top.
    free: Vec<BinaryHeap<Reverse<usize>>>,
    /// Pods that will be available, by time and uid, the first on top.
    waiting: BinaryHeap<Reverse<(Time, Id)>>,
    counts: Vec<Counts>,
}

impl Walk<'_> {
    fn start(&mut self, timeline: &Timeline) {
        let deployment = timeline.initial.deployments().find(|deployment| *deployment.metadata.name == *self.name);
        if let Some(deployment) = deployment {
            self.deployment = Some(deployment.clone());
            for replica_set in timeline.initial.replica_sets_of(deployment) {
                self.row(&replica_set.metadata.uid);
            }
        }
        for pod in timeline.initial.pods() {
            self.see(pod, timeline.scenario.start);
        }
        self.point(timeline.scenario.start);
    }

    /// Of the writes of one decision, the last one is worth a stop.
    fn join_runs(&mut self, steps: &[Step]) {
        for (pair, notable) in steps.windows(2).zip(&mut self.history.notable) {
            if let [step, later] = pair
                && same_decision(step, later)
            {
                *notable = None;
            }
        }
    }

    fn change(&mut self, change: &Change, now: Time) {
        match (&change.before, &change.after) {
            (_, Some(Object::Deployment(after))) if *after.metadata.name == *self.name => {
                self.deployment = Some(after.clone());
            }
            (_, Some(Object::ReplicaSet(after))) => {
                let ours =
                    self.deployment.as_ref().is_some_and(|owner| after.metadata.is_controlled_by(&owner.metadata));
                if ours {
                    self.row(&after.metadata.uid);
                }
            }
            (_, Some(Object::Pod(after))) => self.see(after, now),
            (Some(Object::Pod(before)), None) => self.gone(before),
            _ => {}
        }
    }

    fn row(&mut self, uid: &Rc<str>) {
        if self.history.row_of(uid).is_none() {
            self.history.rows.push(Row { uid: uid.clone(), slots: 0 });
            self.free.push(BinaryHeap::new());
            self.counts.push(Counts::default());
        }
    }

    fn see(&mut self, pod: &Rc<Pod>, now: Time) {
        let Some(row) = pod.metadata.controller().and_then(|owner| self.history.row_of(&owner.uid)) else { return };
        let id = match self.history.lives.find(pod) {
            Some(id) => id,
            None => {
                let slot = self.take_slot(row);
                self.history.lives.begin(pod, Life { row, slot, ..Life::default() })
            }
        };
        let min_ready = self.deployment.as_ref().map_or(0, |deployment| deployment.spec.min_ready_seconds);
        let state = PodState::of(pod, min_ready, now);
        if let Some(life) = self.history.lives.lives.get_mut(id.0) {
            let reached = match state {
                PodState::Starting => Some(&mut life.running),
                PodState::Ready | PodState::Available => Some(&mut life.ready),
                PodState::Terminating => Some(&mut life.deleting),
                _ => None,
            };
            if let Some(time) = reached {
                time.get_or_insert(now);
            }
        }
        self.count(id, Some(state));
        let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
        if let Some(since) = since.filter(|_| state == PodState::Ready) {
            self.waiting.push(Reverse((since.plus_seconds(i64::from(min_ready)), id)));
        }
    }

    /// The first free slot of a row.
    fn take_slot(&mut self, row: usize) -> usize {
        if let Some(Reverse(slot)) = self.free.get_mut(row).and_then(BinaryHeap::pop) {
            return slot;
        }
        let Some(row) = self.history.rows.get_mut(row) else { return 0 };
        let slot = row.slots;
        row.slots = slot.saturating_add(1);
        slot
    }

    fn gone(&mut self, pod: &Pod) {
        let lives = &self.history.lives;
        let Some(id) = lives.find(pod) else { return };
        let Some((row, slot)) = lives.lives.get(id.0).map(|life| (life.row, life.slot)) else { return };
        if let Some(free) = self.free.get_mut(row) {
            free.push(Reverse(slot));
        }
        self.count(id, None);
    }

    fn count(&mut self, id: Id, state: Option<PodState>) {
        let Some(life) = self.history.lives.lives.get_mut(id.0) else { return };
        let Some(counts) = self.counts.get_mut(life.row) else { return };
        if let Some(before) = std::mem::replace(&mut life.counted, state) {
            counts.add(before, -1);
        }
        if let Some(state) = state {
            counts.add(state, 1);
        }
    }

    /// Pods that became available by the time alone.
    fn pass(&mut self, now: Time) {
        while self.waiting.peek().is_some_and(|Reverse((time, _))| *time <= now) {
            let Some(Reverse((time, id))) = self.waiting.pop() else { return };
            if self.history.lives.lives.get(id.0).is_some_and(|life| life.counted == Some(PodState::Ready)) {
                self.count(id, Some(PodState::Available));
                self.point(time);
            }
        }
    }

    fn point(&mut self, time: Time) {
        let marks = self.deployment.as_deref().map(Marks::of).unwrap_or_default();
        let point = Point { time, rows: self.counts.clone(), marks };
        self.history.peak = self.history.peak.max(point.holding());
        match self.history.points.last_mut() {
            Some(last) if last.time == time => *last = point,
            Some(last) if last.rows == point.rows && last.marks == point.marks => {}
            _ => self.history.points.push(point),
        }
    }
}
