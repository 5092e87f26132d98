use gloo_events::EventListener;
use yew::{hook, use_effect_with, use_state_eq};

use crate::dom::window_height;

/// The current height of the window in pixels; none if the browser doesn't know it.
#[hook]
pub fn use_window_height() -> Option<f64> {
    let height = use_state_eq(window_height);
    use_effect_with((), {
        let height = height.setter();
        move |()| {
            let listener = web_sys::window()
                .map(|window| EventListener::new(&window, "resize", move |_| height.set(window_height())));
            move || drop(listener)
        }
    });
    *height
}
