use yew::{Callback, Html, MouseEvent, Properties, component, html};
use yew_router::components::Link;

use crate::dom;
use crate::route::Route;

/// The properties of [`Header`].
#[derive(PartialEq, Properties)]
pub struct HeaderProps {
    /// What the page shows.
    pub route: Route,
    /// The user asks for help.
    pub on_help: Callback<()>,
}

/// The name of the page and its parts.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let current = |is_current: bool| is_current.then_some("page");
    let is_story = matches!(props.route, Route::Home | Route::Story { .. });
    let on_help = props.on_help.reform(|_: MouseEvent| ());
    html! {
        <header class="top">
            <button type="button" class="skip" onclick={Callback::from(|_: MouseEvent| dom::focus_main())}>{ "Skip to the rollout" }</button>
            <strong>{ "Changeover" }</strong>
            <nav aria-label="Pages">
                <span aria-current={current(is_story)}><Link<Route> to={Route::Home}>{ "Stories" }</Link<Route>></span>
                <span aria-current={current(props.route == Route::Sandbox)}>
                    <Link<Route> to={Route::Sandbox}>{ "Sandbox" }</Link<Route>>
                </span>
                <span aria-current={current(props.route == Route::ApiServer)}>
                    <Link<Route> to={Route::ApiServer}>{ "API server" }</Link<Route>>
                </span>
            </nav>
            <button type="button" class="link help-button" onclick={on_help}>{ "Help" }</button>
        </header>
    }
}
