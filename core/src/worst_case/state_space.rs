//! The state space of a change: its states, and the steps that lead from one to the next.

use alloc::vec::Vec;

use super::TooLarge;
use super::caches::History;
use super::controllers::{Controllers, PodWrites};
use super::pods::{PodInStage, Pods, Stage};
use super::replica_sets::{Pair, Side};
use super::step::OrderStep;
use super::syncs::Syncs;
use super::versions::{Reads, VersionId};
use crate::feature_gates::FeatureGates;
use crate::object::Time;
use crate::workload::deployment::Deployment;

/// How long pods take, in nanoseconds. A pod may end at once, and its times include the time until the controllers' cache
/// shows what has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodTimes {
    /// The shortest time from its creation to its readiness.
    pub ready_min: i64,
    /// The longest; `None` if it may never become ready.
    pub ready_max: Option<i64>,
    /// The longest time from its deletion to its end.
    pub stop_max: i64,
}

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    pub(super) sets: Pair<History>,
    pub(super) pods: Pods,
}

/// What all states have in common.
pub(super) struct StateSpace {
    syncs: Syncs,
    reads: Reads,
    /// Whether pods that were deleted before another one was created have ended when that one is ready, or available.
    ends_before_ready: bool,
    ends_before_available: bool,
}

impl StateSpace {
    /// The state space of a change, and its first state; none without a ReplicaSet. With [`Reads::of`], it is as small as the
    /// change allows.
    pub(super) fn new(
        before: &Deployment,
        after: &Deployment,
        gates: FeatureGates,
        times: PodTimes,
        lag: u8,
        reads: Reads,
    ) -> Option<(Self, State)> {
        let (controllers, settled) = Controllers::new(before, after, gates, reads)?;
        let pods = u8::try_from(before.spec.replicas).ok()?;
        let min_ready = i64::from(after.spec.min_ready_seconds).saturating_mul(Time::SECOND);
        let space = Self {
            syncs: Syncs::new(controllers, gates, lag),
            reads,
            ends_before_ready: times.stop_max < times.ready_min,
            ends_before_available: times.stop_max < times.ready_min.saturating_add(min_ready),
        };
        let sets = Pair { old: History::new(settled), new: History::new(VersionId::ABSENT) };
        Some((space, State { sets, pods: Pods::settled(pods) }))
    }

    /// How many pods a ReplicaSet wants.
    pub(super) fn size(&self, state: &State, side: Side) -> i32 {
        self.syncs.size(&state.sets, side)
    }

    /// All next states, each with the step that leads there. Steps that change nothing are left out.
    pub(super) fn next(&mut self, state: &State) -> Result<Vec<(OrderStep, State)>, TooLarge> {
        let mut next = Vec::new();
        self.advance_pods(state, &mut next)?;
        let pods = Pair { old: state.pods.counts(Side::Old), new: state.pods.counts(Side::New) };
        for synced in self.syncs.next(state.sets, pods)? {
            let pods = match synced.pods {
                Some((of, writes)) => written_pods(state.pods, of, &writes, self.is_ordered()).ok_or(TooLarge)?,
                None => state.pods,
            };
            next.push((synced.step, State { sets: synced.sets, pods }));
        }
        Ok(next)
    }

    const fn is_ordered(&self) -> bool {
        self.ends_before_available
    }

    /// A pod becomes ready or available, or is gone.
    fn advance_pods(&self, state: &State, next: &mut Vec<(OrderStep, State)>) -> Result<(), TooLarge> {
        let in_stage: Vec<PodInStage> = state.pods.in_stage().collect();
        for (index, pod) in in_stage.iter().enumerate() {
            let is_repeated = index.checked_sub(1).and_then(|before| in_stage.get(before)) == Some(pod);
            if is_repeated {
                continue;
            }
            let side = pod.side;
            let mut pods = state.pods;
            let mut rest = in_stage.clone();
            rest.remove(index);
            let (step, ended) = match pod.stage {
                // Where no controller looks at terminating pods, they last as long as they can.
                Stage::Terminating if self.reads == Reads::Available => continue,
                Stage::Terminating => (OrderStep::Gone { of: side }, false),
                Stage::Starting if self.syncs.controllers.min_ready(state.sets.get(side).current()) > 0 => {
                    rest.insert(index, PodInStage::new(side, Stage::Ready));
                    (OrderStep::Ready { of: side }, self.ends_before_ready)
                }
                Stage::Starting | Stage::Ready => {
                    pods.add_available(side);
                    (OrderStep::Available { of: side }, self.ends_before_available)
                }
            };
            if ended && in_stage.iter().take(index).any(|earlier| earlier.is_terminating) {
                if self.reads == Reads::AllCounts {
                    continue;
                }
                let mut position = 0_usize;
                rest.retain(|other| {
                    let is_earlier = position < index;
                    position = position.saturating_add(1);
                    !(is_earlier && other.is_terminating)
                });
            }
            let pods = pods.with(rest, self.is_ordered()).ok_or(TooLarge)?;
            next.push((step, State { pods, ..*state }));
        }
        Ok(())
    }
}

/// The pods after a sync of their ReplicaSet; none if they are too many.
fn written_pods(mut pods: Pods, of: Side, writes: &PodWrites, is_ordered: bool) -> Option<Pods> {
    let mut in_stage: Vec<PodInStage> = pods.in_stage().collect();
    let deleted = writes.deleted;
    for (stage, count) in [(Stage::Starting, deleted.starting), (Stage::Ready, deleted.ready)] {
        for _ in 0..count {
            // The youngest goes first.
            let youngest = in_stage.iter().rposition(|pod| *pod == PodInStage::new(of, stage))?;
            in_stage.remove(youngest);
            in_stage.push(PodInStage::new(of, Stage::Terminating));
        }
    }
    for _ in 0..deleted.available {
        pods.take_available(of);
        in_stage.push(PodInStage::new(of, Stage::Terminating));
    }
    in_stage.extend((0..writes.created).map(|_| PodInStage::new(of, Stage::Starting)));
    pods.with(in_stage, is_ordered)
}
