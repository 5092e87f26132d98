//! How long texts are.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

/// How bold a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Most labels above the picture.
    Regular,
    /// The texts in the picture.
    Bold,
}

/// Measures texts.
#[derive(Clone, Debug, PartialEq)]
pub enum TextRuler {
    /// The browser measures them in a font.
    Canvas {
        /// Where regular texts are measured, ...
        regular: CanvasRenderingContext2d,
        /// ... and bold ones.
        bold: CanvasRenderingContext2d,
    },
    /// Without a browser, all letters are equally wide.
    #[cfg(test)]
    Monospace(f64),
}

impl TextRuler {
    /// Measures texts in the font of an element.
    pub fn with_font_of(element: &Element) -> Option<Self> {
        let window = web_sys::window()?;
        let style = window.get_computed_style(element).ok()??;
        // The property `font` is empty where another one changes the figures.
        let [size, family] =
            ["font-size", "font-family"].map(|name| style.get_property_value(name).unwrap_or_default());
        let document = window.document()?;
        let context = |weight: &str| {
            let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
            let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
            context.set_font(&format!("{weight} {size} {family}"));
            Some(context)
        };
        Some(Self::Canvas { regular: context("400")?, bold: context("700")? })
    }

    /// For a text of that size, without a browser.
    #[cfg(test)]
    pub fn monospace(text_scale: f64) -> Self {
        Self::Monospace(7.6 * text_scale)
    }

    /// The length of a text in pixels.
    pub fn length(&self, text: &str, weight: Weight) -> f64 {
        match self {
            Self::Canvas { regular, bold } => {
                let context = match weight {
                    Weight::Regular => regular,
                    Weight::Bold => bold,
                };
                context.measure_text(text).map_or(0.0, |metrics| metrics.width())
            }
            #[cfg(test)]
            Self::Monospace(letter) => text.chars().fold(0.0, |length, _| length + letter),
        }
    }
}
