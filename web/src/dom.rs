//! The few things that the page asks the browser itself.

use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement, ScrollBehavior, ScrollToOptions};

/// Whether the user asks for reduced motion.
pub fn prefers_reduced_motion() -> bool {
    let query = |window: web_sys::Window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    web_sys::window().and_then(query).is_some_and(|query| query.matches())
}

/// Whether the focus is in an element that takes typed text.
pub fn is_typing() -> bool {
    let active = web_sys::window().and_then(|window| window.document()).and_then(|document| document.active_element());
    active.is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT" | "YAML-EDITOR"))
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

/// Moves the focus to the main part of the page, when the focused element goes away.
pub fn focus_main() {
    focus_by_id("main");
}

/// Moves the focus to the element with an id.
pub fn focus_by_id(id: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(element) = document.and_then(|document| document.get_element_by_id(id)) {
        focus(&element);
    }
}

/// Scrolls down by some pixels; smoothly, unless the user asks for reduced motion.
pub fn scroll_by(pixels: f64) {
    let options = ScrollToOptions::new();
    options.set_top(pixels);
    options.set_behavior(if prefers_reduced_motion() { ScrollBehavior::Instant } else { ScrollBehavior::Smooth });
    if let Some(window) = web_sys::window() {
        window.scroll_by_with_scroll_to_options(&options);
    }
}

/// Moves the focus to the main part of the page if the focused element has gone away.
pub fn restore_focus() {
    let active = web_sys::window().and_then(|window| window.document()).and_then(|document| document.active_element());
    if active.is_none_or(|active| active.tag_name() == "BODY") {
        focus_main();
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
