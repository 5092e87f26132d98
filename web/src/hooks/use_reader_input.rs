use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};
use yew::{Callback, hook, use_effect_with};

/// What a reader does to a page.
const INPUTS: [&str; 4] = ["keydown", "pointerdown", "wheel", "touchstart"];

/// Calls back when the reader does anything, while `is_active`. `except`: the selector of elements that handle it themselves.
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
                    if !is_within(event, except) {
                        on_input.emit(());
                    }
                }));
            }
        }
        move || drop(listeners)
    });
}

fn is_within(event: &Event, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|element| element.closest(selector).ok().flatten().is_some())
}
