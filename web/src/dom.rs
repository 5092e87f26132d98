//! Browser functions that Yew does not offer: elements by id, attributes, the route in the address, animation frames.

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

/// The element with an id.
pub(crate) fn by_id(id: &str) -> Option<Element> {
    document().and_then(|document| document.get_element_by_id(id))
}

/// The element with an id, if it has that type.
pub(crate) fn by_id_as<T: JsCast>(id: &str) -> Option<T> {
    by_id(id).and_then(|element| element.dyn_into().ok())
}

/// The first element that matches a selector.
pub(crate) fn query(within: &Element, selector: &str) -> Option<Element> {
    within.query_selector(selector).ok().flatten()
}

/// The children of the first element that matches a selector.
pub(crate) fn query_children(within: &Element, selector: &str) -> Vec<Element> {
    let mut children = Vec::new();
    let mut next = query(within, selector).and_then(|parent| parent.first_element_child());
    while let Some(child) = next {
        next = child.next_element_sibling();
        children.push(child);
    }
    children
}

/// Sets an attribute.
pub(crate) fn set_attribute(element: &Element, name: &str, value: &str) {
    // Fails only for invalid names.
    let _ = element.set_attribute(name, value);
}

/// The value of a custom property of the style sheet, such as a color.
pub(crate) fn css_token(name: &str) -> String {
    let root = document().and_then(|document| document.document_element());
    let style = window().zip(root).and_then(|(window, root)| window.get_computed_style(&root).ok().flatten());
    style.and_then(|style| style.get_property_value(name).ok()).unwrap_or_default().trim().into()
}

/// Whether the user prefers reduced motion.
pub(crate) fn prefers_reduced_motion() -> bool {
    let query = window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    query.is_some_and(|list| list.matches())
}

/// The route: the part of the address after `#`.
pub(crate) fn route() -> String {
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    String::from(hash.trim_start_matches('#'))
}

/// Goes to a route, so that Back returns.
pub(crate) fn set_route(route: &str) {
    if let Some(window) = window() {
        // Never fails for a fragment.
        let _ = window.location().set_hash(route);
    }
}

/// The position of a pointer in an element, as shares of its width and height.
pub(crate) fn pointer_position(event: &PointerEvent, element: &Element) -> (f64, f64) {
    let bounds = element.get_bounding_client_rect();
    let share = |client: i32, from: f64, size: f64| if size > 0.0 { (f64::from(client) - from) / size } else { 0.0 };
    (share(event.client_x(), bounds.left(), bounds.width()), share(event.client_y(), bounds.top(), bounds.height()))
}

/// What has the focus when a key is pressed.
pub(crate) enum FocusTarget {
    /// An input, which takes all keys.
    Field,
    /// A button or a link, which takes Space and Enter.
    Button,
    /// The pods of a row, which take the arrow keys left and right.
    Pods,
    /// Anything else.
    Page,
}

/// Which kind of target an element is.
pub(crate) fn focus_target(element: &Element) -> FocusTarget {
    if element.class_list().contains("tiles") {
        return FocusTarget::Pods;
    }
    match element.tag_name().as_str() {
        "INPUT" | "SELECT" | "TEXTAREA" => FocusTarget::Field,
        "BUTTON" | "A" | "SUMMARY" => FocusTarget::Button,
        _ => FocusTarget::Page,
    }
}

/// Calls back before each frame that the browser paints, while it runs.
pub(crate) struct Ticker {
    closure: Closure<dyn FnMut(f64)>,
    last: Option<f64>,
    running: bool,
    /// Whether a requested animation frame is still to come.
    frame_requested: bool,
}

impl Ticker {
    /// A stopped ticker. `tick` gets the browser's time in milliseconds.
    pub(crate) fn new(tick: impl Fn(f64) + 'static) -> Self {
        Self { closure: Closure::new(tick), last: None, running: false, frame_requested: false }
    }

    /// Starts or stops it.
    pub(crate) fn set_running(&mut self, running: bool) {
        if running && !self.running {
            self.last = None;
            self.request();
        }
        self.running = running;
    }

    /// The milliseconds since the previous tick, at most 100, so that time does not jump when a hidden tab is shown again.
    /// Requests the next tick. None if it was stopped.
    pub(crate) fn tick(&mut self, now: f64) -> Option<f64> {
        self.frame_requested = false;
        if !self.running {
            return None;
        }
        let passed = self.last.map_or(0.0, |last| (now - last).clamp(0.0, 100.0));
        self.last = Some(now);
        self.request();
        Some(passed)
    }

    fn request(&mut self) {
        if self.frame_requested {
            return;
        }
        self.frame_requested = true;
        if let Some(window) = window() {
            // Fails only without a window.
            let _ = window.request_animation_frame(self.closure.as_ref().unchecked_ref());
        }
    }
}
