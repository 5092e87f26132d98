//! The longest time that a change takes, over all orders.
//!
//! Only pods take time here: whatever controllers and caches are late with, they do before time passes. So a moment has all
//! the orders of [`super::state_space`], and time passes only when no controller with a current cache has anything to do.
//!
//! A pod takes at most the times of [`PodTimes`], and it may be faster. Of one order of steps, take a step of a pod that
//! comes before any pod has to be done. If it comes later, with all steps after it that have to follow, no pod takes longer
//! than it may, and no other step is earlier. So the longest run of each order is one in which time passes only until the
//! next pod has to be done, and these runs are all that is visited: there are finitely many, with exact times.
//!
//! The runs in which a pod is faster than it can be, since it needs [`PodTimes::ready_min`] or minReadySeconds, are visited
//! as well. They only make the answer longer. If the longest run is one of them, there is no answer.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::caches::History;
use super::controllers::{Controllers, PodWrites};
use super::pods::{Stage, StageCounts};
use super::replica_sets::{Pair, Side};
use super::state_space::PodTimes;
use super::step::OrderStep;
use super::syncs::Syncs;
use super::versions::{Reads, VersionId};
use super::{ExplorationLimits, TooLarge};
use crate::collect_tree::CollectTree;
use crate::feature_gates::FeatureGates;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::complete_rule;

/// The longest time, and an order that takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Longest {
    /// The time until the change is complete, in nanoseconds, without the time that controllers take.
    pub time: i64,
    /// The steps that lead there.
    pub order: Vec<TimedStep>,
}

/// A step of an order, and when it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedStep {
    /// The time since the change, in nanoseconds.
    pub at: i64,
    /// The step.
    pub step: OrderStep,
}

/// A pod that is in the middle of something, and the longest time until that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TimedPod {
    left: i64,
    side: Side,
    stage: Stage,
}

/// The pods: the available ones are counted, the others are in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TimedPods {
    available: Pair<u8>,
    in_stage: Vec<TimedPod>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TimedState {
    sets: Pair<History>,
    pods: TimedPods,
}

/// How soon a pod is done with its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// It takes as long as it can.
    Slow,
    /// It is faster.
    Fast,
    /// It is faster than it can be.
    TooFast,
}

/// What a step or a wait adds to a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leg {
    Step(Pace),
    /// Time passes, in nanoseconds.
    Wait(i64),
}

/// A next state, and the step that leads there; none if time passes.
struct Next {
    step: Option<OrderStep>,
    leg: Leg,
    state: TimedState,
}

/// How a state was reached. The longest time counts first, then how few pods are fast, then how few steps it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    time: i64,
    too_fast: Reverse<u32>,
    fast: Reverse<u32>,
    steps: Reverse<u32>,
}

impl Way {
    fn then(self, leg: Leg) -> Self {
        let more = |count: Reverse<u32>, is_one: bool| Reverse(count.0.saturating_add(is_one.into()));
        match leg {
            Leg::Wait(time) => Self { time: self.time.saturating_add(time), ..self },
            Leg::Step(pace) => Self {
                too_fast: more(self.too_fast, pace == Pace::TooFast),
                fast: more(self.fast, pace == Pace::Fast),
                steps: more(self.steps, true),
                ..self
            },
        }
    }
}

impl TimedPods {
    fn counts(&self) -> Pair<StageCounts> {
        Pair { old: self.counts_of(Side::Old), new: self.counts_of(Side::New) }
    }

    fn counts_of(&self, side: Side) -> StageCounts {
        let of = |stage| self.in_stage.iter().filter(|pod| pod.side == side && pod.stage == stage).count();
        let count = |stage| u8::try_from(of(stage)).unwrap_or(u8::MAX);
        StageCounts {
            starting: count(Stage::Starting),
            ready: count(Stage::Ready),
            available: *self.available.get(side),
            terminating: count(Stage::Terminating),
        }
    }

    /// Each different pod that is in the middle of something, with the pods without it.
    fn each(&self) -> impl Iterator<Item = (TimedPod, Self)> {
        let is_first = |index: usize, pod: &TimedPod| self.in_stage.iter().take(index).all(|other| other != pod);
        let pods = self.in_stage.iter().enumerate().filter(move |(index, pod)| is_first(*index, pod));
        pods.map(|(index, pod)| {
            let mut rest = self.clone();
            rest.in_stage.remove(index);
            (*pod, rest)
        })
    }

    fn push(&mut self, pod: TimedPod) {
        let position = self.in_stage.partition_point(|other| *other < pod);
        self.in_stage.insert(position, pod);
    }

    const fn change_available(&mut self, side: Side, by: i8) {
        let count = self.available.get_mut(side);
        *count = count.saturating_add_signed(by);
    }
}

/// The states of a change with times, and what leads from one to the next.
struct TimedSpace {
    syncs: Syncs,
    reads: Reads,
    desired: i32,
    waits_for_termination: bool,
    ready_min: i64,
    ready_max: i64,
    stop_max: i64,
}

impl TimedSpace {
    fn next(&mut self, state: &TimedState) -> Result<Vec<Next>, TooLarge> {
        let synced = self.syncs.next(state.sets, state.pods.counts())?;
        let is_settled = !synced.iter().any(|synced| synced.step.sees_current());
        let mut next = Vec::new();
        if is_settled {
            if self.is_complete(state) {
                return Ok(next);
            }
            next.extend(wait(state));
        }
        for (pod, rest) in state.pods.each() {
            next.push(self.finish(state, pod, rest));
        }
        for synced in synced {
            let after = match &synced.pods {
                Some((of, writes)) => self.written(&state.pods, *of, writes),
                None => [state.pods.clone()].into_iter().collect_tree(),
            };
            next.extend(after.into_iter().map(|pods| Next {
                step: Some(synced.step.clone()),
                leg: Leg::Step(Pace::Slow),
                state: TimedState { sets: synced.sets, pods },
            }));
        }
        Ok(next)
    }

    /// Whether a state in which the controllers have nothing to do is the end of the change.
    fn is_complete(&self, state: &TimedState) -> bool {
        let pods = state.pods.counts();
        let one_is_empty = Side::BOTH.into_iter().any(|side| self.syncs.size(&state.sets, side) == 0);
        let is_available = |pods: StageCounts| pods.starting == 0 && pods.ready == 0;
        let has_ended = |pods: StageCounts| pods.terminating == 0 || !self.waits_for_termination;
        let available = i32::from(pods.old.available).saturating_add(pods.new.available.into());
        let each = [pods.old, pods.new];
        one_is_empty && available == self.desired && each.into_iter().all(|pods| is_available(pods) && has_ended(pods))
    }

    /// A pod is done with its stage.
    fn finish(&self, state: &TimedState, pod: TimedPod, mut rest: TimedPods) -> Next {
        let TimedPod { left, side, stage } = pod;
        let min_ready = self.syncs.controllers.min_ready(state.sets.get(side).current());
        let is_slow = left == 0;
        let (step, is_possible) = match stage {
            Stage::Terminating => (OrderStep::Gone { of: side }, true),
            Stage::Starting if min_ready > 0 => {
                rest.push(TimedPod { left: min_ready, side, stage: Stage::Ready });
                (OrderStep::Ready { of: side }, self.ready_max.saturating_sub(left) >= self.ready_min)
            }
            Stage::Starting => {
                rest.change_available(side, 1);
                (OrderStep::Available { of: side }, self.ready_max.saturating_sub(left) >= self.ready_min)
            }
            Stage::Ready => {
                rest.change_available(side, 1);
                (OrderStep::Available { of: side }, is_slow)
            }
        };
        let pace = match (is_slow, is_possible) {
            (true, _) => Pace::Slow,
            (false, true) => Pace::Fast,
            (false, false) => Pace::TooFast,
        };
        Next { step: Some(step), leg: Leg::Step(pace), state: TimedState { sets: state.sets, pods: rest } }
    }

    /// The pods after a sync of their ReplicaSet, which may delete any of those that are alike to it.
    fn written(&self, pods: &TimedPods, of: Side, writes: &PodWrites) -> BTreeSet<TimedPods> {
        let mut all: BTreeSet<TimedPods> = [pods.clone()].into_iter().collect_tree();
        let deleted = writes.deleted;
        for (stage, count) in [(Stage::Starting, deleted.starting), (Stage::Ready, deleted.ready)] {
            for _ in 0..count {
                let each = all.iter().flat_map(TimedPods::each);
                let without = each.filter(|(pod, _)| pod.side == of && pod.stage == stage);
                all = without.map(|(_, rest)| self.terminating(rest, of)).collect_tree();
            }
        }
        let finished = all.into_iter().map(|mut pods| {
            for _ in 0..deleted.available {
                pods.change_available(of, -1);
                pods = self.terminating(pods, of);
            }
            for _ in 0..writes.created {
                pods.push(TimedPod { left: self.ready_max, side: of, stage: Stage::Starting });
            }
            pods
        });
        finished.collect_tree()
    }

    /// The pods with one more that terminates, if a controller looks at it.
    fn terminating(&self, mut pods: TimedPods, side: Side) -> TimedPods {
        if self.reads == Reads::AllCounts {
            pods.push(TimedPod { left: self.stop_max, side, stage: Stage::Terminating });
        }
        pods
    }
}

/// Time passes until the next pod has to be done, and caches catch up.
fn wait(state: &TimedState) -> Option<Next> {
    let time = state.pods.in_stage.iter().map(|pod| pod.left).min().filter(|time| *time > 0)?;
    let mut pods = state.pods.clone();
    for pod in &mut pods.in_stage {
        pod.left = pod.left.saturating_sub(time);
    }
    let sets = Pair { old: History::new(state.sets.old.current()), new: History::new(state.sets.new.current()) };
    Some(Next { step: None, leg: Leg::Wait(time), state: TimedState { sets, pods } })
}

/// The states that were visited, with what leads from each to others.
struct Graph {
    states: Vec<Rc<TimedState>>,
    legs: Vec<Vec<(Leg, usize)>>,
}

impl Graph {
    /// All states from the first one on.
    fn of(space: &mut TimedSpace, first: TimedState, limits: ExplorationLimits) -> Result<Self, TooLarge> {
        let first = Rc::new(first);
        let mut known: BTreeMap<_, _> = [(first.clone(), 0)].into_iter().collect_tree();
        let mut graph = Self { states: Vec::from([first]), legs: Vec::new() };
        while let Some(state) = graph.states.get(graph.legs.len()).cloned() {
            let mut legs = Vec::new();
            for Next { leg, state, .. } in space.next(&state)? {
                let index = *known.entry(Rc::new(state)).or_insert_with_key(|state| {
                    graph.states.push(state.clone());
                    graph.states.len().saturating_sub(1)
                });
                legs.push((leg, index));
            }
            graph.legs.push(legs);
            if graph.states.len() > limits.timed_states {
                return Err(TooLarge);
            }
            limits.pause.take();
        }
        Ok(graph)
    }

    /// The longest way to each state, with the state before it; none if some steps can be repeated without end.
    fn longest_ways(&self) -> Option<Vec<(Way, usize)>> {
        let mut unused: Vec<u32> = self.states.iter().map(|_| 0).collect();
        for (_, to) in self.legs.iter().flatten() {
            let count = unused.get_mut(*to)?;
            *count = count.saturating_add(1);
        }
        let mut ways: Vec<Option<(Way, usize)>> = self.states.iter().map(|_| None).collect();
        *ways.first_mut()? = Some((Way::default(), 0));
        let mut is_known = Vec::from([0]);
        while let Some(from) = is_known.pop() {
            let (way, _) = ways.get(from).copied()??;
            for (leg, to) in self.legs.get(from)? {
                let longest = ways.get_mut(*to)?;
                *longest = (*longest).max(Some((way.then(*leg), from)));
                let unused = unused.get_mut(*to)?;
                *unused = unused.saturating_sub(1);
                if *unused == 0 {
                    is_known.push(*to);
                }
            }
        }
        let is_acyclic = unused.into_iter().all(|unused| unused == 0);
        ways.into_iter().collect::<Option<_>>().filter(|_| is_acyclic)
    }

    /// The steps on the longest way to a state.
    fn order(&self, space: &mut TimedSpace, ways: &[(Way, usize)], mut index: usize) -> Option<Vec<TimedStep>> {
        let mut order = Vec::new();
        while index > 0 {
            let (way, before) = ways.get(index)?;
            let (state, parent) = (self.states.get(index)?, self.states.get(*before)?);
            let next = space.next(parent).ok()?.into_iter().find(|next| next.state == **state)?;
            order.extend(next.step.map(|step| TimedStep { at: way.time, step }));
            index = *before;
        }
        order.reverse();
        Some(order)
    }
}

/// The longest time of a change; none if pods may never become ready, if some order does not complete the change, or if
/// there are too many states.
pub(super) fn longest(
    before: &Deployment,
    after: &Deployment,
    gates: FeatureGates,
    times: PodTimes,
    limits: ExplorationLimits,
    reads: Reads,
) -> Option<Longest> {
    let (controllers, settled) = Controllers::new(before, after, gates, reads)?;
    let mut space = TimedSpace {
        syncs: Syncs::new(controllers, gates, limits.lag),
        reads,
        desired: after.spec.replicas,
        waits_for_termination: complete_rule(after, gates),
        ready_min: times.ready_min,
        ready_max: times.ready_max?,
        stop_max: times.stop_max,
    };
    let available = Pair { old: u8::try_from(before.spec.replicas).ok()?, new: 0 };
    let first = TimedState {
        sets: Pair { old: History::new(settled), new: History::new(VersionId::ABSENT) },
        pods: TimedPods { available, in_stage: Vec::new() },
    };
    let graph = Graph::of(&mut space, first, limits).ok()?;
    let ways = graph.longest_ways()?;
    let last = graph.legs.iter().enumerate().filter(|(_, legs)| legs.is_empty()).map(|(index, _)| index);
    let mut longest: Option<(Way, usize)> = None;
    for index in last {
        if !space.is_complete(graph.states.get(index)?) {
            return None;
        }
        longest = longest.max(ways.get(index).map(|(way, _)| (*way, index)));
    }
    let (way, index) = longest.filter(|(way, _)| way.too_fast == Reverse(0))?;
    Some(Longest { time: way.time, order: graph.order(&mut space, &ways, index)? })
}
