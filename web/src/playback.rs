//! The lanes on one time axis, and where the playhead stands.

use changeover_core::object::Time;
use changeover_core::timeline::{PodState, Totals};
use changeover_wire::playback_track::Milestone;
use changeover_wire::{field, index_value, list_field, str_at};
use serde_json::Value;

use crate::lockstep::{Beat, Beats};
use crate::playback_track::{Film, Move, Point, Scene, count, holding};

/// What a lane is called and what differs in it.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Rules {
    /// Its name.
    pub name: String,
    /// What differs.
    pub says: String,
    /// Whether it follows what is in no release.
    pub proposed: bool,
}

/// One lane.
pub(crate) struct Lane {
    /// Its rules.
    pub rules: Rules,
    /// What the player said of it.
    pub played: Value,
    /// Its course.
    pub film: Film,
    /// Where it stands.
    pub scene: Scene,
    /// What the player saw there last.
    pub seen: Value,
    /// What it cost.
    pub totals: Totals,
}

/// See the module.
pub(crate) struct Stage {
    /// What the player calls these lanes.
    pub generation: i64,
    /// The lanes.
    pub lanes: Vec<Lane>,
    /// Their steps, in lockstep.
    pub beats: Beats,
    /// The virtual time, in nanoseconds after the picture's beginning.
    pub now: i64,
    /// The last beat that was played.
    pub position: usize,
    /// Whether pods are grouped by node.
    pub by_node: bool,
    /// Whether the lanes stand at the same number of decisions, and not at the same time.
    by_step: bool,
    /// How many times faster than asked time runs, while a wait is shortened.
    pub hurry: Option<i64>,
    /// How many decisions each lane stands behind, where they are aligned by step.
    decisions: usize,
    /// Whether each lane looks like the one above it at every moment.
    repeats: Vec<bool>,
    /// What the legend calls the versions, in the order in which they came.
    pub versions: [&'static str; 3],
    /// Of what the legend names only where it occurs, what does.
    pub occurs: [(&'static str, bool); 3],
}

impl Lane {
    /// What was played under these rules.
    pub(crate) fn new(rules: Rules, played: Value, numbers: &[i32]) -> Self {
        let film = Film::read(numbers, list_field(&played, "sets").len(), list_field(&played, "rows").len());
        let scene = Scene::new(&film);
        Self { rules, played, film, scene, seen: Value::Null, totals: Totals::default() }
    }

    /// Why it ends before everything is quiet, where it does.
    pub(crate) fn cut(&self) -> Option<&str> {
        field(&self.played, "cut").as_str()
    }

    /// Whether more of what it costs is still to come when it ends.
    pub(crate) fn costs_more(&self) -> bool {
        let last = self.film.points.last();
        let grows = |point: &Point| point.over() > 0 || point.sets.iter().any(|counts| counts.terminating > 0);
        self.cut().is_some() || last.is_some_and(grows)
    }

    /// Whether another lane looks the same at every moment.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.film.points == other.film.points && self.film.stops == other.film.stops
    }

    /// The name of a group of pods.
    pub(crate) fn row_name(&self, row: usize) -> &str {
        str_at(list_field(&self.played, "rows"), row)
    }

    /// The pod that is shown there.
    pub(crate) fn pod_at(&self, row: usize, slot: usize) -> Option<&Move> {
        self.scene.pod_at(&self.film, row, slot)
    }
}

impl Stage {
    /// All lanes, at the picture's beginning.
    pub(crate) fn new(generation: i64, lanes: Vec<Lane>, by_node: bool) -> Self {
        let films: Vec<&Film> = lanes.iter().map(|lane| &lane.film).collect();
        let beats = Beats::of(&films);
        let mut repeats = Vec::new();
        let mut above: Option<&Lane> = None;
        for lane in &lanes {
            repeats.push(above.is_some_and(|above| lane.same_as(above)));
            above = Some(lane);
        }
        let ever = |state| {
            let points = films.iter().flat_map(|film| &film.points);
            points.flat_map(|point| &point.sets).any(|counts| count(counts, state) > 0)
        };
        let occurs = [
            ("newest", films.iter().any(|film| film.sets > 2)),
            ("unknown", ever(PodState::Unknown)),
            ("failed", ever(PodState::Failed)),
        ];
        // What was the old version is the new one once it is rolled back to.
        let versions = if films.iter().any(|film| film.goes_back()) {
            ["first version", "second version", "third version"]
        } else {
            ["old", "new", "newest"]
        };
        let mut stage = Self {
            generation,
            lanes,
            now: 0,
            position: beats.first,
            beats,
            by_node,
            by_step: false,
            hurry: None,
            decisions: 0,
            repeats,
            versions,
            occurs,
        };
        // How long it takes counts from what the user does first in any lane.
        let acts = |beat: &&Beat| beat.time >= 0 && beat.notable == Some(Milestone::User);
        let from = stage.beats.list.iter().find(acts).map_or(0, |beat| beat.time);
        let end = Time(stage.end());
        let since = |time: i64| time.saturating_sub(from).max(0);
        for lane in &mut stage.lanes {
            let all = Totals::of(&lane.film.series(), Time(0), end);
            lane.totals = Totals { complete: all.complete.map(since), alone: all.alone.map(since), ..all };
        }
        stage.stand(0);
        stage
    }

    /// When the last thing happens.
    pub(crate) fn end(&self) -> i64 {
        self.beats.list.last().map_or(0, |beat| beat.time.max(0))
    }

    /// The most pods at once, or the limit where that is more: what all scales must hold.
    pub(crate) fn most(&self) -> i32 {
        let points = self.lanes.iter().flat_map(|lane| &lane.film.points);
        let limits = points.map(|point| point.marks.limit);
        self.lanes.iter().map(|lane| lane.film.peak).chain(limits).max().unwrap_or(0)
    }

    /// The most pods that any row has at once.
    pub(crate) fn slots(&self) -> usize {
        self.lanes.iter().flat_map(|lane| &lane.film.rows).copied().max().unwrap_or(0)
    }

    /// Whether the lanes stand at the same number of decisions, and not at the same time.
    pub(crate) const fn is_by_step(&self) -> bool {
        self.by_step
    }

    /// Puts the playhead at a time, which is that of all lanes.
    pub(crate) fn stand(&mut self, time: i64) {
        self.by_step = false;
        self.now = time.clamp(0, self.end());
        self.position = self.beats.position_at(self.now);
        self.seek();
    }

    /// Puts the playhead at what the user does at a time, before anything follows from it.
    pub(crate) fn stand_at_act(&mut self, time: i64) {
        self.stand_at(self.beats.act_at(time));
    }

    /// Puts the playhead at a position, whose time it takes; by step, at so many decisions.
    pub(crate) fn stand_at(&mut self, position: usize) {
        if self.by_step {
            self.decisions = position.min(self.steps());
            // The time of all is that of the lane that is last.
            self.now = (0..self.lanes.len()).map(|lane| self.time_of(lane)).max().unwrap_or(0);
        } else {
            self.position = position.clamp(self.beats.first, self.beats.len());
            self.now = self.beats.time(self.position);
        }
        self.seek();
    }

    /// Aligns the lanes by step or by time, where the playhead stands.
    pub(crate) fn align(&mut self, by_step: bool) {
        match (self.by_step, by_step) {
            (true, false) => self.stand(self.now),
            (false, true) => {
                self.by_step = true;
                self.stand_at(self.beats.notable_until(self.position));
            }
            _ => {}
        }
    }

    /// Puts the playhead where it is on another stage.
    pub(crate) fn stand_like(&mut self, other: &Self) {
        self.stand(other.now);
        if self.beats.time(other.position) == self.now {
            // The same step of that instant.
            self.stand_at(other.position);
        }
        if other.by_step {
            self.by_step = true;
            self.stand_at(other.decisions);
        }
    }

    /// Where the next decision leads, or the one before.
    pub(crate) fn next_notable(&self, forward: bool) -> usize {
        match (self.by_step, forward) {
            (true, true) => self.decisions.saturating_add(1),
            (true, false) => self.decisions.saturating_sub(1),
            (false, true) => self.beats.next_notable(self.position),
            (false, false) => self.beats.previous_notable(self.position),
        }
    }

    /// How many decisions were taken.
    pub(crate) fn step(&self) -> usize {
        if self.by_step { self.decisions } else { self.beats.notable_until(self.position) }
    }

    /// How many there are.
    pub(crate) fn steps(&self) -> usize {
        if self.by_step {
            self.lanes.iter().map(|lane| lane.film.stops.len()).max().unwrap_or(0)
        } else {
            self.beats.notable_until(usize::MAX)
        }
    }

    fn seek(&mut self) {
        for index in 0..self.lanes.len() {
            let (frame, now) = (self.frame(index), self.time_of(index));
            if let Some(lane) = self.lanes.get_mut(index) {
                lane.scene.seek(&lane.film, frame, now);
            }
        }
    }

    /// The frame of a lane.
    fn frame(&self, lane: usize) -> usize {
        if !self.by_step {
            return self.beats.frame(self.position, lane);
        }
        self.stop(lane).unwrap_or_else(|| self.beats.frame(self.beats.first, lane))
    }

    /// The frame after the decision behind which a lane stands, by step.
    fn stop(&self, lane: usize) -> Option<usize> {
        let stops = &self.lanes.get(lane)?.film.stops;
        let last = self.decisions.min(stops.len()).checked_sub(1)?;
        stops.get(last).copied()
    }

    /// The time of a lane.
    pub(crate) fn time_of(&self, lane: usize) -> i64 {
        if !self.by_step {
            return self.now;
        }
        let steps = self.lanes.get(lane).map(|lane| lane.film.steps.as_slice()).unwrap_or_default();
        let step = self.stop(lane).and_then(|frame| frame.checked_sub(1)).and_then(|step| steps.get(step));
        step.map_or(0, |step| step.time)
    }

    /// The frame of each lane.
    pub(crate) fn frames(&self) -> Vec<Value> {
        (0..self.lanes.len()).map(|lane| index_value(self.frame(lane))).collect()
    }

    /// Whether a lane looks like the one above it at every moment.
    pub(crate) fn repeats(&self, lane: usize) -> bool {
        self.repeats.get(lane).copied().unwrap_or(false)
    }

    /// What a lane has now that the first one has not, in words; nothing where they are the same.
    pub(crate) fn differs(&self, lane: usize) -> Option<String> {
        let (first, this) = self.lanes.first().zip(self.lanes.get(lane))?;
        let [there, here] = [first, this].map(|lane| holding(&lane.scene.sets));
        let terminating =
            |lane: &Lane| lane.scene.sets.iter().fold(0_i32, |sum, counts| sum.saturating_add(counts.terminating));
        let ready =
            |lane: &Lane| lane.scene.sets.iter().fold(0_i32, |sum, counts| sum.saturating_add(counts.available));
        let mut words = Vec::new();
        let mut say = |by: i32, what: &str| {
            if by != 0 {
                let sign = if by > 0 { "more" } else { "fewer" };
                words.push(format!("{} {sign} {what}", by.unsigned_abs()));
            }
        };
        let pods = here.saturating_sub(there);
        say(pods, if pods.abs() == 1 { "pod" } else { "pods" });
        say(ready(this).saturating_sub(ready(first)), "available");
        say(terminating(this).saturating_sub(terminating(first)), "terminating");
        (!words.is_empty()).then(|| words.join(", ") + " than above")
    }

    /// The moment that tells the most: the first at which the most pods of the first lane are above the limit, else the
    /// middle.
    pub(crate) fn telling(&self) -> i64 {
        let over = self.lanes.first().and_then(|lane| lane.film.first_peak_over());
        over.unwrap_or_else(|| self.end().div_euclid(2))
    }
}
