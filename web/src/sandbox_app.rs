//! The app of the sandbox, of what the API server says, and of what is embedded in other pages.

use yew::{Callback, Html, Properties, component, html, use_memo, use_state};

use crate::app::{AppContexts, AppProps, PageFrame, use_page_frame, view_embedded};
use crate::components::{ApiServerPage, EmbedPage, ReviewInputs, SandboxPage};
use crate::dom;
use crate::hooks::{Arrivals, use_arrivals};
use crate::route::{Module, Route};
use crate::sandbox_inputs::SandboxInputs;
use crate::share::Arrival;

/// The sandbox.
#[component]
pub fn SandboxApp(props: &AppProps) -> Html {
    html! { <AppContexts app={props.clone()}><SandboxPages first_arrival={props.arrival.clone()} /></AppContexts> }
}

#[derive(PartialEq, Properties)]
struct SandboxPagesProps {
    first_arrival: Arrival,
}

/// The page of the current address.
#[component]
fn SandboxPages(props: &SandboxPagesProps) -> Html {
    let frame = use_page_frame();
    let inputs = use_state(|| SandboxInputs::of_arrival(&props.first_arrival));
    let review = use_state(|| ReviewInputs::of_arrival(&props.first_arrival));
    let on_arrival = {
        let (inputs, review) = (inputs.setter(), review.setter());
        Callback::from(move |arrived: Arrival| {
            if arrived.path.ends_with("/sandbox/") {
                inputs.set(SandboxInputs::of_arrival(&arrived));
            }
            if arrived.path.ends_with("/api-server/") {
                review.set(ReviewInputs::of_arrival(&arrived));
            }
        })
    };
    let Arrivals { arrival, on_open } = use_arrivals(&props.first_arrival, Module::Sandbox, on_arrival);
    let embedded_story = use_memo((), |()| dom::query_parameter("embed"));
    let PageFrame { route, character_shortcuts, .. } = &frame;
    if *route == Route::Embed || embedded_story.is_some() {
        let page = html! { <EmbedPage story={(*embedded_story).clone()} arrival={(*arrival).clone()} /> };
        return view_embedded(&arrival, page);
    }
    let page = if *route == Route::ApiServer {
        html! {
            <ApiServerPage inputs={(*review).clone()} arrival={(*arrival).clone()} {on_open}
                on_change={Callback::from(move |changed| review.set(changed))} />
        }
    } else {
        html! {
            <SandboxPage inputs={(*inputs).clone()} on_change={Callback::from(move |changed| inputs.set(changed))}
                arrival={(*arrival).clone()} {on_open}
                character_shortcuts={**character_shortcuts} on_help={frame.on_help()} />
        }
    };
    frame.view(&arrival, page)
}
