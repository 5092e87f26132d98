//! Lockstep: the steps of all lanes on one time axis. A beat is one instant and one round of it: the lanes that act
//! there act together.

use changeover_core::object::Time;
use changeover_core::timeline::Timeline;

use crate::history::{History, Notable};

/// One beat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Beat {
    /// When.
    pub time: Time,
    /// The frame of each lane after it.
    pub frames: Vec<usize>,
    /// Which lanes act.
    pub acting: Vec<bool>,
    /// The most important thing that happens in it.
    pub notable: Option<Notable>,
}

/// All beats, in order. A position is a number from 0 (the start) to their number.
#[derive(Debug, Default)]
pub(crate) struct Beats(pub Vec<Beat>);

impl Beats {
    /// Puts the steps of timelines side by side.
    pub(crate) fn of(lanes: &[(&Timeline, &History)]) -> Self {
        let mut beats: Vec<Beat> = Vec::new();
        let mut frames = vec![0_usize; lanes.len()];
        let time_of = |lane: &(&Timeline, &History), frame: usize| lane.0.steps.get(frame).map(|step| step.time);
        loop {
            let next = lanes.iter().zip(&frames).filter_map(|(lane, frame)| time_of(lane, *frame)).min();
            let Some(time) = next else { break };
            let mut acting = Vec::with_capacity(lanes.len());
            let mut notable = None;
            for (lane, frame) in lanes.iter().zip(&mut frames) {
                let acts = time_of(lane, *frame) == Some(time);
                acting.push(acts);
                if acts {
                    let this = lane.1.notable.get(*frame).copied().flatten();
                    notable = [notable, this].into_iter().flatten().min();
                    *frame = frame.saturating_add(1);
                }
            }
            beats.push(Beat { time, frames: frames.clone(), acting, notable });
        }
        Self(beats)
    }

    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// The frames of the lanes at a position; none at the start.
    pub(crate) fn frame(&self, position: usize, lane: usize) -> usize {
        self.beat(position).and_then(|beat| beat.frames.get(lane)).copied().unwrap_or(0)
    }

    /// The beat that led to a position.
    pub(crate) fn beat(&self, position: usize) -> Option<&Beat> {
        position.checked_sub(1).and_then(|index| self.0.get(index))
    }

    /// The last position that is not later than a time.
    pub(crate) fn position_at(&self, time: Time) -> usize {
        self.0.partition_point(|beat| beat.time <= time)
    }

    /// The next position that is worth a stop; the last one if there is none.
    pub(crate) fn next_notable(&self, position: usize) -> usize {
        let found = self.0.iter().skip(position).position(|beat| beat.notable.is_some());
        found.map_or(self.len(), |ahead| position.saturating_add(ahead).saturating_add(1))
    }

    /// The position before that is worth a stop; the start if there is none.
    pub(crate) fn previous_notable(&self, position: usize) -> usize {
        let before = self.0.get(..position.saturating_sub(1)).unwrap_or_default();
        before.iter().rposition(|beat| beat.notable.is_some()).map_or(0, |index| index.saturating_add(1))
    }

    /// How many positions worth a stop there are up to one.
    pub(crate) fn notable_until(&self, position: usize) -> usize {
        self.0.iter().take(position).filter(|beat| beat.notable.is_some()).count()
    }
}
