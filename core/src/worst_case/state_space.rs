//! The state space of a change: its states, and the steps that lead from one to the next.

use alloc::vec::Vec;

use super::caches::{History, Reader};
use super::controllers::{Controllers, DeploymentView, Placement, PodWrites, ReplicaSetView};
use super::pods::{PodInStage, Pods, Stage};
use super::side::{Pair, Side};
use super::step::{Resize, Step};
use super::versions::{Reads, VersionId};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Deployment, Time};

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

/// There are more pods or versions than a state can hold.
#[derive(Debug)]
pub(super) struct TooLarge;

/// What all states have in common.
pub(super) struct StateSpace {
    controllers: Controllers,
    lag: u8,
    reads: Reads,
    /// Whether the ReplicaSet controller waits until its cache shows its own writes.
    is_consistent: bool,
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
            controllers,
            lag,
            reads,
            is_consistent: gates.enabled(Feature::StaleControllerConsistencyReplicaSet),
            ends_before_ready: times.stop_max < times.ready_min,
            ends_before_available: times.stop_max < times.ready_min.saturating_add(min_ready),
        };
        let sets = Pair { old: History::new(settled), new: History::new(VersionId::ABSENT) };
        Some((space, State { sets, pods: Pods::settled(pods) }))
    }

    /// How many pods a ReplicaSet wants.
    pub(super) fn size(&self, state: &State, side: Side) -> i32 {
        let version = self.controllers.version(state.sets.get(side).current());
        version.map_or(0, |replica_set| replica_set.spec.replicas)
    }

    /// All next states, each with the step that leads there. Steps that change nothing are left out.
    pub(super) fn next(&mut self, state: &State) -> Result<Vec<(Step, State)>, TooLarge> {
        let mut next = Vec::new();
        self.advance_pods(state, &mut next)?;
        for side in Side::BOTH {
            self.sync_replica_set(state, side, &mut next)?;
        }
        self.sync_deployment(state, &mut next)?;
        Ok(next)
    }

    const fn is_ordered(&self) -> bool {
        self.ends_before_available
    }

    /// A pod becomes ready or available, or is gone.
    fn advance_pods(&self, state: &State, next: &mut Vec<(Step, State)>) -> Result<(), TooLarge> {
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
                Stage::Terminating => (Step::Gone { of: side }, false),
                Stage::Starting if self.controllers.has_min_ready(state.sets.get(side).current()) => {
                    rest.insert(index, PodInStage::new(side, Stage::Ready));
                    (Step::Ready { of: side }, self.ends_before_ready)
                }
                Stage::Starting | Stage::Ready => {
                    pods.add_available(side);
                    (Step::Available { of: side }, self.ends_before_available)
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

    /// The ReplicaSet controller syncs, from each version that its cache may show.
    fn sync_replica_set(&mut self, state: &State, of: Side, next: &mut Vec<(Step, State)>) -> Result<(), TooLarge> {
        let pods = state.pods.counts(of);
        let has_choice = pods.ready > 0 && pods.available > 1;
        let placements = [Some(Placement::Apart), has_choice.then_some(Placement::AvailableTogether)];
        for (behind, seen) in state.sets.get(of).visible(Reader::ReplicaSet) {
            if seen == VersionId::ABSENT {
                continue;
            }
            for placement in placements.into_iter().flatten() {
                let writes = self.controllers.sync_replica_set(ReplicaSetView { seen, pods, placement });
                let writes = writes.ok_or(TooLarge)?;
                let mut after = *state;
                after.pods = written_pods(state.pods, of, &writes, self.is_ordered()).ok_or(TooLarge)?;
                let set = after.sets.get_mut(of);
                set.saw(Reader::ReplicaSet, behind);
                let mut is_new_status = false;
                if let Some(status) = &writes.status {
                    let current = set.current();
                    let version = self.controllers.with_status(current, status).ok_or(TooLarge)?;
                    is_new_status = version != current;
                    if is_new_status {
                        set.push(version, self.lag);
                        if self.is_consistent {
                            set.saw(Reader::ReplicaSet, 0);
                        }
                    }
                }
                if !is_new_status && after.pods == state.pods {
                    continue;
                }
                set.trim();
                let deleted = writes.deleted;
                let step = Step::SyncReplicaSet {
                    of,
                    behind,
                    created: writes.created,
                    deleted: deleted.starting.saturating_add(deleted.ready).saturating_add(deleted.available),
                };
                next.push((step, after));
            }
        }
        Ok(())
    }

    /// The Deployment controller syncs, from each pair of versions that its cache may show.
    fn sync_deployment(&mut self, state: &State, next: &mut Vec<(Step, State)>) -> Result<(), TooLarge> {
        let sets = state.sets;
        let current = Pair { old: sets.old.current(), new: sets.new.current() };
        let running = Pair { old: state.pods.counts(Side::Old).all(), new: state.pods.counts(Side::New).all() };
        for (old_behind, old) in sets.old.visible(Reader::Deployment) {
            for (new_behind, new) in sets.new.visible(Reader::Deployment) {
                let is_current = Pair { old: old_behind == 0, new: new_behind == 0 };
                let view = DeploymentView { seen: Pair { old, new }, current, is_current, running };
                let written = self.controllers.sync_deployment(view).ok_or(TooLarge)?;
                if written.is_empty() {
                    continue;
                }
                let mut after = *state;
                after.sets.old.saw(Reader::Deployment, old_behind);
                after.sets.new.saw(Reader::Deployment, new_behind);
                let mut resized = Vec::new();
                for (side, version) in written.iter() {
                    let set = after.sets.get_mut(*side);
                    let size = |id| self.controllers.version(id).map(|replica_set| replica_set.spec.replicas);
                    resized.push(Resize { of: *side, from: size(set.current()), to: size(*version).unwrap_or(0) });
                    set.push(*version, self.lag);
                }
                after.sets.old.trim();
                after.sets.new.trim();
                let behind = Pair { old: old_behind, new: new_behind };
                next.push((Step::SyncDeployment { behind, resized }, after));
            }
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
