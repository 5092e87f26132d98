//! The pods, as far as they can be told apart.

use alloc::vec::Vec;

use super::replica_sets::{Pair, Side};

/// The most pods that are in the middle of something at once.
const MOST: usize = 16;

/// What a pod is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// It is not ready yet.
    Starting,
    /// It is ready, and not yet available.
    Ready,
    /// It is being deleted.
    Terminating,
}

/// A pod that is in the middle of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PodInStage {
    pub(super) is_terminating: bool,
    pub(super) side: Side,
    pub(super) stage: Stage,
}

impl PodInStage {
    pub(super) fn new(side: Side, stage: Stage) -> Self {
        Self { is_terminating: stage == Stage::Terminating, side, stage }
    }
}

/// The available pods are counted; the others stand in the order in which they were created or deleted, as far as that
/// matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pods {
    available: Pair<u8>,
    in_stage: [Option<PodInStage>; MOST],
}

/// How many pods of a ReplicaSet are in which stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StageCounts {
    pub(super) starting: u8,
    pub(super) ready: u8,
    pub(super) available: u8,
    pub(super) terminating: u8,
}

impl StageCounts {
    pub(super) fn all(self) -> i32 {
        let active = i32::from(self.starting).saturating_add(self.ready.into()).saturating_add(self.available.into());
        active.saturating_add(self.terminating.into())
    }
}

impl Pods {
    /// Available pods of the old ReplicaSet.
    pub(super) const fn settled(old: u8) -> Self {
        Self { available: Pair { old, new: 0 }, in_stage: [None; MOST] }
    }

    pub(super) fn in_stage(&self) -> impl Iterator<Item = PodInStage> {
        self.in_stage.iter().flatten().copied()
    }

    pub(super) fn counts(&self, side: Side) -> StageCounts {
        let mut counts = StageCounts { available: *self.available.get(side), ..StageCounts::default() };
        for pod in self.in_stage().filter(|pod| pod.side == side) {
            let count = match pod.stage {
                Stage::Starting => &mut counts.starting,
                Stage::Ready => &mut counts.ready,
                Stage::Terminating => &mut counts.terminating,
            };
            *count = count.saturating_add(1);
        }
        counts
    }

    /// All of them, terminating ones included.
    pub(super) fn all(&self) -> i32 {
        self.counts(Side::Old).all().saturating_add(self.counts(Side::New).all())
    }

    pub(super) fn available(&self) -> i32 {
        i32::from(self.available.old).saturating_add(self.available.new.into())
    }

    pub(super) const fn add_available(&mut self, side: Side) {
        let count = self.available.get_mut(side);
        *count = count.saturating_add(1);
    }

    pub(super) const fn take_available(&mut self, side: Side) {
        let count = self.available.get_mut(side);
        *count = count.saturating_sub(1);
    }

    /// The pods with other ones in the middle of something; none if they are too many.
    pub(super) fn with(self, mut in_stage: Vec<PodInStage>, is_ordered: bool) -> Option<Self> {
        if in_stage.len() > MOST {
            return None;
        }
        if is_ordered {
            // Only which pods were deleted before others were created matters.
            in_stage.chunk_by_mut(|a, b| a.is_terminating == b.is_terminating).for_each(<[_]>::sort_unstable);
        } else {
            in_stage.sort_unstable();
        }
        let mut slots = [None; MOST];
        for (slot, pod) in slots.iter_mut().zip(in_stage) {
            *slot = Some(pod);
        }
        Some(Self { in_stage: slots, ..self })
    }
}
