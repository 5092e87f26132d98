//! How long the texts of the picture are. The browser measures them; where there is none, as in unit tests, the letters have the
//! widths of Helvetica.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::dom;

/// How bold a text is, as in style.css.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// 400
    Normal,
    /// 600
    Semibold,
    /// 700
    Bold,
}

/// The size of the texts for a reader with the usual size, in pixels.
const FONT_SIZE: f64 = 13.0;

thread_local! {
    /// The texts that have been measured. Digits have one width, so that each count is measured once.
    static WIDTHS: RefCell<HashMap<(String, Weight), f64>> = RefCell::default();
}

/// The length of a text of the usual size, in pixels.
pub fn text_width(text: &str, weight: Weight) -> f64 {
    let text: String = text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    WIDTHS.with_borrow_mut(|widths| {
        let key = (text, weight);
        if let Some(width) = widths.get(&key) {
            return *width;
        }
        let width = measure(&key.0, weight);
        widths.insert(key, width);
        width
    })
}

fn measure(text: &str, weight: Weight) -> f64 {
    let measured = cfg!(target_family = "wasm").then(|| dom::text_width(text, weight.number(), FONT_SIZE)).flatten();
    measured.unwrap_or_else(|| usual_width(text))
}

impl Weight {
    const fn number(self) -> u16 {
        match self {
            Self::Normal => 400,
            Self::Semibold => 600,
            Self::Bold => 700,
        }
    }
}

/// The length of a text in Helvetica Bold, about.
fn usual_width(text: &str) -> f64 {
    let em = |letter: char| match letter {
        ' ' | ',' | '.' | ':' | ';' | '\'' | '|' | 'i' | 'j' | 'l' | 'I' => 0.28,
        '(' | ')' | '-' | 'f' | 't' | 'r' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' => 0.87,
        'A'..='Z' => 0.7,
        _ => 0.58,
    };
    FONT_SIZE * text.chars().map(em).sum::<f64>()
}
