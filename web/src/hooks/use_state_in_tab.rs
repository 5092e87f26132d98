use yew::{hook, use_effect_with};

use crate::share::{SharedState, keep_as_left};

/// Keeps what was set in the tab, so that the page is as it was left when a link leads back to it. It needs no player, so that
/// however soon somebody leaves, nothing is lost. `state`: none while it can't be said. `default`: how the page is at first.
#[hook]
pub fn use_state_in_tab(state: Option<SharedState>, default: SharedState) {
    use_effect_with((state, default), |(state, default)| {
        if let Some(state) = state {
            keep_as_left(state, default);
        }
    });
}
