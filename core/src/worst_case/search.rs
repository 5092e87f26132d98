//! Visits every state that can be reached.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::pods::Stage;
use super::replica_sets::{Pair, Side};
use super::state_space::{State, StateSpace};
use super::step::OrderStep;
use super::{ExplorationLimits, TooLarge};
use crate::peak_moments::{PeakMoments, PodMoment};

/// A number that some order leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extreme {
    /// The number.
    pub pods: i32,
    /// The shortest order of steps that leads there.
    pub order: Vec<OrderStep>,
}

/// What the visited states come to.
pub(super) struct Visited {
    pub(super) peak: Extreme,
    pub(super) lowest_available: Extreme,
    pub(super) peak_moments: PeakMoments,
    pub(super) always_completes: bool,
    pub(super) states: usize,
}

struct Node {
    state: State,
    parent: usize,
}

/// The states in the order in which they are reached, shortest way first.
struct Search {
    nodes: Vec<Node>,
    known: BTreeMap<State, usize>,
}

impl Search {
    fn add(&mut self, state: State, parent: usize) {
        let index = self.nodes.len();
        self.known.entry(state).or_insert_with(|| {
            self.nodes.push(Node { state, parent });
            index
        });
    }

    /// The steps from the first state to this one.
    fn order(&self, space: &mut StateSpace, mut index: usize) -> Result<Vec<OrderStep>, TooLarge> {
        let mut order = Vec::new();
        while let Some(node) = self.nodes.get(index).filter(|_| index > 0) {
            let parent = self.nodes.get(node.parent).ok_or(TooLarge)?;
            let steps = space.next(&parent.state)?;
            order.extend(steps.into_iter().find(|(_, after)| *after == node.state).map(|(step, _)| step));
            index = node.parent;
        }
        order.reverse();
        Ok(order)
    }
}

/// Visits the states from the first one on.
///
/// # Errors
/// There are more of them than the limit, or one is too large.
pub(super) fn visit(
    space: &mut StateSpace,
    first: State,
    desired: i32,
    limits: ExplorationLimits,
) -> Result<Visited, TooLarge> {
    let mut search = Search { nodes: Vec::new(), known: BTreeMap::new() };
    search.add(first, 0);
    let (mut peak, mut lowest) = ((i32::MIN, 0), (i32::MAX, 0));
    let mut peak_moments = PeakMoments::default();
    let mut always_completes = true;
    let mut index = 0_usize;
    while let Some(node) = search.nodes.get(index) {
        let state = node.state;
        let pods = Pair { old: state.pods.counts(Side::Old), new: state.pods.counts(Side::New) };
        peak_moments.add(PodMoment { old: pods.old.all().into(), new: pods.new.all().into() });
        let (all, available) = (state.pods.all(), state.pods.available());
        if all > peak.0 {
            peak = (all, index);
        }
        if available < lowest.0 {
            lowest = (available, index);
        }
        let next = space.next(&state)?;
        if next.is_empty() {
            let is_over = state.pods.in_stage().all(|pod| pod.stage == Stage::Terminating);
            let one_is_empty = Side::BOTH.into_iter().any(|side| space.size(&state, side) == 0);
            always_completes &= is_over && available == desired && one_is_empty;
        }
        for (_, state) in next {
            search.add(state, index);
        }
        if search.nodes.len() > limits.states {
            return Err(TooLarge);
        }
        index = index.saturating_add(1);
        limits.pause.take();
    }
    Ok(Visited {
        peak: Extreme { pods: peak.0, order: search.order(space, peak.1)? },
        lowest_available: Extreme { pods: lowest.0, order: search.order(space, lowest.1)? },
        peak_moments,
        always_completes,
        states: search.nodes.len(),
    })
}
