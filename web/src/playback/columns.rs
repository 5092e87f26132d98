//! The columns of pods: available pods come first, then starting, pending and terminating ones, so that the marks are exact. A
//! pod keeps its column as long as that order allows.

use changeover_core::timeline::PodState;

use super::track::{Moment, PlaybackTrack, PodKeyframe};

/// A group of pods that stand side by side, in their order from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    /// Serving.
    Available,
    /// Not yet available: starting, or ready for less than minReadySeconds.
    Starting,
    /// Waiting for a node or an image.
    Pending,
    /// Their node is lost.
    Unknown,
    /// Asked to stop, and still there.
    Terminating,
    /// Ended, and still there.
    Ended,
}

impl Band {
    /// The band of a state.
    pub const fn of(state: PodState) -> Self {
        match state {
            PodState::Available => Self::Available,
            PodState::Ready | PodState::Starting => Self::Starting,
            PodState::Pending => Self::Pending,
            PodState::Unknown => Self::Unknown,
            PodState::Terminating => Self::Terminating,
            PodState::Failed | PodState::Succeeded => Self::Ended,
        }
    }
}

/// Where a pod stands from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ColumnKeyframe {
    from: Moment,
    column: usize,
}

/// The columns of all pods over time.
#[derive(Debug, Default, PartialEq)]
pub struct PodColumns {
    /// The keyframes of each pod.
    pods: Vec<Vec<ColumnKeyframe>>,
}

impl PodColumns {
    /// Follows the pods of a track.
    pub fn new(track: &PlaybackTrack) -> Self {
        let mut columns = Self { pods: vec![Vec::new(); track.pods.len()] };
        let mut current: Vec<Option<usize>> = vec![None; track.pods.len()];
        for index in 0..track.snapshot_count() {
            let Some(snapshot) = track.snapshot(index) else { continue };
            let next = assign(track, snapshot.from, &current);
            for (pod, (before, after)) in current.iter().zip(&next).enumerate() {
                if let (Some(column), Some(keyframes)) = (*after, columns.pods.get_mut(pod))
                    && before != after
                {
                    keyframes.push(ColumnKeyframe { from: snapshot.from, column });
                }
            }
            current = next;
        }
        columns
    }

    /// The column of a pod at a moment.
    pub fn column_at(&self, pod: usize, moment: Moment) -> usize {
        let keyframes = self.pods.get(pod).map(Vec::as_slice).unwrap_or_default();
        let after = keyframes
            .partition_point(|keyframe| keyframe.from.frame <= moment.frame && keyframe.from.time <= moment.time);
        after.checked_sub(1).and_then(|last| keyframes.get(last)).map_or(0, |keyframe| keyframe.column)
    }
}

/// The columns at a moment: as they were, where the order of the bands allows it.
fn assign(track: &PlaybackTrack, moment: Moment, current: &[Option<usize>]) -> Vec<Option<usize>> {
    let band = |keyframe: &PodKeyframe| (keyframe.state.map(Band::of), keyframe.replica_set);
    let mut pods: Vec<(usize, &PodKeyframe)> =
        track.pods_at(moment).filter(|(_, keyframe)| keyframe.state.map(Band::of) != Some(Band::Ended)).collect();
    pods.sort_by_key(|(pod, keyframe)| (band(keyframe), *pod));
    let mut columns = vec![None; current.len()];
    let mut first = 0_usize;
    for group in pods.chunk_by(|(_, one), (_, other)| band(one) == band(other)) {
        let end = first.saturating_add(group.len());
        let mut free: Vec<usize> = (first..end).rev().collect();
        for (pod, _) in group {
            let kept = current.get(*pod).copied().flatten().filter(|column| (first..end).contains(column));
            // Two pods of a group never have the same column.
            if let Some((column, slot)) = kept.zip(columns.get_mut(*pod)) {
                *slot = Some(column);
                free.retain(|other| *other != column);
            }
        }
        for (pod, _) in group {
            if let Some(slot) = columns.get_mut(*pod).filter(|slot| slot.is_none()) {
                *slot = free.pop();
            }
        }
        first = end;
    }
    columns
}
