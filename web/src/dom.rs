//! The few things that are asked of the browser beside Yew.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Element, PointerEvent, Window};

/// The window.
pub(crate) fn window() -> Option<Window> {
    web_sys::window()
}

/// The document.
pub(crate) fn document() -> Option<Document> {
    window().and_then(|window| window.document())
}

/// The element of that id.
pub(crate) fn by_id(id: &str) -> Option<Element> {
    document().and_then(|document| document.get_element_by_id(id))
}

/// The element of that id, where it is of that type.
pub(crate) fn by_id_as<T: JsCast>(id: &str) -> Option<T> {
    by_id(id).and_then(|element| element.dyn_into().ok())
}

/// The first element within another that fits.
pub(crate) fn find(within: &Element, selector: &str) -> Option<Element> {
    within.query_selector(selector).ok().flatten()
}

/// The children of the first element that fits.
pub(crate) fn children(within: &Element, selector: &str) -> Vec<Element> {
    let mut children = Vec::new();
    let mut next = find(within, selector).and_then(|parent| parent.first_element_child());
    while let Some(child) = next {
        next = child.next_element_sibling();
        children.push(child);
    }
    children
}

/// Sets an attribute.
pub(crate) fn set(element: &Element, name: &str, value: &str) {
    // Refused only for names that are none.
    let _ = element.set_attribute(name, value);
}

/// A token of the style sheet, such as a colour.
pub(crate) fn token(name: &str) -> String {
    let root = document().and_then(|document| document.document_element());
    let style = window().zip(root).and_then(|(window, root)| window.get_computed_style(&root).ok().flatten());
    style.and_then(|style| style.get_property_value(name).ok()).unwrap_or_default().trim().into()
}

/// Whether the user asks for less motion.
pub(crate) fn less_motion() -> bool {
    let query = window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    query.is_some_and(|list| list.matches())
}

/// The page's place: what comes after `#`.
pub(crate) fn place() -> String {
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    String::from(hash.trim_start_matches('#'))
}

/// Goes to a place, so that Back returns.
pub(crate) fn go(place: &str) {
    if let Some(window) = window() {
        // Never refused for a fragment.
        let _ = window.location().set_hash(place);
    }
}

/// Where in an element a pointer is, from its left and its top, as a share of its size.
pub(crate) fn within(event: &PointerEvent, element: &Element) -> (f64, f64) {
    let bounds = element.get_bounding_client_rect();
    let share = |at: i32, from: f64, size: f64| if size > 0.0 { (f64::from(at) - from) / size } else { 0.0 };
    (share(event.client_x(), bounds.left(), bounds.width()), share(event.client_y(), bounds.top(), bounds.height()))
}

/// What has the focus when a key goes down.
pub(crate) enum Focus {
    /// Something that takes the key itself.
    Field,
    /// A button, a link or the like: Space and Enter are its own.
    Button,
    /// The pods of a row: left and right go from pod to pod.
    Pods,
    /// Anything else.
    Page,
}

/// What an element takes of keys.
pub(crate) fn focus(element: &Element) -> Focus {
    if element.class_list().contains("tiles") {
        return Focus::Pods;
    }
    match element.tag_name().as_str() {
        "INPUT" | "SELECT" | "TEXTAREA" => Focus::Field,
        "BUTTON" | "A" | "SUMMARY" => Focus::Button,
        _ => Focus::Page,
    }
}

/// Calls back before each frame that the browser paints, while it is on.
pub(crate) struct Ticker {
    closure: Closure<dyn FnMut(f64)>,
    last: Option<f64>,
    on: bool,
    /// Whether the browser was asked for a frame and has not come back yet.
    asked: bool,
}

impl Ticker {
    /// A ticker that is off. It hands over the browser's time in milliseconds.
    pub(crate) fn new(tick: impl Fn(f64) + 'static) -> Self {
        Self { closure: Closure::new(tick), last: None, on: false, asked: false }
    }

    /// Turns it on or off.
    pub(crate) fn turn(&mut self, on: bool) {
        if on && !self.on {
            self.last = None;
            self.request();
        }
        self.on = on;
    }

    /// Milliseconds since the tick before; asks for the next one. None when it was turned off meanwhile. After a pause
    /// of the whole page (a hidden tab) time does not leap.
    pub(crate) fn tick(&mut self, now: f64) -> Option<f64> {
        self.asked = false;
        if !self.on {
            return None;
        }
        let passed = self.last.map_or(0.0, |last| (now - last).clamp(0.0, 100.0));
        self.last = Some(now);
        self.request();
        Some(passed)
    }

    fn request(&mut self) {
        if self.asked {
            return;
        }
        self.asked = true;
        if let Some(window) = window() {
            // Refused only where there is nothing to paint.
            let _ = window.request_animation_frame(self.closure.as_ref().unchecked_ref());
        }
    }
}
