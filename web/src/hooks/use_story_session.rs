use std::rc::Rc;

use changeover_wire::Fork;
use gloo_timers::callback::Timeout;
use yew::{
    Callback, NodeRef, UseReducerHandle, hook, use_callback, use_effect_with, use_memo, use_mut_ref, use_reducer_eq,
};

use super::{LoadedStory, Rollout, ScrollTarget, StoryScroll, use_reader_input, use_rollout, use_story_scroll};
use crate::dom;
use crate::number::{to_f64, to_i64};
use crate::playback::Playback;
use crate::rollout::{MovedBy, PlayUntil, RestoredPosition, RolloutAction, StartPosition};
use crate::share::{SharedState, SharedStory};
use crate::story::{CaptionMoment, Story};
use crate::story_state::{Autoplay, StoryAction, StoryState, StoryVersion};

/// The selector of the button that plays the story.
const PLAY_BUTTON: &str = ".caption-buttons .primary";

/// A story that is being read.
#[derive(Clone, PartialEq)]
pub struct StorySession {
    /// The state of its page.
    pub state: UseReducerHandle<StoryState>,
    /// What its lanes show.
    pub rollout: Rollout,
    /// The version that is shown.
    pub story: Rc<Story>,
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
        (next..self.story.captions.len()).find(|caption| self.is_played(*caption))
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

    /// Whether anything plays: the story, or only the picture.
    pub fn is_playing(&self) -> bool {
        self.state.is_playing() || self.rollout.state.playing.is_some()
    }

    /// The reader plays the picture past the captions, or pauses whatever plays.
    pub fn play_or_pause_picture(&self) {
        let (action, picture_action) = if self.is_playing() {
            (StoryAction::Pause, RolloutAction::Pause)
        } else {
            (StoryAction::PlayPicture, RolloutAction::Play(PlayUntil::End))
        };
        self.rollout.dispatch(picture_action);
        self.dispatch(action);
    }

    /// The reader plays the story from here, from the beginning if it is at its end, or pauses whatever plays.
    pub fn play_or_pause(&self) {
        if self.is_playing() {
            self.rollout.dispatch(RolloutAction::Pause);
            self.dispatch(StoryAction::Stop);
            return;
        }
        let caption = self.state.caption;
        let moment = self.moment(caption).filter(|moment| self.rollout.state.playhead.time < moment.time);
        if let Some(moment) = moment {
            // It was paused on the way to this caption.
            self.rollout.dispatch(RolloutAction::Play(PlayUntil::Time(moment.time)));
        } else if self.next_caption().is_none() {
            self.go_to(0);
        }
        self.dispatch(StoryAction::Play);
    }

    /// How it is left, secrets in its actions included; none while the story plays, or other lanes are played.
    pub fn settled(&self, name: &str) -> Option<SharedState> {
        let settled = self.rollout.state.settled().filter(|_| !self.state.is_playing())?;
        let time = self.rollout.state.playhead.time;
        let playback = self.rollout.state.playback.clone()?;
        let caption = self.moment(self.state.caption).map(|moment| playback.at_time(moment.time).time);
        let story = SharedStory {
            name: name.to_owned(),
            caption: u32::try_from(self.state.caption).unwrap_or(0),
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

    /// The reader does something else.
    pub fn interrupt(&self) {
        self.rollout.dispatch(RolloutAction::Pause);
        self.dispatch(StoryAction::Interrupt);
    }

    /// The moment of a caption, once the lanes have been played.
    fn moment(&self, caption: usize) -> Option<CaptionMoment> {
        let playback = self.rollout.state.playback.clone()?;
        self.story.caption_moment(&playback, caption).ok()
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
        self.dispatch(StoryAction::ScrollTo(scroll.caption));
        let playback = self.rollout.state.playback.clone();
        match playback.and_then(|playback| time_between(&self.story, &playback, scroll)) {
            Some(time) => self.rollout.dispatch(RolloutAction::Explain(time, None)),
            None => self.show(scroll.caption),
        }
    }

    /// Follows the reader, who has moved the playhead; not while what is shown is the reader's own doing.
    fn follow_playhead(&self) {
        let shown = &self.rollout.state;
        let Some(playback) = shown.playback.as_ref().filter(|_| shown.forks.is_empty()) else { return };
        let caption = self.story.caption_at(playback, shown.playhead.time, self.state.caption);
        if caption != self.state.caption {
            self.dispatch(StoryAction::MoveTo(caption));
        }
    }

    /// How many milliseconds the introduction or the caption stays before the story plays on; `None` while the story is paused
    /// or the picture is moving.
    pub fn holds_for(&self) -> Option<u32> {
        let shown = &self.rollout.state;
        let holds = shown.playback.is_some() && shown.playing.is_none();
        self.state.autoplay.filter(|_| holds).map(|autoplay| match autoplay {
            Autoplay::Introduction => self.story.introduction_time(),
            Autoplay::Unasked | Autoplay::Asked => self.story.reading_time(self.state.caption),
        })
    }

    /// Plays on to the first caption after the introduction, then to the next one, or ends after the last one.
    fn play_on(&self) {
        if self.state.autoplay == Some(Autoplay::Introduction) {
            // Its moment is shown already, but in most windows the caption is below the introduction, out of sight.
            self.dispatch(StoryAction::PlayTo(self.state.caption));
            return self.scroll_to.emit(ScrollTarget::Shown(self.state.caption));
        }
        let next = self.next_caption().and_then(|next| Some((next, self.moment(next)?)));
        let Some((next, moment)) = next else { return self.dispatch(StoryAction::Stop) };
        self.dispatch(StoryAction::PlayTo(next));
        self.scroll_to.emit(ScrollTarget::Shown(next));
        if moment.time > self.rollout.state.playhead.time {
            self.rollout.dispatch(RolloutAction::Play(PlayUntil::Time(moment.time)));
        } else {
            self.show(next);
        }
    }

    /// Playing has come to rest: at the caption, its step is explained. Elsewhere, the reader has moved the playhead, and the
    /// story waits.
    fn arrive(&self) {
        let Some(playback) = self.rollout.state.playback.clone() else { return };
        let caption = self.state.caption;
        let time = self.moment(caption).map(|moment| playback.at_time(moment.time).time);
        if time == Some(self.rollout.state.playhead.time) {
            self.show(caption);
        } else {
            self.dispatch(StoryAction::Interrupt);
        }
    }
}

/// Reads a story: asks for the lanes of the version that is shown, and keeps captions, scroll position and playhead together.
/// `is_first_page`: the story plays by itself, unless an address says where it is (`restored`).
#[hook]
pub fn use_story_session(
    loaded: &Rc<LoadedStory>,
    is_first_page: bool,
    captions: &NodeRef,
    picture: &NodeRef,
    restored: Option<&SharedState>,
) -> StorySession {
    let state = use_reducer_eq(|| match restored.and_then(|restored| restored.story.as_ref()) {
        Some(story) => {
            let version = if story.shows_remedy { StoryVersion::Remedy } else { StoryVersion::Original };
            let last = last_caption(loaded.version(version));
            let caption = usize::try_from(story.caption).unwrap_or(0).min(last);
            StoryState { version, caption, ..StoryState::new(None) }
        }
        None => StoryState::new((is_first_page && !dom::prefers_reduced_motion()).then_some(Autoplay::Introduction)),
    });
    let version = state.version;
    let lanes = use_memo((loaded.clone(), version), |(loaded, version)| Rc::new(loaded.lane_requests(*version)));
    let rollout = use_rollout(Some((*lanes).clone()), StartPosition::Keep);
    let story = loaded.version(version).clone();
    let mut session = StorySession { state, rollout, story, scroll_to: Callback::noop() };
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

    // New lanes begin at the caption.
    let generation = session.rollout.state.playback.as_ref().map(|playback| playback.generation);
    use_effect_with(generation, {
        let session = session.clone();
        move |generation| {
            let restored = generation.and_then(|_| restored.take());
            if restored.is_some() {
                session.scroll_to.emit(ScrollTarget::Shown(session.state.caption));
            }
            let is_elsewhere = restored.is_some_and(|state| state.moment.is_some());
            if !is_elsewhere && session.rollout.state.forks.is_empty() {
                session.show(session.state.caption);
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
    use_autoplay(&session);
    session
}

/// Plays the story: the introduction and each caption stay until they can be read.
#[hook]
fn use_autoplay(session: &StorySession) {
    let StorySession { state, rollout, .. } = session;
    // It never moves the page once the user has begun to read or to act.
    let interrupt = use_callback((), {
        let session = session.clone();
        move |(), ()| session.interrupt()
    });
    use_reader_input(state.plays_unasked(), PLAY_BUTTON, interrupt);

    let (runs, time) = (rollout.state.playing.is_some(), rollout.state.playhead.time);
    use_effect_with((session.holds_for(), state.autoplay, state.caption, time), {
        let session = session.clone();
        move |(holds_for, ..)| {
            let timeout = holds_for.map(|milliseconds| Timeout::new(milliseconds, move || session.play_on()));
            move || drop(timeout)
        }
    });
    use_effect_with((runs, time), {
        let session = session.clone();
        move |(runs, _)| {
            if session.state.is_playing() && !runs {
                session.arrive();
            }
        }
    });
    use_effect_with((runs, time, rollout.state.moved_by), {
        let session = session.clone();
        move |(_, _, moved_by)| {
            // Only the story itself plays until a time, and it has set the caption already.
            let plays_to_caption = matches!(session.rollout.state.playing, Some(PlayUntil::Time(_)));
            if *moved_by != MovedBy::Page && !plays_to_caption {
                session.follow_playhead();
            }
        }
    });
}

fn last_caption(story: &Story) -> usize {
    story.captions.len().saturating_sub(1)
}

/// The time between two captions that a reader has scrolled to; none where a caption stays at its moment.
fn time_between(story: &Story, playback: &Playback, scroll: StoryScroll) -> Option<i64> {
    if scroll.progress <= 0.0 {
        return None;
    }
    let from = story.caption_moment(playback, scroll.caption).ok()?.time;
    let to = story.caption_moment(playback, scroll.caption.saturating_add(1)).ok()?.time;
    Some(from.saturating_add(to_i64(to_f64(to.saturating_sub(from)) * scroll.progress)))
}
