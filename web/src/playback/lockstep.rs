//! The steps of all lanes on one time axis. Lanes that act at the same instant take their steps together, one by one.

use changeover_wire::playback_track::Milestone;

use super::track::PlaybackTrack;

/// A step that one or more lanes take together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointStep {
    /// When.
    pub time: i64,
    /// The most important milestone among the steps of the lanes.
    pub milestone: Option<Milestone>,
}

/// All joint steps in order. A position is the number of joint steps before it.
#[derive(Debug, Default, PartialEq)]
pub struct Lockstep {
    /// The joint steps.
    pub steps: Vec<JointStep>,
    lane_count: usize,
    /// The frame of each lane after each joint step.
    frames: Vec<usize>,
    /// The position at the page's time 0; earlier ones are not shown.
    pub first_position: usize,
}

impl Lockstep {
    /// Combines the steps of the lanes.
    pub fn new(tracks: &[&PlaybackTrack]) -> Self {
        let mut lockstep = Self { lane_count: tracks.len(), ..Self::default() };
        let mut frames = vec![0_usize; tracks.len()];
        loop {
            let steps = tracks.iter().zip(&frames).map(|(track, frame)| track.steps.get(*frame));
            let Some(time) = steps.flatten().map(|step| step.time).min() else { break };
            let mut milestone = None;
            for (track, frame) in tracks.iter().zip(&mut frames) {
                let Some(step) = track.steps.get(*frame).filter(|step| step.time == time) else { continue };
                milestone = [milestone, step.milestone].into_iter().flatten().min();
                *frame = frame.saturating_add(1);
            }
            lockstep.steps.push(JointStep { time, milestone });
            lockstep.frames.extend(&frames);
        }
        lockstep.first_position = lockstep.steps.partition_point(|step| step.time < 0);
        lockstep
    }

    /// The last position.
    pub const fn end(&self) -> usize {
        self.steps.len()
    }

    /// The frame of a lane at a position.
    pub fn lane_frame(&self, position: usize, lane: usize) -> usize {
        let before = position.checked_sub(1).and_then(|index| index.checked_mul(self.lane_count));
        before.and_then(|index| self.frames.get(index.saturating_add(lane))).copied().unwrap_or(0)
    }

    /// The time of a position.
    pub fn time_at(&self, position: usize) -> i64 {
        let before = position.checked_sub(1).and_then(|index| self.steps.get(index));
        before.map_or(0, |step| step.time.max(0))
    }

    /// The last position at or before a time.
    pub fn position_at(&self, time: i64) -> usize {
        self.steps.partition_point(|step| step.time <= time).max(self.first_position)
    }

    /// The position after the user's action at a time; without one, the last position of that time.
    pub fn user_action_at(&self, time: i64) -> usize {
        let before = self.steps.partition_point(|step| step.time < time);
        let at = self.steps.get(before).filter(|step| step.time == time && step.milestone == Some(Milestone::User));
        at.map_or_else(|| self.position_at(time), |_| before.saturating_add(1))
    }

    /// How many joint steps are after a time, until another one, and how many of them are before a position.
    pub fn steps_between(&self, after: i64, until: i64, position: usize) -> (usize, usize) {
        let first = self.steps.partition_point(|step| step.time <= after);
        let end = self.steps.partition_point(|step| step.time <= until);
        (end.saturating_sub(first), position.saturating_sub(first))
    }
}
