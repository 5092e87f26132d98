use yew::{Callback, hook, use_effect_with, use_state};

use super::{Rollout, Shortcut, use_shortcuts};

/// The panel in which the user does something else in mid-rollout.
pub struct WhatIfPanel {
    /// Whether it is open.
    pub is_open: bool,
    /// Opens or closes it.
    pub toggle: Callback<()>,
}

/// The panel of a sandbox, and the keys of the page. It closes when something was done.
#[hook]
pub fn use_what_if(rollout: &Rollout, character_shortcuts: bool, on_help: &Callback<bool>) -> WhatIfPanel {
    let is_open = use_state(|| false);
    use_effect_with(rollout.state.done_forks(), {
        let is_open = is_open.setter();
        move |_| is_open.set(false)
    });
    let on_what_if = {
        let is_open = is_open.setter();
        Callback::from(move |opens: bool| is_open.set(opens))
    };
    use_shortcuts(character_shortcuts, on_what_if, on_help.clone(), {
        let rollout = rollout.clone();
        Callback::from(move |shortcut: Shortcut| shortcut.control(&rollout))
    });
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |()| is_open.set(!*is_open))
    };
    WhatIfPanel { is_open: *is_open, toggle }
}
