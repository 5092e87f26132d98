use gloo_timers::callback::Timeout;
use yew::{hook, use_effect_with, use_state_eq};

/// The last value that has stayed for some milliseconds; the first one at once.
#[hook]
pub fn use_settled<T: Clone + PartialEq + 'static>(value: T, milliseconds: u32) -> T {
    let settled = use_state_eq({
        let value = value.clone();
        || value
    });
    use_effect_with(value, {
        let settled = settled.setter();
        move |value| {
            let value = value.clone();
            let timeout = Timeout::new(milliseconds, move || settled.set(value));
            move || drop(timeout)
        }
    });
    (*settled).clone()
}
