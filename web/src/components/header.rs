use yew::{Callback, Html, MouseEvent, Properties, component, html};
use yew_router::components::Link;

use crate::dom;
use crate::route::Route;
use crate::share::address_as_left;

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
    let shown = match &props.route {
        Route::Story { .. } => &Route::Home,
        route => route,
    };
    let on_help = props.on_help.reform(|_: MouseEvent| ());
    html! {
        <header class="top">
            <button type="button" class="skip" onclick={Callback::from(|_: MouseEvent| dom::focus_main())}>{ "Skip to the rollout" }</button>
            <strong>{ "Changeover" }</strong>
            <nav aria-label="Pages">
                { view_link(Route::Home, "Stories", shown) }
                { view_link(Route::Sandbox, "Sandbox", shown) }
                { view_link(Route::ApiServer, "API server", shown) }
            </nav>
            <button type="button" class="link help-button" onclick={on_help}>{ "Help" }</button>
        </header>
    }
}

/// A link to a page. `shown`: the page that it stands on.
fn view_link(to: Route, label: &'static str, shown: &Route) -> Html {
    let is_current = to == *shown;
    let link = if to.module() == shown.module() {
        html! { <Link<Route> {to}>{ label }</Link<Route>> }
    } else {
        html! { <a href={address_as_left(&to)}>{ label }</a> }
    };
    html! { <span aria-current={is_current.then_some("page")}>{ link }</span> }
}
