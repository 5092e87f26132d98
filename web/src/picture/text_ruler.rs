//! How long texts are.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

/// What decides how long a text is.
const FONT: [&str; 3] = ["font-weight", "font-size", "font-family"];

/// Measures texts.
#[derive(Clone, Debug, PartialEq)]
pub enum TextRuler {
    /// The browser measures them in a font.
    Canvas(CanvasRenderingContext2d),
    /// Without a browser, all letters are equally wide.
    #[cfg(test)]
    Monospace(f64),
}

impl TextRuler {
    /// Measures texts in the font of an element.
    pub fn with_font_of(element: &Element) -> Option<Self> {
        let window = web_sys::window()?;
        let style = window.get_computed_style(element).ok()??;
        let canvas: HtmlCanvasElement = window.document()?.create_element("canvas").ok()?.dyn_into().ok()?;
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        // `font` is empty where another property changes the figures.
        context.set_font(&FONT.map(|property| style.get_property_value(property).unwrap_or_default()).join(" "));
        Some(Self::Canvas(context))
    }

    /// For a text of that size, without a browser.
    #[cfg(test)]
    pub fn monospace(text_scale: f64) -> Self {
        Self::Monospace(7.6 * text_scale)
    }

    /// The length of a text in pixels.
    pub fn length(&self, text: &str) -> f64 {
        match self {
            Self::Canvas(context) => context.measure_text(text).map_or(0.0, |metrics| metrics.width()),
            #[cfg(test)]
            Self::Monospace(letter) => text.chars().fold(0.0, |length, _| length + letter),
        }
    }
}
