//! The few things that are asked of the browser beside Yew.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent, Window};

/// The window.
pub(crate) fn window() -> Option<Window> {
    web_sys::window()
}

/// Whether a media query holds.
pub(crate) fn matches(query: &str) -> bool {
    window().and_then(|window| window.match_media(query).ok().flatten()).is_some_and(|list| list.matches())
}

/// Whether the user asks for less motion.
pub(crate) fn less_motion() -> bool {
    matches("(prefers-reduced-motion: reduce)")
}

/// Where in its element a pointer was pressed; the pointer is held from then on. None for other buttons than the first.
pub(crate) fn press(event: &PointerEvent) -> Option<f64> {
    if event.button() != 0 {
        return None;
    }
    let element = held(event)?;
    // Without the capture a drag ends at the element's edge: no harm.
    let _ = element.set_pointer_capture(event.pointer_id());
    Some(place(event, &element))
}

/// Where in its element a pressed pointer is.
pub(crate) fn drag(event: &PointerEvent) -> Option<f64> {
    let element = held(event)?;
    element.has_pointer_capture(event.pointer_id()).then(|| place(event, &element))
}

/// The picture that a pointer is on. Yew listens at the root: the event's own current target is of no use.
fn held(event: &PointerEvent) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest("svg[role=slider]").ok().flatten()
}

fn place(event: &PointerEvent, element: &Element) -> f64 {
    f64::from(event.client_x()) - element.get_bounding_client_rect().left()
}

/// What has the focus when a key goes down.
pub(crate) enum Focus {
    /// Something that takes the key itself.
    Field,
    /// A button, a link or the like: Space and Enter are its own.
    Button,
    /// Anything else.
    Page,
}

/// What a key event is aimed at.
pub(crate) fn focus(event: &KeyboardEvent) -> Focus {
    let target: Option<HtmlElement> = event.target().and_then(|target| target.dyn_into().ok());
    match target.map(|element| element.tag_name()).as_deref() {
        Some("INPUT" | "SELECT" | "TEXTAREA") => Focus::Field,
        Some("BUTTON" | "A" | "SUMMARY") => Focus::Button,
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
