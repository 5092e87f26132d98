use std::cell::Cell;

use gloo_events::EventListener;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, UseStateHandle, hook, use_context, use_effect_with, use_memo, use_state};
use yew_router::hooks::use_navigator;

use crate::dom;
use crate::route::{Module, Route};
use crate::share::{DeepLink, ShareTools, SharedState};

/// What addresses and files bring to the page.
pub struct DeepLinks {
    /// The last one.
    pub deep_link: UseStateHandle<DeepLink>,
    /// The user opens a state.
    pub on_open: Callback<SharedState>,
}

/// Reads the address at first, and whenever Back or Forward change it. `module`: the one that shows the pages; what another one
/// shows is opened there. `on_deep_link`: something other than the first address arrives.
#[hook]
pub fn use_deep_links(first: &DeepLink, module: Module, on_deep_link: Callback<DeepLink>) -> DeepLinks {
    let deep_link = use_state(|| first.clone());
    let number = use_memo((), |()| Cell::new(0_u32));
    let navigator = use_navigator();
    let tools = use_context::<ShareTools>();
    use_effect_with((), {
        let (tools, on_deep_link, deep_link, number) =
            (tools.clone(), on_deep_link.clone(), deep_link.setter(), number.clone());
        move |()| {
            let listener = web_sys::window().zip(tools).map(|(window, tools)| {
                EventListener::new(&window, "popstate", move |_| {
                    let (on_deep_link, deep_link, tools) = (on_deep_link.clone(), deep_link.clone(), tools.clone());
                    let number = next(&number);
                    spawn_local(async move {
                        let arrived = DeepLink::at_address(&tools, number).await;
                        // A story without a state begins as usual; elsewhere, no state is that of the beginning.
                        let is_story = !["/sandbox/", "/api-server/"].iter().any(|page| arrived.path.ends_with(page));
                        if !is_story || !arrived.is_empty() {
                            on_deep_link.emit(arrived.clone());
                            deep_link.set(arrived);
                        }
                    });
                })
            });
            move || drop(listener)
        }
    });
    let on_open = Callback::from({
        let deep_link = deep_link.setter();
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
            let arrived = DeepLink::new(next(&number), Some(state));
            on_deep_link.emit(arrived.clone());
            deep_link.set(arrived);
        }
    });
    DeepLinks { deep_link, on_open }
}

fn next(number: &Cell<u32>) -> u32 {
    number.set(number.get().wrapping_add(1));
    number.get()
}
