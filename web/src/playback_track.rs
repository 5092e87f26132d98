//! The playback track of a lane on the page: everything that the lane shows over time, decoded once from the player's
//! numbers. A cursor moves through it in both directions, and a move costs what changes on the way.

use changeover_core::object::Time;
use changeover_core::timeline::{Counts, Marks, PodState, Point, RolloutState};
use changeover_wire::playback_track::{
    MARKS_KEYFRAME, Milestone, POD_KEYFRAME, ROLLOUT_KEYFRAME, ROW_KEYFRAME, STATES, STEP,
};

/// A step of the timeline.
#[derive(Clone, Copy)]
pub(crate) struct TrackStep {
    /// When, in nanoseconds of the page's time.
    pub time: i64,
    /// Whether it is a milestone, and why.
    pub milestone: Option<Milestone>,
}

/// When a keyframe begins: at a frame, and there at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct KeyframeTime {
    frame: usize,
    time: i64,
}

impl KeyframeTime {
    const fn reached_at(self, frame: usize, now: i64) -> bool {
        self.frame <= frame && self.time <= now
    }
}

/// The state of a pod from a time on.
#[derive(Clone, Copy)]
pub(crate) struct PodKeyframe {
    from: KeyframeTime,
    /// The number of the pod.
    pub pod: usize,
    /// Its state; none if it is gone.
    pub state: Option<PodState>,
    /// The number of its ReplicaSet.
    pub replica_set: usize,
    /// The row that shows it.
    pub row: usize,
    /// Its slot in the row.
    pub slot: usize,
    /// Its deletion cost, if it has one.
    pub cost: Option<i32>,
    /// Since when it has been in this state.
    pub since: i64,
    /// The (latest) time at which it becomes ready or available or its grace period ends. Equal to `since` if it waits for
    /// nothing.
    pub until: i64,
    /// The pod's previous keyframe.
    previous: Option<usize>,
}

/// The state of a row from a time on.
#[derive(Clone, Copy)]
struct RowKeyframe {
    from: KeyframeTime,
    row: usize,
    state: RowState,
}

/// The state of a row: of a ReplicaSet or, if pods are grouped by node, of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowState {
    /// The spec.replicas of a ReplicaSet, 1 for a node; none if it does not exist.
    pub replicas: Option<i32>,
    /// The revision of a ReplicaSet. For a node that does not exist, 1 if it did before.
    pub revision: i32,
}

/// The counts from a time on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CountsPoint {
    /// From when, in nanoseconds of the page's time.
    pub time: i64,
    /// The pods of each ReplicaSet.
    pub replica_sets: Vec<Counts>,
    /// The marks on the ruler.
    pub marks: Marks,
    /// How far the rollout is.
    pub rollout: RolloutState,
}

impl CountsPoint {
    /// All pods that use resources.
    pub(crate) fn holding(&self) -> i32 {
        holding(&self.replica_sets)
    }

    /// The number of pods over the limit.
    pub(crate) fn over(&self) -> i32 {
        self.holding().saturating_sub(self.marks.limit).max(0)
    }
}

/// All pods that use resources.
pub(crate) fn holding(sets: &[Counts]) -> i32 {
    sets.iter().fold(0, |sum, counts| sum.saturating_add(counts.holding()))
}

/// The playback track of a lane.
#[derive(Default)]
pub(crate) struct PlaybackTrack {
    /// All steps, in order.
    pub steps: Vec<TrackStep>,
    /// The frame after each milestone from time 0 on.
    pub milestone_frames: Vec<usize>,
    /// The changes of pods, in order.
    pub pod_keyframes: Vec<PodKeyframe>,
    marks: Vec<(KeyframeTime, Marks)>,
    rollouts: Vec<(KeyframeTime, RolloutState)>,
    row_keyframes: Vec<RowKeyframe>,
    /// The number of ReplicaSets.
    pub replica_set_count: usize,
    /// The number of pods.
    pub pod_count: usize,
    /// The number of slots that each row needs.
    pub row_slots: Vec<usize>,
    /// The counts over time: a point for each change from time 0 on.
    pub points: Vec<CountsPoint>,
    /// Whether any pod has a deletion cost.
    pub has_deletion_costs: bool,
    /// The most pods that use resources at any time from 0 on.
    pub peak: i32,
}

impl PlaybackTrack {
    /// Decodes the numbers from the player, given how many ReplicaSets and rows there are.
    pub(crate) fn decode(numbers: &[i32], replica_sets: usize, rows: usize) -> Self {
        let mut track = Self { replica_set_count: replica_sets, row_slots: vec![0; rows], ..Self::default() };
        let mut rest = numbers;
        let mut last = Vec::new();
        while let [entry_type, second, nano, after @ ..] = rest {
            let time = i64::from(*second).saturating_mul(Time::SECOND).saturating_add(i64::from(*nano));
            rest = match (*entry_type, after) {
                (STEP, [milestone, rest @ ..]) => {
                    track.steps.push(TrackStep { time, milestone: Milestone::of(*milestone) });
                    if *milestone != 0 && time >= 0 {
                        track.milestone_frames.push(track.steps.len());
                    }
                    rest
                }
                (POD_KEYFRAME, [frame, pod, state, replica_set, row, cost, grace, rest @ ..]) => {
                    let state = usize::try_from(*state).ok().and_then(|state| STATES.get(state)).copied();
                    let numbers = [*pod, *replica_set, *row].map(to_index);
                    track.push_pod_keyframe(
                        KeyframeTime { frame: to_index(*frame), time },
                        numbers,
                        state,
                        (*cost, *grace),
                        &mut last,
                    );
                    rest
                }
                (MARKS_KEYFRAME, [frame, desired, limit, min_available, rest @ ..]) => {
                    let marks = Marks { desired: *desired, limit: *limit, min_available: *min_available };
                    track.marks.push((KeyframeTime { frame: to_index(*frame), time }, marks));
                    rest
                }
                (ROLLOUT_KEYFRAME, [frame, old, complete, rest @ ..]) => {
                    let rollout = RolloutState { old: *old, complete: *complete != 0 };
                    track.rollouts.push((KeyframeTime { frame: to_index(*frame), time }, rollout));
                    rest
                }
                (ROW_KEYFRAME, [frame, row, replicas, revision, rest @ ..]) => {
                    let state = RowState { replicas: (*replicas >= 0).then_some(*replicas), revision: *revision };
                    track.row_keyframes.push(RowKeyframe {
                        from: KeyframeTime { frame: to_index(*frame), time },
                        row: to_index(*row),
                        state,
                    });
                    rest
                }
                _ => &[],
            };
        }
        // The end counts as a milestone.
        if track.milestone_frames.last().is_some_and(|last| *last != track.steps.len()) {
            track.milestone_frames.push(track.steps.len());
        }
        track.assign_slots();
        track.count_points();
        track
    }

    fn push_pod_keyframe(
        &mut self,
        from: KeyframeTime,
        [pod, replica_set, row]: [usize; 3],
        state: Option<PodState>,
        (cost, grace): (i32, i32),
        last: &mut Vec<Option<usize>>,
    ) {
        let index = self.pod_keyframes.len();
        if last.len() <= pod {
            last.resize(pod.saturating_add(1), None);
        }
        let previous = last.get_mut(pod).and_then(|last| last.replace(index));
        self.pod_count = last.len();
        let mut since = from.time;
        if let Some(previous_keyframe) = previous.and_then(|previous| self.pod_keyframes.get_mut(previous)) {
            if previous_keyframe.state == state {
                since = previous_keyframe.since;
            }
            // The next state ends this one.
            if matches!(previous_keyframe.state, Some(PodState::Starting | PodState::Ready)) {
                previous_keyframe.until = from.time;
            }
        }
        let grace = i64::from(grace).saturating_mul(Time::SECOND);
        let until = if state == Some(PodState::Terminating) { since.saturating_add(grace) } else { since };
        let cost = (cost != i32::MIN).then_some(cost);
        self.has_deletion_costs |= cost.is_some();
        self.pod_keyframes.push(PodKeyframe {
            from,
            pod,
            state,
            replica_set,
            row,
            slot: 0,
            cost,
            since,
            until,
            previous,
        });
    }

    /// Gives each pod the first free slot of its row. It keeps the slot while it stays in the row.
    fn assign_slots(&mut self) {
        let mut free: Vec<Vec<usize>> = vec![Vec::new(); self.row_slots.len()];
        for index in 0..self.pod_keyframes.len() {
            let Some(this) = self.pod_keyframes.get(index).copied() else { return };
            let previous = this
                .previous
                .and_then(|previous| self.pod_keyframes.get(previous))
                .copied()
                .filter(|keyframe| keyframe.state.is_some());
            let stays = previous.filter(|previous| previous.row == this.row && this.state.is_some());
            let slot = match (stays, this.state) {
                (Some(previous), _) => previous.slot,
                (None, None) => previous.map_or(0, |previous| previous.slot),
                (None, Some(_)) => self.take_slot(&mut free, this.row),
            };
            if let Some(previous) = previous.filter(|_| stays.is_none())
                && let Some(free) = free.get_mut(previous.row)
            {
                // In descending order, so that `pop` returns the first free slot.
                let at = free.partition_point(|other| *other > previous.slot);
                free.insert(at, previous.slot);
            }
            if let Some(this) = self.pod_keyframes.get_mut(index) {
                this.slot = slot;
            }
        }
    }

    fn take_slot(&mut self, free: &mut [Vec<usize>], row: usize) -> usize {
        if let Some(slot) = free.get_mut(row).and_then(Vec::pop) {
            return slot;
        }
        let Some(slots) = self.row_slots.get_mut(row) else { return 0 };
        let slot = *slots;
        *slots = slot.saturating_add(1);
        slot
    }

    /// Plays the track once to collect the points.
    fn count_points(&mut self) {
        let mut cursor = TrackCursor::new(self);
        let mut points: Vec<CountsPoint> = Vec::new();
        // One point for each time at which any of the three lists changes.
        while let Some(from) = cursor.next_keyframe_time(self) {
            cursor.seek(self, from.frame, from.time);
            let replica_sets = cursor.replica_sets.clone();
            let (marks, rollout) = (cursor.marks, cursor.rollout);
            let point = CountsPoint { time: from.time.max(0), replica_sets, marks, rollout };
            if from.time >= 0 {
                self.peak = self.peak.max(point.holding());
            }
            match points.last_mut() {
                Some(last) if last.time == point.time => *last = point,
                Some(last)
                    if (&last.replica_sets, last.marks, last.rollout)
                        == (&point.replica_sets, point.marks, point.rollout) => {}
                _ => points.push(point),
            }
        }
        self.peak = self.peak.max(points.first().map_or(0, CountsPoint::holding));
        self.points = points;
    }

    /// The counts at a time.
    pub(crate) fn point_at(&self, time: i64) -> Option<&CountsPoint> {
        let after = self.points.partition_point(|point| point.time <= time);
        after.checked_sub(1).and_then(|index| self.points.get(index))
    }

    /// The first time at which the most pods are over the limit; none if no pod ever is.
    pub(crate) fn first_peak_over(&self) -> Option<i64> {
        let most = self.points.iter().map(CountsPoint::over).max().filter(|most| *most > 0)?;
        self.points.iter().find(|point| point.over() == most).map(|point| point.time)
    }

    /// Whether the rollout goes back to an earlier ReplicaSet.
    pub(crate) fn has_rollback(&self) -> bool {
        let mut revisions = vec![0; self.replica_set_count];
        self.row_keyframes.iter().any(|keyframe| {
            let previous =
                revisions.get_mut(keyframe.row).map_or(0, |now| std::mem::replace(now, keyframe.state.revision));
            previous > 0 && keyframe.state.revision > previous
        })
    }

    /// The points in the form that the core's totals take.
    pub(crate) fn series(&self) -> Vec<Point> {
        let sum = |point: &CountsPoint| {
            let mut counts = Counts::default();
            for set in &point.replica_sets {
                for state in STATES {
                    counts.add(state, pods_in_state(set, state));
                }
            }
            Point { frame: 0, time: Time(point.time), counts, marks: point.marks, rollout: point.rollout }
        };
        self.points.iter().map(sum).collect()
    }

    /// The keyframes of a pod, the last one first.
    pub(crate) fn pod_history(&self, pod: usize) -> impl Iterator<Item = &PodKeyframe> {
        let last = self.pod_keyframes.iter().rposition(|other| other.pod == pod);
        std::iter::successors(last.and_then(|last| self.pod_keyframes.get(last)), |this| {
            this.previous.and_then(|previous| self.pod_keyframes.get(previous))
        })
    }
}

/// The number of pods in a state.
pub(crate) const fn pods_in_state(counts: &Counts, state: PodState) -> i32 {
    match state {
        PodState::Available => counts.available,
        PodState::Ready => counts.ready,
        PodState::Starting => counts.starting,
        PodState::Pending => counts.pending,
        PodState::Terminating => counts.terminating,
        PodState::Unknown => counts.unknown,
        PodState::Failed => counts.failed,
        PodState::Succeeded => counts.succeeded,
    }
}

/// A number of a track as an index.
fn to_index(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// A position in a track with the state there. It remembers which slots changed.
pub(crate) struct TrackCursor {
    next_pod_keyframe: usize,
    next_marks: usize,
    next_rollout: usize,
    next_row_keyframe: usize,
    /// The pods of each ReplicaSet.
    pub replica_sets: Vec<Counts>,
    /// The pods of each row.
    pub rows: Vec<Counts>,
    /// The state of each row.
    pub row_states: Vec<RowState>,
    /// The marks on the ruler.
    pub marks: Marks,
    /// How far the rollout is.
    pub rollout: RolloutState,
    /// For each row and slot, the keyframe of the pod in it.
    slots: Vec<Vec<Option<usize>>>,
    /// The slots that changed, as row and slot; may have duplicates.
    pub changed_slots: Vec<(usize, usize)>,
}

impl TrackCursor {
    /// A cursor before the first keyframe.
    pub(crate) fn new(track: &PlaybackTrack) -> Self {
        Self {
            next_pod_keyframe: 0,
            next_marks: 0,
            next_rollout: 0,
            next_row_keyframe: 0,
            replica_sets: vec![Counts::default(); track.replica_set_count],
            rows: vec![Counts::default(); track.row_slots.len()],
            row_states: vec![RowState::default(); track.replica_set_count.max(track.row_slots.len())],
            marks: Marks::default(),
            rollout: RolloutState::default(),
            slots: track.row_slots.iter().map(|slots| vec![None; *slots]).collect(),
            changed_slots: Vec::new(),
        }
    }

    /// The pod in a slot.
    pub(crate) fn pod_at<'a>(&self, track: &'a PlaybackTrack, row: usize, slot: usize) -> Option<&'a PodKeyframe> {
        let index = self.slots.get(row).and_then(|row| row.get(slot)).copied().flatten()?;
        track.pod_keyframes.get(index)
    }

    /// The pods of a row, by slot.
    pub(crate) fn pods_in_row<'a>(
        &'a self,
        track: &'a PlaybackTrack,
        row: usize,
    ) -> impl Iterator<Item = &'a PodKeyframe> {
        let slots = self.slots.get(row).map(Vec::as_slice).unwrap_or_default();
        slots.iter().flatten().filter_map(|index| track.pod_keyframes.get(*index))
    }

    /// When the next keyframe begins.
    fn next_keyframe_time(&self, track: &PlaybackTrack) -> Option<KeyframeTime> {
        let pods = track.pod_keyframes.get(self.next_pod_keyframe).map(|next| next.from);
        let marks = track.marks.get(self.next_marks).map(|(from, _)| *from);
        let rollouts = track.rollouts.get(self.next_rollout).map(|(from, _)| *from);
        let rows = track.row_keyframes.get(self.next_row_keyframe).map(|next| next.from);
        let next = [pods, marks, rollouts, rows].into_iter().flatten();
        next.min_by(|one, other| (one.frame, one.time).cmp(&(other.frame, other.time)))
    }

    /// Moves to a frame, and there to a time.
    pub(crate) fn seek(&mut self, track: &PlaybackTrack, frame: usize, now: i64) {
        while let Some(next) =
            track.pod_keyframes.get(self.next_pod_keyframe).filter(|next| next.from.reached_at(frame, now))
        {
            let previous = next.previous.and_then(|previous| track.pod_keyframes.get(previous));
            self.move_pod(previous, next, Some(self.next_pod_keyframe));
            self.next_pod_keyframe = self.next_pod_keyframe.saturating_add(1);
        }
        while let Some(last) = track
            .pod_keyframes
            .get(self.next_pod_keyframe.wrapping_sub(1))
            .filter(|last| !last.from.reached_at(frame, now))
        {
            self.next_pod_keyframe = self.next_pod_keyframe.saturating_sub(1);
            match last
                .previous
                .and_then(|previous| track.pod_keyframes.get(previous).map(|keyframe| (keyframe, previous)))
            {
                Some((previous, index)) => self.move_pod(Some(last), previous, Some(index)),
                None => self.move_pod(Some(last), &PodKeyframe { state: None, ..*last }, None),
            }
        }
        let marks = track.marks.partition_point(|(from, _)| from.reached_at(frame, now));
        self.next_marks = marks;
        self.marks = track.marks.get(marks.wrapping_sub(1)).map(|(_, marks)| *marks).unwrap_or_default();
        let rollouts = track.rollouts.partition_point(|(from, _)| from.reached_at(frame, now));
        self.next_rollout = rollouts;
        self.rollout = track.rollouts.get(rollouts.wrapping_sub(1)).map(|(_, rollout)| *rollout).unwrap_or_default();
        self.seek_row_states(track, frame, now);
    }

    fn seek_row_states(&mut self, track: &PlaybackTrack, frame: usize, now: i64) {
        let mut back = false;
        while track
            .row_keyframes
            .get(self.next_row_keyframe.wrapping_sub(1))
            .is_some_and(|last| !last.from.reached_at(frame, now))
        {
            self.next_row_keyframe = self.next_row_keyframe.saturating_sub(1);
            back = true;
        }
        if back {
            // Rows have few keyframes: start again from the first one.
            self.row_states.fill(RowState::default());
            self.next_row_keyframe = 0;
        }
        while let Some(next) =
            track.row_keyframes.get(self.next_row_keyframe).filter(|next| next.from.reached_at(frame, now))
        {
            if let Some(slot) = self.row_states.get_mut(next.row) {
                *slot = next.state;
            }
            self.next_row_keyframe = self.next_row_keyframe.saturating_add(1);
        }
    }

    /// Moves a pod from one keyframe to another.
    fn move_pod(&mut self, from: Option<&PodKeyframe>, to: &PodKeyframe, index: Option<usize>) {
        if let Some(from) = from {
            self.count_pod(from, -1);
            self.fill_slot(from, None);
        }
        self.count_pod(to, 1);
        if to.state.is_some() {
            self.fill_slot(to, index);
        }
    }

    fn count_pod(&mut self, pod: &PodKeyframe, by: i32) {
        let Some(state) = pod.state else { return };
        for counts in [self.replica_sets.get_mut(pod.replica_set), self.rows.get_mut(pod.row)].into_iter().flatten() {
            counts.add(state, by);
        }
    }

    fn fill_slot(&mut self, at: &PodKeyframe, index: Option<usize>) {
        if at.state.is_none() {
            return;
        }
        if let Some(slot) = self.slots.get_mut(at.row).and_then(|row| row.get_mut(at.slot)) {
            *slot = index;
            self.changed_slots.push((at.row, at.slot));
        }
    }
}
