use gloo_timers::callback::Timeout;
use yew::{hook, use_effect_with, use_state_eq};

/// The last value that has stayed for some milliseconds. It begins with the empty text.
#[hook]
pub fn use_debounced(text: String, milliseconds: u32) -> String {
    let settled = use_state_eq(String::new);
    use_effect_with(text, {
        let settled = settled.setter();
        move |text| {
            let text = text.clone();
            let timeout = Timeout::new(milliseconds, move || settled.set(text));
            move || drop(timeout)
        }
    });
    (*settled).clone()
}
