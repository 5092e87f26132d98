//! The app of the stories, also of those that are embedded in other pages.

use changeover_wire::LinkTexts;
use yew::{Callback, Html, Properties, component, html};
use yew_router::components::Link;

use crate::app::{AppContexts, AppProps, PageFrame, use_page_frame, view_embedded};
use crate::components::{EmbeddedStoryPage, StoryPage};
use crate::hooks::{DeepLinks, use_deep_links};
use crate::route::{Module, Route};
use crate::sandbox_inputs::SandboxInputs;
use crate::share::{DeepLink, SharedSandbox, SharedState};

/// The stories.
#[component]
pub fn StoriesApp(props: &AppProps) -> Html {
    html! { <AppContexts app={props.clone()}><StoryPages first_deep_link={props.deep_link.clone()} /></AppContexts> }
}

#[derive(PartialEq, Properties)]
struct StoryPagesProps {
    first_deep_link: DeepLink,
}

/// The story of the current address.
#[component]
fn StoryPages(props: &StoryPagesProps) -> Html {
    let frame = use_page_frame();
    let DeepLinks { deep_link, on_open } = use_deep_links(&props.first_deep_link, Module::Stories, Callback::noop());
    let on_open_in_sandbox = on_open.reform(|inputs: SandboxInputs| {
        // A story has no secrets.
        let manifests = inputs.manifests().map(|own| own.shared(&LinkTexts::default()));
        SharedState { sandbox: Some(SharedSandbox::new(&inputs, manifests)), ..SharedState::default() }
    });
    let PageFrame { route, is_first_page, character_shortcuts, .. } = &frame;
    let story = |name: Option<String>| {
        html! {
            <StoryPage {name} is_first_page={*is_first_page} deep_link={(*deep_link).clone()} on_open={on_open.clone()}
                character_shortcuts={**character_shortcuts} on_help={frame.on_help()} on_open_in_sandbox={on_open_in_sandbox.clone()} />
        }
    };
    let page = match route {
        Route::Home => story(None),
        Route::Story { name } => story(Some(name.clone())),
        Route::EmbeddedStory { name } => {
            let page = html! { <EmbeddedStoryPage name={name.clone()} deep_link={(*deep_link).clone()} /> };
            return view_embedded(&deep_link, page);
        }
        Route::Sandbox | Route::ApiServer | Route::Embed | Route::NotFound => html! {
            <main id="main" class="loading">
                <h1>{ "There is no page at this address" }</h1>
                <p><Link<Route> to={Route::Home}>{ "Go to the stories" }</Link<Route>></p>
            </main>
        },
    };
    frame.view(&deep_link, page)
}
