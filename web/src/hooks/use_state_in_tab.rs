use gloo_timers::callback::Timeout;
use yew::{hook, use_effect_with};

use crate::share::{SharedState, keep_as_left};

/// Writing more text than this at every change would cost frames.
const LARGE: usize = 64 << 10;

/// A large state is kept once nothing has changed for this many milliseconds.
const QUIET: u32 = 300;

/// Keeps what was set in the tab, so that the page is as it was left when a link leads back to it. It needs no player, so that
/// however soon somebody leaves, nothing is lost, unless it is large. `state`: none while it can't be said. `default`: how the page
/// is at first.
#[hook]
pub fn use_state_in_tab(state: Option<SharedState>, default: SharedState) {
    use_effect_with((state, default), |(state, default)| {
        let timeout = state.clone().and_then(|state| {
            if state.text_size() <= LARGE {
                keep_as_left(&state, default);
                return None;
            }
            let default = default.clone();
            Some(Timeout::new(QUIET, move || keep_as_left(&state, &default)))
        });
        move || drop(timeout)
    });
}
