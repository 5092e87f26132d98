//! One pass through a timeline, in the player: everything that its picture will ever show, as numbers (a film). The page
//! plays them without asking again, and what a frame costs it depends on what changes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use changeover_core::cluster::{Id, Index};
use changeover_core::controller::deployment::REVISION;
use changeover_core::object::{Deployment, Object, ObjectKey, Pod, Time};
use changeover_core::timeline::{Actor, Change, Marks, PodState, Step, Timeline};

use changeover_wire::film::{MARKS, MOVE, Notable, SET, STEP, state_number};

/// The annotation that says which pods go first.
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// What a timeline holds of one Deployment.
#[derive(Default)]
pub(crate) struct Walk {
    /// The Deployment, as it was last.
    pub deployment: Option<Rc<Deployment>>,
    /// The uids and the names of its ReplicaSets, in the order in which they appear.
    pub sets: Vec<(Rc<str>, Rc<str>)>,
    /// The nodes, where pods are grouped by them.
    pub nodes: Vec<Rc<str>>,
    /// The film, as `film` reads it.
    pub film: Vec<i32>,
    /// Its pods, in the order in which they appear.
    pub pods: Vec<Rc<Pod>>,
    by_node: bool,
    index: Index,
    lives: Vec<Life>,
    /// Pods that will be available, by time, the first on top.
    waiting: BinaryHeap<Reverse<(Time, Id)>>,
    start: Time,
}

/// What is known of a pod on the way.
struct Life {
    state: Option<PodState>,
    row: i32,
    cost: i32,
}

/// The rule by which a node is removed.
const REMOVED: &str = "cluster-autoscaler.scale-down";

impl Walk {
    /// Follows the first Deployment through a timeline whose picture begins at a time.
    pub(crate) fn of(timeline: &Timeline, begin: Time, by_node: bool) -> Self {
        let mut walk = Self { by_node, start: begin, ..Self::default() };
        let now = timeline.scenario.start;
        if by_node {
            walk.row_of("no node yet", 0, now);
            for node in &timeline.scenario.nodes {
                walk.row_of(&node.name, 0, now);
            }
        }
        for object in timeline.initial.objects() {
            walk.see(object, 0, now);
        }
        for (index, step) in timeline.steps.iter().enumerate() {
            let frame = number(index);
            walk.pass(frame, step.time);
            let later = timeline.steps.get(index.saturating_add(1));
            // Of the writes of one decision, the last one is worth a stop.
            let notable = notable(step).filter(|_| !later.is_some_and(|later| same_decision(step, later)));
            walk.entry(STEP, step.time, &[notable.map_or(0, Notable::number)]);
            if let Some(node) = step.reason.value("node").filter(|_| by_node && step.actor == Actor::ClusterAutoscaler)
            {
                // One that comes for nothing is shown, too; one that is removed, as that.
                let row = walk.row_of(&node.to_string(), frame.saturating_add(1), step.time);
                if step.reason.rule.id == REMOVED {
                    walk.entry(SET, step.time, &[frame.saturating_add(1), row, -1, 1]);
                }
            }
            if let Some(change) = &step.change {
                walk.change(change, frame.saturating_add(1), step.time);
            }
        }
        walk.pass(number(timeline.steps.len()), Time(i64::MAX));
        walk
    }

    /// The pod of that number.
    pub(crate) fn pod(&self, number: usize) -> Option<&Rc<Pod>> {
        self.pods.get(number)
    }

    /// The nodes on which its pods are, or were last.
    pub(crate) fn nodes_of_pods(&self) -> Vec<Rc<str>> {
        let mut nodes: Vec<Rc<str>> = Vec::new();
        for node in self.pods.iter().filter_map(|pod| pod.spec.node_name.as_ref()) {
            if !nodes.iter().any(|known| **known == **node) {
                nodes.push(node.clone());
            }
        }
        nodes
    }

    /// An entry: what it is, its time (seconds and nanoseconds after the picture's beginning), and its numbers.
    fn entry(&mut self, what: i32, time: Time, numbers: &[i32]) {
        let since = time.since(self.start);
        let second = i32::try_from(since.div_euclid(Time::SECOND)).unwrap_or(i32::MAX);
        let nano = i32::try_from(since.rem_euclid(Time::SECOND)).unwrap_or(0);
        self.film.extend([what, second, nano]);
        self.film.extend(numbers);
    }

    fn change(&mut self, change: &Change, frame: i32, now: Time) {
        match (&change.before, &change.after) {
            (Some(Object::Pod(before)), None) => {
                if let Some(id) = self.index.get(&key(before)).copied() {
                    self.turn(id, None, frame, now, 0);
                }
            }
            (Some(Object::ReplicaSet(before)), None) => {
                if let Some(set) = self.set_of(&before.metadata.uid).filter(|_| !self.by_node) {
                    self.entry(SET, now, &[frame, set, -1, 0]);
                }
            }
            (_, Some(after)) => self.see(after, frame, now),
            _ => {}
        }
    }

    fn see(&mut self, object: &Object, frame: i32, now: Time) {
        match object {
            Object::Deployment(object) => self.see_deployment(object, frame, now),
            Object::ReplicaSet(object) => {
                let owned =
                    self.deployment.as_ref().is_some_and(|owner| object.metadata.is_controlled_by(&owner.metadata));
                if self.set_of(&object.metadata.uid).is_none() && owned {
                    self.sets.push((object.metadata.uid.clone(), object.metadata.name.clone()));
                }
                if let Some(set) = self.set_of(&object.metadata.uid).filter(|_| !self.by_node) {
                    let revision = object.metadata.annotation(REVISION).and_then(|text| text.parse().ok()).unwrap_or(0);
                    self.entry(SET, now, &[frame, set, object.spec.replicas.max(0), revision]);
                }
            }
            Object::Pod(pod) => self.see_pod(pod, frame, now),
        }
    }

    fn see_deployment(&mut self, object: &Rc<Deployment>, frame: i32, now: Time) {
        let before = self.deployment.as_ref();
        if before.is_some_and(|ours| ours.metadata.uid != object.metadata.uid) {
            return;
        }
        let marks = Marks::of(object);
        if before.map(|before| Marks::of(before)) != Some(marks) {
            self.entry(MARKS, now, &[frame, marks.desired, marks.limit, marks.min_available]);
        }
        self.deployment = Some(object.clone());
    }

    fn set_of(&self, uid: &str) -> Option<i32> {
        self.sets.iter().position(|(ours, _)| **ours == *uid).map(number)
    }

    fn see_pod(&mut self, pod: &Rc<Pod>, frame: i32, now: Time) {
        let Some(set) = pod.metadata.controller().and_then(|owner| self.set_of(&owner.uid)) else { return };
        let id = match self.index.get(&key(pod)) {
            Some(id) => *id,
            None => {
                let id = Id(self.pods.len());
                self.index.insert(key(pod), id);
                self.pods.push(pod.clone());
                self.lives.push(Life { state: None, row: set, cost: i32::MIN });
                id
            }
        };
        let row = if self.by_node { self.row_of_node(pod, frame, now) } else { set };
        if let Some(kept) = self.pods.get_mut(id.0) {
            *kept = pod.clone();
        }
        let min_ready = self.deployment.as_ref().map_or(0, |deployment| deployment.spec.min_ready_seconds);
        let state = PodState::of(pod, min_ready, now);
        let cost = pod.metadata.annotation(DELETION_COST).and_then(|text| text.parse().ok()).unwrap_or(i32::MIN);
        let same =
            self.lives.get(id.0).is_some_and(|life| life.state == Some(state) && life.row == row && life.cost == cost);
        if same {
            return;
        }
        if let Some(life) = self.lives.get_mut(id.0) {
            life.row = row;
            life.cost = cost;
        }
        let grace = pod.metadata.deletion_grace_period_seconds.filter(|_| state == PodState::Terminating);
        let grace = i32::try_from(grace.unwrap_or(0)).unwrap_or(i32::MAX);
        self.turn(id, Some((state, set)), frame, now, grace);
        let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
        if let Some(since) = since.filter(|_| state == PodState::Ready) {
            self.waiting.push(Reverse((since.plus_seconds(i64::from(min_ready)), id)));
        }
    }

    fn row_of_node(&mut self, pod: &Pod, frame: i32, now: Time) -> i32 {
        pod.spec.node_name.as_deref().map_or(0, |node| self.row_of(node, frame, now))
    }

    /// The row of a node, which is there from now on if it was not before.
    fn row_of(&mut self, node: &str, frame: i32, now: Time) -> i32 {
        if let Some(row) = self.nodes.iter().position(|name| **name == *node) {
            return number(row);
        }
        let row = number(self.nodes.len());
        self.nodes.push(Rc::from(node));
        self.entry(SET, now, &[frame, row, 1, 0]);
        row
    }

    /// A pod's state, row or cost is another from now on.
    fn turn(&mut self, id: Id, state: Option<(PodState, i32)>, frame: i32, now: Time, grace: i32) {
        let Some(life) = self.lives.get_mut(id.0) else { return };
        life.state = state.map(|(state, _)| state);
        let (row, cost) = (life.row, life.cost);
        let (state, set) = state.map_or((-1, 0), |(state, set)| (state_number(state), set));
        self.entry(MOVE, now, &[frame, number(id.0), state, set, row, cost, grace]);
    }

    /// Pods that became available by the time alone.
    fn pass(&mut self, frame: i32, now: Time) {
        while self.waiting.peek().is_some_and(|Reverse((time, _))| *time <= now) {
            let Some(Reverse((time, id))) = self.waiting.pop() else { return };
            let ready = self.lives.get(id.0).is_some_and(|life| life.state == Some(PodState::Ready));
            let owner = self.pods.get(id.0).and_then(|pod| pod.metadata.controller()).map(|owner| owner.uid.clone());
            if let Some(set) = owner.filter(|_| ready).and_then(|uid| self.set_of(&uid)) {
                self.turn(id, Some((PodState::Available, set)), frame, time, 0);
            }
        }
    }
}

/// A number of a film; there are never that many of anything.
fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// A pod may have the name of an earlier one: its uid stands in for it.
fn key(pod: &Pod) -> ObjectKey {
    ObjectKey { name: pod.metadata.uid.clone(), ..pod.key() }
}

/// Who acts seldom, and on nodes and volumes: all that they do decides how it goes on.
const SELDOM: [Actor; 3] = [Actor::ClusterAutoscaler, Actor::NodeLifecycleController, Actor::AttachDetachController];

/// A step that a person wants to stop at: the user's, one that changes a condition, one whose rule computes something, one
/// about nodes and volumes.
pub(crate) fn notable(step: &Step) -> Option<Notable> {
    if step.actor == Actor::User {
        return Some(Notable::User);
    }
    if step.change.iter().any(changes_condition) {
        return Some(Notable::Condition);
    }
    let decides = !step.reason.rule.formula.is_empty() || SELDOM.contains(&step.actor);
    decides.then_some(Notable::Decision)
}

/// Whether two steps, one after the other, carry out the same decision: a ReplicaSet creates its pods one by one.
pub(crate) fn same_decision(step: &Step, later: &Step) -> bool {
    step.time == later.time && step.about == later.about && std::ptr::eq(step.reason.rule, later.reason.rule)
}

fn changes_condition(change: &Change) -> bool {
    let (Some(Object::Deployment(before)), Some(Object::Deployment(after))) = (&change.before, &change.after) else {
        return false;
    };
    let (before, after) = (&before.status.conditions, &after.status.conditions);
    before.len() != after.len()
        || before.iter().zip(after.iter()).any(|(before, after)| {
            before.type_ != after.type_ || before.status != after.status || before.reason != after.reason
        })
}
