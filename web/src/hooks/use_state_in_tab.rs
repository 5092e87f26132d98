use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use yew::{Callback, hook, use_effect_with, use_memo};

use super::use_on_leave;
use crate::dom;
use crate::share::{SharedState, keep_as_left};

/// Writing more text than this at every change would cost frames.
const LARGE: usize = 64 << 10;

/// A large state is kept once nothing has changed for this many milliseconds.
const QUIET: u32 = 300;

/// Keeps what was set in the tab, so that the page is as it was left when a link leads back to it. It needs no player, so that
/// however soon somebody leaves, nothing is lost. `state`: none while it can't be said. `left`: what was set, at any time; it is kept
/// when the page is left. `default`: how the page is at first.
#[hook]
pub fn use_state_in_tab(state: Option<SharedState>, left: SharedState, default: SharedState) {
    // When this page is gone, the address is already that of the next one.
    let path = use_memo((), |()| dom::site_path());
    let latest = use_memo((), |()| RefCell::new((left.clone(), default.clone())));
    latest.replace((left, default.clone()));
    let on_leave = {
        let (path, latest) = (path.clone(), latest.clone());
        Callback::from(move |()| {
            let (left, default) = &*latest.borrow();
            keep_as_left(&path, left, default);
        })
    };
    use_on_leave(on_leave.clone());
    // Opening a file, Back and Forward may show another page in the same document.
    use_effect_with((), move |()| move || on_leave.emit(()));
    use_effect_with((state, default), move |(state, default)| {
        let timeout = state.clone().and_then(|state| {
            if state.text_size() <= LARGE {
                keep_as_left(&path, &state, default);
                return None;
            }
            let (path, default) = (path.clone(), default.clone());
            Some(Timeout::new(QUIET, move || keep_as_left(&path, &state, &default)))
        });
        move || drop(timeout)
    });
}
