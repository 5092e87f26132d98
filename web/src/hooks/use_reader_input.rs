use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Event, KeyboardEvent};
use yew::{Callback, hook, use_effect_with};

use crate::dom;

/// What a reader does to a page.
const INPUTS: [&str; 4] = ["keydown", "pointerdown", "wheel", "touchstart"];

/// Keys that do nothing on their own.
const MODIFIERS: [&str; 6] = ["Alt", "AltGraph", "CapsLock", "Control", "Meta", "Shift"];

/// Calls back when the reader does anything, while `is_active`; not for keys that do nothing on their own, or that
/// lead to another window. `except`: the selector of elements that handle it themselves.
#[hook]
pub fn use_reader_input(is_active: bool, except: &'static str, on_input: Callback<()>) {
    use_effect_with((is_active, on_input), move |(is_active, on_input)| {
        let mut listeners = Vec::new();
        if let Some(window) = web_sys::window().filter(|_| *is_active) {
            for input in INPUTS {
                let on_input = on_input.clone();
                // Before what the page does about the event.
                let options = EventListenerOptions::run_in_capture_phase();
                listeners.push(EventListener::new_with_options(&window, input, options, move |event| {
                    if !dom::is_within(event, except) && !is_for_another(event) {
                        on_input.emit(());
                    }
                }));
            }
        }
        move || drop(listeners)
    });
}

/// Whether it is a key that is held down with another one, or leads to another window.
fn is_for_another(event: &Event) -> bool {
    let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return false };
    let key = event.key();
    MODIFIERS.contains(&key.as_str()) || (key == "Tab" && event.alt_key())
}
