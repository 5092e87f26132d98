//! What the stories and the sandbox share: the contexts of their components, and the frame of their pages.

use std::rc::Rc;

use gloo_events::EventListener;
use web_sys::{ScrollRestoration, Worker};
use yew::{
    Callback, Children, ContextProvider, Html, Properties, UseStateHandle, component, hook, html, use_effect_with,
    use_memo, use_mut_ref, use_state_eq,
};
use yew_router::hooks::use_route;
use yew_router::{BrowserRouter, Routable};

use crate::components::{Header, HelpDialog};
use crate::dom;
use crate::files::StoryFiles;
use crate::page_loader::PageLoader;
use crate::picture::Patterns;
use crate::player_client::PlayerClient;
use crate::route::Route;
use crate::share::{DeepLink, ShareTools};
use crate::workbench::Workbench;

/// The properties of an app.
#[derive(Clone, PartialEq, Properties)]
pub struct AppProps {
    /// The worker of the player, if the page needs it from the beginning.
    pub worker: Option<Worker>,
    /// Starts workers and loads modules.
    pub loader: PageLoader,
    /// What knows manifests, loaded when it is first asked.
    pub workbench: Rc<Workbench>,
    /// The files of the stories.
    pub files: Rc<StoryFiles>,
    /// The browser's tools for sharing.
    pub tools: ShareTools,
    /// What the address holds.
    pub deep_link: DeepLink,
}

/// The properties of [`AppContexts`].
#[derive(PartialEq, Properties)]
pub struct AppContextsProps {
    /// Those of the app.
    pub app: AppProps,
    /// Its pages.
    pub children: Children,
}

/// What the components of all pages find in their context.
#[component]
pub fn AppContexts(props: &AppContextsProps) -> Html {
    let AppProps { worker, loader, workbench, files, tools, deep_link: _ } = &props.app;
    let client = use_memo((worker.clone(), loader.clone()), |(worker, loader)| {
        PlayerClient::new(worker.clone(), loader.start_player())
    });
    html! {
        <ContextProvider<Rc<PlayerClient>> context={(*client).clone()}>
            <ContextProvider<Rc<StoryFiles>> context={files.clone()}>
                <ContextProvider<ShareTools> context={tools.clone()}>
                    <ContextProvider<Rc<Workbench>> context={workbench.clone()}>
                        <BrowserRouter>{ props.children.clone() }</BrowserRouter>
                    </ContextProvider<Rc<Workbench>>>
                </ContextProvider<ShareTools>>
            </ContextProvider<Rc<StoryFiles>>>
        </ContextProvider<Rc<PlayerClient>>>
    }
}

/// What surrounds every page.
pub struct PageFrame {
    /// What the address names.
    pub route: Route,
    /// Whether the user sees their first page, where the focus stays at its top.
    pub is_first_page: bool,
    /// Whether shortcuts of a single character are on.
    pub character_shortcuts: UseStateHandle<bool>,
    help: UseStateHandle<bool>,
}

/// The frame of the page at the current address. When the address changes, the focus stays on something that is there.
#[hook]
pub fn use_page_frame() -> PageFrame {
    let route = use_route::<Route>().unwrap_or(Route::NotFound);
    let help = use_state_eq(|| false);
    let character_shortcuts = use_state_eq(dom::character_shortcuts);
    let first_route = use_memo((), |()| route.clone());
    let comes_from_other_page = use_memo((), |()| dom::referring_page().is_some_and(|path| is_page(&path)));
    // Whoever comes back has seen it before.
    let has_left = use_mut_ref(|| false);
    if *first_route != route {
        has_left.replace(true);
    }
    let is_first_page = !*has_left.borrow() && !*comes_from_other_page;
    use_effect_with(route.clone(), move |_| {
        if !is_first_page {
            dom::restore_focus();
        }
    });
    use_effect_with((), |()| {
        dom::set_scroll_restoration(ScrollRestoration::Manual);
        // After a reload, and after Back from another site, the browser scrolls as usual.
        let listener = web_sys::window().map(|window| {
            EventListener::new(&window, "pagehide", |_| dom::set_scroll_restoration(ScrollRestoration::Auto))
        });
        move || drop(listener)
    });
    PageFrame { route, is_first_page, character_shortcuts, help }
}

/// Whether one of the apps shows a path of the site. The others are documents without an app.
fn is_page(path: &str) -> bool {
    Route::recognize(path).is_some_and(|route| route != Route::NotFound)
}

impl PageFrame {
    /// The user asks for help, or closes it.
    pub fn on_help(&self) -> Callback<bool> {
        let help = self.help.setter();
        Callback::from(move |is_open| help.set(is_open))
    }

    /// A page in its frame.
    pub fn view(&self, deep_link: &DeepLink, page: Html) -> Html {
        let (on_help, character_shortcuts) = (self.on_help(), self.character_shortcuts.clone());
        html! {
            <>
                <Patterns />
                <Header route={self.route.clone()} on_help={on_help.reform(|()| true)} />
                { view_problem(deep_link) }
                { page }
                <HelpDialog is_open={*self.help} on_close={on_help.reform(|()| false)} character_shortcuts={*character_shortcuts}
                    on_character_shortcuts={Callback::from(move |on| {
                        dom::remember_character_shortcuts(on);
                        character_shortcuts.set(on);
                    })} />
            </>
        }
    }
}

/// A page without a frame, for somebody else's page.
pub fn view_embedded(deep_link: &DeepLink, page: Html) -> Html {
    html! { <><Patterns />{ view_problem(deep_link) }{ page }</> }
}

/// Why the address could not be read, while it is still the address.
fn view_problem(deep_link: &DeepLink) -> Html {
    let problem = deep_link.problem.filter(|_| deep_link.path == dom::path());
    problem
        .map(|problem| html! { <p class="problem notice" role="alert">{ problem.of_address() }</p> })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_stories_and_the_proof_are_no_pages_of_the_apps() {
        let paths = ["/", "/stories/quota/", "/sandbox/", "/api-server/", "/stories/", "/proof/"];
        assert_eq!(paths.map(is_page), [true, true, true, true, false, false]);
    }
}
