use gloo_timers::callback::Timeout;
use yew::{hook, use_effect_with, use_state_eq};

/// After how many milliseconds something is over. What is read is played a moment later.
const BREAK: u32 = 50;

/// Whether something has held for some milliseconds without a break that lasts.
#[hook]
pub fn use_lasting(holds: bool, milliseconds: u32) -> bool {
    let lasts = use_state_eq(|| false);
    use_effect_with(holds, {
        let lasts = lasts.setter();
        move |&holds| {
            let timeout = Timeout::new(if holds { milliseconds } else { BREAK }, move || lasts.set(holds));
            move || drop(timeout)
        }
    });
    *lasts
}
