//! The app of the sandbox, of what the API server says, and of rollouts that are embedded in other pages.

use yew::{Callback, Html, Properties, component, html, use_state};

use crate::app::{AppContexts, AppProps, PageFrame, use_page_frame, view_embedded};
use crate::components::{ApiServerPage, EmbeddedRolloutPage, ReviewInputs, SandboxPage};
use crate::hooks::{DeepLinks, use_deep_links};
use crate::route::{Module, Route};
use crate::sandbox_inputs::SandboxInputs;
use crate::share::DeepLink;

/// The sandbox.
#[component]
pub fn SandboxApp(props: &AppProps) -> Html {
    html! { <AppContexts app={props.clone()}><SandboxPages first_deep_link={props.deep_link.clone()} /></AppContexts> }
}

#[derive(PartialEq, Properties)]
struct SandboxPagesProps {
    first_deep_link: DeepLink,
}

/// The page of the current address.
#[component]
fn SandboxPages(props: &SandboxPagesProps) -> Html {
    let frame = use_page_frame();
    let inputs = use_state(|| SandboxInputs::of_deep_link(&props.first_deep_link));
    let review = use_state(|| ReviewInputs::of_deep_link(&props.first_deep_link));
    let on_deep_link = {
        let (inputs, review) = (inputs.setter(), review.setter());
        Callback::from(move |arrived: DeepLink| {
            if arrived.path.ends_with("/sandbox/") {
                inputs.set(SandboxInputs::of_deep_link(&arrived));
            }
            if arrived.path.ends_with("/api-server/") {
                review.set(ReviewInputs::of_deep_link(&arrived));
            }
        })
    };
    let DeepLinks { deep_link, on_open } = use_deep_links(&props.first_deep_link, Module::Sandbox, on_deep_link);
    let PageFrame { route, character_shortcuts, .. } = &frame;
    let page = match route {
        Route::Embed => {
            let page = html! { <EmbeddedRolloutPage deep_link={(*deep_link).clone()} /> };
            return view_embedded(&deep_link, page);
        }
        Route::ApiServer => html! {
            <ApiServerPage inputs={(*review).clone()} deep_link={(*deep_link).clone()} {on_open}
                on_change={Callback::from(move |changed| review.set(changed))} />
        },
        // The other addresses belong to the module of the stories. Should one arrive here, the sandbox stays.
        Route::Sandbox | Route::Home | Route::Story { .. } | Route::EmbeddedStory { .. } | Route::NotFound => html! {
            <SandboxPage inputs={(*inputs).clone()} on_change={Callback::from(move |changed| inputs.set(changed))}
                deep_link={(*deep_link).clone()} {on_open}
                character_shortcuts={**character_shortcuts} on_help={frame.on_help()} />
        },
    };
    frame.view(&deep_link, page)
}
