//! Lockstep: the steps of all lanes on one time axis. A beat is one instant and one round of it: the lanes that act
//! there act together.

use changeover_wire::playback_track::Milestone;

use crate::playback_track::Film;

/// One beat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Beat {
    /// When.
    pub time: i64,
    /// The most important thing that happens in it.
    pub notable: Option<Milestone>,
}

/// All beats, in order. A position is a number from 0 (the start) to their number.
#[derive(Debug, Default)]
pub(crate) struct Beats {
    /// The beats.
    pub list: Vec<Beat>,
    lanes: usize,
    /// The frame of each lane after each beat.
    frames: Vec<usize>,
    /// The first position that is shown: what was before it is not.
    pub first: usize,
    /// The positions worth a stop, in order.
    stops: Vec<usize>,
}

impl Beats {
    /// Puts the steps of films side by side.
    pub(crate) fn of(films: &[&Film]) -> Self {
        let mut beats = Self { lanes: films.len(), ..Self::default() };
        let mut frames = vec![0_usize; films.len()];
        loop {
            let steps = films.iter().zip(&frames).map(|(film, frame)| film.steps.get(*frame));
            let Some(time) = steps.flatten().map(|step| step.time).min() else { break };
            let mut notable = None;
            for (film, frame) in films.iter().zip(&mut frames) {
                let Some(step) = film.steps.get(*frame).filter(|step| step.time == time) else { continue };
                notable = [notable, step.notable].into_iter().flatten().min();
                *frame = frame.saturating_add(1);
            }
            beats.list.push(Beat { time, notable });
            beats.frames.extend(&frames);
        }
        beats.first = beats.list.partition_point(|beat| beat.time < 0);
        for (index, beat) in beats.list.iter().enumerate().skip(beats.first) {
            if beat.notable.is_some() {
                beats.stops.push(index.saturating_add(1));
            }
        }
        beats
    }

    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.list.len()
    }

    /// The frame of a lane at a position.
    pub(crate) fn frame(&self, position: usize, lane: usize) -> usize {
        let before = position.checked_sub(1).and_then(|index| index.checked_mul(self.lanes));
        before.and_then(|index| self.frames.get(index.saturating_add(lane))).copied().unwrap_or(0)
    }

    /// Whether a lane acts in the beat that led to a position.
    pub(crate) fn acts(&self, position: usize, lane: usize) -> bool {
        self.frame(position, lane) != self.frame(position.saturating_sub(1), lane)
    }

    /// The beat that led to a position.
    pub(crate) fn beat(&self, position: usize) -> Option<&Beat> {
        position.checked_sub(1).and_then(|index| self.list.get(index))
    }

    /// The time of a position.
    pub(crate) fn time(&self, position: usize) -> i64 {
        self.beat(position).map_or(0, |beat| beat.time.max(0))
    }

    /// The last position that is not later than a time.
    pub(crate) fn position_at(&self, time: i64) -> usize {
        self.list.partition_point(|beat| beat.time <= time).max(self.first)
    }

    /// The position after what the user does at a time; the last one of that time if that is nothing.
    pub(crate) fn act_at(&self, time: i64) -> usize {
        let before = self.list.partition_point(|beat| beat.time < time);
        let at = self.list.get(before).filter(|beat| beat.time == time && beat.notable == Some(Milestone::User));
        at.map_or_else(|| self.position_at(time), |_| before.saturating_add(1))
    }

    /// The next position that is worth a stop; the last one if there is none.
    pub(crate) fn next_notable(&self, position: usize) -> usize {
        self.stops.get(self.notable_until(position)).copied().unwrap_or(self.len())
    }

    /// The position before that is worth a stop; the start if there is none.
    pub(crate) fn previous_notable(&self, position: usize) -> usize {
        let before = self.notable_until(position.saturating_sub(1));
        before.checked_sub(1).and_then(|last| self.stops.get(last)).copied().unwrap_or(self.first)
    }

    /// How many positions worth a stop there are up to one.
    pub(crate) fn notable_until(&self, position: usize) -> usize {
        self.stops.partition_point(|stop| *stop <= position)
    }
}
