use gloo_timers::callback::Timeout;
use yew::{hook, use_effect_with, use_state_eq};

/// Whether something has held for some milliseconds without a break.
#[hook]
pub fn use_lasting(holds: bool, milliseconds: u32) -> bool {
    let lasts = use_state_eq(|| false);
    use_effect_with(holds, {
        let lasts = lasts.setter();
        move |holds| {
            lasts.set(false);
            let timeout = holds.then(|| Timeout::new(milliseconds, move || lasts.set(true)));
            move || drop(timeout)
        }
    });
    holds && *lasts
}
