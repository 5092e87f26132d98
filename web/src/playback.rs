//! All lanes on one time axis, and the position of the playhead.

use changeover_core::object::Time;
use changeover_core::timeline::{PodState, Totals};
use changeover_wire::playback_track::Milestone;
use changeover_wire::{field, index_value, list_field, str_at};
use serde_json::Value;

use crate::lockstep::{JointStep, Lockstep};
use crate::playback_track::{CountsPoint, PlaybackTrack, PodKeyframe, TrackCursor, holding, pods_in_state};

/// The name of a lane, and what is different in it.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct LaneInfo {
    /// Its name.
    pub name: String,
    /// What is different from the other lanes, in a few words.
    pub difference: String,
    /// Whether it uses a feature that is proposed and in no release.
    pub proposed: bool,
}

/// A lane.
pub(crate) struct Lane {
    /// Its name and what is different in it.
    pub info: LaneInfo,
    /// The player's response.
    pub response: Value,
    /// Everything that it shows over time.
    pub track: PlaybackTrack,
    /// Its position in the track.
    pub cursor: TrackCursor,
    /// The player's last inspection: the explanation and the tables.
    pub inspection: Value,
    /// Its totals.
    pub totals: Totals,
}

/// All lanes, and the position of the playhead.
pub(crate) struct Playback {
    /// Which lanes these are to the player.
    pub generation: i64,
    /// The lanes.
    pub lanes: Vec<Lane>,
    /// Their steps on one time axis.
    pub lockstep: Lockstep,
    /// The virtual time in nanoseconds, from the page's time 0.
    pub now: i64,
    /// How many steps of the lockstep were played.
    pub position: usize,
    /// Whether pods are grouped by node.
    pub grouped_by_node: bool,
    /// Whether the lanes are aligned by milestone, and not by time.
    by_step: bool,
    /// How many times faster than the chosen speed time runs, while a wait is shortened.
    pub wait_speedup: Option<i64>,
    /// How many milestones each lane has passed, if they are aligned by step.
    milestones_passed: usize,
    /// For each lane, whether it looks like the one above it all the time.
    repeats_above: Vec<bool>,
    /// The names of the versions in the legend, in the order in which they appear.
    pub version_names: [&'static str; 3],
    /// The entries that the legend has only if they occur, and whether they do.
    pub optional_legend_entries: [(&'static str, bool); 3],
}

impl Lane {
    /// A lane from the player's response and the numbers of its track.
    pub(crate) fn new(info: LaneInfo, response: Value, numbers: &[i32]) -> Self {
        let track = PlaybackTrack::decode(
            numbers,
            list_field(&response, "replicaSets").len(),
            list_field(&response, "rows").len(),
        );
        let cursor = TrackCursor::new(&track);
        Self { info, response, track, cursor, inspection: Value::Null, totals: Totals::default() }
    }

    /// Why the simulation ends early, if it does.
    pub(crate) fn cut_reason(&self) -> Option<&str> {
        field(&self.response, "cutReason").as_str()
    }

    /// Whether its costs would still grow after its end.
    pub(crate) fn has_open_costs(&self) -> bool {
        let last = self.track.points.last();
        let grows =
            |point: &CountsPoint| point.over() > 0 || point.replica_sets.iter().any(|counts| counts.terminating > 0);
        self.cut_reason().is_some() || last.is_some_and(grows)
    }

    /// Whether another lane looks the same all the time.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        self.track.points == other.track.points && self.track.milestone_frames == other.track.milestone_frames
    }

    /// The name of a row.
    pub(crate) fn row_name(&self, row: usize) -> &str {
        str_at(list_field(&self.response, "rows"), row)
    }

    /// The pod in a slot.
    pub(crate) fn pod_at(&self, row: usize, slot: usize) -> Option<&PodKeyframe> {
        self.cursor.pod_at(&self.track, row, slot)
    }
}

impl Playback {
    /// All lanes, at time 0.
    pub(crate) fn new(generation: i64, lanes: Vec<Lane>, by_node: bool) -> Self {
        let tracks: Vec<&PlaybackTrack> = lanes.iter().map(|lane| &lane.track).collect();
        let lockstep = Lockstep::new(&tracks);
        let mut repeats_above = Vec::new();
        let mut above: Option<&Lane> = None;
        for lane in &lanes {
            repeats_above.push(above.is_some_and(|above| lane.looks_like(above)));
            above = Some(lane);
        }
        let occurs = |state| {
            let points = tracks.iter().flat_map(|track| &track.points);
            points.flat_map(|point| &point.replica_sets).any(|counts| pods_in_state(counts, state) > 0)
        };
        let optional_legend_entries = [
            ("newest", tracks.iter().any(|track| track.replica_set_count > 2)),
            ("unknown", occurs(PodState::Unknown)),
            ("failed", occurs(PodState::Failed)),
        ];
        // After a rollback the old version is the new one.
        let version_names = if tracks.iter().any(|track| track.has_rollback()) {
            ["first version", "second version", "third version"]
        } else {
            ["old", "new", "newest"]
        };
        let mut playback = Self {
            generation,
            lanes,
            now: 0,
            position: lockstep.first_position,
            lockstep,
            grouped_by_node: by_node,
            by_step: false,
            wait_speedup: None,
            milestones_passed: 0,
            repeats_above,
            version_names,
            optional_legend_entries,
        };
        // Durations count from the user's first action in any lane.
        let is_user_action = |step: &&JointStep| step.time >= 0 && step.milestone == Some(Milestone::User);
        let from = playback.lockstep.steps.iter().find(is_user_action).map_or(0, |step| step.time);
        let end = Time(playback.end_time());
        let since = |time: i64| time.saturating_sub(from).max(0);
        for lane in &mut playback.lanes {
            let all = Totals::of(&lane.track.series(), Time(0), end);
            let last_old_pod_gone = all.last_old_pod_gone.map(since);
            lane.totals = Totals { complete: all.complete.map(since), last_old_pod_gone, ..all };
        }
        playback.seek_time(0);
        playback
    }

    /// The time of the last step.
    pub(crate) fn end_time(&self) -> i64 {
        self.lockstep.steps.last().map_or(0, |step| step.time.max(0))
    }

    /// The most pods at once, or the highest limit if that is more: the maximum of all scales.
    pub(crate) fn max_pods(&self) -> i32 {
        let points = self.lanes.iter().flat_map(|lane| &lane.track.points);
        let limits = points.map(|point| point.marks.limit);
        self.lanes.iter().map(|lane| lane.track.peak).chain(limits).max().unwrap_or(0)
    }

    /// The most pods that any row has at once.
    pub(crate) fn max_row_slots(&self) -> usize {
        self.lanes.iter().flat_map(|lane| &lane.track.row_slots).copied().max().unwrap_or(0)
    }

    /// Whether the lanes are aligned by milestone, and not by time.
    pub(crate) const fn is_by_step(&self) -> bool {
        self.by_step
    }

    /// Moves the playhead of all lanes to a time.
    pub(crate) fn seek_time(&mut self, time: i64) {
        self.by_step = false;
        self.now = time.clamp(0, self.end_time());
        self.position = self.lockstep.position_at(self.now);
        self.seek_lanes();
    }

    /// Moves the playhead right behind the user's action at a time, before the controllers react.
    pub(crate) fn seek_user_action(&mut self, time: i64) {
        self.seek_position(self.lockstep.user_action_at(time));
    }

    /// Moves the playhead to a position of the lockstep or, by step, to a number of milestones.
    pub(crate) fn seek_position(&mut self, position: usize) {
        if self.by_step {
            self.milestones_passed = position.min(self.milestone_count());
            // The clock shows the time of the latest lane.
            self.now = (0..self.lanes.len()).map(|lane| self.lane_time(lane)).max().unwrap_or(0);
        } else {
            self.position = position.clamp(self.lockstep.first_position, self.lockstep.len());
            self.now = self.lockstep.time_at(self.position);
        }
        self.seek_lanes();
    }

    /// Aligns the lanes by milestone or by time, at the current position.
    pub(crate) fn set_by_step(&mut self, by_step: bool) {
        match (self.by_step, by_step) {
            (true, false) => self.seek_time(self.now),
            (false, true) => {
                self.by_step = true;
                self.seek_position(self.lockstep.milestones_until(self.position));
            }
            _ => {}
        }
    }

    /// Moves the playhead to where it is in another playback.
    pub(crate) fn seek_like(&mut self, other: &Self) {
        self.seek_time(other.now);
        if self.lockstep.time_at(other.position) == self.now {
            // Also the same step of that instant.
            self.seek_position(other.position);
        }
        if other.by_step {
            self.by_step = true;
            self.seek_position(other.milestones_passed);
        }
    }

    /// The position of the next or previous milestone.
    pub(crate) fn next_milestone(&self, forward: bool) -> usize {
        match (self.by_step, forward) {
            (true, true) => self.milestones_passed.saturating_add(1),
            (true, false) => self.milestones_passed.saturating_sub(1),
            (false, true) => self.lockstep.next_milestone(self.position),
            (false, false) => self.lockstep.previous_milestone(self.position),
        }
    }

    /// How many milestones have passed: the step number that the page shows.
    pub(crate) fn milestone_number(&self) -> usize {
        if self.by_step { self.milestones_passed } else { self.lockstep.milestones_until(self.position) }
    }

    /// How many milestones there are: the number of steps that the page shows.
    pub(crate) fn milestone_count(&self) -> usize {
        if self.by_step {
            self.lanes.iter().map(|lane| lane.track.milestone_frames.len()).max().unwrap_or(0)
        } else {
            self.lockstep.milestones_until(usize::MAX)
        }
    }

    fn seek_lanes(&mut self) {
        for index in 0..self.lanes.len() {
            let (frame, now) = (self.lane_frame(index), self.lane_time(index));
            if let Some(lane) = self.lanes.get_mut(index) {
                lane.cursor.seek(&lane.track, frame, now);
            }
        }
    }

    /// The current frame of a lane.
    fn lane_frame(&self, lane: usize) -> usize {
        if !self.by_step {
            return self.lockstep.lane_frame(self.position, lane);
        }
        self.lane_milestone(lane).unwrap_or_else(|| self.lockstep.lane_frame(self.lockstep.first_position, lane))
    }

    /// The frame after the last milestone that a lane has passed, by step.
    fn lane_milestone(&self, lane: usize) -> Option<usize> {
        let milestones = &self.lanes.get(lane)?.track.milestone_frames;
        let last = self.milestones_passed.min(milestones.len()).checked_sub(1)?;
        milestones.get(last).copied()
    }

    /// The current time of a lane.
    pub(crate) fn lane_time(&self, lane: usize) -> i64 {
        if !self.by_step {
            return self.now;
        }
        let steps = self.lanes.get(lane).map(|lane| lane.track.steps.as_slice()).unwrap_or_default();
        let step = self.lane_milestone(lane).and_then(|frame| frame.checked_sub(1)).and_then(|step| steps.get(step));
        step.map_or(0, |step| step.time)
    }

    /// The current frame of each lane.
    pub(crate) fn lane_frames(&self) -> Vec<Value> {
        (0..self.lanes.len()).map(|lane| index_value(self.lane_frame(lane))).collect()
    }

    /// Whether a lane looks like the one above it all the time.
    pub(crate) fn repeats_lane_above(&self, lane: usize) -> bool {
        self.repeats_above.get(lane).copied().unwrap_or(false)
    }

    /// How a lane differs from the first one now, in words; none if they are the same.
    pub(crate) fn difference_from_first(&self, lane: usize) -> Option<String> {
        let (first, this) = self.lanes.first().zip(self.lanes.get(lane))?;
        let [first_pods, pods] = [first, this].map(|lane| holding(&lane.cursor.replica_sets));
        let terminating = |lane: &Lane| {
            lane.cursor.replica_sets.iter().fold(0_i32, |sum, counts| sum.saturating_add(counts.terminating))
        };
        let available = |lane: &Lane| {
            lane.cursor.replica_sets.iter().fold(0_i32, |sum, counts| sum.saturating_add(counts.available))
        };
        let mut parts = Vec::new();
        let mut push_part = |by: i32, noun: &str| {
            if by != 0 {
                let sign = if by > 0 { "more" } else { "fewer" };
                parts.push(format!("{} {sign} {noun}", by.unsigned_abs()));
            }
        };
        let pods = pods.saturating_sub(first_pods);
        push_part(pods, if pods.abs() == 1 { "pod" } else { "pods" });
        push_part(available(this).saturating_sub(available(first)), "available");
        push_part(terminating(this).saturating_sub(terminating(first)), "terminating");
        (!parts.is_empty()).then(|| parts.join(", ") + " than above")
    }

    /// The first time at which the most pods of the first lane are over the limit, else the middle.
    pub(crate) fn peak_time(&self) -> i64 {
        let over = self.lanes.first().and_then(|lane| lane.track.first_peak_over());
        over.unwrap_or_else(|| self.end_time().div_euclid(2))
    }
}
