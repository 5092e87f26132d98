//! What the lanes show: all of them on one time axis. It never changes; the playhead says which moment is shown.

mod beginning;
mod columns;
mod fixed_columns;
mod lockstep;
mod node_marks;
mod opening;
mod time_scale;
mod track;

use std::rc::Rc;

use changeover_core::timeline::Marks;
use changeover_wire::playback_track::{JobEnd, Milestone};
use changeover_wire::{
    ClockFormat, ColumnMeaning, JobOutcome, MAX_WAVE, PlayedLane, Totals, format_clock_column, format_clocks,
};

pub use beginning::Beginning;
pub use columns::{Band, PodColumns};
pub use fixed_columns::{Activity, Awaited, Ending, FixedColumns, Occupant, holding};
pub use lockstep::Lockstep;
pub use opening::{Opening, OpeningEvent, is_stuck};
pub use time_scale::{Stretch, TimeScale};
pub use track::{Excess, JobKeyframe, Moment, Outage, PlaybackTrack, PodKeyframe, Snapshot};

/// Pods are shown one by one up to this many at once. More tiles would need more than 1,600 pixels, which few lanes have. The time to assign
/// columns grows with the square of the number of pods, and each input waits for it.
const MAX_TILES: i32 = 400;

/// Indexes, attempts, runs, ordinals and nodes are shown one by one up to this many.
const MAX_FIXED_COLUMNS: usize = 400;

/// The name of a lane, and what is different in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneInfo {
    /// Its name.
    pub name: String,
    /// What is different from the other lanes, in a few words.
    pub difference: String,
    /// Whether it uses a feature that is proposed and in no release.
    pub proposed: bool,
    /// Where its rollout begins.
    pub beginning: Beginning,
    /// The number of the chapter of a story that it belongs to.
    pub chapter: usize,
}

/// Something that ends in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneEnd {
    /// Its name.
    pub name: &'static str,
    /// Its name where there is little room, as above the lane.
    pub short_name: &'static str,
    /// When it ends.
    pub time: i64,
}

/// A lane.
#[derive(Debug, PartialEq)]
pub struct Lane {
    /// Its name and what is different in it.
    pub info: LaneInfo,
    /// What the player says about it.
    pub played: PlayedLane,
    /// Everything that it shows over time.
    pub track: PlaybackTrack,
    /// When the containers of the first new pod start, and when that pod is ready; `None` if no new pod becomes ready.
    pub first_start: Option<(i64, i64)>,
    /// From when to when the first old pod stops; none if none is ever gone.
    pub first_stop: Option<(i64, i64)>,
    /// How many pods were missing to the smallest of its minimums, if it was met at first.
    pub under: i32,
    /// The most pods over the limit at one moment.
    pub excess: Option<Excess>,
    /// The columns of its pods, if they are few enough to be shown one by one.
    pub columns: Option<PodColumns>,
    /// Its columns, if they are few enough to be shown one by one, and not any pod may stand in any of them.
    pub fixed_columns: Option<FixedColumns>,
    /// The marks of its nodes on the tiles of their pods; none if there are no short ones.
    pub node_marks: Vec<String>,
}

impl Lane {
    /// A lane from the player's response and the numbers of its track.
    pub fn new(info: LaneInfo, played: PlayedLane, numbers: &[i32]) -> Self {
        let mut track = PlaybackTrack::decode(numbers, played.replica_sets.len());
        if played.columns == Some(ColumnMeaning::Run) {
            track.remove_limit();
        }
        let fixed_columns = played.columns.map(|meaning| FixedColumns::new(&track, meaning, played.nodes.len()));
        let fixed_columns = fixed_columns.filter(|columns| columns.len() <= MAX_FIXED_COLUMNS);
        let columns = (track.peak <= MAX_TILES).then(|| PodColumns::new(&track));
        let change = played.totals.change;
        let (first_start, first_stop) = (track.first_start(change), track.first_stop(change));
        let (under, excess) = (track.under(), track.excess());
        let node_marks = node_marks::node_marks(&played.nodes);
        Self { info, played, track, first_start, first_stop, under, excess, columns, fixed_columns, node_marks }
    }

    /// Whether it shows Jobs.
    pub fn is_of_jobs(&self) -> bool {
        self.played.totals.job.is_some()
    }
}

/// All lanes.
#[derive(Debug)]
pub struct Playback {
    /// Which lanes these are to the player.
    pub generation: u32,
    /// The lanes.
    pub lanes: Vec<Rc<Lane>>,
    /// Their steps on one time axis.
    pub lockstep: Lockstep,
    /// The last time of each wave, in order. Waves hold the times at which the picture changes or a controller decides, from time 0
    /// on.
    pub waves: Vec<i64>,
    /// From times to the height of the picture.
    pub time_scale: TimeScale,
    /// The lanes that are shown: those that do not repeat an earlier one.
    pub shown_lanes: Vec<usize>,
    /// The moment that shows the consequence in the first lane.
    pub opening: Opening,
    /// For each lane, the earlier lane that looks the same all the time.
    repeats: Vec<Option<usize>>,
}

impl PartialEq for Playback {
    /// Each generation is played once.
    fn eq(&self, other: &Self) -> bool {
        self.generation == other.generation
    }
}

/// The last time of each wave. A wave begins with the first time after the previous one.
fn wave_ends(times: &[i64]) -> Vec<i64> {
    let mut ends: Vec<i64> = Vec::new();
    let mut start = i64::MIN;
    for &time in times {
        match ends.last_mut() {
            Some(end) if time.saturating_sub(start) <= MAX_WAVE => *end = time,
            _ => {
                start = time;
                ends.push(time);
            }
        }
    }
    ends
}

/// Whether an old version comes back in a lane.
fn has_rollback(lanes: &[Rc<Lane>]) -> bool {
    lanes.iter().any(|lane| lane.track.has_rollback())
}

/// A position of the playhead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playhead {
    /// The time, in nanoseconds of the page's time.
    pub time: i64,
    /// The position in the lockstep.
    pub position: usize,
}

impl Playback {
    /// Where the rollout of the first lane begins.
    pub fn beginning(&self) -> Beginning {
        self.lanes.first().map(|lane| lane.info.beginning).unwrap_or_default()
    }

    /// The number of the chapter of a story that the lanes belong to.
    pub fn chapter(&self) -> usize {
        self.lanes.first().map_or(0, |lane| lane.info.chapter)
    }

    /// All lanes.
    pub fn new(generation: u32, lanes: Vec<Lane>) -> Self {
        let lanes: Vec<Rc<Lane>> = lanes.into_iter().map(Rc::new).collect();
        let tracks: Vec<&PlaybackTrack> = lanes.iter().map(|lane| &lane.track).collect();
        let lockstep = Lockstep::new(&tracks);
        let pictures = tracks.iter().flat_map(|track| track.snapshots_from_zero()).map(|snapshot| snapshot.from.time);
        let decisions = lockstep.steps.iter().filter(|step| step.milestone.is_some()).map(|step| step.time);
        let mut times: Vec<i64> = pictures.chain(decisions).filter(|time| *time >= 0).collect();
        times.extend(lockstep.steps.last().map(|step| step.time.max(0)));
        times.push(0);
        times.sort_unstable();
        times.dedup();
        let earlier = |(index, lane): (usize, &Rc<Lane>)| {
            lanes.iter().take(index).position(|earlier| earlier.track == lane.track)
        };
        let repeats: Vec<Option<usize>> = lanes.iter().enumerate().map(earlier).collect();
        let shown = repeats.iter().enumerate().filter(|(_, repeated)| repeated.is_none());
        let shown_lanes = shown.map(|(index, _)| index).collect();
        let last_change = |track: &&PlaybackTrack| {
            let last = track.snapshot(track.snapshot_count().checked_sub(1)?)?;
            [last.from.time].into_iter().chain(track.times_of_ordinals()).max()
        };
        let settled = tracks.iter().filter_map(last_change).max().unwrap_or(0);
        let change = lanes.first().map_or(0, |lane| lane.played.totals.change);
        // What the controllers still decide once the pods stay as they are, like a retry every few minutes for a day, gets no room.
        let end = times.last().copied();
        // If no pod ever comes or goes, the deadline is all that happens.
        let mut conditions = lockstep.steps.iter().filter(|step| step.milestone == Some(Milestone::Condition));
        let last_condition = conditions.next_back().map(|step| step.time).filter(|_| settled <= change);
        let seen_until = settled.max(change).max(last_condition.unwrap_or(change));
        let seen: Vec<i64> = times.iter().copied().filter(|time| *time <= seen_until || Some(*time) == end).collect();
        let is_at_rest = |time: i64| {
            let is_waiting = |lane: &Rc<Lane>| !lane.is_of_jobs() && lane.track.is_at_rest_at(time);
            time >= settled || (time >= change && lanes.iter().all(is_waiting))
        };
        let time_scale = TimeScale::new(&seen, change, is_at_rest);
        let opening = lanes.first().map_or(Opening { event: OpeningEvent::MostPods, time: 0 }, |lane| {
            Opening::new(&lane.track, &lane.played.totals, lane.excess, has_rollback(&lanes))
        });
        Self { generation, lanes, lockstep, waves: wave_ends(&times), time_scale, shown_lanes, opening, repeats }
    }

    /// How a clock shows all times: the last one decides.
    pub fn clock_format(&self) -> ClockFormat {
        let change = self.lanes.first().map_or(0, |lane| lane.played.totals.change);
        ClockFormat::up_to(self.end_time().saturating_sub(change))
    }

    /// A time as a clock shows it: since the user's change.
    pub fn clock(&self, time: i64) -> String {
        let change = self.lanes.first().map_or(0, |lane| lane.played.totals.change);
        if time < change { String::from("before") } else { self.clock_format().write(time.saturating_sub(change)) }
    }

    /// Times of a list as a clock shows them: with decimals of a second where two would look alike.
    pub fn clocks(&self, times: &[i64]) -> Vec<String> {
        self.clocks_written(times, format_clocks)
    }

    /// Times of a column as a clock shows them, all with the same decimals.
    pub fn clock_column(&self, times: &[i64]) -> Vec<String> {
        self.clocks_written(times, format_clock_column)
    }

    fn clocks_written(&self, times: &[i64], write: fn(ClockFormat, &[i64]) -> Vec<String>) -> Vec<String> {
        let change = self.lanes.first().map_or(0, |lane| lane.played.totals.change);
        let since_change: Vec<i64> = times.iter().map(|time| time.saturating_sub(change)).collect();
        let clocks = since_change.iter().zip(write(self.clock_format(), &since_change));
        clocks.map(|(since, clock)| if *since < 0 { String::from("before") } else { clock }).collect()
    }

    /// A time in a sentence: `at 0:08`, or `before the change`.
    pub fn clock_phrase(&self, time: i64) -> String {
        let change = self.lanes.first().map_or(0, |lane| lane.played.totals.change);
        if time < change { String::from("before the change") } else { format!("at {}", self.clock(time)) }
    }

    /// The last time of something in a sentence: `until 0:08`, or `before the change`.
    pub fn until_phrase(&self, time: i64) -> String {
        match self.clock(time).as_str() {
            "before" => String::from("before the change"),
            clock => format!("until {clock}"),
        }
    }

    /// A time and the end: `0:08 of 0:42`, or `before the change`.
    pub fn position_phrase(&self, time: i64) -> String {
        self.phrase_of_clock(&self.clock(time))
    }

    /// The time of a playhead and the end, with decimals of a second where a wave next to it would look alike: `0:08.5 of 0:42`.
    pub fn exact_position_phrase(&self, playhead: Playhead) -> String {
        let [before, after] = [self.previous_wave(playhead), self.next_wave(playhead)];
        let clocks = self.clocks(&[playhead.time, before.time, after.time]);
        clocks.first().map(|clock| self.phrase_of_clock(clock)).unwrap_or_default()
    }

    fn phrase_of_clock(&self, clock: &str) -> String {
        match clock {
            "before" => String::from("before the change"),
            clock => format!("{clock} of {}", self.clock(self.end_time())),
        }
    }

    /// The time of the last step.
    pub fn end_time(&self) -> i64 {
        self.waves.last().copied().unwrap_or(0)
    }

    /// The earlier lane that looks the same as this one all the time.
    pub fn repeated_lane(&self, lane: usize) -> Option<usize> {
        self.repeats.get(lane).copied().flatten()
    }

    /// The two lanes that are compared; none if another number of lanes is shown.
    pub fn compared_lanes(&self) -> Option<[usize; 2]> {
        <[usize; 2]>::try_from(self.shown_lanes.as_slice()).ok()
    }

    /// The lane that a lane is compared with.
    pub fn compared_with(&self, lane: usize) -> Option<usize> {
        self.compared_lanes()?.into_iter().find(|other| *other != lane)
    }

    /// The pods over a limit that both compared lanes have, although the most pods of only one of them are over their limit.
    /// None for Jobs.
    pub fn shared_excess(&self) -> Option<Excess> {
        let [first, second] = self.compared_lanes()?;
        let [within, over] = match [first, second].map(|lane| self.totals(lane).over() > 0) {
            [true, false] => [second, first],
            [false, true] => [first, second],
            _ => return None,
        };
        let [within, over] = [self.lanes.get(within)?, self.lanes.get(over)?];
        let excess = within.excess.filter(|_| !within.is_of_jobs())?;
        let instants = over.track.instants_from_zero();
        let with_limit = instants.iter().filter(|snapshot| snapshot.marks.limit == excess.limit);
        (with_limit.map(Snapshot::over).max() == Some(excess.pods)).then_some(excess)
    }

    /// The most pods over the limit at one moment of a lane, unless the other lane has them too.
    pub fn own_excess(&self, lane: usize) -> Option<Excess> {
        let excess = self.lanes.get(lane)?.excess?;
        (self.shared_excess() != Some(excess)).then_some(excess)
    }

    /// The most pods at once, or the highest limit if that is more.
    pub fn max_pods(&self) -> i32 {
        let snapshots = self.lanes.iter().flat_map(|lane| lane.track.snapshots_from_zero());
        snapshots.map(|snapshot| snapshot.pods().max(snapshot.marks.limit)).max().unwrap_or(0)
    }

    /// The most columns of a lane, if all lanes have fixed ones.
    pub fn fixed_columns(&self) -> Option<usize> {
        let columns = self.lanes.iter().map(|lane| Some(lane.fixed_columns.as_ref()?.len()));
        columns.collect::<Option<Vec<usize>>>()?.into_iter().max()
    }

    /// The marks at the start, before anything changes.
    pub fn initial_marks(&self) -> Marks {
        let first = self.lanes.first().and_then(|lane| lane.track.snapshots_from_zero().next());
        first.map(|snapshot| snapshot.marks).unwrap_or_default()
    }

    /// Whether the first lane has no pod before time 0, although pods are wanted.
    pub fn begins_without_pods(&self) -> bool {
        let Some(track) = self.lanes.first().map(|lane| &lane.track) else { return false };
        let snapshots = (0..track.snapshot_count()).filter_map(|index| track.snapshot(index));
        let mut until_zero = snapshots.take_while(|snapshot| snapshot.from.time <= 0);
        self.initial_marks().desired > 0 && until_zero.all(|snapshot| snapshot.pods() == 0)
    }

    /// The playhead at a time.
    pub fn at_time(&self, time: i64) -> Playhead {
        let time = time.clamp(0, self.end_time());
        Playhead { time, position: self.lockstep.position_at(time) }
    }

    /// The playhead at a position of the lockstep.
    pub fn at_position(&self, position: usize) -> Playhead {
        let position = position.clamp(self.lockstep.first_position, self.lockstep.end());
        Playhead { time: self.lockstep.time_at(position), position }
    }

    /// The playhead at a time; after the write at a position if that write happens at this time.
    pub fn at_write(&self, time: i64, position: usize) -> Playhead {
        let (playhead, write) = (self.at_time(time), self.at_position(position));
        if write.time == playhead.time { write } else { playhead }
    }

    /// The playhead right after the user's action at a time, before the controllers react.
    pub fn at_user_action(&self, time: i64) -> Playhead {
        self.at_position(self.lockstep.user_action_at(time))
    }

    /// The playhead at the first wave.
    pub fn first_wave(&self) -> Playhead {
        self.at_time(self.waves.first().copied().unwrap_or(0))
    }

    /// The playhead at the next wave.
    pub fn next_wave(&self, playhead: Playhead) -> Playhead {
        let next = self.waves.partition_point(|time| *time <= playhead.time);
        self.at_time(self.waves.get(next).copied().unwrap_or_else(|| self.end_time()))
    }

    /// The playhead at the previous wave.
    pub fn previous_wave(&self, playhead: Playhead) -> Playhead {
        let before = self.waves.partition_point(|time| *time < playhead.time);
        let previous = before.checked_sub(1).and_then(|last| self.waves.get(last)).copied();
        previous.map_or_else(|| self.first_wave(), |time| self.at_time(time))
    }

    /// The number of the wave at a playhead, from 1.
    pub fn wave_number(&self, playhead: Playhead) -> usize {
        self.waves.partition_point(|time| *time <= playhead.time).max(1)
    }

    /// How many API writes the wave at a playhead has, and how many of them are done.
    pub fn writes_of_wave(&self, playhead: Playhead) -> (usize, usize) {
        let wave = self.waves.partition_point(|time| *time < playhead.time);
        let end = self.waves.get(wave).copied().unwrap_or(i64::MAX);
        let previous = wave.checked_sub(1).and_then(|previous| self.waves.get(previous)).copied();
        // What was done before the picture begins is in no wave.
        self.lockstep.steps_between(previous.unwrap_or(-1), end, playhead.position)
    }

    /// The moment of a lane at a playhead.
    pub fn moment(&self, lane: usize, playhead: Playhead) -> Moment {
        Moment { frame: self.lockstep.lane_frame(playhead.position, lane), time: playhead.time }
    }

    /// The moment of a lane at a time, after everything that happens then.
    pub fn moment_at(&self, lane: usize, time: i64) -> Moment {
        self.moment(lane, self.at_time(time))
    }

    /// The frame of each lane at a playhead.
    pub fn lane_frames(&self, playhead: Playhead) -> Vec<usize> {
        (0..self.lanes.len()).map(|lane| self.lockstep.lane_frame(playhead.position, lane)).collect()
    }

    /// The playhead at the moment that shows the consequence.
    pub fn opening_playhead(&self) -> Playhead {
        self.at_time(self.opening.time)
    }

    /// Whether the last rollout of the first lane is never complete.
    pub fn never_completes(&self) -> bool {
        let totals = self.totals(0);
        totals.job.is_none() && is_stuck(&totals, self.has_rollback())
    }

    /// What the player says about a lane, with times from the first lane's change on, as the clock counts them.
    pub fn totals(&self, lane: usize) -> Totals {
        let change = |lane: usize| self.lanes.get(lane).map_or(0, |lane| lane.played.totals.change);
        let totals = self.lanes.get(lane).map(|lane| lane.played.totals).unwrap_or_default();
        let later = change(lane).saturating_sub(change(0));
        let shift = |time: Option<i64>| time.map(|time| time.saturating_add(later).max(0));
        Totals {
            change: change(0),
            all_available: shift(totals.all_available),
            rollout_start: shift(totals.rollout_start),
            complete: shift(totals.complete),
            last_old_pod_gone: shift(totals.last_old_pod_gone),
            job: totals.job.map(|job| JobOutcome { ended: shift(job.ended), ..job }),
            ..totals
        }
    }

    /// What ends in a lane: the Job, or the rollout and its last old pod.
    pub fn lane_ends(&self, lane: usize) -> Vec<LaneEnd> {
        let totals = self.totals(lane);
        let end = |name, short_name, time: Option<i64>| {
            time.map(|time| LaneEnd { name, short_name, time: time.saturating_add(totals.change) })
        };
        if let Some(job) = totals.job {
            let has_failed = job.end == Some(JobEnd::Failed);
            let name = if has_failed { "failed" } else { "complete" };
            return end(name, name, job.ended).into_iter().collect();
        }
        if totals.rollout_start.is_none() || self.has_rollback() {
            return Vec::new();
        }
        let complete = end("complete", "complete", totals.complete);
        let last_old_pod_gone = end("last old pod gone", "gone", totals.last_old_pod_gone);
        [complete, last_old_pod_gone].into_iter().flatten().collect()
    }

    /// Whether an old version comes back.
    pub fn has_rollback(&self) -> bool {
        has_rollback(&self.lanes)
    }

    /// Whether nothing is rolled out, so that no version is old or new.
    pub fn has_one_version(&self) -> bool {
        self.lanes.iter().all(|lane| lane.track.replica_set_count <= 1)
    }

    /// What the versions are called, in the order in which they appear: after a rollback, the old version is the new one.
    pub fn version_names(&self) -> [&'static str; 3] {
        if self.has_one_version() || self.lanes.iter().any(|lane| lane.is_of_jobs()) {
            ["running"; 3]
        } else if self.has_rollback() {
            ["first version", "second version", "third version"]
        } else {
            ["old", "new", "newest"]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_holds_what_happens_within_a_quarter_of_a_second() {
        let milliseconds = |times: &[i64]| times.iter().map(|time| time * 1_000_000).collect::<Vec<_>>();
        for (times, ends) in [
            (vec![0], vec![0]),
            (vec![0, 10, 20, 250, 251, 5_000], vec![250, 251, 5_000]),
            (vec![0, 200, 400, 600], vec![200, 600]),
            (vec![-1_000, -900, 0], vec![-900, 0]),
        ] {
            assert_eq!(wave_ends(&milliseconds(&times)), milliseconds(&ends), "{times:?}");
        }
    }
}
