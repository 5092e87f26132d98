use web_sys::Element;
use yew::{Callback, Html, MouseEvent, Properties, TargetCast, component, html};
use yew_router::components::Link;

use crate::dom;
use crate::route::{Module, Route};
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
    let skip = if *shown == Route::ApiServer { "Skip to the answer" } else { "Skip to the rollout" };
    let on_help = props.on_help.reform(|_: MouseEvent| ());
    html! {
        <header class="top">
            <button type="button" class="skip" onclick={Callback::from(|_: MouseEvent| dom::focus_first(&[dom::TIME_ID, dom::TITLE_ID, "main"]))}>{ skip }</button>
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
    let link = if to.module() == Module::Stories && shown.module() == Module::Stories {
        html! { <Link<Route> {to}>{ label }</Link<Route>> }
    } else if is_current {
        html! { <a href={to.address()} onclick={Callback::from(stay)}>{ label }</a> }
    } else {
        // Another document, also within the module, so that each page is as it was left.
        let href = to.address();
        let onclick = Callback::from(move |event: MouseEvent| lead_to_page_as_left(&event, &to));
        html! { <a {href} {onclick}>{ label }</a> }
    };
    html! { <span aria-current={is_current.then_some("page")}>{ link }</span> }
}

/// The current page stays as it is.
fn stay(event: MouseEvent) {
    if !opens_other_tab(&event) {
        event.prevent_default();
    }
}

/// Only this tab knows how a page was left, and whether it keeps that when the link is followed.
fn lead_to_page_as_left(event: &MouseEvent, to: &Route) {
    let address = if opens_other_tab(event) { to.address() } else { address_as_left(to) };
    if let Some(link) = event.target_dyn_into::<Element>() {
        // Fails only for names that are none.
        let _ = link.set_attribute("href", &address);
    }
}

fn opens_other_tab(event: &MouseEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.shift_key()
}
