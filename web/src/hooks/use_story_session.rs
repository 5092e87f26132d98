use std::rc::Rc;

use changeover_wire::{Fork, StepLevel};
use yew::{Callback, NodeRef, UseReducerHandle, hook, use_effect_with, use_memo, use_mut_ref, use_reducer_eq};

use super::{LoadedStory, Rollout, ScrollTarget, StoryScroll, use_rollout, use_story_scroll};
use crate::number::{to_f64, to_i64};
use crate::playback::Playback;
use crate::player_client::LaneRequest;
use crate::rollout::{MovedBy, RestoredPosition, RolloutAction, StartPosition};
use crate::share::{SharedState, SharedStory};
use crate::story::{CaptionMoment, Story};
use crate::story_state::{Announced, StoryAction, StoryState, StoryVersion};

/// Where a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what comes next.
    Forth,
    /// To what was before.
    Back,
}

/// A story that is being read.
#[derive(Clone, PartialEq)]
pub struct StorySession {
    /// The state of its page.
    pub state: UseReducerHandle<StoryState>,
    /// What its lanes show.
    pub rollout: Rollout,
    /// The version that is shown.
    pub story: Rc<Story>,
    /// The lanes of its chapter that is read.
    pub lanes: Rc<Vec<LaneRequest>>,
    /// Scrolls to a caption.
    scroll_to: Callback<ScrollTarget>,
}

impl StorySession {
    /// Changes the state of its page.
    pub fn dispatch(&self, action: StoryAction) {
        self.state.dispatch(action);
    }

    /// A callback that does something in this session.
    pub fn callback<T: 'static>(&self, act: impl Fn(&Self, T) + 'static) -> Callback<T> {
        let session = self.clone();
        Callback::from(move |value| act(&session, value))
    }

    /// The reader goes to a caption by a button or a key.
    pub fn go_to(&self, caption: usize) {
        if self.story.place(caption).0 != self.chapter() && !self.rollout.state.forks.is_empty() {
            // What was done belongs to the chapter that is left.
            self.rollout.dispatch(RolloutAction::ClearForks);
        }
        self.dispatch(StoryAction::GoTo(caption));
        self.scroll_to.emit(ScrollTarget::Chosen(caption));
        self.show(caption);
    }

    /// The reader goes to the next caption.
    pub fn go_to_next(&self) {
        self.go_to(self.next_caption().unwrap_or(self.state.caption));
    }

    /// The reader goes to the previous caption.
    pub fn go_to_previous(&self) {
        self.go_to(self.previous_caption().unwrap_or(self.state.caption));
    }

    /// The next caption; none after the last one.
    pub fn next_caption(&self) -> Option<usize> {
        let next = self.state.caption.saturating_add(1);
        (next..self.story.captions().count()).find(|caption| self.is_played(*caption))
    }

    /// The previous caption; none before the first one.
    pub fn previous_caption(&self) -> Option<usize> {
        (0..self.state.caption).rev().find(|caption| self.is_played(*caption))
    }

    /// Whether the step of a caption is played: after what the reader did, it may never come.
    fn is_played(&self, caption: usize) -> bool {
        let playback = self.rollout.state.playback.as_ref();
        playback.is_none_or(|playback| self.story.caption_moment(playback, caption).is_ok())
    }

    /// The number of the chapter that is read.
    pub fn chapter(&self) -> usize {
        self.story.place(self.state.caption).0
    }

    /// Whether the chapter is one of the smaller cases that the story begins with.
    pub fn is_at_beginning(&self) -> bool {
        self.chapter().saturating_add(1) < self.story.chapter_count()
    }

    /// The reader lets time run, or stops it. At the end of a chapter, the next one begins.
    pub fn play_or_pause(&self) {
        let shown = &self.rollout.state;
        if shown.is_playing {
            return self.rollout.dispatch(RolloutAction::Pause);
        }
        let is_over = shown.playback.as_ref().is_some_and(|playback| shown.playhead.time >= playback.end_time());
        let next = self.next_caption().filter(|next| self.story.place(*next).0 != self.chapter());
        match next.filter(|_| is_over && shown.forks.is_empty()) {
            Some(next) => self.go_to(next),
            None => self.rollout.dispatch(RolloutAction::Play),
        }
    }

    /// The reader goes one step forth or back, and stops at each caption on the way. At the end of a chapter, the next one begins, and at
    /// its beginning, the previous one ends.
    pub fn step(&self, direction: Direction) {
        let plain = match direction {
            Direction::Forth => RolloutAction::Next,
            Direction::Back => RolloutAction::Previous,
        };
        let shown = &self.rollout.state;
        let Some(playback) = shown.playback.as_ref().filter(|_| self.stops_at_captions()) else {
            return self.rollout.dispatch(plain);
        };
        let now = shown.playhead.time;
        let (chapter_end, step, caption) = match direction {
            Direction::Forth => (playback.end_time(), playback.next_wave(shown.playhead).time, self.next_caption()),
            Direction::Back => {
                let is_past = |caption: &usize| self.moment(*caption).is_some_and(|moment| moment.time < now);
                let caption = Some(self.state.caption).filter(is_past).or_else(|| self.previous_caption());
                (playback.first_wave().time, playback.previous_wave(shown.playhead).time, caption)
            }
        };
        let is_on_the_way = |caption: &usize| match self.moment(*caption) {
            Some(moment) => (now.min(step)..=now.max(step)).contains(&moment.time),
            // Of another chapter.
            None => now == chapter_end,
        };
        match caption.filter(is_on_the_way) {
            Some(caption) => self.go_to(caption),
            None => self.rollout.dispatch(plain),
        }
    }

    /// Whether steps stop at captions: not at single writes, nor after what the reader did, which the captions don't know.
    fn stops_at_captions(&self) -> bool {
        let shown = &self.rollout.state;
        shown.level == StepLevel::Wave && shown.forks.is_empty()
    }

    /// How it is left, secrets in its actions included; none while time runs, or other lanes are played.
    pub fn settled(&self, name: &str) -> Option<SharedState> {
        let settled = self.rollout.state.settled()?;
        let time = self.rollout.state.playhead.time;
        let playback = self.rollout.state.playback.clone()?;
        let caption = self.moment(self.state.caption).map(|moment| playback.at_time(moment.time).time);
        let (chapter, caption_in_chapter) = self.story.place(self.state.caption);
        let story = SharedStory {
            name: name.to_owned(),
            chapter: u32::try_from(chapter).ok().filter(|_| self.is_at_beginning()),
            caption: u32::try_from(caption_in_chapter).unwrap_or(0),
            shows_remedy: self.state.version == StoryVersion::Remedy,
        };
        // At the time of the caption, the page may still show another write than the caption's.
        let is_at_caption = caption == Some(time) && settled.write.is_none() && !settled.zoomed_in;
        let moment = (!settled.forks.is_empty() || !is_at_caption).then_some(time);
        Some(SharedState { story: Some(story), moment, ..settled })
    }

    /// Shows what would have helped, or what happened.
    pub fn show_version(&self, version: StoryVersion, loaded: &LoadedStory) {
        let caption = match version {
            StoryVersion::Original => last_caption(&loaded.story),
            StoryVersion::Remedy => 0,
        };
        self.dispatch(StoryAction::Show(version, caption));
    }

    /// The moment of a caption, once the lanes have been played.
    fn moment(&self, caption: usize) -> Option<CaptionMoment> {
        let playback = self.rollout.state.playback.clone()?;
        self.story.caption_moment(&playback, caption).ok()?
    }

    /// Moves the playhead to a caption.
    fn show(&self, caption: usize) {
        if let Some(moment) = self.moment(caption) {
            self.rollout.dispatch(RolloutAction::Explain(moment.time, moment.explain));
        }
    }

    /// Follows the reader, who scrolls; not while what is shown is the reader's own doing.
    fn follow(&self, scroll: StoryScroll) {
        if !self.rollout.state.forks.is_empty() {
            return;
        }
        self.dispatch(StoryAction::MoveTo(scroll.caption));
        let playback = self.rollout.state.playback.clone();
        match playback.and_then(|playback| time_between(&self.story, &playback, scroll)) {
            Some(time) => self.rollout.dispatch(RolloutAction::Explain(time, None)),
            None => self.show(scroll.caption),
        }
    }

    /// Follows the reader, who has moved the playhead or lets time run; not while what is shown is the reader's own doing. The text stays
    /// in sight.
    fn follow_playhead(&self) {
        let shown = &self.rollout.state;
        let Some(playback) = shown.playback.as_ref().filter(|_| shown.forks.is_empty()) else { return };
        let caption = self.story.caption_at(playback, shown.playhead.time, self.state.caption);
        if caption != self.state.caption {
            self.dispatch(StoryAction::MoveTo(caption));
            self.scroll_to.emit(ScrollTarget::Shown(caption));
        }
    }
}

/// Reads a story: asks for the lanes of the version that is shown, and keeps captions, scroll position and playhead together.
/// `restored`: where an address says that it was left.
#[hook]
pub fn use_story_session(
    loaded: &Rc<LoadedStory>,
    captions: &NodeRef,
    picture: &NodeRef,
    restored: Option<&SharedState>,
) -> StorySession {
    let state = use_reducer_eq(|| match restored.and_then(|restored| restored.story.as_ref()) {
        Some(story) => {
            let version = if story.shows_remedy { StoryVersion::Remedy } else { StoryVersion::Original };
            let caption = loaded.version(version).caption_of(story);
            StoryState { version, caption, ..StoryState::new() }
        }
        None => StoryState::new(),
    });
    let version = state.version;
    let story = loaded.version(version).clone();
    let chapter = story.place(state.caption).0;
    let dragged = state.dragged.of_chapter(chapter);
    let lanes = use_memo((loaded.clone(), version, chapter, dragged), |(loaded, version, chapter, dragged)| {
        Rc::new(loaded.lane_requests(*version, *chapter, *dragged))
    });
    let rollout = use_rollout(Some((*lanes).clone()), StartPosition::Keep);
    let mut session = StorySession { state, rollout, story, lanes: (*lanes).clone(), scroll_to: Callback::noop() };
    session.scroll_to = use_story_scroll(captions, picture, {
        let session = session.clone();
        Callback::from(move |scroll| session.follow(scroll))
    });

    // What an address says comes first, once.
    let restored = use_mut_ref(|| restored.cloned());
    use_effect_with((), {
        let (rollout, restored) = (session.rollout.clone(), restored.clone());
        move |()| {
            if let Some(state) = &*restored.borrow() {
                let forks = state.forks.iter().cloned().map(Fork::from).collect();
                rollout.dispatch(RolloutAction::Restore(forks, RestoredPosition::of(state)));
            }
        }
    });

    // New lanes begin at the caption. Those of another chapter may be higher, and would cover one that the reader went to.
    let generation = session.rollout.state.playback.as_ref().map(|playback| playback.generation);
    let shown_chapter = use_mut_ref(|| chapter);
    use_effect_with(generation, {
        let session = session.clone();
        move |generation| {
            let restored = generation.and_then(|_| restored.take());
            if restored.is_some() {
                session.scroll_to.emit(ScrollTarget::Shown(session.state.caption));
            }
            let is_elsewhere = restored.is_some_and(|state| state.moment.is_some());
            let caption = session.state.caption;
            if !is_elsewhere && session.rollout.state.forks.is_empty() {
                session.show(caption);
            }
            let is_chosen = session.state.announced == Some(Announced::Caption(caption));
            if shown_chapter.replace(session.chapter()) != session.chapter() && is_chosen {
                session.scroll_to.emit(ScrollTarget::Chosen(caption));
            }
        }
    });

    // The captions of the remedy replace those of the story, or the other way round.
    let is_first_render = use_mut_ref(|| true);
    use_effect_with(version, {
        let session = session.clone();
        move |_| {
            if !is_first_render.replace(false) {
                session.scroll_to.emit(ScrollTarget::Chosen(session.state.caption));
            }
        }
    });

    let done_forks = session.rollout.state.done_forks();
    let last_done_forks = use_mut_ref(|| done_forks);
    use_effect_with(done_forks, {
        let session = session.clone();
        move |done_forks| {
            session.dispatch(StoryAction::OpenWhatIf(false));
            if last_done_forks.replace(*done_forks) != *done_forks {
                session.dispatch(StoryAction::ChangeRollout);
            }
        }
    });
    use_effect_with((session.rollout.state.playhead.time, session.rollout.state.moved_by), {
        let session = session.clone();
        move |(_, moved_by)| {
            if *moved_by != MovedBy::Page {
                session.follow_playhead();
            }
        }
    });
    session
}

fn last_caption(story: &Story) -> usize {
    story.captions().count().saturating_sub(1)
}

/// The time between two captions that a reader has scrolled to; none where a caption stays at its moment.
fn time_between(story: &Story, playback: &Playback, scroll: StoryScroll) -> Option<i64> {
    if scroll.progress <= 0.0 {
        return None;
    }
    let from = story.caption_moment(playback, scroll.caption).ok()??.time;
    let to = story.caption_moment(playback, scroll.caption.saturating_add(1)).ok()??.time;
    Some(from.saturating_add(to_i64(to_f64(to.saturating_sub(from)) * scroll.progress)))
}
