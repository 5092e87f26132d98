//! The browser functions that the page calls.

use changeover_core::object::Time;
use js_sys::Date;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, ErrorEvent, Event, FocusOptions, HtmlElement, PerformanceNavigation, ScrollBehavior,
    ScrollIntoViewOptions, ScrollLogicalPosition, ScrollRestoration, ScrollToOptions,
};

use crate::number::to_i64;

/// Why a worker of a script has failed, with the file that is to blame.
pub fn worker_failure(event: &Event, script: &str) -> String {
    // For a script that can't be loaded, it is no ErrorEvent, and has no message.
    let error = event.dyn_ref::<ErrorEvent>();
    error.map_or_else(|| format!("{script} can't be loaded"), |error| failure_in(&error.filename(), &error.message()))
}

/// A message with the file of an address, unless it names one.
fn failure_in(address: &str, message: &str) -> String {
    let message = ["Uncaught ", "Error: "].iter().fold(message, |rest, start| rest.strip_prefix(start).unwrap_or(rest));
    let is_named = [".js", ".wasm"].iter().any(|end| message.contains(end));
    match address.rsplit('/').next().filter(|file| !is_named && !file.is_empty()) {
        Some(file) if address.contains("/pkg/") => format!("pkg/{file}: {message}"),
        Some(file) => format!("{file}: {message}"),
        None => message.to_owned(),
    }
}

/// The time of the browser's clock, in whole seconds.
pub fn now() -> Time {
    Time(0).plus_seconds(to_i64(Date::now() / 1000.0))
}

/// Whether the user asks for reduced motion.
fn prefers_reduced_motion() -> bool {
    let query = |window: web_sys::Window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    web_sys::window().and_then(query).is_some_and(|query| query.matches())
}

/// Whether the focus is in an element that takes typed text.
pub fn is_typing() -> bool {
    active_element()
        .is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT" | "YAML-EDITOR"))
}

/// The two ways to scroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// To the left and to the right.
    Horizontal,
    /// Up and down.
    Vertical,
}

/// What takes the focus only so that keys scroll it: wide tables and long texts.
const SCROLL_REGION: &str = "[tabindex='0']:is([role='region'], [role='group'])";

/// Whether keys scroll an element that has the focus, since it shows only a part of its content.
pub fn is_scrolled_by_keys(element: &Element, axis: Axis) -> bool {
    let overflows = match axis {
        Axis::Horizontal => element.scroll_width() > element.client_width(),
        Axis::Vertical => element.scroll_height() > element.client_height(),
    };
    overflows && element.matches(SCROLL_REGION).unwrap_or(false)
}

/// Whether an event is about an element that a selector matches, or about something in it.
pub fn is_within(event: &Event, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|element| element.closest(selector).ok().flatten().is_some())
}

/// The element that has the focus.
pub fn active_element() -> Option<Element> {
    web_sys::window().and_then(|window| window.document()).and_then(|document| document.active_element())
}

/// Moves the focus to an element.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let options = FocusOptions::new();
        // Where the reader is in a story, depends on the scroll position.
        options.set_prevent_scroll(true);
        // Fails only for elements that can't have the focus.
        let _ = element.focus_with_options(&options);
    }
}

/// Moves the focus to the element with an id.
pub fn focus_by_id(id: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(element) = document.and_then(|document| document.get_element_by_id(id)) {
        focus(&element);
    }
}

/// Moves the focus to the first of some elements, by their ids, that can have it: a hidden one can't. Scrolls to it if it is
/// outside of the window.
pub fn focus_first(ids: &[&str]) {
    let document = web_sys::window().and_then(|window| window.document());
    let elements = ids.iter().filter_map(|id| document.as_ref()?.get_element_by_id(id));
    for element in elements {
        focus(&element);
        if active_element().as_ref() == Some(&element) {
            reveal(&element);
            return;
        }
    }
}

fn is_in_window(element: &Element) -> bool {
    let rect = element.get_bounding_client_rect();
    rect.top() >= 0.0 && window_height().is_some_and(|height| rect.bottom() <= height)
}

/// Whether a part of the first element that a selector matches is in the window.
pub fn is_in_sight(selector: &str) -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    let element = document.and_then(|document| document.query_selector(selector).ok().flatten());
    element
        .map(|element| element.get_bounding_client_rect())
        .is_some_and(|rect| rect.bottom() > 0.0 && window_height().is_some_and(|height| rect.top() < height))
}

/// Scrolls to the focused element if it is in this container and outside the window.
pub fn reveal_focus_in(container: &Element) {
    if let Some(focused) = active_element().filter(|focused| container.contains(Some(focused))) {
        reveal(&focused);
    }
}

/// Scrolls to an element if a part of it is outside the window.
fn reveal(element: &Element) {
    if !is_in_window(element) {
        scroll_into_view(element);
    }
}

/// Scrolls to the end of an element if a part of it is outside the window, so that what stands above it is seen, too.
pub fn reveal_end(element: &Element) {
    if !is_in_window(element) {
        scroll_to(element, ScrollLogicalPosition::End);
    }
}

/// The id of the heading of a page: of its result, if it has one.
pub const TITLE_ID: &str = "page-title";

/// The id of the handle of the clock.
pub const TIME_ID: &str = "time";

/// Moves the focus to the heading of the page, or to its main part if it has none.
pub fn focus_title() {
    focus_first(&[TITLE_ID, "main"]);
}

/// Whether the focus is on a slider, which says its value itself.
pub fn is_on_slider() -> bool {
    active_element().is_some_and(|element| element.get_attribute("role").as_deref() == Some("slider"))
}

/// Scrolls as little as needed to show an element, clear of what stays at the edges of the window.
pub fn scroll_into_view(element: &Element) {
    scroll_to(element, ScrollLogicalPosition::Nearest);
}

fn scroll_to(element: &Element, position: ScrollLogicalPosition) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(position);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Scrolls to an element if its upper edge is hidden by another one, which stays at the top of the window.
pub fn uncover(element: &Element, cover: &Element) {
    if element.get_bounding_client_rect().top() < cover.get_bounding_client_rect().bottom() {
        scroll_into_view(element);
    }
}

/// The height of the window in pixels.
pub fn window_height() -> Option<f64> {
    web_sys::window()?.inner_height().ok()?.as_f64()
}

/// Scrolls down by some pixels; smoothly, unless the user asks for reduced motion.
pub fn scroll_by(pixels: f64) {
    scroll(pixels, if prefers_reduced_motion() { ScrollBehavior::Instant } else { ScrollBehavior::Smooth });
}

/// Scrolls down by as many pixels as the page above has grown: nothing moves.
pub fn scroll_along(pixels: f64) {
    scroll(pixels, ScrollBehavior::Instant);
}

/// How far the page is scrolled down, in pixels.
pub fn scroll_top() -> f64 {
    web_sys::window().and_then(|window| window.scroll_y().ok()).unwrap_or_default()
}

fn scroll(pixels: f64, behavior: ScrollBehavior) {
    let options = ScrollToOptions::new();
    options.set_top(pixels);
    options.set_behavior(behavior);
    if let Some(window) = web_sys::window() {
        window.scroll_by_with_scroll_to_options(&options);
    }
}

/// Moves the focus to the heading of the page if the focused element has gone away, or to its main part if it has none.
pub fn restore_focus() {
    if active_element().is_none_or(|active| active.tag_name() == "BODY") {
        ["main", TITLE_ID].into_iter().for_each(focus_by_id);
    }
}

/// Whether the browser scrolls to where the reader left the page when they come back. Within the app, it would do so a moment after
/// the page has changed, and the focus would be far away.
pub fn set_scroll_restoration(restoration: ScrollRestoration) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        // Without it, the browser scrolls as it likes.
        let _ = history.set_scroll_restoration(restoration);
    }
}

/// Scrolls to the top of the page.
pub fn scroll_to_top() {
    if let Some(window) = web_sys::window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// Sets the title of the document.
pub fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// The fragment of the address, with its `#`; empty if there is none.
pub fn fragment() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// Whether the page was reloaded, or Back or Forward led to it, so that it should be as it was left.
pub fn is_revisited() -> bool {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.is_some_and(|it| it.navigation().type_() != PerformanceNavigation::TYPE_NAVIGATE)
}

/// The path of the address.
pub fn path() -> String {
    web_sys::window().and_then(|window| window.location().pathname().ok()).unwrap_or_default()
}

/// The address without its query and its fragment.
pub fn page_address() -> String {
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).unwrap_or_default();
    origin + &path()
}

/// The address of the site's root.
pub fn site_address() -> String {
    let document = web_sys::window().and_then(|window| window.document());
    document.and_then(|document| document.base_uri().ok().flatten()).unwrap_or_default()
}

/// How an address takes the place of the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEntry {
    /// Back leads to the one before.
    New,
    /// Back leads where it led.
    Same,
}

/// Sets the fragment of the current address, or removes it if `fragment` is empty. `text`: the browser keeps it with this entry
/// of the history for as long as the tab is open; it is not part of the address. Returns whether the browser did so: it limits
/// the length of the text, and how often a page may write.
pub fn set_fragment(fragment: &str, text: Option<&str>, entry: HistoryEntry) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let query = window.location().search().unwrap_or_default();
    let address = path() + &query + fragment;
    let text = text.map_or(JsValue::NULL, JsValue::from_str);
    let written = window.history().and_then(|history| match entry {
        HistoryEntry::New => history.push_state_with_url(&text, "", Some(&address)),
        HistoryEntry::Same => history.replace_state_with_url(&text, "", Some(&address)),
    });
    written.is_ok()
}

/// The text that the browser keeps with the current entry of the history; none if it keeps none.
pub fn text_of_entry() -> Option<String> {
    web_sys::window()?.history().ok()?.state().ok()?.as_string()
}

/// The path of this page, from the root of the site.
pub fn site_path() -> String {
    path_in_site(&page_address()).unwrap_or_default()
}

/// The path of the page with the link that led to this document, from the root of the site; none if it is elsewhere.
pub fn referring_page() -> Option<String> {
    let referrer = web_sys::window()?.document()?.referrer();
    path_in_site(referrer.split('?').next()?)
}

fn path_in_site(address: &str) -> Option<String> {
    address.strip_prefix(site_address().trim_end_matches('/')).map(String::from)
}

/// Leaves for another page. `address`: relative to the root of the site.
pub fn go_to(address: &str) {
    // Fails only for what is no address.
    let _ = web_sys::window().map(|window| window.location().assign(&(site_address() + address)));
}

/// Keeps the text of a page for as long as the tab is open. `path`: from the root of the site. Returns whether the browser does
/// so: some store nothing, and none stores many megabytes.
pub fn keep_in_tab(path: &str, text: &str) -> bool {
    tab_storage().is_some_and(|storage| storage.set_item(&tab_key(path), text).is_ok())
}

/// The text that the tab keeps of a page.
pub fn kept_in_tab(path: &str) -> Option<String> {
    tab_storage()?.get_item(&tab_key(path)).ok().flatten()
}

/// Keeps the text of a page no longer.
pub fn forget_in_tab(path: &str) {
    // Fails only where the browser stores nothing.
    let _ = tab_storage().map(|storage| storage.remove_item(&tab_key(path)));
}

fn tab_key(path: &str) -> String {
    format!("changeover.left{path}")
}

fn tab_storage() -> Option<web_sys::Storage> {
    web_sys::window().and_then(|window| window.session_storage().ok().flatten())
}

/// The key under which the browser keeps that shortcuts of a single character are off.
const SHORTCUTS_OFF: &str = "changeover.character-shortcuts-off";

/// Whether shortcuts of a single character are on: unless the user has switched them off on an earlier visit.
pub fn character_shortcuts() -> bool {
    storage().and_then(|storage| storage.get_item(SHORTCUTS_OFF).ok().flatten()).is_none()
}

/// Remembers whether shortcuts of a single character are on.
pub fn remember_character_shortcuts(on: bool) {
    // Fails only where the browser stores nothing; then it holds until the page is left.
    let _ = storage()
        .map(|storage| if on { storage.remove_item(SHORTCUTS_OFF) } else { storage.set_item(SHORTCUTS_OFF, "") });
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window().and_then(|window| window.local_storage().ok().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_file() {
        for (address, message, failure) in [
            ("https://host/workbench.js", "Uncaught SyntaxError: x", "workbench.js: SyntaxError: x"),
            ("https://host/pkg/player.js", "Uncaught Error: unreachable", "pkg/player.js: unreachable"),
            ("https://host/worker.js", "Uncaught Error: pkg/player.js: x", "pkg/player.js: x"),
            ("", "pkg/workbench_bg.wasm: x", "pkg/workbench_bg.wasm: x"),
            ("", "unreachable", "unreachable"),
        ] {
            assert_eq!(failure_in(address, message), failure);
        }
    }
}
