use std::cell::Cell;

use gloo_events::EventListener;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, UseStateHandle, hook, use_context, use_effect_with, use_memo, use_state};
use yew_router::hooks::use_navigator;

use crate::components::SandboxInputs;
use crate::route::Route;
use crate::share::{Arrival, ShareTools, SharedState};

/// What addresses and files bring to the page.
pub struct Arrivals {
    /// The last one.
    pub arrival: UseStateHandle<Arrival>,
    /// What is set in the sandbox.
    pub inputs: UseStateHandle<SandboxInputs>,
    /// The user opens a file with a state.
    pub on_open: Callback<SharedState>,
}

/// Reads the address at first, and whenever Back or Forward change it.
#[hook]
pub fn use_arrivals(first: &Arrival) -> Arrivals {
    let inputs = use_state(|| SandboxInputs::of_arrival(first));
    let arrival = use_state(|| first.clone());
    let number = use_memo((), |()| Cell::new(0_u32));
    let navigator = use_navigator();
    let tools = use_context::<ShareTools>();
    use_effect_with((), {
        let (inputs, arrival, number) = (inputs.setter(), arrival.setter(), number.clone());
        move |()| {
            let listener = web_sys::window().zip(tools).map(|(window, tools)| {
                EventListener::new(&window, "popstate", move |_| {
                    let (inputs, arrival, tools) = (inputs.clone(), arrival.clone(), tools.clone());
                    let number = next(&number);
                    spawn_local(async move {
                        let arrived = Arrival::at_address(&tools, number).await;
                        // A story without a state begins as usual, and the sandbox stays as it was left.
                        let is_sandbox = arrived.path.ends_with("/sandbox/");
                        if is_sandbox {
                            inputs.set(SandboxInputs::of_arrival(&arrived));
                        }
                        if is_sandbox || !arrived.is_empty() {
                            arrival.set(arrived);
                        }
                    });
                })
            });
            move || drop(listener)
        }
    });
    let on_open = Callback::from({
        let (inputs, arrival) = (inputs.setter(), arrival.setter());
        move |state: SharedState| {
            let story = state.story.as_ref().map(|story| Route::Story { name: story.name.clone() });
            if let Some(navigator) = &navigator {
                navigator.push(story.as_ref().unwrap_or(&Route::Sandbox));
            }
            let arrived = Arrival::new(next(&number), Some(state));
            if story.is_none() {
                inputs.set(SandboxInputs::of_arrival(&arrived));
            }
            arrival.set(arrived);
        }
    });
    Arrivals { arrival, inputs, on_open }
}

fn next(number: &Cell<u32>) -> u32 {
    number.set(number.get().wrapping_add(1));
    number.get()
}
