use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, KeyboardEvent};
use yew::{Callback, hook, use_effect_with, use_mut_ref};

use super::Rollout;
use crate::dom::{Axis, is_scrolled_by_keys, is_typing};
use crate::rollout::{RolloutAction, RolloutState};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortcut {
    /// Space: play or pause.
    PlayPause,
    /// →: the next step; in a story, the next caption.
    Next,
    /// ←: the previous step; in a story, the previous caption.
    Previous,
    /// Shift and →: the next API write; in a story, the next step.
    NextWrite,
    /// Shift and ←: the previous API write; in a story, the previous step.
    PreviousWrite,
    /// Home: the start.
    First,
    /// End: the end.
    Last,
    /// +: faster.
    Faster,
    /// −: slower.
    Slower,
    /// n: the next caption.
    NextCaption,
    /// b: the previous caption.
    PreviousCaption,
    /// f: what if.
    WhatIf,
    /// ?: help.
    Help,
    /// Escape: closes what is open.
    Close,
}

impl Shortcut {
    /// Whether its key is a single character, which users can switch off.
    const fn is_character(self) -> bool {
        matches!(
            self,
            Self::Faster | Self::Slower | Self::NextCaption | Self::PreviousCaption | Self::WhatIf | Self::Help
        )
    }

    /// Does what a shortcut of the player does; nothing if it is one of the rest of the page.
    pub fn control(self, rollout: &Rollout) {
        if let Some(action) = self.playback_action(&rollout.state) {
            rollout.dispatch(action);
        }
    }

    /// The action of a shortcut of the player.
    fn playback_action(self, state: &RolloutState) -> Option<RolloutAction> {
        Some(match self {
            Self::PlayPause if state.is_playing => RolloutAction::Pause,
            Self::PlayPause => RolloutAction::Play,
            Self::Next => RolloutAction::Next,
            Self::Previous => RolloutAction::Previous,
            Self::NextWrite => RolloutAction::NextWrite,
            Self::PreviousWrite => RolloutAction::PreviousWrite,
            Self::First => RolloutAction::First,
            Self::Last => RolloutAction::Last,
            Self::Faster => RolloutAction::SetSpeed(state.speed.saturating_add(1)),
            Self::Slower => RolloutAction::SetSpeed(state.speed.saturating_sub(1)),
            Self::NextCaption | Self::PreviousCaption | Self::WhatIf | Self::Help | Self::Close => return None,
        })
    }

    fn of(event: &KeyboardEvent) -> Option<Self> {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing() {
            return None;
        }
        Some(match (event.key().as_str(), event.shift_key()) {
            (" ", false) => Self::PlayPause,
            ("ArrowRight", false) => Self::Next,
            ("ArrowLeft", false) => Self::Previous,
            ("ArrowRight", true) => Self::NextWrite,
            ("ArrowLeft", true) => Self::PreviousWrite,
            ("Home", false) => Self::First,
            ("End", false) => Self::Last,
            ("+" | "=", _) => Self::Faster,
            ("-" | "−", _) => Self::Slower,
            ("n", false) => Self::NextCaption,
            ("b", false) => Self::PreviousCaption,
            ("f", false) => Self::WhatIf,
            ("?", _) => Self::Help,
            ("Escape", _) => Self::Close,
            _ => return None,
        })
    }
}

/// Calls back when the user presses a shortcut. Keys that are typed into an input, or that a focused element handles itself, are
/// none. `characters`: whether shortcuts of a single character are on. `on_what_if` and `on_help`: whether to open that part of
/// the page or to close it. `on_shortcut`: any other shortcut.
#[hook]
pub fn use_shortcuts(
    characters: bool,
    on_what_if: Callback<bool>,
    on_help: Callback<bool>,
    on_shortcut: Callback<Shortcut>,
) {
    // The callbacks change whenever the page shows something else; the listener stays.
    let latest = use_mut_ref(Callback::noop);
    latest.replace(Callback::from(move |shortcut: Shortcut| match shortcut {
        Shortcut::WhatIf => on_what_if.emit(true),
        Shortcut::Help => on_help.emit(true),
        Shortcut::Close => {
            on_what_if.emit(false);
            on_help.emit(false);
        }
        shortcut => on_shortcut.emit(shortcut),
    }));
    use_effect_with(characters, move |characters| {
        let characters = *characters;
        let listener = web_sys::window().and_then(|window| window.document()).map(|document| {
            let target: EventTarget = document.into();
            let options = gloo_events::EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&target, "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| !event.default_prevented()) else {
                    return;
                };
                let Some(shortcut) = Shortcut::of(event) else { return };
                let is_handled_elsewhere = match shortcut {
                    _ if has_open_dialog() => true,
                    Shortcut::Close => false,
                    _ if is_typing() => true,
                    // Space presses a focused button or opens a focused summary.
                    Shortcut::PlayPause => has_pressable_focus(event) || scrolls(event, Axis::Vertical),
                    Shortcut::Next
                    | Shortcut::Previous
                    | Shortcut::NextWrite
                    | Shortcut::PreviousWrite
                    | Shortcut::First
                    | Shortcut::Last => scrolls(event, Axis::Horizontal),
                    _ => false,
                };
                if is_handled_elsewhere || (shortcut.is_character() && !characters) {
                    return;
                }
                if shortcut != Shortcut::Close {
                    event.prevent_default();
                }
                let on_shortcut = latest.borrow().clone();
                on_shortcut.emit(shortcut);
            })
        });
        move || drop(listener)
    });
}

/// An open dialog handles its keys itself.
fn has_open_dialog() -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    document.and_then(|document| document.query_selector("dialog[open]").ok().flatten()).is_some()
}

fn has_pressable_focus(event: &KeyboardEvent) -> bool {
    target(event).is_some_and(|element| matches!(element.tag_name().as_str(), "BUTTON" | "A" | "SUMMARY"))
}

/// Whether the key scrolls a wide table or a long text.
fn scrolls(event: &KeyboardEvent, axis: Axis) -> bool {
    target(event).is_some_and(|element| is_scrolled_by_keys(&element, axis))
}

fn target(event: &KeyboardEvent) -> Option<Element> {
    event.target().and_then(|target| target.dyn_into().ok())
}
