//! The state of a story's page: which version of the story is shown, where the reader is, whether it plays by itself, and what
//! is open. All changes are [`StoryAction`]s. What its lanes show is the rollout's state.

use std::rc::Rc;

use yew::Reducible;

/// A version of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoryVersion {
    /// What happened.
    Original,
    /// What would have helped.
    Remedy,
}

/// How a story that plays was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoplay {
    /// As [`Self::Unasked`], and the reader still reads the title and the summary.
    Introduction,
    /// By itself, on a first visit: it stops as soon as the reader does anything.
    Unasked,
    /// By the reader.
    Asked,
}

/// What a screen reader says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// A caption.
    Caption(usize),
    /// That the picture plays by itself, past the captions.
    Playing,
    /// That nothing plays any longer, because the reader has paused it or done something else.
    Pause,
    /// What comes of what the reader did to the rollout.
    Rollout,
}

/// The state of a story's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryState {
    /// The version that is shown: its lanes and its captions.
    pub version: StoryVersion,
    /// The caption that is read, or played to.
    pub caption: usize,
    /// Whether the story plays, caption by caption.
    pub autoplay: Option<Autoplay>,
    /// What a screen reader says: the caption that the reader went to by a button or a key, or plays, that the picture plays or is
    /// paused, or what came of something else that the reader did.
    pub announced: Option<Announced>,
    /// Whether the what-if panel is open.
    pub is_what_if_open: bool,
    /// Whether the player is shown where there is little room.
    pub is_player_open: bool,
}

/// A change of the state.
#[derive(Clone, Copy, Debug)]
pub enum StoryAction {
    /// The reader scrolls to a caption.
    ScrollTo(usize),
    /// The reader moves the playhead, and with it to a caption.
    MoveTo(usize),
    /// The reader goes to a caption by a button or a key.
    GoTo(usize),
    /// The story plays on to a caption.
    PlayTo(usize),
    /// The reader starts to play the story.
    Play,
    /// The reader plays the picture, past the captions.
    PlayPicture,
    /// The reader pauses by a key what plays: the page says so.
    Pause,
    /// What the reader did to the rollout is done, or taken back.
    ChangeRollout,
    /// The story stops playing: at its end, or by its button.
    Stop,
    /// The reader does something else: a story that plays is paused, and the page says so.
    Interrupt,
    /// Another version is shown, at one of its captions.
    Show(StoryVersion, usize),
    /// Opens or closes the what-if panel.
    OpenWhatIf(bool),
    /// Shows or hides the player where there is little room.
    OpenPlayer(bool),
    /// Closes the what-if panel, or else the player where there is little room.
    Close,
}

impl StoryState {
    /// The beginning of a story.
    pub const fn new(autoplay: Option<Autoplay>) -> Self {
        Self {
            version: StoryVersion::Original,
            caption: 0,
            autoplay,
            announced: None,
            is_what_if_open: false,
            is_player_open: false,
        }
    }

    /// Whether the story plays.
    pub const fn is_playing(&self) -> bool {
        self.autoplay.is_some()
    }

    /// Whether the page says that the story is paused.
    pub fn is_paused(&self) -> bool {
        self.announced == Some(Announced::Pause)
    }

    /// The state once the reader has done something else.
    fn interrupted(self) -> Self {
        if self.is_playing() { Self { autoplay: None, announced: Some(Announced::Pause), ..self } } else { self }
    }

    /// Whether it plays without having been asked to.
    pub fn plays_unasked(&self) -> bool {
        matches!(self.autoplay, Some(Autoplay::Introduction | Autoplay::Unasked))
    }
}

impl Reducible for StoryState {
    type Action = StoryAction;

    fn reduce(self: Rc<Self>, action: StoryAction) -> Rc<Self> {
        let state = (*self).clone();
        Rc::new(match action {
            // Readers who scroll on to another caption know that the story is paused.
            StoryAction::ScrollTo(caption) if state.is_paused() && caption != state.caption => {
                Self { caption, announced: None, ..state }
            }
            StoryAction::ScrollTo(caption) | StoryAction::MoveTo(caption) => Self { caption, ..state.interrupted() },
            // The player leaves no room for a picture that stays above the caption.
            StoryAction::GoTo(caption) => {
                let announced = Some(Announced::Caption(caption));
                Self { caption, autoplay: None, announced, is_player_open: false, ..state }
            }
            // A story that starts by itself must not interrupt a screen reader.
            StoryAction::PlayTo(caption) if state.plays_unasked() => {
                Self { caption, autoplay: Some(Autoplay::Unasked), ..state }
            }
            StoryAction::PlayTo(caption) => Self { caption, announced: Some(Announced::Caption(caption)), ..state },
            StoryAction::Play => {
                let announced = Some(Announced::Caption(state.caption));
                Self { autoplay: Some(Autoplay::Asked), announced, ..state }
            }
            StoryAction::PlayPicture => Self { announced: Some(Announced::Playing), ..state },
            StoryAction::Pause => Self { autoplay: None, announced: Some(Announced::Pause), ..state },
            StoryAction::ChangeRollout => Self { announced: Some(Announced::Rollout), ..state },
            StoryAction::Stop => Self { autoplay: None, ..state },
            StoryAction::Interrupt => state.interrupted(),
            StoryAction::Show(version, caption) => Self { version, caption, autoplay: None, announced: None, ..state },
            StoryAction::OpenWhatIf(is_what_if_open) => Self { is_what_if_open, ..state },
            StoryAction::OpenPlayer(is_player_open) => Self { is_player_open, ..state },
            StoryAction::Close if state.is_what_if_open => Self { is_what_if_open: false, ..state },
            StoryAction::Close => Self { is_player_open: false, ..state },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(state: StoryState, actions: &[StoryAction]) -> StoryState {
        let state = actions.iter().fold(Rc::new(state), |state, action| state.reduce(*action));
        (*state).clone()
    }

    #[test]
    fn a_reader_who_moves_stops_the_story() {
        let playing = StoryState::new(Some(Autoplay::Unasked));
        assert!(after(playing.clone(), &[StoryAction::PlayTo(1)]).plays_unasked());
        let moves = [
            StoryAction::ScrollTo(2),
            StoryAction::MoveTo(2),
            StoryAction::GoTo(2),
            StoryAction::Stop,
            StoryAction::Interrupt,
            StoryAction::Show(StoryVersion::Remedy, 0),
        ];
        for action in moves {
            assert!(!after(playing.clone(), &[action]).is_playing(), "{action:?}");
        }
        let again = after(playing, &[StoryAction::Stop, StoryAction::Play]);
        assert!(again.is_playing() && !again.plays_unasked());
    }

    #[test]
    fn the_first_caption_comes_after_the_introduction() {
        let introduction = StoryState::new(Some(Autoplay::Introduction));
        assert!(introduction.plays_unasked());
        assert_eq!(after(introduction.clone(), &[StoryAction::PlayTo(0)]), StoryState::new(Some(Autoplay::Unasked)));
        assert!(after(introduction, &[StoryAction::Interrupt]).is_paused());
    }

    #[test]
    fn a_story_never_pauses_silently() {
        let playing = StoryState::new(Some(Autoplay::Unasked));
        let is_paused = |actions: &[StoryAction]| after(playing.clone(), actions).is_paused();
        assert!(is_paused(&[StoryAction::Interrupt]));
        assert!(is_paused(&[StoryAction::ScrollTo(1)]));
        assert!(is_paused(&[StoryAction::Interrupt, StoryAction::ScrollTo(0)]));
        assert!(is_paused(&[StoryAction::Interrupt, StoryAction::MoveTo(1)]));
        // The reader stops it, or reads on.
        assert!(!is_paused(&[StoryAction::Stop]));
        assert!(!is_paused(&[StoryAction::Stop, StoryAction::Interrupt]));
        assert!(!is_paused(&[StoryAction::Interrupt, StoryAction::ScrollTo(1)]));
        assert!(!is_paused(&[StoryAction::Interrupt, StoryAction::GoTo(1)]));
        assert!(!is_paused(&[StoryAction::Interrupt, StoryAction::Play]));
    }

    #[test]
    fn what_space_plays_is_not_paused() {
        let interrupted = after(StoryState::new(Some(Autoplay::Unasked)), &[StoryAction::Interrupt]);
        let announced = |actions: &[StoryAction]| after(interrupted.clone(), actions).announced;
        assert_eq!(announced(&[StoryAction::PlayPicture]), Some(Announced::Playing));
        assert_eq!(announced(&[StoryAction::PlayPicture, StoryAction::MoveTo(1)]), Some(Announced::Playing));
        assert_eq!(announced(&[StoryAction::PlayPicture, StoryAction::Pause]), Some(Announced::Pause));
        let asked = after(interrupted, &[StoryAction::Play, StoryAction::Pause]);
        assert!(asked.is_paused() && !asked.is_playing());
    }

    #[test]
    fn what_if_closes_before_the_player() {
        let open = [StoryAction::OpenPlayer(true), StoryAction::OpenWhatIf(true), StoryAction::Close];
        let once = after(StoryState::new(None), &open);
        assert_eq!((once.is_what_if_open, once.is_player_open), (false, true));
        assert!(!after(once, &[StoryAction::Close]).is_player_open);
    }

    #[test]
    fn the_player_makes_room_for_a_caption() {
        let open = after(StoryState::new(None), &[StoryAction::OpenPlayer(true)]);
        assert!(open.is_player_open);
        assert!(after(open.clone(), &[StoryAction::MoveTo(1)]).is_player_open);
        assert!(!after(open, &[StoryAction::GoTo(1)]).is_player_open);
    }

    #[test]
    fn what_the_reader_asked_for_is_announced() {
        let state = StoryState::new(None);
        let announced = |actions: &[StoryAction]| after(state.clone(), actions).announced;
        assert_eq!(announced(&[StoryAction::GoTo(3)]), Some(Announced::Caption(3)));
        assert_eq!(announced(&[StoryAction::ScrollTo(3)]), None);
        assert_eq!(announced(&[StoryAction::ScrollTo(3), StoryAction::Play]), Some(Announced::Caption(3)));
        assert_eq!(announced(&[StoryAction::Play, StoryAction::PlayTo(1)]), Some(Announced::Caption(1)));
        assert_eq!(announced(&[StoryAction::GoTo(3), StoryAction::ChangeRollout]), Some(Announced::Rollout));
        assert_eq!(announced(&[StoryAction::GoTo(3), StoryAction::Show(StoryVersion::Remedy, 0)]), None);
        let unasked = StoryState::new(Some(Autoplay::Unasked));
        assert_eq!(after(unasked, &[StoryAction::PlayTo(1)]).announced, None);
    }
}
