//! The state of a story's page: which version of the story is shown, where the reader is, what the reader has dragged in its text,
//! and what is open. All changes are [`StoryAction`]s. What its lanes show is the rollout's state.

use std::rc::Rc;

use yew::Reducible;

pub use changeover_wire::StoryVersion;

use crate::story_text::{Draggable, DraggedNumbers};

/// What a screen reader says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// A caption.
    Caption(usize),
    /// What comes of what the reader did to the rollout.
    Rollout,
}

/// The state of a story's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryState {
    /// The version that is shown: its lanes and its captions.
    pub version: StoryVersion,
    /// The caption that is read.
    pub caption: usize,
    /// What the reader has dragged in the text of a chapter.
    pub dragged: DraggedNumbers,
    /// What a screen reader says: the caption that the reader went to by a button or a key, or what came of something else that the
    /// reader did.
    pub announced: Option<Announced>,
    /// Whether the what-if panel is open.
    pub is_what_if_open: bool,
    /// Whether the player is shown.
    pub is_player_open: bool,
}

/// A change of the state.
#[derive(Clone, Copy, Debug)]
pub enum StoryAction {
    /// The reader scrolls, or moves the playhead, to a caption.
    MoveTo(usize),
    /// The reader goes to a caption by a button or a key.
    GoTo(usize),
    /// The reader drags a number in the text of a chapter.
    Drag { chapter: usize, number: Draggable, value: i32 },
    /// What the reader did to the rollout is done, or taken back.
    ChangeRollout,
    /// Another version is shown, at one of its captions.
    Show(StoryVersion, usize),
    /// Opens or closes the what-if panel.
    OpenWhatIf(bool),
    /// Shows or hides the player.
    OpenPlayer(bool),
    /// Closes the what-if panel, or else the player.
    Close,
}

impl StoryState {
    /// The beginning of a story.
    pub fn new() -> Self {
        Self {
            version: StoryVersion::Original,
            caption: 0,
            dragged: DraggedNumbers::default(),
            announced: None,
            is_what_if_open: false,
            is_player_open: false,
        }
    }
}

impl Reducible for StoryState {
    type Action = StoryAction;

    fn reduce(self: Rc<Self>, action: StoryAction) -> Rc<Self> {
        let state = (*self).clone();
        Rc::new(match action {
            StoryAction::MoveTo(caption) => Self { caption, ..state },
            // On a small screen, the caption needs the room of the player.
            StoryAction::GoTo(caption) => {
                let announced = Some(Announced::Caption(caption));
                Self { caption, announced, is_player_open: false, ..state }
            }
            StoryAction::Drag { chapter, number, value } => {
                Self { dragged: state.dragged.with(chapter, number, value), ..state }
            }
            StoryAction::ChangeRollout => Self { announced: Some(Announced::Rollout), ..state },
            StoryAction::Show(version, caption) => Self { version, caption, announced: None, ..state },
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

    fn after(actions: &[StoryAction]) -> StoryState {
        let state = actions.iter().fold(Rc::new(StoryState::new()), |state, action| state.reduce(*action));
        (*state).clone()
    }

    #[test]
    fn what_if_closes_before_the_player() {
        let open = [StoryAction::OpenPlayer(true), StoryAction::OpenWhatIf(true), StoryAction::Close];
        let once = after(&open);
        assert_eq!((once.is_what_if_open, once.is_player_open), (false, true));
        let [player, what_if, close] = open;
        assert!(!after(&[player, what_if, close, StoryAction::Close]).is_player_open);
    }

    #[test]
    fn the_player_makes_room_for_a_caption() {
        let open = StoryAction::OpenPlayer(true);
        assert!(after(&[open]).is_player_open);
        assert!(after(&[open, StoryAction::MoveTo(1)]).is_player_open);
        assert!(!after(&[open, StoryAction::GoTo(1)]).is_player_open);
    }

    #[test]
    fn what_the_reader_asked_for_is_announced() {
        let announced = |actions: &[StoryAction]| after(actions).announced;
        assert_eq!(announced(&[StoryAction::GoTo(3)]), Some(Announced::Caption(3)));
        assert_eq!(announced(&[StoryAction::MoveTo(3)]), None);
        assert_eq!(announced(&[StoryAction::GoTo(3), StoryAction::ChangeRollout]), Some(Announced::Rollout));
        assert_eq!(announced(&[StoryAction::GoTo(3), StoryAction::Show(StoryVersion::Remedy, 0)]), None);
    }
}
