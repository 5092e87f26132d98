use std::cell::Cell;

use gloo_events::EventListener;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, UseStateHandle, hook, use_context, use_effect_with, use_memo, use_state};
use yew_router::hooks::use_navigator;

use crate::dom;
use crate::route::{Module, Route};
use crate::share::{Arrival, ShareTools, SharedState};

/// What addresses and files bring to the page.
pub struct Arrivals {
    /// The last one.
    pub arrival: UseStateHandle<Arrival>,
    /// The user opens a state.
    pub on_open: Callback<SharedState>,
}

/// Reads the address at first, and whenever Back or Forward change it. `module`: the one that shows the pages; what another one
/// shows is opened there. `on_arrival`: something other than the first address arrives.
#[hook]
pub fn use_arrivals(first: &Arrival, module: Module, on_arrival: Callback<Arrival>) -> Arrivals {
    let arrival = use_state(|| first.clone());
    let number = use_memo((), |()| Cell::new(0_u32));
    let navigator = use_navigator();
    let tools = use_context::<ShareTools>();
    use_effect_with((), {
        let (tools, on_arrival, arrival, number) =
            (tools.clone(), on_arrival.clone(), arrival.setter(), number.clone());
        move |()| {
            let listener = web_sys::window().zip(tools).map(|(window, tools)| {
                EventListener::new(&window, "popstate", move |_| {
                    let (on_arrival, arrival, tools) = (on_arrival.clone(), arrival.clone(), tools.clone());
                    let number = next(&number);
                    spawn_local(async move {
                        let arrived = Arrival::at_address(&tools, number).await;
                        // A story without a state begins as usual; elsewhere, no state is that of the beginning.
                        let is_story = !["/sandbox/", "/api-server/"].iter().any(|page| arrived.path.ends_with(page));
                        if !is_story || !arrived.is_empty() {
                            on_arrival.emit(arrived.clone());
                            arrival.set(arrived);
                        }
                    });
                })
            });
            move || drop(listener)
        }
    });
    let on_open = Callback::from({
        let arrival = arrival.setter();
        move |state: SharedState| {
            let route = match (&state.story, &state.review) {
                (Some(story), _) => Route::Story { name: story.name.clone() },
                (None, Some(_)) => Route::ApiServer,
                (None, None) => Route::Sandbox,
            };
            if route.module() != module {
                if let Some(tools) = tools.clone() {
                    spawn_local(async move { dom::go_to(&tools.address_in_tab(&route, &state).await) });
                }
                return;
            }
            if let Some(navigator) = &navigator {
                navigator.push(&route);
            }
            let arrived = Arrival::new(next(&number), Some(state));
            on_arrival.emit(arrived.clone());
            arrival.set(arrived);
        }
    });
    Arrivals { arrival, on_open }
}

fn next(number: &Cell<u32>) -> u32 {
    number.set(number.get().wrapping_add(1));
    number.get()
}
