//! The state of what is shown: the lanes, the playhead, what the player explains, and what the user adds. All changes are
//! [`RolloutAction`]s.

use std::rc::Rc;

use changeover_wire::{FORK_PATH_PREFIX, Fork, Inspection, Mark, Problem, Refusal, StepLevel, StepRef, WorkloadName};
use serde_json::Value;
use yew::Reducible;

use crate::playback::{Playback, Playhead};
use crate::playback_clock::{DEFAULT_SPEED, SPEEDS, advance};
use crate::share::{SharedFork, SharedState};

/// An action that the user added, and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedFork {
    /// The action.
    pub fork: Fork,
    /// Its outcome, as a sentence; none while it is played for the first time.
    pub outcome: Option<String>,
}

/// Where the playhead goes when lanes arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// To the moment that shows the consequence.
    Opening,
    /// To the beginning, or where it was.
    Keep,
}

/// The position of the playhead that an address contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestoredPosition {
    /// The time; none for the page's default.
    time: Option<i64>,
    /// The position of the last API write that is shown, if it is not the last one of that time.
    write: Option<usize>,
    /// The steps in which the playhead moves.
    level: StepLevel,
}

impl RestoredPosition {
    /// The position in a shared state.
    pub fn of(state: &SharedState) -> Self {
        Self {
            time: state.moment,
            write: state.write.and_then(|write| usize::try_from(write).ok()),
            level: if state.zoomed_in { StepLevel::Write } else { StepLevel::Wave },
        }
    }
}

/// How the playhead came to where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovedBy {
    /// By the page: it shows a caption or new lanes.
    Page,
    /// By the user, who dragged it, or played.
    User,
    /// By the user, who stepped or jumped with a button or a key, or played to the end: a screen reader says what is shown.
    Step,
}

/// What the user points at in an explanation: a part of a lane's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The lane.
    pub lane: usize,
    /// The part.
    pub mark: Mark,
}

/// The state of what is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutState {
    start_position: StartPosition,
    /// Where the playhead goes once when lanes arrive: an address says so.
    restored: RestoredPosition,
    /// Whether the playhead stays where it is when lanes arrive: only what the user adds has changed.
    keeps_playhead: bool,
    /// The lanes, once they have been played.
    pub playback: Option<Rc<Playback>>,
    /// Where the playhead is.
    pub playhead: Playhead,
    /// Where it is when a slider says so. While it plays, that is where playing began: a screen reader would read each frame.
    pub spoken_playhead: Playhead,
    /// How it came there.
    pub moved_by: MovedBy,
    /// What the player says about the lanes at the playhead.
    pub inspection: Option<Rc<Inspection>>,
    /// In which steps the playhead moves.
    pub level: StepLevel,
    /// The step to explain, if it is not the one at the playhead.
    pub explain: Option<StepRef>,
    /// Whether time runs.
    pub is_playing: bool,
    /// The index of the speed.
    pub speed: usize,
    /// Whether the lanes no longer fit what was asked for.
    pub is_stale: bool,
    /// Why the lanes can't be played.
    pub refusal: Option<Refusal>,
    /// Why the page can't go on.
    pub failure: Option<String>,
    /// Whether the tables behind the explanation are shown.
    pub tables: bool,
    /// The part of a picture that is lit up.
    pub highlight: Option<Highlight>,
    /// What the user added, by time.
    pub forks: Vec<AppliedFork>,
    /// Why the last action that the user added was not done.
    pub fork_problem: Option<Problem>,
}

/// A change of what is shown.
#[derive(Debug)]
pub enum RolloutAction {
    /// Other lanes are requested.
    Requested,
    /// All lanes were played.
    Played(Playback),
    /// The lanes can't be played.
    Refused(Refusal),
    /// The player has explained a moment.
    Inspected(Inspection),
    /// The page can't go on.
    Failed(String),
    /// Moves the playhead to a time, and stops playing.
    SeekTime(i64),
    /// Moves the playhead to a time at which a certain step is explained.
    Explain(i64, Option<StepRef>),
    /// Goes to the next step of the level.
    Next,
    /// Goes to the previous step of the level.
    Previous,
    /// Goes to the next API write.
    NextWrite,
    /// Goes to the previous API write.
    PreviousWrite,
    /// Goes to the start.
    First,
    /// Goes to the end.
    Last,
    /// Starts to play; from the beginning if everything was played.
    Play,
    /// Stops playing.
    Pause,
    /// Milliseconds pass while time runs.
    Tick(f64),
    /// Sets the index of the speed.
    SetSpeed(usize),
    /// Sets the level of the steps.
    SetLevel(StepLevel),
    /// Shows or hides the tables.
    ShowTables(bool),
    /// Lights up a part of a picture, or none.
    Highlight(Option<Highlight>),
    /// Does something else at the playhead.
    AddFork(Value),
    /// Something that is to be done is incomplete.
    RefuseFork(Problem),
    /// The user begins again to choose what to do.
    DismissForkProblem,
    /// Takes an added action back.
    RemoveFork(usize),
    /// Takes all added actions back.
    ClearForks,
    /// What was added, and where the playhead was, is as an address has it.
    Restore(Vec<Fork>, RestoredPosition),
}

impl RolloutState {
    /// Nothing is shown yet.
    pub const fn new(start_position: StartPosition) -> Self {
        Self {
            start_position,
            restored: RestoredPosition { time: None, write: None, level: StepLevel::Wave },
            keeps_playhead: false,
            playback: None,
            playhead: Playhead { time: 0, position: 0 },
            spoken_playhead: Playhead { time: 0, position: 0 },
            moved_by: MovedBy::Page,
            inspection: None,
            level: StepLevel::Wave,
            explain: None,
            is_playing: false,
            speed: DEFAULT_SPEED,
            is_stale: false,
            refusal: None,
            failure: None,
            tables: false,
            highlight: None,
            forks: Vec::new(),
            fork_problem: None,
        }
    }

    /// The actions that the user added.
    pub fn requested_forks(&self) -> Vec<Fork> {
        self.forks.iter().map(|applied| applied.fork.clone()).collect()
    }

    /// Whether it shows something and does not change by itself.
    pub fn is_settled(&self) -> bool {
        let is_there = self.playback.is_some() || self.refusal.is_some();
        is_there && !self.is_busy() && !self.is_playing
    }

    /// How it is left, secrets in its actions included; none while it changes by itself.
    pub fn settled(&self) -> Option<SharedState> {
        self.is_settled().then(|| self.left())
    }

    /// How it is left, at any time, secrets in its actions included.
    pub fn left(&self) -> SharedState {
        let Playhead { time, position } = self.playhead;
        let playback = self.playback.as_ref().filter(|_| self.refusal.is_none());
        let has_later_write = playback.is_some_and(|playback| playback.at_time(time).position != position);
        SharedState {
            forks: self.forks.iter().map(|applied| SharedFork::from(&applied.fork)).collect(),
            moment: playback.filter(|_| self.default_time() != Some(time)).map(|_| time),
            write: u32::try_from(position).ok().filter(|_| has_later_write),
            zoomed_in: self.level == StepLevel::Write,
            ..SharedState::default()
        }
    }

    /// Whether other lanes are being played.
    pub const fn is_busy(&self) -> bool {
        self.is_stale && self.refusal.is_none()
    }

    /// Whether something else is about to be shown. An added action changes nothing before it is accepted.
    pub fn is_superseded(&self) -> bool {
        let is_accepted = |applied: &AppliedFork| applied.outcome.is_some();
        self.is_stale && self.fork_problem.is_none() && self.forks.iter().all(is_accepted)
    }

    /// What is wrong with a lane.
    pub fn problem_of_lane(&self, lane: usize) -> Option<Problem> {
        self.refusal.as_ref().filter(|refusal| refusal.lane == lane).map(|refusal| refusal.problem.clone())
    }

    /// How many of the added actions were done.
    pub fn done_forks(&self) -> usize {
        self.forks.iter().filter(|applied| applied.outcome.is_some()).count()
    }

    /// The speed in virtual seconds per second.
    pub fn virtual_speed(&self) -> f64 {
        SPEEDS.get(self.speed).copied().unwrap_or(1.0)
    }

    fn move_to(&mut self, playhead: Playhead) {
        self.playhead = playhead;
        self.moved_by = MovedBy::Page;
        self.explain = None;
    }

    fn seek(&mut self, to: impl FnOnce(&Playback, Playhead) -> Playhead) {
        self.is_playing = false;
        if let Some(playback) = self.playback.clone() {
            self.move_to(to(&playback, self.playhead));
        }
    }

    fn step_write(&mut self, by: isize) {
        self.level = StepLevel::Write;
        self.seek(|playback, playhead| playback.at_position(playhead.position.saturating_add_signed(by)));
    }

    fn played(&mut self, playback: Playback) {
        self.refusal = None;
        self.failure = None;
        self.is_stale = false;
        let added = self.forks.iter().position(|applied| applied.outcome.is_none());
        for (index, applied) in self.forks.iter_mut().enumerate() {
            applied.outcome = Some(fork_outcome(&playback, index).0);
        }
        if let Some(index) = added {
            let (sentence, done) = fork_outcome(&playback, index);
            if !done {
                self.forks.remove(index);
                self.keeps_playhead = true;
                self.fork_problem = Some(Problem::new("", sentence));
                self.is_stale = true;
                return;
            }
        }
        let added = added.and_then(|index| self.forks.get(index)).map(|applied| applied.fork.at);
        let keeps_playhead = std::mem::take(&mut self.keeps_playhead);
        let restored = std::mem::take(&mut self.restored);
        let playhead = match (restored.time, added, self.start_position) {
            (Some(time), _, _) => playback.at_time(time),
            (None, Some(time), _) => playback.at_user_action(time),
            (None, None, StartPosition::Opening) if !keeps_playhead => playback.opening_playhead(),
            (None, None, StartPosition::Opening | StartPosition::Keep) => playback.at_time(self.playhead.time),
        };
        let playhead = restored.write.map_or(playhead, |write| playback.at_write(playhead.time, write));
        self.playback = Some(Rc::new(playback));
        // What is said about other lanes does not fit these.
        self.inspection = None;
        self.is_playing = false;
        self.move_to(playhead);
    }

    fn refused(&mut self, refusal: Refusal) {
        self.is_playing = false;
        let Problem { path, message } = &refusal.problem;
        let fork = path.strip_prefix(FORK_PATH_PREFIX).and_then(|rest| rest.split_once(']'));
        match fork.zip(self.forks.iter().position(|applied| applied.outcome.is_none())) {
            Some(((_, field), index)) => {
                self.forks.remove(index);
                self.keeps_playhead = true;
                self.fork_problem = Some(Problem::new(field.trim_start_matches('.'), message.as_str()));
            }
            None => self.refusal = Some(refusal),
        }
    }

    fn add_fork(&mut self, action: Value) {
        let Some(playback) = &self.playback else { return };
        self.fork_problem = None;
        self.is_playing = false;
        // After the position of the playhead, and each action at its own time.
        let mut at = self.playhead.time.saturating_add(1);
        for applied in &self.forks {
            at = at.saturating_add(i64::from(applied.fork.at == at));
        }
        let target: Option<WorkloadName> = playback.lanes.first().and_then(|lane| lane.played.workload.clone());
        let index = self.forks.partition_point(|applied| applied.fork.at < at);
        self.forks.insert(index, AppliedFork { fork: Fork { at, action, target }, outcome: None });
    }

    fn restore(&mut self, forks: Vec<Fork>, restored: RestoredPosition) {
        self.is_playing = false;
        self.level = restored.level;
        self.fork_problem = None;
        self.keeps_playhead = false;
        let has_other_forks = forks != self.requested_forks();
        if has_other_forks {
            self.forks = forks.into_iter().map(|fork| AppliedFork { fork, outcome: None }).collect();
        }
        self.restored = restored;
        if !has_other_forks && !self.is_stale && self.playback.is_some() {
            // No lanes will arrive.
            let RestoredPosition { time, write, .. } = std::mem::take(&mut self.restored);
            self.seek(|playback, _| {
                let playhead = time.map_or_else(|| playback.opening_playhead(), |time| playback.at_time(time));
                write.map_or(playhead, |write| playback.at_write(playhead.time, write))
            });
        }
    }

    /// Where the playhead goes by itself: none if only the user knows.
    pub fn default_time(&self) -> Option<i64> {
        let playback = self.playback.as_ref().filter(|_| self.forks.is_empty())?;
        Some(match self.start_position {
            StartPosition::Opening => playback.opening_playhead().time,
            StartPosition::Keep => 0,
        })
    }

    /// The new value of `moved_by` after an action; `None` if the action leaves it unchanged.
    fn mover(&self, action: &RolloutAction) -> Option<MovedBy> {
        match action {
            RolloutAction::Next
            | RolloutAction::Previous
            | RolloutAction::NextWrite
            | RolloutAction::PreviousWrite
            | RolloutAction::First
            | RolloutAction::Last
            | RolloutAction::SetLevel(_) => Some(MovedBy::Step),
            // After what the user did, a caption does not say what is shown.
            RolloutAction::Explain(..) if !self.forks.is_empty() => Some(MovedBy::Step),
            RolloutAction::SeekTime(_) => Some(MovedBy::User),
            _ => None,
        }
    }

    fn tick(&mut self, milliseconds: f64) {
        let Some(playback) = self.playback.clone().filter(|_| self.is_playing) else { return };
        let end = playback.end_time();
        let time = advance(&playback.waves, self.playhead.time, milliseconds, self.virtual_speed()).min(end);
        self.move_to(playback.at_time(time));
        self.moved_by = if time < end { MovedBy::User } else { MovedBy::Step };
        if time >= end {
            self.is_playing = false;
        }
    }
}

/// The outcome of an added action in the first lane in which it was done, and whether it was done in any.
fn fork_outcome(playback: &Playback, index: usize) -> (String, bool) {
    let outcomes = || playback.lanes.iter().filter_map(|lane| lane.played.forks.get(index));
    let done = outcomes().find(|outcome| outcome.done);
    let outcome = done.or_else(|| outcomes().next());
    (outcome.map(|outcome| outcome.sentence.clone()).unwrap_or_default(), done.is_some())
}

impl Reducible for RolloutState {
    type Action = RolloutAction;

    fn reduce(self: Rc<Self>, action: RolloutAction) -> Rc<Self> {
        let mut state = (*self).clone();
        let moved_by = state.mover(&action);
        match action {
            RolloutAction::Requested => state.is_stale = true,
            RolloutAction::Played(playback) => state.played(playback),
            RolloutAction::Refused(refusal) => state.refused(refusal),
            RolloutAction::Inspected(inspection) => {
                let is_shown = state.playback.as_ref().is_some_and(|shown| shown.generation == inspection.generation);
                if is_shown {
                    state.inspection = Some(Rc::new(inspection));
                }
            }
            RolloutAction::Failed(message) => state.failure = Some(message),
            RolloutAction::SeekTime(time) => state.seek(|playback, _| playback.at_time(time)),
            RolloutAction::Explain(time, step) => {
                state.seek(|playback, _| playback.at_time(time));
                state.level = StepLevel::Wave;
                state.explain = step;
            }
            RolloutAction::Next => match state.level {
                StepLevel::Wave => state.seek(Playback::next_wave),
                StepLevel::Write => state.step_write(1),
            },
            RolloutAction::Previous => match state.level {
                StepLevel::Wave => state.seek(Playback::previous_wave),
                StepLevel::Write => state.step_write(-1),
            },
            RolloutAction::NextWrite => state.step_write(1),
            RolloutAction::PreviousWrite => state.step_write(-1),
            RolloutAction::First => state.seek(|playback, _| playback.first_wave()),
            RolloutAction::Last => state.seek(|playback, _| playback.at_time(playback.end_time())),
            RolloutAction::Play => {
                if let Some(playback) = state.playback.clone() {
                    if state.playhead.time >= playback.end_time() {
                        state.move_to(playback.at_time(0));
                        state.spoken_playhead = state.playhead;
                    }
                    state.level = StepLevel::Wave;
                    state.is_playing = true;
                }
            }
            RolloutAction::Pause => state.is_playing = false,
            RolloutAction::Tick(milliseconds) => state.tick(milliseconds),
            RolloutAction::SetSpeed(speed) => state.speed = speed.min(SPEEDS.len().saturating_sub(1)),
            RolloutAction::SetLevel(level) => state.level = level,
            RolloutAction::ShowTables(shown) => state.tables = shown,
            RolloutAction::Highlight(highlight) => state.highlight = highlight,
            RolloutAction::AddFork(action) => state.add_fork(action),
            RolloutAction::RefuseFork(problem) => state.fork_problem = Some(problem),
            RolloutAction::DismissForkProblem => state.fork_problem = None,
            RolloutAction::RemoveFork(index) => {
                state.fork_problem = None;
                state.keeps_playhead = true;
                if index < state.forks.len() {
                    state.forks.remove(index);
                }
            }
            RolloutAction::ClearForks => {
                state.fork_problem = None;
                state.keeps_playhead = true;
                state.forks.clear();
            }
            RolloutAction::Restore(forks, position) => state.restore(forks, position),
        }
        state.moved_by = moved_by.unwrap_or(state.moved_by);
        if !state.is_playing {
            state.spoken_playhead = state.playhead;
        }
        Rc::new(state)
    }
}
